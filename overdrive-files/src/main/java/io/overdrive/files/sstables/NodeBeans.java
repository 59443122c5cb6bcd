package io.overdrive.files.sstables;

import io.overdrive.files.sstables.JmxAccess.Address;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** The management beans of one node, by JMX. Thread-safe: holds only a connection. */
final class NodeBeans implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
    private static final String IMPORT = "importNewSSTables";
    /**
     * Numbers of parameters of an import, the best first. All versions have those of the first seven; 8 also says whether to copy, and
     * 10 has two for indexes.
     */
    private static final List<Integer> PARAMETERS = List.of(8, 10, 7);
    /**
     * Of an import: to level 0, as not repaired, with verification of checksums and of tokens, caches invalidated. Not: all rows
     * verified, copied, failing for a missing index, index checksums verified.
     */
    private static final List<Boolean> FLAGS = List.of(true, true, true, true, true, false, false, false, false);

    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final Address address;

    private NodeBeans(Address address, JMXConnector connector) throws IOException {
        this.address = address;
        this.connector = connector;
        this.beans = connector.getMBeanServerConnection();
    }

    /**
     * Connects. RMI waits for a machine that does not answer as long as the operating system does, and forever for one that accepts
     * but does not answer; this does not.
     *
     * @throws IOException if there is no answer, or the user is not let in
     */
    static NodeBeans open(Address address, JmxAccess access) throws IOException {
        FutureTask<NodeBeans> opening = new FutureTask<>(() -> new NodeBeans(address, connect(address, access)));
        Thread thread = new Thread(opening, "overdrive-jmx");
        thread.setDaemon(true);
        thread.start();
        try {
            return opening.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable refusal = refusal(e);
            throw new IOException(
                    refusal != null
                            ? "the user is not let in: " + refusal.getMessage()
                                    + "; --jmx-user and --jmx-password-file say who asks"
                            : reason(e),
                    e);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** That of a login, which Cassandra wraps, and which has a cause; null if it is something else. */
    private static @Nullable Throwable refusal(Throwable failure) {
        Throwable each = failure;
        while (each != null && !(each instanceof SecurityException)) {
            each = each.getCause();
        }
        return each;
    }

    private static String reason(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = root.getCause(); cause != null; cause = cause.getCause()) {
            root = cause;
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }

    @SuppressWarnings("BanJNDI") // there is no other way to reach a server's beans; the user has named the server
    private static JMXConnector connect(Address address, JmxAccess access) throws IOException {
        return JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"),
                access.user() == null
                        ? Map.of()
                        : Map.of(
                                JMXConnector.CREDENTIALS,
                                new String[] {access.user(), String.valueOf(access.password())}));
    }

    Address address() {
        return address;
    }

    /** By which the cluster knows the node. */
    String hostId() throws IOException {
        return String.valueOf(attribute("LocalHostId"));
    }

    /** Where the node keeps its tables. */
    List<Path> dataDirectories() throws IOException {
        return Arrays.stream((String[]) attribute("AllDataFileLocations"))
                .map(Path::of)
                .toList();
    }

    /**
     * What this node knows of nodes whose tokens are about to change, for a message: they may not get the rows of an import. Null if there
     * are none.
     */
    @Nullable String pendingNodes() throws IOException {
        for (String change : List.of("Joining", "Leaving", "Moving")) {
            if (attribute(change + "NodesWithPort") instanceof Collection<?> nodes && !nodes.isEmpty()) {
                return "node " + nodes.iterator().next() + " is " + change.toLowerCase(Locale.ROOT);
            }
        }
        return null;
    }

    /** The user of the operating system as whom the node runs. */
    String user() throws IOException {
        return String.valueOf(ManagementFactory.newPlatformMXBeanProxy(
                        beans, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class)
                .getSystemProperties()
                .get("user.name"));
    }

    private Object attribute(String name) throws IOException {
        try {
            return beans.getAttribute(name(STORAGE), name);
        } catch (JMException e) {
            throw new IOException("it is not a node of Cassandra: " + reason(e), e);
        }
    }

    private static ObjectName table(String keyspace, String table) {
        return name("org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table);
    }

    boolean hasTable(String keyspace, String table) throws IOException {
        return beans.isRegistered(table(keyspace, table));
    }

    /**
     * Has the node take the SSTables of a directory.
     *
     * @return directories that it did not take; an import that finds nothing reports success, too
     * @throws IOException if the node does not answer, or refuses
     */
    Collection<?> importFrom(String keyspace, String table, Path directory) throws IOException {
        ObjectName bean = table(keyspace, table);
        try {
            int parameters = parameters(bean);
            Object[] arguments = new Object[parameters];
            String[] types = new String[parameters];
            arguments[0] = Set.of(directory.toString());
            types[0] = Set.class.getName();
            for (int i = 1; i < parameters; i++) {
                arguments[i] = FLAGS.get(i - 1);
                types[i] = boolean.class.getName();
            }
            Object failed = beans.invoke(bean, IMPORT, arguments, types);
            return failed instanceof Collection<?> directories ? directories : List.of();
        } catch (InstanceNotFoundException e) {
            throw new IOException("it has no table " + keyspace + "." + table, e);
        } catch (JMException | JMRuntimeException e) {
            throw new IOException(reason(e), e);
        } catch (IOException e) {
            throw new IOException(
                    "it does not answer by JMX any more (" + reason(e) + "), and may have taken some of them", e);
        }
    }

    private int parameters(ObjectName bean) throws IOException, JMException {
        List<Integer> known = Arrays.stream(beans.getMBeanInfo(bean).getOperations())
                .filter(operation -> operation.getName().equals(IMPORT))
                .map(MBeanOperationInfo::getSignature)
                .map(signature -> signature.length)
                .toList();
        return PARAMETERS.stream()
                .filter(known::contains)
                .findFirst()
                .orElseThrow(() -> new JMException("its version has no import that is known here: " + known
                        + " parameters; Cassandra 4.0 or later is needed"));
    }

    private static ObjectName name(String name) {
        try {
            return new ObjectName(name);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(name, e);
        }
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            // the node has closed it
        }
    }
}
