package io.overdrive.local;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Asks a node over JMX which nodes are up and own tokens: unlike system.peers_v2, JMX omits dead nodes and needs no password. A node is
 * seen as up some time before its tokens are known, and only then does CREATE KEYSPACE accept its data centre. Thread-safe: no state.
 */
final class RingProbe {
    private RingProbe() {}

    /** Storage addresses with ports; empty if the node does not answer. */
    @SuppressWarnings("BanJNDI") // the other side is a node that was started here, on this machine
    static Set<String> upWithTokens(int jmxPort) {
        try {
            JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi");
            try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
                MBeanServerConnection node = connector.getMBeanServerConnection();
                ObjectName service = new ObjectName("org.apache.cassandra.db:type=StorageService");
                if (node.getAttribute(service, "LiveNodesWithPort") instanceof Collection<?> live
                        && node.getAttribute(service, "TokenToEndpointWithPortMap") instanceof Map<?, ?> ring) {
                    return live.stream()
                            .filter(new HashSet<Object>(ring.values())::contains)
                            .map(String::valueOf)
                            .collect(Collectors.toSet());
                }
                return Set.of();
            }
        } catch (IOException | JMException | SecurityException e) {
            return Set.of(); // not yet, or no longer
        }
    }
}
