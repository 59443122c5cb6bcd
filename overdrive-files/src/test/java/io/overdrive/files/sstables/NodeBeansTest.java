package io.overdrive.files.sstables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.files.sstables.JmxAccess.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a JMX server with beans that have the signatures of Cassandra's. */
class NodeBeansTest {
    private static final Path SSTABLES = Path.of("/staging/ks/t");

    private final List<String> imports = new ArrayList<>();
    private MBeanServer server = MBeanServerFactory.newMBeanServer();
    private int port;
    private @Nullable Registry registry;
    private @Nullable JMXConnectorServer connectors;

    /** Attributes of StorageService. */
    public interface Storage {
        String getLocalHostId();

        String[] getAllDataFileLocations();
    }

    /** Of Cassandra 4.0. */
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

    /** Of Cassandra 4.1, which also has that of 4.0. */
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

    /** Of later releases of Cassandra 5.0. */
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

    /** Of a version that is not known here. */
    public interface ImportUnknown {
        List<String> importNewSSTables(Set<String> paths, boolean resetLevel);
    }

    private List<String> record(Set<String> paths, Boolean... flags) {
        imports.add(paths + " " + List.of(flags));
        return paths.contains("/refused") ? List.of("/refused") : List.of();
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

    @BeforeEach
    void start() throws IOException {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        registry = LocateRegistry.createRegistry(port);
    }

    @AfterEach
    void stop() throws IOException {
        if (connectors != null) {
            connectors.stop();
        }
        if (registry != null) {
            UnicastRemoteObject.unexportObject(registry, /* force */ true);
        }
    }

    private Address serve(Class<?> version, Map<String, ?> environment) throws Exception {
        Storage storage = new Storage() {
            @Override
            public String getLocalHostId() {
                return "an-id";
            }

            @Override
            public String[] getAllDataFileLocations() {
                return new String[] {"/data/one", "/data/two"};
            }
        };
        server.registerMBean(
                new StandardMBean(storage, Storage.class),
                new ObjectName("org.apache.cassandra.db:type=StorageService"));
        register(version);
        connectors = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"), environment, server);
        connectors.start();
        return new Address("127.0.0.1", port);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the interface is only known at run time
    private void register(Class version) throws JMException {
        server.registerMBean(
                new StandardMBean(new Table(), version),
                new ObjectName("org.apache.cassandra.db:type=Tables,keyspace=ks,table=t"));
    }

    private static NodeBeans open(Address address) throws IOException {
        return NodeBeans.open(address, new JmxAccess(List.of(address), null, null));
    }

    private void assertImport(Class<?> version, String flags) throws Exception {
        try (NodeBeans node = open(serve(version, Map.of()))) {
            assertThat(node.hostId()).isEqualTo("an-id");
            assertThat(node.dataDirectories()).containsExactly(Path.of("/data/one"), Path.of("/data/two"));
            Collection<?> notTaken = node.importFrom("ks", "t", SSTABLES);
            assertThat(notTaken).isEmpty();
            assertThat(imports).containsExactly("[" + SSTABLES + "] " + flags);
        }
    }

    @Test
    void importsByTheSignatureOf40() throws Exception {
        assertImport(Import40.class, "[true, true, true, true, true, false]");
    }

    @Test
    void importsByTheSignatureOf41() throws Exception {
        assertImport(Import41.class, "[true, true, true, true, true, false, false]");
    }

    @Test
    void importsByTheSignatureOf50() throws Exception {
        assertImport(Import50.class, "[true, true, true, true, true, false, false, false, false]");
    }

    @Test
    void saysThatAVersionIsNotKnown() throws Exception {
        try (NodeBeans node = open(serve(ImportUnknown.class, Map.of()))) {
            assertThatThrownBy(() -> node.importFrom("ks", "t", SSTABLES))
                    .hasMessage("its version has no import that is known here: [2] parameters; Cassandra 4.0 or later"
                            + " is needed");
            assertThat(imports).isEmpty();
        }
    }

    @Test
    void returnsWhatTheNodeRefuses() throws Exception {
        try (NodeBeans node = open(serve(Import41.class, Map.of()))) {
            Collection<?> notTaken = node.importFrom("ks", "t", Path.of("/refused"));
            assertThat(notTaken).hasSize(1);
            assertThatThrownBy(() -> node.importFrom("ks", "missing", SSTABLES))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("table=missing");
        }
    }

    @Test
    void logsInWithAPassword() throws Exception {
        JMXAuthenticator authenticator = credentials -> {
            if (credentials instanceof String[] given && given[0].equals("admin") && given[1].equals("secret")) {
                return new Subject();
            }
            throw new SecurityException("Authentication failed");
        };
        Address address = serve(Import41.class, Map.of(JMXConnectorServer.AUTHENTICATOR, authenticator));
        try (NodeBeans node = NodeBeans.open(address, new JmxAccess(List.of(address), "admin", "secret"))) {
            assertThat(node.hostId()).isEqualTo("an-id");
        }
        assertThatThrownBy(() -> NodeBeans.open(address, new JmxAccess(List.of(address), "admin", "wrong")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the user is not let in: ");
        assertThatThrownBy(() -> open(address))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the user is not let in: ");
    }

    @Test
    void givesTheCommandOfNodetool() {
        Address standard = new Address("127.0.0.1", 7199);
        Address other = new Address("::1", 7200);
        JmxAccess open = new JmxAccess(List.of(standard, other), null, null);
        assertThat(open.nodetool(standard)).isEqualTo("nodetool");
        assertThat(open.nodetool(other)).isEqualTo("nodetool -h ::1 -p 7200");
        assertThat(open.nodetool(null)).isEqualTo("nodetool -p JMX_PORT");
        assertThat(new JmxAccess(List.of(standard), "admin", "secret").nodetool(standard))
                .isEqualTo("nodetool -u admin");
    }
}
