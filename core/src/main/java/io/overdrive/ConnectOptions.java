package io.overdrive;

import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.NamedOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to connect to a cluster: contact points, local data centre, credentials, TLS and settings of the Java driver. Immutable;
 * the builder is confined to one thread.
 *
 * <p>{@link #toString} never shows the password.
 */
public final class ConnectOptions {
    /** Nodes to which a connection that {@link #connectsWhenUsed} connects at the start. */
    public static final int FIRST_NODES = 3;

    private final List<InetSocketAddress> contactPoints;
    private final @Nullable String datacenter;
    private final @Nullable String failoverDatacenter;
    private final @Nullable String username;
    private final @Nullable String password;
    private final @Nullable SSLContext tls;
    private final boolean checksHostNames;
    private final @Nullable Path bundle;
    private final WireCompression wireCompression;
    private final @Nullable Path driverConfig;
    private final Map<String, String> driverSettings;
    private final Duration timeout;
    private final @Nullable GuardLimit guard;
    private final Set<String> keyspaces;
    private final FoundSizes foundSizes;
    private final boolean connectsWhenUsed;

    private ConnectOptions(Builder b) {
        if (b.contactPoints.isEmpty() && b.bundle == null) {
            throw new IllegalArgumentException("contactPoints is empty: give at least one host");
        }
        if (b.bundle != null) {
            refuseWithBundle(!b.contactPoints.isEmpty(), JobOption.CONTACT_POINTS);
            refuseWithBundle(b.datacenter != null, ConnectSetting.DATACENTER);
            refuseWithBundle(!b.checksHostNames, JobOption.ANY_HOST_NAME);
            refuseWithBundle(b.tls != null, ConnectSetting.TLS);
        }
        if (!b.checksHostNames && b.tls == null) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.ANY_HOST_NAME) + " is about TLS, and the connection would be in clear: set "
                            + words.of(ConnectSetting.TLS) + ", or leave it out");
        }
        if ((b.username == null) != (b.password == null)) {
            throw new IllegalArgumentException("username and password belong together: give both or neither");
        }
        if (b.timeout.isNegative() || b.timeout.isZero()) {
            throw new IllegalArgumentException("timeout is " + b.timeout + ", must be more than 0");
        }
        if (b.failoverDatacenter != null && b.failoverDatacenter.equals(b.datacenter)) {
            throw new IllegalOptionException(words -> words.of(ConnectSetting.FAILOVER_DATACENTER) + " is \""
                    + b.datacenter + "\", which is the local" + " data centre: give another one");
        }
        if (b.failoverDatacenter != null && b.connectsWhenUsed) {
            throw new IllegalArgumentException(
                    "failoverDatacenter does not go with connectWhenUsed, as it is not known of"
                            + " nodes that are not connected to whether they are down: leave out one of them");
        }
        contactPoints = List.copyOf(b.contactPoints);
        datacenter = b.datacenter;
        failoverDatacenter = b.failoverDatacenter;
        username = b.username;
        password = b.password;
        tls = b.tls;
        checksHostNames = b.checksHostNames;
        bundle = b.bundle;
        wireCompression = b.wireCompression;
        driverConfig = b.driverConfig;
        driverSettings = Map.copyOf(b.driverSettings);
        timeout = b.timeout;
        guard = b.guard;
        keyspaces = Set.copyOf(b.keyspaces);
        foundSizes = b.foundSizes;
        connectsWhenUsed = b.connectsWhenUsed;
    }

    private static void refuseWithBundle(boolean isGiven, NamedOption option) {
        if (isGiven) {
            throw new IllegalOptionException(
                    words -> words.of(option) + " has no effect with a bundle, which has its own: leave it out");
        }
    }

    /** Options for one contact point, {@code host} or {@code host:port}; its data centre is the local one. */
    public static ConnectOptions to(String contactPoint) {
        return builder().contactPoint(contactPoint).build();
    }

    /** Options for one contact point, {@code host} or {@code host:port}, and the local data centre. */
    public static ConnectOptions to(String contactPoint, String datacenter) {
        return builder().contactPoint(contactPoint).datacenter(datacenter).build();
    }

    /** Options from scratch; at least one contact point is needed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Nodes to connect to first; the cluster reports the others. At least one, or none with a {@link #bundle}. */
    public List<InetSocketAddress> contactPoints() {
        return contactPoints;
    }

    /**
     * The local data centre, whose nodes all requests go to. Null, the default: the one of the driver's configuration, or else the one
     * of the contact points.
     */
    public @Nullable String datacenter() {
        return datacenter;
    }

    /**
     * The data centre whose nodes get the requests while no node of the local one is up. Null, the default: none, so that requests
     * wait for the local data centre. A local consistency level then means the nodes of that data centre.
     */
    public @Nullable String failoverDatacenter() {
        return failoverDatacenter;
    }

    /** The user to authenticate as; null: no authentication. */
    public @Nullable String username() {
        return username;
    }

    /** The user's password; null exactly if there is no user. */
    public @Nullable String password() {
        return password;
    }

    /** Keys and trusted certificates for TLS; null: connections are not encrypted. */
    public @Nullable SSLContext tls() {
        return tls;
    }

    /** Whether a node's certificate must contain the host name or address that is connected to. Default true. */
    public boolean checksHostNames() {
        return checksHostNames;
    }

    /**
     * A secure connect bundle, as Astra has it, which says how to reach the cluster: addresses, data centre, certificates and key; null:
     * none.
     */
    public @Nullable Path bundle() {
        return bundle;
    }

    /** How requests and answers are compressed. Default {@link WireCompression#NONE}. */
    public WireCompression wireCompression() {
        return wireCompression;
    }

    /** A configuration file of the Java driver, which overrides Overdrive's own settings of the driver; null: none. */
    public @Nullable Path driverConfig() {
        return driverConfig;
    }

    /** Settings of the Java driver, by their path in its configuration; they override {@link #driverConfig}. */
    public Map<String, String> driverSettings() {
        return driverSettings;
    }

    /** Timeout of connecting and of each set-up request (schema, prepare), more than 0. Default 30 s. */
    public Duration timeout() {
        return timeout;
    }

    /**
     * The latency of the cluster's other users that bulk work on this connection is held back for; null, the default: it is not held
     * back. All writers, scans and lookups of the connection share it.
     */
    public @Nullable GuardLimit guard() {
        return guard;
    }

    /**
     * Names, not quoted, of the keyspaces that this connection is for; empty, the default: all. The schema and the replicas of other keyspaces
     * are not read, which saves memory and time on clusters with many tables or many nodes; for this connection they do not exist.
     */
    public Set<String> keyspaces() {
        return keyspaces;
    }

    /** Store that keeps the sizes found by jobs of this connection, for later jobs. Default {@link FoundSizes#NONE}. */
    public FoundSizes foundSizes() {
        return foundSizes;
    }

    /**
     * Whether a node is connected to when its first request is due, except for {@value #FIRST_NODES} of them; false, the default: all of the local data
     * centre at the start. For one of many processes that share the work on a large cluster. A {@link #guard} still asks all nodes, and a
     * statement that names its node fails if that one is not connected to. Not with a {@link #failoverDatacenter}.
     */
    public boolean connectsWhenUsed() {
        return connectsWhenUsed;
    }

    /** A copy with another local data centre, and no other to fail over to. */
    public ConnectOptions inDatacenter(String name) {
        Builder copy = copy().datacenter(name);
        copy.failoverDatacenter = null;
        return copy.build();
    }

    /** A copy with a guard, or without one. */
    public ConnectOptions withGuard(@Nullable GuardLimit limit) {
        Builder copy = copy();
        copy.guard = limit;
        return copy.build();
    }

    /** A copy for these keyspaces only, or for all if there are none. */
    public ConnectOptions withKeyspaces(Collection<String> names) {
        Builder copy = copy();
        copy.keyspaces.clear();
        return copy.keyspaces(names).build();
    }

    /** A copy that keeps the sizes that jobs find. */
    public ConnectOptions withFoundSizes(FoundSizes store) {
        return copy().foundSizes(store).build();
    }

    /** A copy with further settings of the Java driver. */
    public ConnectOptions withDriverSettings(Map<String, String> settings) {
        Builder copy = copy();
        copy.driverSettings.putAll(settings);
        return copy.build();
    }

    private Builder copy() {
        Builder copy = builder();
        copy.contactPoints.addAll(contactPoints);
        copy.datacenter = datacenter;
        copy.failoverDatacenter = failoverDatacenter;
        copy.username = username;
        copy.password = password;
        copy.tls = tls;
        copy.checksHostNames = checksHostNames;
        copy.bundle = bundle;
        copy.wireCompression = wireCompression;
        copy.driverConfig = driverConfig;
        copy.driverSettings.putAll(driverSettings);
        copy.timeout = timeout;
        copy.guard = guard;
        copy.keyspaces.addAll(keyspaces);
        copy.foundSizes = foundSizes;
        copy.connectsWhenUsed = connectsWhenUsed;
        return copy;
    }

    @Override
    public String toString() {
        return (bundle == null ? "contactPoints=" + contactPoints : "bundle=" + bundle) + " datacenter="
                + (datacenter == null ? "(inferred)" : datacenter)
                + " username=" + (username == null ? "(none)" : username) + " tls=" + (tls != null) + " timeout="
                + timeout;
    }

    /**
     * Whether a connection with the other options serves these, too: all but the guard and the store of found sizes are the same. Keys for
     * TLS are the same only if they are the same object.
     */
    public boolean connectsAs(ConnectOptions other) {
        return contactPoints.equals(other.contactPoints)
                && Objects.equals(datacenter, other.datacenter)
                && Objects.equals(failoverDatacenter, other.failoverDatacenter)
                && Objects.equals(username, other.username)
                && Objects.equals(password, other.password)
                && tls == other.tls
                && checksHostNames == other.checksHostNames
                && Objects.equals(bundle, other.bundle)
                && wireCompression == other.wireCompression
                && Objects.equals(driverConfig, other.driverConfig)
                && driverSettings.equals(other.driverSettings)
                && timeout.equals(other.timeout)
                && keyspaces.equals(other.keyspaces)
                && connectsWhenUsed == other.connectsWhenUsed;
    }

    /** Finds the addresses of a host. */
    interface NameService {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    /** Builds {@link ConnectOptions}. */
    public static final class Builder {
        private static final int DEFAULT_PORT = 9042;

        private final List<InetSocketAddress> contactPoints = new ArrayList<>();
        private @Nullable String datacenter;
        private @Nullable String failoverDatacenter;
        private @Nullable String username;
        private @Nullable String password;
        private @Nullable SSLContext tls;
        private boolean checksHostNames = true;
        private @Nullable Path bundle;
        private WireCompression wireCompression = WireCompression.NONE;
        private @Nullable Path driverConfig;
        private final Map<String, String> driverSettings = new HashMap<>();
        private Duration timeout = Duration.ofSeconds(30);
        private @Nullable GuardLimit guard;
        private final Set<String> keyspaces = new HashSet<>();
        private FoundSizes foundSizes = FoundSizes.NONE;
        private boolean connectsWhenUsed;

        private Builder() {}

        /**
         * Adds {@code host}, {@code host:port} or {@code [ipv6]:port}; the default port is 9042. All addresses of a name are contact
         * points.
         *
         * @throws IllegalArgumentException if the text is none of these
         */
        public Builder contactPoint(String hostAndPort) {
            return contactPoint(hostAndPort, InetAddress::getAllByName);
        }

        /** As {@link #contactPoint(String)}, with another name service. */
        Builder contactPoint(String hostAndPort, NameService names) {
            InetSocketAddress named = parse(hostAndPort);
            try {
                for (InetAddress address : names.addresses(named.getHostString())) {
                    contactPoint(new InetSocketAddress(address, named.getPort()));
                }
            } catch (UnknownHostException e) {
                contactPoint(named); // reported by the attempt to connect
            }
            return this;
        }

        /** Adds a contact point. */
        public Builder contactPoint(InetSocketAddress address) {
            contactPoints.add(address);
            return this;
        }

        /** @see ConnectOptions#datacenter() */
        public Builder datacenter(String name) {
            datacenter = name;
            return this;
        }

        /** @see ConnectOptions#failoverDatacenter() */
        public Builder failoverDatacenter(String name) {
            failoverDatacenter = name;
            return this;
        }

        /** Authenticates with a user name and a password. */
        public Builder credentials(String username, String password) {
            this.username = username;
            this.password = password;
            return this;
        }

        /**
         * Encrypts connections. A node's certificate must contain the host name or address that is connected to: for a contact
         * point the one given here, for other nodes the address that the cluster reports.
         */
        public Builder tls(SSLContext context) {
            tls = context;
            return this;
        }

        /**
         * Accepts a trusted certificate whatever host name it contains. For certificates without host names: anybody with a
         * trusted certificate can then pose as a node. Needs {@link #tls}.
         */
        public Builder anyHostName() {
            checksHostNames = false;
            return this;
        }

        /** @see ConnectOptions#bundle() */
        public Builder bundle(Path file) {
            bundle = file;
            return this;
        }

        /** @see ConnectOptions#wireCompression() */
        public Builder wireCompression(WireCompression value) {
            wireCompression = value;
            return this;
        }

        /** @see ConnectOptions#driverConfig() */
        public Builder driverConfig(Path file) {
            driverConfig = file;
            return this;
        }

        /**
         * Adds a setting of the Java driver.
         *
         * @param path without the leading {@code datastax-java-driver}, for example {@code advanced.protocol.compression}
         */
        public Builder driverSetting(String path, String value) {
            driverSettings.put(path, value);
            return this;
        }

        /** @see ConnectOptions#timeout() */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /** @see ConnectOptions#guard() */
        public Builder guard(GuardLimit limit) {
            guard = limit;
            return this;
        }

        /** Adds to the keyspaces that the connection is for. Default: all. See {@link ConnectOptions#keyspaces()}. */
        public Builder keyspaces(Collection<String> names) {
            keyspaces.addAll(names);
            return this;
        }

        /** @see ConnectOptions#foundSizes() */
        public Builder foundSizes(FoundSizes store) {
            foundSizes = store;
            return this;
        }

        /** @see ConnectOptions#connectsWhenUsed() */
        public Builder connectWhenUsed() {
            connectsWhenUsed = true;
            return this;
        }

        /**
         * @throws IllegalArgumentException if there is neither a contact point nor a bundle, or something that a bundle has is given besides
         *     one, any host name is accepted without TLS, the timeout is not positive, or the data centre to fail over to is the local
         *     one or does not go with {@link #connectWhenUsed}
         */
        public ConnectOptions build() {
            return new ConnectOptions(this);
        }

        private static InetSocketAddress parse(String text) {
            String host = text;
            int port = DEFAULT_PORT;
            int colon = text.lastIndexOf(':');
            boolean bracketed = text.startsWith("[");
            if (colon >= 0 && (bracketed ? text.charAt(colon - 1) == ']' : text.indexOf(':') == colon)) {
                host = text.substring(0, colon);
                try {
                    port = Integer.parseInt(text.substring(colon + 1));
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("contact point \"" + text + "\": the port is not a number", e);
                }
            }
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            if (host.isEmpty() || port < 1 || port > 65535) {
                throw new IllegalArgumentException("contact point \"" + text + "\": expected host or host:port");
            }
            return InetSocketAddress.createUnresolved(host, port);
        }
    }
}
