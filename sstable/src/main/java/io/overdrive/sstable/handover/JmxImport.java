package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.sstable.handover.JmxAccess.Address;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes nodes on this host import SSTables over JMX. Nodes are numbered as in {@link Replicas}; without a connection it knows none of them.
 * Used by one thread at a time.
 */
final class JmxImport implements AutoCloseable {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final Replicas replicas;
    /** Beans of the nodes that answer. */
    private final Map<Integer, NodeBeans> beans;
    /** Addresses of the other nodes, if they are known. */
    private final Map<Integer, Address> down = new HashMap<>();

    /** @param beans of nodes that are connected */
    JmxImport(CqlIdentifier keyspace, CqlIdentifier table, Replicas replicas, Map<Integer, NodeBeans> beans) {
        this.keyspace = keyspace;
        this.table = table;
        this.replicas = replicas;
        this.beans = new HashMap<>(beans);
    }

    /** Finds out which address belongs to which node. A node that is down gets its SSTables later; all others have to answer. */
    void connect(JmxAccess jmx) {
        List<String> problems = new ArrayList<>();
        List<Address> silent = new ArrayList<>();
        for (Address address : jmx.addresses()) {
            NodeBeans node = null;
            try {
                node = NodeBeans.open(address, jmx);
                int owner = owner(node.hostId());
                if (owner < 0 || beans.containsKey(owner)) {
                    problems.add(address + " is node " + node.hostId() + " of another cluster, or without replicas");
                    node.close();
                } else {
                    beans.put(owner, node);
                }
            } catch (IOException e) {
                problems.add(address + " does not answer over JMX (" + e.getMessage() + ")");
                silent.add(address);
                if (node != null) {
                    node.close();
                }
            }
        }
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < replicas.nodes().size(); i++) {
            if (beans.containsKey(i)) {
                continue;
            }
            if (ReplicaChoice.isUp(replicas.nodes().get(i))) {
                missing.add(replicas.name(i));
            }
            boolean isOnlyOne = silent.size() == 1 && replicas.nodes().size() == beans.size() + 1;
            for (Address address : silent) {
                if (isOnlyOne || replicas.name(i).equals(address.node())) {
                    down.put(i, address);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    words -> "the keyspace has replicas on " + String.join(" and ", missing) + ", which cannot import"
                            + " SSTables from here: "
                            + (problems.isEmpty() ? "no JMX address is given for it" : String.join("; ", problems))
                            + "; give the JMX addresses of all nodes, which must be on this host, with "
                            + words.of(JobOption.JMX) + ", or have a directory written for each node with "
                            + words.of(JobOption.SSTABLE_DIRECTORY));
        }
    }

    /** The node with this host id, as it reports it; negative if it is none of the owners. */
    private int owner(String hostId) {
        return replicas.nodes().stream()
                .map(node -> String.valueOf(node.getHostId()))
                .toList()
                .indexOf(hostId);
    }

    /** A node that joins, leaves or moves may not get rows that others import meanwhile. */
    void checkPending() {
        String pending;
        try {
            pending = pendingNodes();
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.CONNECT, "a node does not say over JMX whether others join or leave: " + e.getMessage(), e);
        }
        if (pending != null) {
            throw new OverdriveException(
                    Kind.CONNECT,
                    words -> pending + ": it may not get rows that others import meanwhile; wait until no node joins,"
                            + " leaves or moves (nodetool status), or leave out " + words.of(JobOption.SSTABLES));
        }
    }

    /** Waits until each node that answers over JMX has the table. */
    void requireTable(Duration timeout) {
        long start = System.nanoTime();
        beans.forEach((owner, node) -> {
            try {
                while (!node.hasTable(keyspace.asInternal(), table.asInternal())) {
                    if (System.nanoTime() - start >= timeout.toNanos()) {
                        throw new OverdriveException(
                                Kind.SCHEMA,
                                "node " + replicas.name(owner) + " has no table " + keyspace.asCql(true) + "."
                                        + table.asCql(true)
                                        + ", and has not got it from the other nodes within " + timeout.toSeconds()
                                        + " s; see nodetool describecluster");
                    }
                    if (Thread.currentThread().isInterrupted()) {
                        throw new OverdriveException(
                                Kind.INTERRUPTED,
                                "interrupted while waiting for node " + replicas.name(owner) + " to have the table");
                    }
                    LockSupport.parkNanos(POLL_NANOS);
                }
            } catch (IOException e) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        "node " + replicas.name(owner) + " does not say over JMX whether it has the table: "
                                + e.getMessage(),
                        e);
            }
        });
    }

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

    /** A directory next to the data of a node, if one can be written; else the system's directory for temporary files. */
    Path writableDirectory() throws IOException {
        Path base = Path.of(System.getProperty("java.io.tmpdir"));
        for (NodeBeans node : beans.values()) {
            Path data = node.dataDirectories().get(0).toAbsolutePath().getParent();
            if (data != null && Files.isDirectory(data) && WritableDirectory.whyNot(data) == null) {
                base = data;
            }
        }
        return base;
    }

    /** Whether a node runs as another user than this process. */
    boolean hasOtherUsers() throws IOException {
        boolean isOther = false;
        for (NodeBeans node : beans.values()) {
            isOther |= !node.user().equals(System.getProperty("user.name"));
        }
        return isOther;
    }

    /**
     * Makes a node import its SSTables.
     *
     * @return why it has not; null if it has
     * @throws IOException if it does not answer, or refuses
     */
    @Nullable String importFrom(Staging from, int owner) throws IOException {
        NodeBeans node = beans.get(owner);
        if (node == null) {
            return Importers.DOWN;
        }
        Collection<?> refused = node.importFrom(keyspace.asInternal(), table.asInternal(), from.sstables(owner));
        if (!refused.isEmpty() || from.hasSstables(owner)) {
            return "it has " + (refused.isEmpty() ? "found no SSTable that it takes" : "refused the SSTables") + " in "
                    + from.sstables(owner) + "; its log says why";
        }
        return null;
    }

    /** The address of a node; null if it is not known. */
    @Nullable Address address(int owner) {
        NodeBeans node = beans.get(owner);
        return node == null ? down.get(owner) : node.address();
    }

    /** Closes the connections. */
    @Override
    public void close() {
        beans.values().forEach(NodeBeans::close);
    }
}
