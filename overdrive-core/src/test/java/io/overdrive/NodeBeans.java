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

/** Settings and counters of a running node, over JMX. Thread-safe: no state. */
final class NodeBeans {
    private static final String STORAGE_SERVICE = "org.apache.cassandra.db:type=StorageService";

    private NodeBeans() {}

    /** Changes a setting until the node is restarted; returns its value before. */
    static Object set(Node node, String setting, Object value) throws IOException, JMException {
        try (JMXConnector connector = connect(node)) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            ObjectName service = new ObjectName(STORAGE_SERVICE);
            Object before = beans.getAttribute(service, setting);
            beans.setAttribute(service, new Attribute(setting, value));
            return before;
        }
    }

    /** What a meter has counted since the node was started, such as {@code type=Client,name=RequestDiscarded}. */
    static long count(Node node, String meter) throws IOException, JMException {
        try (JMXConnector connector = connect(node)) {
            return (long) connector
                    .getMBeanServerConnection()
                    .getAttribute(new ObjectName("org.apache.cassandra.metrics:" + meter), "Count");
        }
    }

    @SuppressWarnings("BanJNDI") // of a node that the test has started
    private static JMXConnector connect(Node node) throws IOException {
        return JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + node.jmxPort() + "/jmxrmi"));
    }
}
