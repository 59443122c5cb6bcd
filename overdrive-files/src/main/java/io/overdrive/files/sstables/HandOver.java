package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.files.records.WritableDirectory;
import io.overdrive.files.sstables.JmxAccess.Address;
import io.overdrive.files.sstables.SstableSummary.NodeResult;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.sstable.Sstable;
import io.overdrive.sstable.SstableSorter.Written;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands complete SSTables over: nodes import them, one node after another, or each gets a script that does. {@link #run} is called once;
 * the other methods by any thread.
 *
 * <p>Once it has begun it goes on to the last node, whoever asks it to stop: a table that has rows on some of their replicas only is what
 * nobody wants. Before the first node and after the last one it looks whether rows still belong to the same nodes.
 */
final class HandOver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandOver.class);
    private static final String DOWN = "it is down";

    private enum Phase {
        BEFORE,
        STOPPED,
        BEGUN
    }

    /**
     * The nodes of this host.
     *
     * @param beans those of nodes that answer, by the number of the owner; empty if nothing is imported here
     * @param down addresses of the other nodes, if they are known
     */
    record Local(Map<Integer, NodeBeans> beans, Map<Integer, Address> down) {
        /** Why rows that are imported now may not get to all of their nodes; null if nothing is known that speaks against it. */
        @Nullable String pendingNodes() throws IOException {
            IOException failure = null;
            for (NodeBeans node : beans.values()) {
                try {
                    return node.pendingNodes();
                } catch (IOException e) {
                    failure = e; // another node knows as much
                }
            }
            if (failure != null) {
                throw failure;
            }
            return null;
        }
    }

    private final String keyspace;
    private final String table;
    private final SstableOptions options;
    private final Replicas replicas;
    private final Supplier<Placement> placementNow;
    private final Local local;
    private final @Nullable SshImport ssh;
    private final Staging staging;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.BEFORE);
    private volatile List<NodeResult> results = List.of();
    private volatile long rows;

    /**
     * @param replicas for which the SSTables are written
     * @param placementNow asks the cluster
     * @param ssh null unless the nodes are on other hosts
     * @param staging where the SSTables are
     */
    HandOver(
            String keyspace,
            String table,
            SstableOptions options,
            Replicas replicas,
            Supplier<Placement> placementNow,
            Local local,
            @Nullable SshImport ssh,
            Staging staging) {
        this.keyspace = keyspace;
        this.table = table;
        this.options = options;
        this.replicas = replicas;
        this.placementNow = placementNow;
        this.local = local;
        this.ssh = ssh;
        this.staging = staging;
    }

    /** Prevents that it begins. Returns false if it has begun, and goes on. */
    boolean stop() {
        return phase.compareAndSet(Phase.BEFORE, Phase.STOPPED) || phase.get() == Phase.STOPPED;
    }

    /** What each node has got; empty before it begins. */
    List<NodeResult> results() {
        return results;
    }

    /** Rows that all of their nodes have imported; if scripts do it, those that are in files. */
    long rows() {
        return rows;
    }

    /**
     * Hands everything over. If it ends early by an exception and there are no {@link #results}, no node has imported anything; else what
     * was not imported stays where it is.
     *
     * @return false if it was stopped before it began
     * @throws OverdriveException of kind WRITE if not all nodes have imported their SSTables, or rows now belong to other nodes; of kind
     *     DISK if the directory cannot be written
     */
    boolean run(Written written) {
        String change = null;
        String unknown = null;
        try {
            change = change();
        } catch (IOException | RuntimeException e) {
            unknown =
                    "nothing was imported, because it cannot be found out whether rows still belong to the same nodes: "
                            + e.getMessage();
        }
        if (!phase.compareAndSet(Phase.BEFORE, Phase.BEGUN)) {
            return false;
        }
        if (change != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    "while the load ran, " + change + ": its SSTables were written for the nodes that rows belonged to"
                            + " before, so none was handed over; run it again when no node joins, leaves or moves"
                            + " (nodetool status)");
        }
        if (options.imports()) {
            complete();
        }
        List<NodeResult> all = new ArrayList<>();
        for (int owner = 0; owner < replicas.nodes().size(); owner++) {
            all.add(result(
                    written,
                    owner,
                    /* isImported */ false,
                    options.imports() ? "its import was not finished" : "its script was not written"));
        }
        results = List.copyOf(all);
        for (int owner = 0; owner < all.size(); owner++) {
            all.set(owner, handOver(written, owner, options.imports() ? unknown : null));
            results = List.copyOf(all);
            rows = rows(written);
        }
        end(options.imports() && unknown == null ? changeMeanwhile() : null);
        return true;
    }

    /** Why SSTables for the replicas would not be for the right nodes; null if they are. */
    private @Nullable String change() throws IOException {
        String change = replicas.placement().changeTo(placementNow.get());
        return change != null ? change : local.pendingNodes();
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

    private long rows(Written written) {
        List<NodeResult> now = results;
        long sum = 0;
        for (int range = 0; range < written.rows().length; range++) {
            boolean isDone = Arrays.stream(replicas.owners().owners(range))
                    .mapToObj(now::get)
                    .allMatch(result -> result.isImported() || (!options.imports() && result.problem() == null));
            sum += isDone ? written.rows()[range] : 0;
        }
        return sum;
    }

    /**
     * Has a node take its SSTables, or leaves them with a script.
     *
     * @param prevented why it must not import any; null if it may
     */
    private NodeResult handOver(Written written, int owner, @Nullable String prevented) {
        boolean isEmpty = written.sstables().get(owner).isEmpty();
        String problem = null;
        boolean isImported = options.imports() && isEmpty;
        try {
            if (options.jmx() == null) {
                staging.writeScript(owner, name(owner));
            }
            if (options.imports() && !isEmpty) {
                problem = prevented != null ? prevented : importInto(owner);
                isImported = problem == null;
            }
            if (isImported) {
                staging.delete(owner);
            }
        } catch (IOException | RuntimeException e) {
            if (isImported) {
                LOG.warn(
                        "node {} has imported its SSTables, and what is left of them cannot be deleted",
                        name(owner),
                        e);
            } else {
                problem = String.valueOf(e.getMessage());
            }
        }
        return result(written, owner, isImported, problem);
    }

    /** @param problem null if there is none; not looked at if the node has imported everything */
    private NodeResult result(Written written, int owner, boolean isImported, @Nullable String problem) {
        List<Sstable> sstables = written.sstables().get(owner);
        String why = isImported ? null : problem;
        return new NodeResult(
                name(owner),
                sstables.size(),
                sstables.stream().mapToLong(Sstable::rows).sum(),
                sstables.stream().mapToLong(Sstable::bytes).sum(),
                isImported,
                staging.of(owner),
                why,
                why == null ? null : command(owner));
    }

    private String name(int owner) {
        return NodeName.of(replicas.nodes().get(owner));
    }

    /** By which a user has a node import its SSTables; null if a script does it. */
    private @Nullable String command(int owner) {
        JmxAccess jmx = options.jmx();
        if (jmx != null) {
            NodeBeans node = local.beans.get(owner);
            return staging.command(owner, jmx.nodetool(node == null ? local.down.get(owner) : node.address()));
        }
        return ssh == null
                ? null
                : ssh.command(staging.of(owner), host(replicas.nodes().get(owner)), staging.name(owner));
    }

    /** Why the node has not taken its SSTables; null if it has. */
    private @Nullable String importInto(int owner) throws IOException {
        Node node = replicas.nodes().get(owner);
        if (ssh != null) {
            return ReplicaChoice.isUp(node) ? ssh.importFrom(staging.of(owner), host(node), staging.name(owner)) : DOWN;
        }
        NodeBeans beans = local.beans.get(owner);
        if (beans == null) {
            return DOWN;
        }
        Collection<?> refused = beans.importFrom(keyspace, table, staging.sstables(owner));
        if (!refused.isEmpty() || staging.hasSstables(owner)) {
            return "it has " + (refused.isEmpty() ? "found no SSTable that it takes" : "refused the SSTables") + " in "
                    + staging.sstables(owner) + "; its log says why";
        }
        return null;
    }

    /** The address of a node, for ssh. */
    static String host(Node node) {
        if (node.getEndPoint().resolve() instanceof InetSocketAddress address) {
            return address.getAddress() == null
                    ? address.getHostString()
                    : address.getAddress().getHostAddress();
        }
        throw new OverdriveException(
                Kind.CONNECT, "node " + NodeName.of(node) + " has no address for ssh: load without --ssh");
    }

    /** As {@link #change}, since the first node began to import. */
    private @Nullable String changeMeanwhile() {
        try {
            return change();
        } catch (IOException | RuntimeException e) {
            LOG.warn("it cannot be found out whether nodes have joined or left while others imported", e);
            return null;
        }
    }

    /** Deletes what is not needed any more, and fails if a node has not got its rows. */
    private void end(@Nullable String changeMeanwhile) {
        List<NodeResult> failed =
                results.stream().filter(result -> result.problem() != null).toList();
        if (!options.imports()) {
            leave();
        } else if (failed.isEmpty()) {
            staging.deleteAll();
        }
        if (changeMeanwhile != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    "while nodes imported, " + changeMeanwhile + ": nodes may lack rows; when no node joins, leaves or"
                            + " moves (nodetool status), run the load again, or nodetool repair -full "
                            + Staging.quoted(keyspace));
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
    }

    private void leave() {
        try {
            staging.leave();
        } catch (IOException e) {
            LOG.warn("the lock file in {} cannot be deleted", staging.root(), e);
        }
    }

    /** Closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        local.beans.values().forEach(NodeBeans::close);
        try {
            staging.close();
        } catch (IOException e) {
            LOG.debug("the lock of {} cannot be released before this process ends", staging.root(), e);
        }
    }
}
