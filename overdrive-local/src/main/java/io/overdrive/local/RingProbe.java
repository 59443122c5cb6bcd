package io.overdrive.local;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Asks a node which nodes it takes for live, over JMX: unlike system.peers_v2 that forgets the dead and needs no password. Thread-safe:
 * no state.
 */
final class RingProbe {
    private RingProbe() {}

    /** Storage addresses with ports; empty when the node cannot be asked. */
    @SuppressWarnings("BanJNDI") // the other side is a node that we have started, on this machine
    static Set<String> liveNodes(int jmxPort) {
        try {
            JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi");
            try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
                Object nodes = connector
                        .getMBeanServerConnection()
                        .getAttribute(
                                new ObjectName("org.apache.cassandra.db:type=StorageService"), "LiveNodesWithPort");
                return nodes instanceof Collection<?> list ? Set.copyOf(texts(list)) : Set.of();
            }
        } catch (IOException | JMException | SecurityException e) {
            return Set.of(); // not yet, or not any more
        }
    }

    private static List<String> texts(Collection<?> list) {
        return list.stream().map(String::valueOf).toList();
    }
}
