package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteOptions;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.MessageText;
import io.overdrive.sstable.handover.HandOver.Share;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A job whose tasks write SSTables in several processes, into one directory that all of them see. The output of an attempt of a task
 * ({@link SstableAttempt}) counts only if the job takes it, and no node has any of it before the job hands all over. Used by one thread
 * at a time, in the process that starts the tasks.
 */
public final class SstableJob implements AutoCloseable {
    private final Overdrive overdrive;
    private final TableMetadata table;
    private final List<String> columns;
    private final Importers importers;
    private @Nullable Staging staging;
    private @Nullable HandOver handOver;
    /** The SSTables that each node gets. */
    private List<Share> shares = List.of();

    private SstableJob(Overdrive overdrive, TableMetadata table, List<String> columns, Importers importers) {
        this.overdrive = overdrive;
        this.table = table;
        this.columns = columns;
        this.importers = importers;
    }

    /**
     * Checks the table, and that the nodes that are up can be reached.
     *
     * @param target a table
     * @param writeTimes whether rows have their own
     * @param by how the nodes get the SSTables. Its directory, which all processes see, must not be null; if scripts import, it does not
     *     exist or is empty
     * @throws OverdriveException of kind SCHEMA if rows of the table cannot be imported, or nodes do not agree on the schema; of kind CONNECT if a node cannot be reached
     */
    public static SstableJob open(Overdrive overdrive, WriteOptions target, boolean writeTimes, SstableOptions by) {
        Objects.requireNonNull(by.directory());
        SstableRefusals.check(target);
        overdrive.table(String.valueOf(target.keyspace()), String.valueOf(target.table())); // or says what there is
        TableMetadata table = SstableRefusals.check(overdrive.session(), target, writeTimes);
        Importers importers = Importers.of(overdrive, table, by);
        importers.open();
        List<String> columns = target.columns();
        return new SstableJob(
                overdrive,
                table,
                columns != null
                        ? columns
                        : table.getColumns().keySet().stream()
                                .map(CqlIdentifier::asInternal)
                                .toList(),
                importers);
    }

    /** Warnings for the user before the job. */
    public List<String> warnings() {
        return importers.warnings();
    }

    /** Which nodes get which partitions. */
    public TokenOwners owners() {
        return importers.replicas().owners();
    }

    /** How many nodes get SSTables. */
    public int nodes() {
        return importers.replicas().nodes().size();
    }

    /** TTL of rows that have none, in seconds; 0 for none. */
    public int defaultTtl() {
        return Columns.defaultTtl(table);
    }

    /**
     * Creates the directory of the job.
     *
     * @return where attempts write
     * @throws OverdriveException of kind INPUT if that is not possible; of kind CONNECT if a node does not answer
     */
    public Path start() {
        Staging created = importers.stage();
        staging = created;
        handOver = HandOver.of(overdrive, importers, columns, created);
        try {
            created.createAttempts();
            return created.root();
        } catch (IOException e) {
            abandon();
            throw new OverdriveException(
                    Kind.INPUT,
                    "no SSTables can be written to " + created.root() + ": " + WritableDirectory.reason(e),
                    e);
        }
    }

    /**
     * Takes the SSTables of one attempt of each task, and deletes the others'. No node has any of it yet.
     *
     * @param results one of each task
     * @throws OverdriveException of kind WRITE if rows now belong to other nodes; of kind DISK if files are not there, or cannot be moved.
     *     Then only {@link #abandon} is left to do
     */
    public void take(List<SstableAttempt.Result> results) {
        Objects.requireNonNull(handOver).requireSameNodes();
        Staging to = Objects.requireNonNull(staging);
        int[] sstables = new int[nodes()];
        long[] rows = new long[nodes()];
        long[] bytes = new long[nodes()];
        try {
            for (SstableAttempt.Result result : results) {
                for (SstableAttempt.Files each : result.sstables()) {
                    int owner = each.owner();
                    to.take(result.attempt(), owner, each.names(), ++sstables[owner]);
                    rows[owner] += each.rows();
                    bytes[owner] += each.bytes();
                }
            }
            to.deleteAttempts();
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK,
                    to.root() + ": what the tasks have written cannot be moved within it: "
                            + WritableDirectory.reason(e) + "; all of them must write to the same file system",
                    e);
        }
        shares = IntStream.range(0, nodes())
                .mapToObj(owner -> new Share(sstables[owner], rows[owner], bytes[owner]))
                .toList();
    }

    /**
     * Makes all nodes import the taken SSTables, or leaves scripts.
     *
     * @throws OverdriveException of kind WRITE if nodes have not imported their SSTables, which then stay where they are, and the message
     *     has the commands that import them; also if rows now belong to other nodes. Of kind DISK if nothing can be written to the
     *     directory; then no node has any row
     */
    public void handOver() {
        HandOver to = Objects.requireNonNull(handOver);
        try {
            to.run(shares, /* rowsOfRanges */ new long[0]);
        } catch (OverdriveException e) {
            StringBuilder toFinish = new StringBuilder();
            for (ImportResult node : to.results()) {
                if (node.command() != null) {
                    toFinish.append("; to finish ")
                            .append(node.node())
                            .append(": ")
                            .append(node.command());
                }
            }
            throw new OverdriveException(e.kind(), words -> MessageText.of(e).in(words) + toFinish, e);
        }
    }

    /** Where the SSTables of each node are. */
    public Path root() {
        return Objects.requireNonNull(staging).root();
    }

    /** Deletes everything, unless nodes have begun to import: then the remaining files are needed. */
    public void abandon() {
        if (handOver != null) {
            handOver.deleteUnlessBegun();
        }
    }

    /** Closes the connections, and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        if (handOver != null) {
            handOver.close();
        } else {
            importers.close();
        }
    }
}
