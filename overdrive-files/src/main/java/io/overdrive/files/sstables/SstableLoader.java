package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.RowBuffer;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.files.Summary.Outcome;
import io.overdrive.files.Workers;
import io.overdrive.files.bottleneck.JobTimes;
import io.overdrive.files.load.LoadOptions;
import io.overdrive.files.load.LoadSummary;
import io.overdrive.files.load.Loader;
import io.overdrive.files.records.WritableDirectory;
import io.overdrive.files.sstables.HandOver.Local;
import io.overdrive.files.sstables.JmxAccess.Address;
import io.overdrive.files.sstables.SstableSummary.NodeResult;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.sstable.SstableSorter;
import io.overdrive.sstable.SstableSorter.Written;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Loads files into a table by SSTables. First a dry run of a load reads the files, and its rows are sorted and merged, on disk if need
 * be. Then they are written as SSTables, a series for each node with the tokens that it has replicas of, and the nodes import them. No
 * node has any of the rows until all are written. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 */
public final class SstableLoader implements AutoCloseable {
    /** More SSTables of one size would be compacted at once. */
    private static final int MAX_THREADS = 3;

    private final SstableOptions options;
    private final Loader loader;
    private final Reach reach;
    private final Replicas replicas;
    private final SstableSorter sorter;
    /** Both null in a dry run. */
    private final @Nullable Staging staging;

    private final @Nullable HandOver handOver;

    private final int ttl;
    private final List<String> warnings;
    private final ThreadLocal<SstableSorter.Part> parts;
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    private SstableLoader(
            SstableOptions options,
            Loader loader,
            Reach reach,
            Replicas replicas,
            SstableSorter sorter,
            @Nullable Staging staging,
            @Nullable HandOver handOver,
            int ttl,
            List<String> warnings) {
        this.options = options;
        this.loader = loader;
        this.reach = reach;
        this.replicas = replicas;
        this.sorter = sorter;
        this.staging = staging;
        this.handOver = handOver;
        this.ttl = ttl;
        this.warnings = warnings;
        parts = ThreadLocal.withInitial(sorter::part);
        loader.onDryRow(options.input().dryRun() ? this::check : this::take);
    }

    /**
     * Checks everything that can be checked before the first row: the table, the nodes and their JMX, and the directories.
     *
     * @param write a table, without columns, which follow from the input; its grouping memory and spill directory are used for sorting,
     *     and its limits of requests have no effect
     * @throws OverdriveException of kind SCHEMA if rows of the table cannot be imported; of kind CONNECT if a node does not answer by
     *     JMX; of kind INPUT if the input cannot be read, its fields do not match the columns, or a directory cannot be written
     */
    public static SstableLoader open(Overdrive overdrive, WriteOptions.Builder write, SstableOptions options) {
        WriteOptions target = write.build();
        SstableRefusals.check(target);
        LoadOptions input = options.input();
        overdrive.table(String.valueOf(target.keyspace()), String.valueOf(target.table())); // or says what there is
        TableMetadata table = SstableRefusals.check(
                overdrive.session(), target, input.mapping().usesWritetime());
        Replicas replicas = Replicas.of(overdrive.session().getMetadata(), table.getKeyspace());
        WritableDirectory.checkSpills(target.spillDirectory());
        List<String> warnings = new ArrayList<>(SstableRefusals.warnings(table));
        for (Node node : replicas.nodes()) {
            if (!ReplicaChoice.isUp(node)) {
                warnings.add("node " + NodeName.of(node)
                        + " is down: its SSTables are written, and have to be imported when it is up again");
            }
        }
        Map<Integer, NodeBeans> beans = new HashMap<>();
        Local local = new Local(beans, Map.of());
        SshImport ssh = null;
        Loader loader = null;
        Staging staging = null;
        HandOver handOver = null;
        try {
            JmxAccess jmx = options.jmx();
            if (jmx != null && !input.dryRun()) {
                local = new Local(beans, connect(jmx, replicas, beans));
                checkPending(local);
            }
            SshTarget hosts = options.ssh();
            if (hosts != null && !input.dryRun()) {
                ssh = new SshImport(hosts, String.valueOf(System.getenv("PATH")));
                check(ssh, replicas, warnings);
            }
            LoadOptions dry = input.toBuilder().dryRun(true).build();
            loader = Loader.open(
                    overdrive, write.consistency(DefaultConsistencyLevel.LOCAL_ONE), dry); // which it does not need
            SstableSorter sorter = SstableSorter.of(
                    table,
                    loader.columns().stream()
                            .map(name -> CqlIdentifier.fromCql(name).asInternal())
                            .toList(),
                    target.spillDirectory(),
                    target.groupingMemory(),
                    dry.threads(),
                    (int) (System.currentTimeMillis() / 1000));
            if (!input.dryRun()) {
                staging = staging(options, table, replicas, beans);
                if (options.imports()) {
                    warnings.addAll(staging.sweep());
                }
                handOver = new HandOver(
                        String.valueOf(target.keyspace()),
                        String.valueOf(target.table()),
                        options,
                        replicas,
                        () -> Placement.read(overdrive.session(), table.getKeyspace()),
                        local,
                        ssh,
                        staging);
            }
            return new SstableLoader(
                    options,
                    loader,
                    overdrive.reach(
                            String.valueOf(target.keyspace()),
                            String.valueOf(target.table()),
                            DefaultConsistencyLevel.ALL),
                    replicas,
                    sorter,
                    staging,
                    handOver,
                    ttl(target, table),
                    List.copyOf(warnings));
        } catch (RuntimeException e) {
            if (loader != null) {
                loader.close();
            }
            beans.values().forEach(NodeBeans::close);
            if (staging != null) {
                staging.deleteAll();
            }
            throw e instanceof IllegalArgumentException
                    ? new OverdriveException(
                            Kind.SCHEMA, "[" + target.keyspace() + "." + target.table() + "] " + e.getMessage(), e)
                    : e;
        }
    }

    /** That of rows without their own: the option, or the default of the table. */
    private static int ttl(WriteOptions target, TableMetadata table) {
        Integer given = target.ttl();
        Object byTable = table.getOptions().get(CqlIdentifier.fromInternal("default_time_to_live"));
        return given != null ? given : byTable instanceof Integer seconds ? seconds : 0;
    }

    /**
     * Finds out which address belongs to which node. A node that is down gets its SSTables later; all others have to answer.
     *
     * @param beans gets those of nodes that answer
     * @return addresses of the others, as far as they are known
     */
    static Map<Integer, Address> connect(JmxAccess jmx, Replicas replicas, Map<Integer, NodeBeans> beans) {
        Map<String, Integer> owners = new HashMap<>();
        for (int i = 0; i < replicas.nodes().size(); i++) {
            owners.put(String.valueOf(replicas.nodes().get(i).getHostId()), i);
        }
        List<String> problems = new ArrayList<>();
        List<Address> silent = new ArrayList<>();
        for (Address address : jmx.addresses()) {
            NodeBeans node = null;
            try {
                node = NodeBeans.open(address, jmx);
                Integer owner = owners.get(node.hostId());
                if (owner == null || beans.containsKey(owner)) {
                    problems.add(address + " is node " + node.hostId() + " of another cluster, or without replicas");
                    node.close();
                } else {
                    beans.put(owner, node);
                }
            } catch (IOException e) {
                problems.add(address + " does not answer by JMX (" + e.getMessage() + ")");
                silent.add(address);
                if (node != null) {
                    node.close();
                }
            }
        }
        List<String> missing = new ArrayList<>();
        Map<Integer, Address> down = new HashMap<>();
        for (int i = 0; i < replicas.nodes().size(); i++) {
            Node node = replicas.nodes().get(i);
            if (beans.containsKey(i)) {
                continue;
            }
            if (ReplicaChoice.isUp(node)) {
                missing.add(NodeName.of(node));
            }
            String name = NodeName.of(node);
            boolean isOnlyOne = silent.size() == 1 && replicas.nodes().size() == beans.size() + 1;
            for (Address address : silent) {
                if (isOnlyOne || name.equals(address.node())) {
                    down.put(i, address);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    "the keyspace has replicas on " + String.join(" and ", missing)
                            + ", which cannot import SSTables from here: "
                            + (problems.isEmpty() ? "no JMX address is given for it" : String.join("; ", problems))
                            + "; give the JMX addresses of all nodes, which must be on this host, by --jmx, or have a"
                            + " directory written for each node by --sstable-directory");
        }
        return down;
    }

    /** A node that joins, leaves or moves may not get rows that others import meanwhile. */
    static void checkPending(Local local) {
        String pending;
        try {
            pending = local.pendingNodes();
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.CONNECT, "a node does not say by JMX whether others join or leave: " + e.getMessage(), e);
        }
        if (pending != null) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    pending + ": it may not get rows that others import meanwhile; wait until no node joins, leaves or"
                            + " moves (nodetool status), or load without --sstables");
        }
    }

    /** Looks whether the hosts of the nodes that are up let us in, and adds what earlier runs have left there to the warnings. */
    static void check(SshImport ssh, Replicas replicas, List<String> warnings) {
        for (Node node : replicas.nodes()) {
            if (!ReplicaChoice.isUp(node)) {
                continue;
            }
            try {
                List<String> left = ssh.check(HandOver.host(node));
                if (!left.isEmpty()) {
                    warnings.add("earlier runs have left " + String.join(" and ", left) + " on the host of node "
                            + NodeName.of(node) + ": delete what is not needed any more");
                }
            } catch (IOException e) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        "SSTables cannot be copied to node " + NodeName.of(node) + ": " + e.getMessage()
                                + "; --ssh needs a login without a password and a directory that it may write to, or have"
                                + " a directory written here for each node by --sstable-directory",
                        e);
            }
        }
    }

    private static Staging staging(
            SstableOptions options, TableMetadata table, Replicas replicas, Map<Integer, NodeBeans> beans) {
        String keyspace = table.getKeyspace().asInternal();
        String name = table.getName().asInternal();
        List<String> owners = replicas.nodes().stream().map(NodeName::of).toList();
        Path given = options.directory();
        if (!options.imports() && given != null) {
            return Staging.create(given, keyspace, name, owners, /* isShared */ false);
        }
        try {
            boolean isShared = false;
            Path base = given != null ? given : Path.of(System.getProperty("java.io.tmpdir"));
            for (NodeBeans node : beans.values()) {
                isShared |= !node.user().equals(System.getProperty("user.name"));
                Path data = node.dataDirectories().get(0).toAbsolutePath().getParent();
                if (given == null
                        && data != null
                        && Files.isDirectory(data)
                        && WritableDirectory.whyNot(data) == null) {
                    base = data;
                }
            }
            return Staging.create(Staging.newRoot(base), keyspace, name, owners, isShared);
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.CONNECT, "a node does not say by JMX where its data is: " + e.getMessage(), e);
        }
    }

    /** What the user should know before the run. */
    public List<String> warnings() {
        return warnings;
    }

    /** Which nodes get the rows. */
    public Reach reach() {
        return reach;
    }

    /** Number of nodes that get SSTables. */
    public int nodes() {
        return replicas.nodes().size();
    }

    private @Nullable String check(RowBuffer row) {
        return parts.get().problem(row, row.ttl(ttl));
    }

    /** Called by the workers of the dry run. */
    private @Nullable String take(RowBuffer row) {
        SstableSorter.Part part = parts.get();
        int seconds = row.ttl(ttl);
        String problem = part.problem(row, seconds);
        if (problem != null) {
            return problem;
        }
        try {
            part.add(row, loader.writeTime(row), seconds);
        } catch (OverdriveException e) {
            failure.compareAndSet(null, e); // before the loader says what this means for a load
            throw e;
        }
        return null;
    }

    /** Loads everything and returns how it ended; failures are reported in the result, not thrown. */
    public SstableSummary run() {
        LoadSummary read = loader.run();
        if (read.outcome() == Outcome.STOPPED) {
            stopped = true; // this thread may have been interrupted
        }
        RuntimeException notRead = read.failure();
        if (notRead != null) {
            failure.compareAndSet(null, notRead);
        } else if (!stopped && !options.input().dryRun()) {
            Workers.guard("these rows", e -> failure.compareAndSet(null, e), this::writeAndHandOver);
        }
        Staging left = staging;
        if (left != null && results().isEmpty()) {
            left.deleteAll();
        }
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    private void writeAndHandOver() {
        HandOver to = Objects.requireNonNull(handOver);
        int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
        Written written;
        try {
            written = sorter.write(
                    replicas.owners(), Objects.requireNonNull(staging).sstables(), threads);
        } catch (OverdriveException e) {
            if (e.kind() == Kind.INTERRUPTED) {
                stopped = true;
                return;
            }
            throw e;
        }
        if (!to.run(written)) {
            stopped = true;
        }
    }

    /** Where its threads have spent their time. */
    public JobTimes times() {
        return loader.times();
    }

    /** Stops reading and writing, unless nodes import already; {@link #run} then returns, and no node has any of the rows. */
    public void stop() {
        HandOver to = handOver;
        if (to == null || to.stop()) {
            stopped = true;
            loader.stop();
            sorter.stop();
        }
    }

    public SstableSummary progress() {
        LoadSummary read = loader.progress();
        long accepted = read.rowsWritten();
        HandOver to = handOver;
        long rowsWritten = to != null ? to.rows() : outcome == Outcome.DONE ? accepted : 0;
        return new SstableSummary(
                read.rowsRead(),
                accepted,
                sorter.rowsDone(),
                rowsWritten,
                read.rowsRejected(),
                read.bytesRead(),
                read.bytesTotal(),
                read.filesRead(),
                read.filesTotal(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                sorter.bytesSpilled(),
                results(),
                writeTimes(read.rowsRead()),
                read.rejectFiles(),
                outcome,
                failure.get());
    }

    private List<NodeResult> results() {
        HandOver to = handOver;
        return to == null ? List.of() : to.results();
    }

    private @Nullable WriteTimes writeTimes(long rows) {
        return options.input().dryRun()
                        || rows == 0
                        || options.input().mapping().usesWritetime()
                ? null
                : loader.writeTimes(rows);
    }

    /** Deletes what was spilled, closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        loader.close();
        sorter.close();
        if (handOver != null) {
            handOver.close();
        }
    }
}
