package io.overdrive.sstable.handover;

import io.overdrive.sstable.handover.JmxAccess.Address;
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
import java.util.concurrent.Callable;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The management beans of one node, over JMX. Thread-safe: holds only a connection.
 *
 * <p>RMI waits forever for a node that does not answer. So each call has a thread, which is left behind if there is no answer.
 */
final class NodeBeans implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeBeans.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    /** An import may take hours, and the node answers other calls meanwhile. This is how long it may leave one without an answer. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final String STORAGE = "org.apache.cassandra.db:type=StorageService";
    private static final String IMPORT = "importNewSSTables";
    /**
     * Numbers of parameters of an import, the best first. All versions have those of the first seven; 8 also says whether to copy, and
     * 10 has two for indexes.
     */
    private static final List<Integer> PARAMETERS = List.of(8, 10, 7);
    /**
     * Arguments of an import: to level 0, as not repaired, with verification of checksums and of tokens, caches
     * invalidated. Not: all rows verified, copied, failing for a missing index, index checksums verified.
     */
    private static final List<Boolean> FLAGS = List.of(true, true, true, true, true, false, false, false, false);

    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final Address address;
    private final Duration silence;

    private NodeBeans(Address address, JMXConnector connector, Duration silence) throws IOException {
        this.address = address;
        this.connector = connector;
        this.beans = connector.getMBeanServerConnection();
        this.silence = silence;
    }

    /**
     * Connects.
     *
     * @throws IOException if there is no answer, or the user is not let in
     */
    static NodeBeans open(Address address, JmxAccess access) throws IOException {
        return open(address, access, SILENCE);
    }

    /** @param silence for how long a node that imports may leave a call without an answer */
    static NodeBeans open(Address address, JmxAccess access, Duration silence) throws IOException {
        try {
            return answer(start(() -> new NodeBeans(address, connect(address, access), silence)), TIMEOUT);
        } catch (ExecutionException e) {
            Throwable refusal = refusal(e);
            throw new IOException(
                    refusal != null
                            ? "the user is not let in: " + refusal.getMessage()
                                    + "; give the user and the password that JMX asks for"
                            : reason(e),
                    e);
        } catch (TimeoutException e) {
            throw noAnswer(TIMEOUT);
        }
    }

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "overdrive-jmx");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Waits for an answer, also if the thread is interrupted: what has begun to import is seen through to its end. */
    private static <T> T answer(FutureTask<T> call, Duration timeout) throws ExecutionException, TimeoutException {
        long end = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return call.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Has no cause, as the message of that would be shown. */
    private static IOException noAnswer(Duration timeout) {
        return new IOException("no answer within " + timeout.toSeconds() + " s");
    }

    /** Calls the node. @throws IOException if it does not answer */
    private static <T> T call(Callable<T> call) throws IOException, JMException {
        try {
            return answer(start(call), TIMEOUT);
        } catch (ExecutionException e) {
            throw thrown(e);
        } catch (TimeoutException e) {
            throw noAnswer(TIMEOUT);
        }
    }

    /** Throws the exception of a call, as if it had been made by the thread of the caller. */
    private static IOException thrown(ExecutionException e) throws IOException, JMException {
        Throwable cause = e.getCause();
        if (cause instanceof JMException failure) {
            throw failure;
        } else if (cause instanceof IOException failure) {
            throw failure;
        } else if (cause instanceof RuntimeException failure) {
            throw failure;
        }
        throw new IOException(reason(e), e);
    }

    /** The failure of a login, which Cassandra wraps, and which has a cause; null if it is something else. */
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

    /** The id by which the cluster knows the node. */
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
     * A node whose tokens are about to change, as this node knows, for a message: such nodes may not get the rows of an
     * import. Null if there are none.
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
        return ask(() -> String.valueOf(ManagementFactory.newPlatformMXBeanProxy(
                        beans, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class)
                .getSystemProperties()
                .get("user.name")));
    }

    private Object attribute(String name) throws IOException {
        return ask(() -> beans.getAttribute(name(STORAGE), name));
    }

    private static <T> T ask(Callable<T> question) throws IOException {
        try {
            return call(question);
        } catch (JMException e) {
            throw new IOException("it is not a node of Cassandra: " + reason(e), e);
        }
    }

    private static ObjectName table(String keyspace, String table) {
        return name("org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table);
    }

    boolean hasTable(String keyspace, String table) throws IOException {
        return ask(() -> beans.isRegistered(table(keyspace, table)));
    }

    /**
     * Makes the node import the SSTables of a directory.
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
            Object failed = awaitImport(start(() -> beans.invoke(bean, IMPORT, arguments, types)));
            return failed instanceof Collection<?> directories ? directories : List.of();
        } catch (InstanceNotFoundException e) {
            throw new IOException("it has no table " + keyspace + "." + table, e);
        } catch (JMException | JMRuntimeException e) {
            throw new IOException(reason(e), e);
        } catch (IOException e) {
            throw new IOException(
                    "it does not answer over JMX any more (" + reason(e) + "), and may have taken some of them", e);
        }
    }

    /** Waits until an import has ended, as long as the node answers other calls. */
    private Object awaitImport(FutureTask<Object> importing) throws IOException, JMException {
        while (true) {
            try {
                answer(start(beans::getDefaultDomain), silence);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure && !importing.isDone()) {
                    throw failure; // the import would wait for a connection that the node may not have any more
                }
            } catch (TimeoutException e) {
                throw noAnswer(silence);
            }
            try {
                return answer(importing, silence.dividedBy(4));
            } catch (ExecutionException e) {
                throw thrown(e);
            } catch (TimeoutException e) {
                LOG.debug("{} still imports", address);
            }
        }
    }

    private int parameters(ObjectName bean) throws IOException, JMException {
        List<Integer> known = Arrays.stream(call(() -> beans.getMBeanInfo(bean)).getOperations())
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
            answer(
                    start(() -> {
                        connector.close();
                        return true;
                    }),
                    TIMEOUT);
        } catch (ExecutionException | TimeoutException e) {
            // the node has closed it, or does not answer
        }
    }
}
