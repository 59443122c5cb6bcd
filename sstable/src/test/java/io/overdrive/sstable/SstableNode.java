package io.overdrive.sstable;

import io.overdrive.NodeBeans;
import io.overdrive.SeparateNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Path;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** Work of tests with the SSTables of the node of {@link SeparateNode}: a flush for another class must not come between the changes that a test compares. */
final class SstableNode {
    private SstableNode() {}

    /** Whether it is Cassandra 4.0 or 4.1, which have no vectors, and whose {@code CQLSSTableWriter} has another interface. */
    static boolean isBefore5() {
        return SeparateNode.cluster().options().cassandra().startsWith("4.");
    }

    /** Whether its files hold times after 2038. */
    static boolean hasLongTimes() {
        return !isBefore5() && "NONE".equals(System.getProperty("overdrive.storage"));
    }

    static <T> T jmx(NodeBeans.Call<T> call) throws IOException, JMException {
        return NodeBeans.call(SeparateNode.node(), call);
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
