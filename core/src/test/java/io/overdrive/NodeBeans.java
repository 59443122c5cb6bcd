package io.overdrive;

import io.overdrive.local.Node;
import java.io.IOException;
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
}
