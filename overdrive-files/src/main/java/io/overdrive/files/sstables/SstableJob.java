package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteOptions;
import io.overdrive.files.records.WritableDirectory;
import io.overdrive.files.sstables.HandOver.Local;
import io.overdrive.files.sstables.JmxAccess.Address;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.sstable.TokenOwners;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job whose tasks write SSTables in several processes, into one directory that all of them see. What an attempt of a task has written
 * ({@link SstableAttempt}) counts only if the job takes it, and no node has any of it before the job hands all over. Used by one thread
 * at a time, in the process that starts the tasks.
 */
public final class SstableJob implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SstableJob.class);

    private final Overdrive overdrive;
    private final TableMetadata table;
    private final Replicas replicas;
    private final @Nullable JmxAccess jmx;
    private final @Nullable SshImport ssh;
    private final Local local;
    private final List<String> warnings;
    private @Nullable Staging staging;
    /** For each node how many SSTables it gets. */
    private int[] sstables = {};

    private boolean isHandedOver;

    private SstableJob(
            Overdrive overdrive,
            TableMetadata table,
            Replicas replicas,
            @Nullable JmxAccess jmx,
            @Nullable SshImport ssh,
            Local local,
            List<String> warnings) {
        this.overdrive = overdrive;
        this.table = table;
        this.replicas = replicas;
        this.jmx = jmx;
        this.ssh = ssh;
        this.local = local;
        this.warnings = warnings;
    }

    /**
     * Checks the table, and that the nodes that are up can be reached. Messages name options of a load on the command line.
     *
     * @param target a table
     * @param writeTimes whether rows have their own
     * @param jmx how to have nodes import that see the directory, too, under the same name; null if they do not
     * @param hosts how to have nodes of other hosts import; null, also without {@code jmx}, to leave scripts in the directory
     * @throws OverdriveException of kind SCHEMA if rows of the table cannot be imported; of kind CONNECT if a node cannot be reached
     */
    public static SstableJob open(
            Overdrive overdrive,
            WriteOptions target,
            boolean writeTimes,
            @Nullable JmxAccess jmx,
            @Nullable SshTarget hosts) {
        SstableRefusals.check(target);
        overdrive.table(String.valueOf(target.keyspace()), String.valueOf(target.table())); // or says what there is
        TableMetadata table = SstableRefusals.check(overdrive.session(), target, writeTimes);
        Replicas replicas = Replicas.of(overdrive.session().getMetadata(), table.getKeyspace());
        List<String> warnings = new ArrayList<>(SstableRefusals.warnings(table));
        for (Node node : replicas.nodes()) {
            if (!ReplicaChoice.isUp(node)) {
                warnings.add("node " + NodeName.of(node)
                        + " is down: its SSTables are written, and have to be imported when it is up again");
            }
        }
        Map<Integer, NodeBeans> beans = new HashMap<>();
        try {
            Map<Integer, Address> down = jmx == null ? Map.of() : SstableLoader.connect(jmx, replicas, beans);
            Local local = new Local(beans, down);
            SstableLoader.checkPending(local);
            SshImport ssh = null;
            if (hosts != null) {
                ssh = new SshImport(hosts, String.valueOf(System.getenv("PATH")));
                SstableLoader.check(ssh, replicas, warnings);
            }
            return new SstableJob(overdrive, table, replicas, jmx, ssh, local, List.copyOf(warnings));
        } catch (RuntimeException e) {
            beans.values().forEach(NodeBeans::close);
            throw e;
        }
    }

    /** What the user should know before the job. */
    public List<String> warnings() {
        return warnings;
    }

    /** Which nodes get which partitions. */
    public TokenOwners owners() {
        return replicas.owners();
    }

    /** How many nodes get SSTables. */
    public int nodes() {
        return replicas.nodes().size();
    }

    /** TTL of rows that have none, in seconds; 0 for none. */
    public int defaultTtl() {
        return table.getOptions().get(CqlIdentifier.fromInternal("default_time_to_live")) instanceof Integer seconds
                ? seconds
                : 0;
    }

    private boolean imports() {
        return jmx != null || ssh != null;
    }

    /**
     * Creates the directory of the job.
     *
     * @param directory in which it is; if scripts import, the directory itself, which does not exist or is empty
     * @return where attempts write
     * @throws OverdriveException of kind INPUT if that is not possible
     */
    public Path start(Path directory) {
        List<String> owners = replicas.nodes().stream().map(NodeName::of).toList();
        try {
            boolean isShared = false;
            for (NodeBeans node : local.beans().values()) {
                isShared |= !node.user().equals(System.getProperty("user.name"));
            }
            Staging created = Staging.create(
                    imports() ? Staging.newRoot(directory) : directory,
                    table.getKeyspace().asInternal(),
                    table.getName().asInternal(),
                    owners,
                    isShared);
            staging = created;
            created.createAttempts();
            return created.root();
        } catch (IOException e) {
            abandon();
            throw new OverdriveException(
                    Kind.INPUT, "no SSTables can be written to " + directory + ": " + WritableDirectory.reason(e), e);
        }
    }

    /**
     * Takes what one attempt of each task has written, and deletes what others have. No node has any of it yet.
     *
     * @param results one of each task
     * @throws OverdriveException of kind WRITE if rows now belong to other nodes; of kind DISK if files are not there, or cannot be moved.
     *     Then only {@link #abandon} is left to do
     */
    public void take(List<SstableAttempt.Result> results) {
        requireSameNodes();
        Staging to = Objects.requireNonNull(staging);
        sstables = new int[nodes()];
        try {
            for (SstableAttempt.Result result : results) {
                for (SstableAttempt.Files each : result.sstables()) {
                    to.take(result.attempt(), each.owner(), each.names(), ++sstables[each.owner()]);
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
    }

    private void requireSameNodes() {
        String change;
        try {
            change = replicas.placement().changeTo(Placement.read(overdrive.session(), table.getKeyspace()));
            change = change != null ? change : local.pendingNodes();
        } catch (IOException | RuntimeException e) {
            throw new OverdriveException(
                    Kind.WRITE,
                    "nothing was imported, because it cannot be found out whether rows still belong to the same nodes: "
                            + e.getMessage(),
                    e);
        }
        if (change != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    "while the job ran, " + change + ": its SSTables were written for the nodes that rows belonged to"
                            + " before, so none was handed over; run it again when no node joins, leaves or moves"
                            + " (nodetool status)");
        }
    }

    /**
     * Has all nodes import what was taken, or leaves scripts.
     *
     * @throws OverdriveException of kind WRITE if nodes have not imported their SSTables, which then stay where they are; the message has
     *     the commands that import them. Of kind DISK if nothing can be written to the directory; then no node has any row
     */
    public void handOver() {
        Staging from = Objects.requireNonNull(staging);
        try {
            if (imports()) {
                from.complete();
            }
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK, from.root() + ": cannot be written: " + WritableDirectory.reason(e), e);
        }
        isHandedOver = true;
        List<String> problems = new ArrayList<>();
        for (int owner = 0; owner < nodes(); owner++) {
            try {
                String problem = handOver(from, owner);
                if (problem != null) {
                    problems.add("node " + NodeName.of(replicas.nodes().get(owner)) + ": " + problem
                            + "; import them by: " + command(from, owner));
                }
            } catch (IOException e) {
                problems.add("node " + NodeName.of(replicas.nodes().get(owner)) + ": " + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw new OverdriveException(
                    Kind.WRITE,
                    problems.size() + " of " + nodes() + " nodes have not got their SSTables, which are kept in "
                            + from.root() + ": " + String.join("; ", problems));
        }
        if (imports()) {
            from.deleteAll();
        } else {
            leave(from);
        }
    }

    private static void leave(Staging staging) {
        try {
            staging.leave();
        } catch (IOException e) {
            LOG.warn("the lock file in {} cannot be deleted", staging.root(), e);
        }
    }

    /** Why the node has not got its SSTables; null if it has. */
    private @Nullable String handOver(Staging from, int owner) throws IOException {
        Node node = replicas.nodes().get(owner);
        if (jmx == null) {
            from.writeScript(owner, NodeName.of(node));
        }
        if (!imports() || sstables[owner] == 0) {
            return null;
        }
        NodeBeans importer = local.beans().get(owner);
        if (jmx != null ? importer == null : !ReplicaChoice.isUp(node)) {
            return "it is down";
        }
        if (ssh != null) {
            return ssh.importFrom(from.of(owner), HandOver.host(node), from.name(owner));
        }
        boolean isRefused = !Objects.requireNonNull(importer)
                .importFrom(table.getKeyspace().asInternal(), table.getName().asInternal(), from.sstables(owner))
                .isEmpty();
        return isRefused || from.hasSstables(owner)
                ? "it has " + (isRefused ? "refused the SSTables" : "found no SSTable that it takes") + " in "
                        + from.sstables(owner) + "; its log says why"
                : null;
    }

    private String command(Staging from, int owner) {
        NodeBeans node = local.beans().get(owner);
        return ssh != null
                ? ssh.command(from.of(owner), HandOver.host(replicas.nodes().get(owner)), from.name(owner))
                : from.command(
                        owner,
                        Objects.requireNonNull(jmx)
                                .nodetool(node == null ? local.down().get(owner) : node.address()));
    }

    /** Where the SSTables of each node are. */
    public Path root() {
        return Objects.requireNonNull(staging).root();
    }

    /** Deletes everything, unless nodes have begun to import: then what is left is needed. */
    public void abandon() {
        if (staging != null && !isHandedOver) {
            staging.deleteAll();
        }
    }

    /** Closes the connections, and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        local.beans().values().forEach(NodeBeans::close);
        if (staging != null) {
            try {
                staging.close();
            } catch (IOException e) {
                LOG.debug("the lock of {} cannot be released before this process ends", staging.root(), e);
            }
        }
    }
}
