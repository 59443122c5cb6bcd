package io.overdrive.sstable;

import com.datastax.oss.driver.api.core.CqlSession;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Path;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The one Cassandra node of this module's tests, started by the first that needs it; it ends with the JVM. {@code -Doverdrive.storage=NONE}
 * has it write the files of its version, instead of those that Cassandra 4 reads.
 */
final class TestCluster {
    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = Overdrive.connect(ConnectOptions.builder()
            .contactPoint(CLUSTER.contactPoints().get(0))
            .datacenter(CLUSTER.datacenter())
            .driverSetting("advanced.heartbeat.timeout", "60 seconds") // a slow node is not dead
            .build());

    private TestCluster() {}

    private static LocalCluster start() {
        Path directory = Path.of("target", "cassandra").toAbsolutePath();
        LocalCluster.wipe(directory);
        LocalOptions.Builder options = LocalOptions.builder()
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .heapMegabytes(512)
                // longer than other work may keep the machine busy: no test is about a slow server
                .setting("read_request_timeout", "30s")
                .setting("range_request_timeout", "30s")
                .setting("write_request_timeout", "30s")
                .stopWithJvm(true);
        String storage = System.getProperty("overdrive.storage");
        if (storage != null) {
            options.setting("storage_compatibility_mode", storage);
        }
        return LocalCluster.start(options.build());
    }

    /** Whether it is Cassandra 4.0 or 4.1, which have no vectors, and whose {@code CQLSSTableWriter} has another interface. */
    static boolean isBefore5() {
        return CLUSTER.options().cassandra().startsWith("4.");
    }

    /** Whether its files hold times after 2038. */
    static boolean hasLongTimes() {
        return !isBefore5() && "NONE".equals(System.getProperty("overdrive.storage"));
    }

    static CqlSession session() {
        return OVERDRIVE.session();
    }

    /** The directory of the node. */
    static Path directory() {
        return CLUSTER.directory();
    }

    /** What the node's JVM says of itself. */
    @FunctionalInterface
    interface JmxCall<T> {
        T call(MBeanServerConnection server) throws IOException, JMException;
    }

    @SuppressWarnings("BanJNDI") // of a node that the test has started
    static <T> T jmx(JmxCall<T> call) throws IOException, JMException {
        int port = CLUSTER.nodes().get(0).jmxPort();
        try (JMXConnector connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"))) {
            return call.call(connector.getMBeanServerConnection());
        }
    }

    static RuntimeMXBean runtime(MBeanServerConnection server) throws IOException {
        return ManagementFactory.newPlatformMXBeanProxy(
                server, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class);
    }

    /** Makes one SSTable of all that a table has. */
    static void compact(String keyspace, String table) throws IOException, JMException {
        jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=StorageService"),
                "forceKeyspaceCompaction",
                new Object[] {
                    /* splitOutput */
                    false, keyspace, new String[] {table}
                },
                new String[] {boolean.class.getName(), String.class.getName(), String[].class.getName()}));
    }

    /** Imports a directory, and verifies all rows in it. Returns what failed. */
    static Object importSstables(String keyspace, String table, Path directory) throws IOException, JMException {
        String flag = boolean.class.getName();
        return jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table),
                "importNewSSTables",
                new Object[] {
                    Set.of(directory.toString()),
                    /* resetLevel */ true,
                    /* clearRepaired */ true,
                    /* verifySSTables */ true,
                    /* verifyTokens */ true,
                    /* invalidateCaches */ true,
                    /* extendedVerify */ true,
                    /* copyData */ false
                },
                new String[] {Set.class.getName(), flag, flag, flag, flag, flag, flag, flag}));
    }
}
