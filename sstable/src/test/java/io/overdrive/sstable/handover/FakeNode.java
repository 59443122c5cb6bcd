package io.overdrive.sstable.handover;

import io.overdrive.sstable.handover.JmxAccess.Address;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/** A JMX server with beans that have the signatures of Cassandra's, for table ks.t. */
final class FakeNode implements AutoCloseable {
    /** Attributes of StorageService. */
    public interface Storage {
        String getLocalHostId();

        String[] getAllDataFileLocations();

        List<String> getJoiningNodesWithPort();

        List<String> getLeavingNodesWithPort();

        List<String> getMovingNodesWithPort();
    }

    /** The operation of the first releases of Cassandra 4.0. */
    public interface Import40 {
        List<String> importNewSSTables(
                Set<String> paths,
                boolean resetLevel,
                boolean clearRepaired,
                boolean verifySstables,
                boolean verifyTokens,
                boolean invalidateCaches,
                boolean extendedVerify);
    }

    /** The operation of Cassandra 4.1 and later releases of 4.0, which also have the first one. */
    public interface Import41 extends Import40 {
        List<String> importNewSSTables(
                Set<String> paths,
                boolean resetLevel,
                boolean clearRepaired,
                boolean verifySstables,
                boolean verifyTokens,
                boolean invalidateCaches,
                boolean extendedVerify,
                boolean copyData);
    }

    /** Which later releases of Cassandra 5.0 also have. */
    public interface Import50 {
        List<String> importNewSSTables(
                Set<String> paths,
                boolean resetLevel,
                boolean clearRepaired,
                boolean verifySstables,
                boolean verifyTokens,
                boolean invalidateCaches,
                boolean extendedVerify,
                boolean copyData,
                boolean failOnMissingIndex,
                boolean validateIndexChecksum);
    }

    /** The operation of a version that is not known here. */
    public interface ImportUnknown {
        List<String> importNewSSTables(Set<String> paths, boolean resetLevel);
    }

    /** Directories and flags of each import. */
    final List<String> imports = new CopyOnWriteArrayList<>();
    /** Nodes that join, leave and move. */
    final List<String> joining = new CopyOnWriteArrayList<>();

    final List<String> leaving = new CopyOnWriteArrayList<>();
    final List<String> moving = new CopyOnWriteArrayList<>();
    /** Called with the name of each method of the server before it answers. */
    volatile Consumer<String> atCall = method -> {};

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final Registry registry;
    private final JMXConnectorServer connectors;
    private final int port;
    private final Class<?> version;
    private final Function<Set<String>, List<String>> onImport;

    /**
     * @param version the interface that has its imports
     * @param environment of the JMX server
     * @param onImport receives the directories, and returns those that the node refuses
     */
    FakeNode(Class<?> version, Map<String, ?> environment, Function<Set<String>, List<String>> onImport)
            throws IOException, JMException {
        this.version = version;
        this.onImport = onImport;
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        registry = LocateRegistry.createRegistry(port);
        server.registerMBean(
                new StandardMBean(new Service(), Storage.class),
                new ObjectName("org.apache.cassandra.db:type=StorageService"));
        create();
        connectors = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                environment,
                answering());
        connectors.start();
    }

    private MBeanServer answering() {
        return (MBeanServer) Proxy.newProxyInstance(
                FakeNode.class.getClassLoader(), new Class<?>[] {MBeanServer.class}, (proxy, method, arguments) -> {
                    atCall.accept(method.getName());
                    try {
                        return method.invoke(server, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    /** Creates table ks.t. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // the interface is only known at run time
    void create() {
        try {
            server.registerMBean(new StandardMBean(new Table(), (Class) version), bean());
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    void drop() throws JMException {
        server.unregisterMBean(bean());
    }

    private static ObjectName bean() throws JMException {
        return new ObjectName("org.apache.cassandra.db:type=Tables,keyspace=ks,table=t");
    }

    Address address() {
        return new Address("127.0.0.1", port);
    }

    @Override
    public void close() throws IOException {
        connectors.stop();
        UnicastRemoteObject.unexportObject(registry, /* force */ true);
    }

    private final class Service implements Storage {
        @Override
        public String getLocalHostId() {
            return "an-id";
        }

        @Override
        public String[] getAllDataFileLocations() {
            return new String[] {"/data/one", "/data/two"};
        }

        @Override
        public List<String> getJoiningNodesWithPort() {
            return joining;
        }

        @Override
        public List<String> getLeavingNodesWithPort() {
            return leaving;
        }

        @Override
        public List<String> getMovingNodesWithPort() {
            return moving;
        }
    }

    private List<String> record(Set<String> paths, Boolean... flags) {
        imports.add(paths + " " + List.of(flags));
        return onImport.apply(paths);
    }

    private final class Table implements Import41, Import50, ImportUnknown {
        @Override
        public List<String> importNewSSTables(
                Set<String> paths, boolean a, boolean b, boolean c, boolean d, boolean e, boolean f) {
            return record(paths, a, b, c, d, e, f);
        }

        @Override
        public List<String> importNewSSTables(
                Set<String> paths, boolean a, boolean b, boolean c, boolean d, boolean e, boolean f, boolean g) {
            return record(paths, a, b, c, d, e, f, g);
        }

        @Override
        public List<String> importNewSSTables(
                Set<String> paths,
                boolean a,
                boolean b,
                boolean c,
                boolean d,
                boolean e,
                boolean f,
                boolean g,
                boolean h,
                boolean i) {
            return record(paths, a, b, c, d, e, f, g, h, i);
        }

        @Override
        public List<String> importNewSSTables(Set<String> paths, boolean a) {
            return record(paths, a);
        }
    }
}
