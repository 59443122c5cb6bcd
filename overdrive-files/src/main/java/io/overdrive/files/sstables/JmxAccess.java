package io.overdrive.files.sstables;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to reach the management beans of nodes on this host. Immutable.
 *
 * @param addresses of the nodes, in any order: each says by itself which one it is
 * @param user null if none is needed
 * @param password of the user
 */
public record JmxAccess(List<Address> addresses, @Nullable String user, @Nullable String password) {
    /** Where a node answers by JMX. */
    public record Address(String host, int port) {
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    public JmxAccess {
        addresses = List.copyOf(addresses);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "JMX at " + addresses;
    }
}
