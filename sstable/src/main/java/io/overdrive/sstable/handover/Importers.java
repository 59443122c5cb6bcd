package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.cql.SchemaChange;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that get SSTables of a table, and how each of them imports: over JMX, over ssh, via Cassandra Sidecar, or with a script
 * that a user runs. Nodes are numbered as in {@link Replicas}. Used by one thread at a time.
 */
public final class Importers implements AutoCloseable {
    static final String DOWN = "it is down";
    /** A node that has missed a change of the schema asks the others for it once a minute. */
    private static final Duration TABLE_TIMEOUT = Duration.ofSeconds(90);

    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final SstableOptions options;
    private final Replicas replicas;
    private final Supplier<Collection<Node>> nodesBehind;
    private final JmxImport jmx;
    /** Null unless nodes import over ssh. */
    private @Nullable SshImport ssh;
    /** Null unless nodes import via Sidecar. */
    private @Nullable SidecarImport sidecar;

    private final List<String> warnings = new ArrayList<>();

    /**
     * @param nodesBehind waits for schema agreement, and returns the nodes of which that is not known
     * @param beans of the nodes, if they import over JMX
     */
    Importers(
            CqlIdentifier keyspace,
            CqlIdentifier table,
            SstableOptions options,
            Replicas replicas,
            Supplier<Collection<Node>> nodesBehind,
            Map<Integer, NodeBeans> beans) {
        this.keyspace = keyspace;
        this.table = table;
        this.options = options;
        this.replicas = replicas;
        this.nodesBehind = nodesBehind;
        this.jmx = new JmxImport(keyspace, table, replicas, beans);
    }

    /** Finds out which nodes get SSTables, without a connection to them. */
    public static Importers of(Overdrive overdrive, TableMetadata table, SstableOptions options) {
        Importers importers = new Importers(
                table.getKeyspace(),
                table.getName(),
                options,
                Replicas.of(overdrive.session(), table),
                () -> SchemaChange.awaitAgreement(overdrive.session()),
                Map.of());
        importers.warnings.addAll(SstableRefusals.warnings(table));
        importers.warnOfNodesDown();
        return importers;
    }

    void warnOfNodesDown() {
        List<Node> down = replicas.nodes().stream()
                .filter(node -> !ReplicaChoice.isUp(node))
                .toList();
        if (!down.isEmpty()) {
            warnings.add(NodeName.listed(down)
                    + (down.size() == 1
                            ? " is down: its SSTables are written, and have to be imported when it is up again"
                            : " are down: their SSTables are written, and have to be imported when they are up again"));
        }
    }

    /**
     * Checks, before a table is created, what {@link #open} and {@link #stage} check of the nodes that will have its replicas, and of
     * directories.
     *
     * @param replication options of the keyspace, which need not exist yet
     * @throws OverdriveException as these do
     */
    public static void checkBeforeCreation(
            Overdrive overdrive,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            Map<String, String> replication,
            SstableOptions options) {
        List<Node> nodes = Replicas.nodes(overdrive.session().getMetadata(), replication);
        // nothing is written, so it does not matter which node has which tokens
        Replicas replicas = new Replicas(
                nodes,
                TokenOwners.one(),
                new Placement(
                        Map.of(), replication, /* table */ null, new DroppedColumns(Map.of()), /* obstacle */ null));
        try (Importers importers = new Importers(keyspace, table, options, replicas, List::of, Map.of())) {
            importers.connect();
            importers.stage().deleteAll();
        }
    }

    /**
     * Connects, and checks that each node that is up can import: also that it has the table, which may have been created just now.
     *
     * @throws OverdriveException of kind CONNECT if one cannot, or nodes are joining or leaving, of kind SCHEMA if they do not agree on
     *     the schema; all connections are closed then
     */
    public void open() {
        try {
            connect();
            if (options.jmx() != null) {
                jmx.requireTable(TABLE_TIMEOUT);
            }
            if (options.imports()) {
                awaitAgreement();
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void connect() {
        JmxAccess access = options.jmx();
        if (access != null) {
            jmx.connect(access);
            jmx.checkPending();
        }
        SshTarget hosts = options.ssh();
        if (hosts != null) {
            SshImport opened = new SshImport(hosts, String.valueOf(System.getenv("PATH")));
            ssh = opened;
            requireOneNodeAtEachAddress(JobOption.SSH);
            check(opened);
        }
        SidecarTarget target = options.sidecar();
        if (target != null) {
            SidecarImport opened = new SidecarImport(target, keyspace.asInternal(), table.asInternal());
            sidecar = opened;
            check(opened, target);
        }
    }

    void awaitAgreement() {
        List<Node> behind = nodesBehind.get().stream()
                .filter(node -> ReplicaChoice.isUp(node) && replicas.nodes().contains(node))
                .toList();
        if (!behind.isEmpty()) {
            warnings.add("it is not known whether " + NodeName.listed(behind)
                    + (behind.size() == 1
                            ? " has the newest schema: if it does not have the table yet, it cannot import"
                            : " have the newest schema: if they do not have the table yet, they cannot import"));
        }
    }

    /**
     * Refuses two nodes at one address: if they have replicas of the same rows, one would get the rows of both, and the
     * other one none.
     */
    private void requireOneNodeAtEachAddress(JobOption option) {
        Map<String, Node> hosts = new HashMap<>();
        for (Node node : replicas.nodes()) {
            Node other = hosts.put(host(node), node);
            if (other != null) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> "nodes " + NodeName.of(other) + " and " + NodeName.of(node) + " have one address, by"
                                + " which " + words.of(option) + " does not distinguish them: have a directory written"
                                + " for each node with " + words.of(JobOption.SSTABLE_DIRECTORY));
            }
        }
    }

    private List<Node> nodesUp() {
        return replicas.nodes().stream().filter(ReplicaChoice::isUp).toList();
    }

    /** Looks whether the hosts of the nodes that are up let us in, and warns of files that earlier runs have left there. */
    private void check(SshImport hosts) {
        for (Node node : nodesUp()) {
            try {
                List<String> left = hosts.check(host(node));
                if (!left.isEmpty()) {
                    warnings.add("earlier runs have left " + String.join(" and ", left) + " on the host of node "
                            + NodeName.of(node) + ": delete what is not needed any more");
                }
            } catch (IOException e) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> "SSTables cannot be copied to node " + NodeName.of(node) + ": "
                                + MessageText.of(e).in(words) + "; " + words.of(JobOption.SSH) + " needs a login"
                                + " without a password, a directory that it may write to, and nodetool, or have a"
                                + " directory written here for each node with " + words.of(JobOption.SSTABLE_DIRECTORY),
                        e);
            }
        }
    }

    /** Whether the Sidecars of the nodes that are up answer, and reach their nodes. */
    private void check(SidecarImport opened, SidecarTarget target) {
        if (!target.isOfEachNode() && replicas.nodes().size() > 1) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    words -> "the keyspace has replicas on " + replicas.nodes().size() + " nodes, and "
                            + words.of(JobOption.SIDECAR) + " \"" + target.url() + "\" is one address, by which"
                            + " Sidecar does not know for which of its nodes a file is: put {host} into it, which is"
                            + " the address of each node, or have a directory written for each node with "
                            + words.of(JobOption.SSTABLE_DIRECTORY));
        }
        requireOneNodeAtEachAddress(JobOption.SIDECAR);
        for (Node node : nodesUp()) {
            try {
                String unseen = opened.check(host(node));
                if (unseen != null) {
                    warnings.add("it cannot be seen whether node " + NodeName.of(node)
                            + " has taken its SSTables, in addition to what Sidecar reports: " + unseen);
                }
            } catch (IOException e) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> "SSTables cannot be uploaded to node " + NodeName.of(node) + ": "
                                + MessageText.of(e).in(words) + "; " + words.of(JobOption.SIDECAR) + " needs a"
                                + " Cassandra Sidecar that answers for each node, or have a directory written here for"
                                + " each node with " + words.of(JobOption.SSTABLE_DIRECTORY),
                        e);
            }
        }
    }

    /** The address of a node, by which its host is reached. */
    private static String host(Node node) {
        if (node.getEndPoint().resolve() instanceof InetSocketAddress address) {
            return address.getAddress() == null
                    ? address.getHostString()
                    : address.getAddress().getHostAddress();
        }
        throw new OverdriveException(
                Kind.CONNECT,
                words -> "node " + NodeName.of(node) + " has no address by which its host could be reached: leave out "
                        + words.of(JobOption.SSH) + " and " + words.of(JobOption.SIDECAR));
    }

    /** Warnings for the user before the run. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Adds one that was found later. */
    void warn(List<String> more) {
        warnings.addAll(more);
    }

    CqlIdentifier keyspace() {
        return keyspace;
    }

    CqlIdentifier table() {
        return table;
    }

    public Replicas replicas() {
        return replicas;
    }

    /** Whether nodes import before the run ends. */
    public boolean imports() {
        return options.imports();
    }

    /** As {@link JmxImport#pendingNodes}. */
    @Nullable String pendingNodes() throws IOException {
        return jmx.pendingNodes();
    }

    /**
     * Creates a directory for each node: in the options' directory, or if they have none, next to the data of a node, if that can be written.
     *
     * @throws OverdriveException of kind INPUT if that is not possible; of kind CONNECT if a node does not answer
     */
    Staging stage() {
        Path given = options.directory();
        try {
            Path base = given != null ? given : jmx.writableDirectory();
            return Staging.create(
                    imports() ? Staging.newRoot(base) : base,
                    keyspace.asInternal(),
                    table.asInternal(),
                    replicas.nodes().stream().map(NodeName::of).toList(),
                    jmx.hasOtherUsers());
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.CONNECT, "a node does not say over JMX where its data is: " + e.getMessage(), e);
        }
    }

    /** Leaves a script next to the SSTables of a node, if that is how they are imported. */
    void writeScript(Staging from, int owner) throws IOException {
        SidecarImport sidecars = sidecar;
        if (sidecars != null) {
            from.writeScript(owner, sidecars.script(host(replicas.nodes().get(owner)), replicas.name(owner)));
        } else if (options.jmx() == null) {
            UUID id = Objects.requireNonNull(replicas.nodes().get(owner).getHostId());
            from.writeScript(owner, from.script(replicas.name(owner), id));
        }
    }

    /** The number of parts of the ring that nodes import one after another. */
    public int passes() {
        return options.passes();
    }

    /**
     * Makes a node import its SSTables.
     *
     * @return why it has not; null if it has
     * @throws IOException if it does not answer, or refuses
     */
    @Nullable String importInto(int owner, Staging from) throws IOException {
        Node node = replicas.nodes().get(owner);
        SshImport hosts = ssh;
        SidecarImport sidecars = sidecar;
        if ((hosts != null || sidecars != null) && !ReplicaChoice.isUp(node)) {
            return DOWN;
        } else if (hosts != null) {
            return hosts.importFrom(from.of(owner), host(node), from.name(owner));
        } else if (sidecars != null) {
            return sidecars.importFrom(from.sstables(owner), host(node));
        }
        return jmx.importFrom(from, owner);
    }

    /** The command with which a user imports a node's SSTables; null if a script does it. */
    @Nullable String command(int owner, Staging from) {
        JmxAccess access = options.jmx();
        SshImport hosts = ssh;
        SidecarImport sidecars = sidecar;
        if (access != null) {
            return from.command(owner, access.nodetool(jmx.address(owner)));
        } else if (hosts != null) {
            return hosts.command(from.of(owner), host(replicas.nodes().get(owner)), from.name(owner));
        }
        return sidecars == null ? null : sidecars.command(from.of(owner));
    }

    /** Closes the connections. */
    @Override
    public void close() {
        jmx.close();
    }
}
