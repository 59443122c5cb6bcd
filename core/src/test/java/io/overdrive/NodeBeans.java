package io.overdrive;

import io.overdrive.local.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Settings, counters and operations of a running node, over JMX. Thread-safe: no state. */
public final class NodeBeans {
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";

    private NodeBeans() {}

    /** Uses the beans of a node. */
    @FunctionalInterface
    public interface Call<T> {
        T call(MBeanServerConnection beans) throws IOException, JMException;
    }

    @SuppressWarnings("BanJNDI") // of a node that the test has started
    public static <T> T call(Node node, Call<T> call) throws IOException, JMException {
        try (JMXConnector connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + node.jmxPort() + "/jmxrmi"))) {
            return call.call(connector.getMBeanServerConnection());
        }
    }

    /** Changes a setting until the node is restarted; returns its value before. */
    static Object set(Node node, String setting, Object value) throws IOException, JMException {
        return call(node, beans -> {
            ObjectName service = new ObjectName(STORAGE_SERVICE);
            Object before = beans.getAttribute(service, setting);
            beans.setAttribute(service, new Attribute(setting, value));
            return before;
        });
    }

    /** The count of a meter since the node was started, such as {@code type=Client,name=RequestDiscarded}. */
    static long count(Node node, String meter) throws IOException, JMException {
        return call(node, beans ->
                (long) beans.getAttribute(new ObjectName("org.apache.cassandra.metrics:" + meter), "Count"));
    }

    /** Takes a snapshot of a table of the node of {@link TestCluster}, and returns its directory. */
    public static Path snapshot(String keyspace, String table, String name) throws IOException, JMException {
        String[] locations = call(TestCluster.node(), beans -> {
            ObjectName storage = new ObjectName(STORAGE_SERVICE);
            // A snapshot alone lacks rows that a flush for another reason is writing: Cassandra does not wait for it.
            beans.invoke(storage, "forceKeyspaceFlush", new Object[] {keyspace, new String[] {table}}, new String[] {
                String.class.getName(), String[].class.getName()
            });
            beans.invoke(
                    storage,
                    "takeSnapshot",
                    new Object[] {name, Map.of(), new String[] {keyspace + "." + table}},
                    new String[] {String.class.getName(), Map.class.getName(), String[].class.getName()});
            return (String[]) beans.getAttribute(storage, "AllDataFileLocations");
        });
        try (Stream<Path> found = Files.walk(Path.of(locations[0], keyspace))) {
            return found.filter(path -> path.endsWith(Path.of("snapshots", name))
                            && path.toString().contains("/" + table + "-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
