package io.overdrive.sstable.handover;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.sstable.write.Sstable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands complete SSTables over: nodes import them, one node after another, or each gets a script that does. {@link #run} is called once;
 * the other methods by any thread.
 *
 * <p>Once it has begun it continues to the last node, whoever asks it to stop: a table that has rows on some of their replicas only is what
 * nobody wants. Before the first node and after the last one it looks whether rows still belong to the same nodes, and the table still has
 * their columns.
 */
final class HandOver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);
    /** How often nodes are asked to which of them rows belong: when they have imported much, they may be slow to answer. */
    private static final int TRIES = 5;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private enum Phase {
        BEFORE,
        STOPPED,
        BEGUN
    }

    /** The SSTables that one node gets, as totals. */
    record Share(int sstables, long rows, long bytes) {
        static Share of(List<Sstable> all) {
            return new Share(
                    all.size(),
                    all.stream().mapToLong(Sstable::rows).sum(),
                    all.stream().mapToLong(Sstable::bytes).sum());
        }
    }

    private final Importers importers;
    private final Supplier<Placement> placementNow;
    private final List<String> columns;
    private final Staging staging;
    private final LongConsumer sleep;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.BEFORE);
    private volatile List<ImportResult> results = List.of();
    private volatile long rows;

    /**
     * @param placementNow asks the cluster
     * @param columns that the SSTables have, without quotes
     * @param staging where the SSTables are
     * @param sleep waits for this many nanoseconds
     */
    HandOver(
            Importers importers,
            Supplier<Placement> placementNow,
            List<String> columns,
            Staging staging,
            LongConsumer sleep) {
        this.importers = importers;
        this.placementNow = placementNow;
        this.columns = List.copyOf(columns);
        this.staging = staging;
        this.sleep = sleep;
    }

    /** Hands over SSTables in directories that exist. */
    static HandOver of(Overdrive overdrive, Importers importers, List<String> columns, Staging staging) {
        return new HandOver(
                importers,
                () -> Placement.read(overdrive.session(), importers.keyspace(), importers.table()),
                columns,
                staging,
                LockSupport::parkNanos);
    }

    /** Prevents it from beginning. Returns false if it has begun, and continues. */
    boolean stop() {
        return phase.compareAndSet(Phase.BEFORE, Phase.STOPPED) || phase.get() == Phase.STOPPED;
    }

    /** The result of each node; empty before the hand-over begins. */
    List<ImportResult> results() {
        return results;
    }

    /** Rows that all of their nodes have imported; if scripts do it, those that are in files. */
    long rows() {
        return rows;
    }

    /** The directories of all nodes, for their SSTables. */
    List<Path> directories() {
        return staging.sstables();
    }

    /**
     * Hands everything over. If it ends early by an exception and there are no {@link #results}, no node has imported anything; else what
     * was not imported stays where it is.
     *
     * @param shares of all nodes
     * @param rowsOfRanges for each range of the owners the number of its rows
     * @return false if it was stopped before it began
     * @throws OverdriveException of kind WRITE if not all nodes have imported their SSTables, or rows now belong to other nodes; of kind
     *     DISK if the directory cannot be written
     */
    boolean run(List<Share> shares, long[] rowsOfRanges) {
        String change = null;
        String unknown = null;
        try {
            change = change();
        } catch (IOException | RuntimeException e) {
            unknown = unknown(e);
        }
        String prevented = importers.imports() && unknown != null ? "nothing was imported, because " + unknown : null;
        if (!phase.compareAndSet(Phase.BEFORE, Phase.BEGUN)) {
            return false;
        }
        if (change != null) {
            throw changed(change);
        }
        if (importers.imports()) {
            complete();
        }
        List<ImportResult> all = new ArrayList<>();
        for (int owner = 0; owner < importers.replicas().nodes().size(); owner++) {
            all.add(result(
                    shares.get(owner),
                    owner,
                    /* isImported */ false,
                    importers.imports() ? "its import was not finished" : "its script was not written"));
        }
        results = List.copyOf(all);
        RowsDone done = new RowsDone(importers.replicas().owners(), all.size(), rowsOfRanges);
        for (int owner = 0; owner < all.size(); owner++) {
            ImportResult result = handOver(shares.get(owner), owner, prevented);
            all.set(owner, result);
            results = List.copyOf(all);
            rows = done.add(owner, result.isImported() || (!importers.imports() && result.problem() == null));
        }
        if (unknown == null && importers.imports()) {
            try {
                change = change();
            } catch (IOException | RuntimeException e) {
                unknown = unknown(e);
            }
        }
        end(change, unknown);
        return true;
    }

    /**
     * Looks whether rows still belong to the same nodes.
     *
     * @throws OverdriveException of kind WRITE if they do not, or that cannot be found out
     */
    void requireSameNodes() {
        String change;
        try {
            change = change();
        } catch (IOException | RuntimeException e) {
            throw new OverdriveException(Kind.WRITE, "nothing was imported, because " + unknown(e), e);
        }
        if (change != null) {
            throw changed(change);
        }
    }

    private static String unknown(Exception e) {
        return "it cannot be found out whether rows still belong to the same nodes: " + e.getMessage();
    }

    private static OverdriveException changed(String change) {
        return new OverdriveException(
                Kind.WRITE,
                "since the run began, " + change + ": its SSTables were written for what was there then, so none was"
                        + " handed over; run it again when no node joins, leaves or moves (nodetool status)");
    }

    /** Why SSTables for the replicas would not be for the right nodes; null if they are. */
    private @Nullable String change() throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                String change = importers.replicas().placement().changeTo(placementNow.get(), columns);
                return change != null ? change : importers.pendingNodes();
            } catch (IOException | RuntimeException e) {
                if (tries == TRIES) {
                    throw e;
                }
                LOG.debug("it cannot be found out yet whether rows still belong to the same nodes", e);
                sleep.accept(RETRY_NANOS);
            }
        }
    }

    private void complete() {
        try {
            staging.complete();
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK,
                    staging.root() + ": cannot be written: " + WritableDirectory.reason(e) + "; free disk space",
                    e);
        }
    }

    /**
     * Makes a node import its SSTables, or leaves them with a script.
     *
     * @param prevented why it must not import any; null if it may
     */
    private ImportResult handOver(Share share, int owner, @Nullable String prevented) {
        boolean isEmpty = share.sstables() == 0;
        String problem = null;
        boolean isImported = importers.imports() && isEmpty;
        try {
            importers.writeScript(staging, owner);
            if (importers.imports() && !isEmpty) {
                problem = prevented != null ? prevented : importers.importInto(owner, staging);
                isImported = problem == null;
            }
            if (isImported) {
                staging.delete(owner);
            }
        } catch (IOException | RuntimeException e) {
            if (isImported) {
                LOG.warn(
                        "node {} has imported its SSTables, but their remaining files cannot be deleted",
                        importers.replicas().name(owner),
                        e);
            } else {
                problem = String.valueOf(e.getMessage());
            }
        }
        return result(share, owner, isImported, problem);
    }

    /** @param problem null if there is none; not looked at if the node has imported everything */
    private ImportResult result(Share share, int owner, boolean isImported, @Nullable String problem) {
        String why = isImported ? null : problem;
        return new ImportResult(
                importers.replicas().name(owner),
                share.sstables(),
                share.rows(),
                share.bytes(),
                isImported,
                staging.of(owner),
                why,
                why == null ? null : importers.command(owner, staging));
    }

    /**
     * Deletes files that are not needed any more, and fails if a node may not have all of its rows.
     *
     * @param change that nodes have seen while they imported; null if none is known
     * @param unknown why none may be known; null if there was none
     */
    private void end(@Nullable String change, @Nullable String unknown) {
        List<ImportResult> failed =
                results.stream().filter(result -> result.problem() != null).toList();
        if (!importers.imports()) {
            leave();
        } else if (failed.isEmpty()) {
            staging.deleteAll();
        }
        String repair = "run it again, or nodetool repair -full "
                + Staging.quoted(importers.keyspace().asInternal());
        if (change != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    "while nodes imported, " + change + ": nodes may lack rows or values; when no node joins, leaves or"
                            + " moves (nodetool status), " + repair);
        }
        if (!failed.isEmpty()) {
            throw new OverdriveException(
                    Kind.WRITE,
                    failed.size() + " of " + results.size() + " nodes "
                            + (failed.size() == 1 ? "has" : "have") + " not imported "
                            + (failed.size() == 1 ? "its" : "their") + " SSTables, which are kept in " + staging.root()
                            + ": " + failed.get(0).node() + ": "
                            + failed.get(0).problem());
        }
        if (unknown != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    importers.imports()
                            ? "all nodes have imported their SSTables, but " + unknown
                                    + "; if a node has joined, left or" + " moved meanwhile (nodetool status), "
                                    + repair
                            : "the SSTables are in " + staging.root() + ", but " + unknown
                                    + "; import them only if no node"
                                    + " has joined, left or moved since the run began (nodetool status)");
        }
    }

    private void leave() {
        try {
            staging.leave();
        } catch (IOException e) {
            LOG.warn("the lock file in {} cannot be deleted", staging.root(), e);
        }
    }

    /** Deletes the directories, unless nodes may have begun to import. */
    void deleteUnlessBegun() {
        if (results.isEmpty()) {
            staging.deleteAll();
        }
    }

    /** Closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        importers.close();
        release();
    }

    /** Releases the lock of the directory. */
    void release() {
        try {
            staging.close();
        } catch (IOException e) {
            LOG.debug("the lock of {} cannot be released before this process ends", staging.root(), e);
        }
    }
}
