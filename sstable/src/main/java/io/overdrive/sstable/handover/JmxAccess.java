package io.overdrive.sstable.handover;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How to reach the management beans of nodes on this host. Immutable.
 *
 * @param addresses of the nodes, in any order: each says by itself which one it is
 * @param user null if none is needed
 * @param password of the user
 */
public record JmxAccess(List<Address> addresses, @Nullable String user, @Nullable String password) {
    /** A connection, and the look-up of the address that a node names. */
    private static final List<String> MODULES = List.of("java.management.rmi", "jdk.naming.rmi");

    /** The default port of Cassandra and nodetool. */
    public static final int DEFAULT_PORT = 7199;

    /**
     * Where a node answers over JMX.
     *
     * @param host of the address, without brackets
     * @param port 1 to 65535
     * @param node address and port of the same node over CQL, by which a node that is down is known; null if unknown
     */
    public record Address(String host, int port, @Nullable String node) {
        /** An address for any node. */
        public Address(String host, int port) {
            this(host, port, null);
        }

        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /** @throws IllegalArgumentException if this Java cannot speak JMX */
    public JmxAccess {
        addresses = List.copyOf(addresses);
        requireModules();
    }

    /**
     * Refuses a Java runtime made by jlink without the modules that JMX needs.
     *
     * @throws IllegalArgumentException with the missing module
     */
    public static void requireModules() {
        requireModules(
                ModuleLayer.boot().modules().stream().map(Module::getName).collect(Collectors.toSet()));
    }

    static void requireModules(Set<String> ofJava) {
        for (String module : MODULES) {
            if (!ofJava.contains(module)) {
                throw new IllegalOptionException(words ->
                        "this Java, " + System.getProperty("java.home") + ", has no module " + module + ", which JMX"
                                + " needs: use"
                                + " one with all"
                                + " modules,"
                                + " such as the"
                                + " one of a"
                                + " package"
                                + " openjdk-17-jre-headless,"
                                + " or "
                                + words.of(JobOption.SSH) + " or " + words.of(JobOption.SIDECAR) + " instead of JMX");
            }
        }
    }

    /**
     * The command line of nodetool for a node of this host, without the password, for which it asks.
     *
     * @param address null if it is not known which one the node has
     */
    String nodetool(@Nullable Address address) {
        String login = user == null ? "" : " -u " + Staging.quoted(user);
        if (address == null) {
            return "nodetool -p JMX_PORT" + login;
        }
        return "nodetool" + (address.host().equals("127.0.0.1") ? "" : " -h " + address.host())
                + (address.port() == DEFAULT_PORT ? "" : " -p " + address.port())
                + login;
    }

    /** Leaves out the password. */
    @Override
    public String toString() {
        return "JMX at " + addresses;
    }
}
