package io.overdrive.internal.wire;

import com.datastax.dse.driver.api.core.config.DseDriverOption;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverOption;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.internal.core.channel.DriverChannel;
import com.datastax.oss.driver.internal.core.config.typesafe.DefaultDriverConfigLoader;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.control.ControlConnection;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.metrics.NoopMetricsFactory;
import com.datastax.oss.driver.internal.core.session.DefaultSession;
import com.datastax.oss.driver.internal.core.specex.ConstantSpeculativeExecutionPolicy;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.overdrive.ConnectOptions;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WireCompression;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.SystemTables;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sets up a session of the driver as the options say, and explains why that fails. Stateless. */
final class SessionSetup {
    /** Start of netty's message if a node answers a TLS handshake in plain text; the message then contains the answer. */
    private static final String PLAIN_ANSWER = "not an SSL/TLS record";

    private static final String DRIVER_ROOT = DefaultDriverConfigLoader.DEFAULT_ROOT_PATH;

    private static final ConfigParseOptions MUST_EXIST =
            ConfigParseOptions.defaults().setAllowMissing(false);

    private static final int MAX_FAILOVER_NODES = 3;

    /** A data centre in the driver's message about contact points in several data centres. */
    private static final Pattern DATACENTER = Pattern.compile("Node\\([^)]*\\)=(.+?)(?=, Node\\(|; please)");

    private static final long MAX_MOVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private SessionSetup() {}

    /**
     * Connects.
     *
     * @throws OverdriveException of kind CONNECT, with the failure of each node that was tried
     */
    static DefaultSession connect(ConnectOptions options) {
        try {
            DefaultSession session = (DefaultSession) builder(options).build();
            requireVersion(session, options);
            requireNodes(session, options);
            leaveRemoteContactPoint(session);
            return session;
        } catch (AllNodesFailedException e) {
            throw new OverdriveException(Kind.CONNECT, unreachable(options, e), e);
        } catch (ConfigException e) {
            throw new OverdriveException(Kind.CONNECT, "the driver's configuration is invalid: " + e.getMessage(), e);
        } catch (DriverException | IllegalStateException | IllegalArgumentException e) {
            List<String> datacenters = DATACENTER
                    .matcher(String.valueOf(e.getMessage()))
                    .results()
                    .map(found -> found.group(1))
                    .distinct()
                    .sorted()
                    .toList();
            if (datacenters.size() > 1) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> hosts(options) + " are in several data centres (" + String.join(", ", datacenters)
                                + "): name the one to use with " + words.of(ConnectSetting.DATACENTER),
                        e);
            }
            throw new OverdriveException(Kind.CONNECT, "cannot connect to " + hosts(options) + ": " + reason(e), e);
        }
    }

    private static CqlSessionBuilder builder(ConnectOptions options) {
        RawContext.Builder builder = new RawContext.Builder(options.connectsWhenUsed() ? new LazyPools() : null);
        builder.withConfigLoader(config(options)).addContactPoints(options.contactPoints());
        Path bundle = options.bundle();
        if (bundle != null) {
            builder.withCloudSecureConnectBundle(bundle);
        }
        String datacenter = options.datacenter();
        if (datacenter != null) {
            builder.withLocalDatacenter(datacenter);
        }
        String failover = options.failoverDatacenter();
        if (failover != null) {
            builder.withNodeDistanceEvaluator((node, local) -> distance(node, local, failover));
        }
        String username = options.username();
        String password = options.password();
        if (username != null && password != null) {
            builder.withAuthProvider(new Logins(username, password));
        }
        SSLContext tls = options.tls();
        if (tls != null) {
            // No reverse lookup: a name that DNS gives for an address proves nothing about the certificate.
            builder.withSslEngineFactory(new ProgrammaticSslEngineFactory(
                    tls, /* cipherSuites */ null, options.checksHostNames(), /* allowDnsReverseLookupSan */ false));
        }
        return builder;
    }

    private static void requireVersion(DefaultSession session, ConnectOptions options) {
        int version = session.getContext().getProtocolVersion().getCode();
        if (version < ProtocolConstants.Version.V4) {
            Wire.close(session);
            throw new OverdriveException(
                    Kind.CONNECT,
                    hosts(options) + " supports version " + version
                            + " of the native protocol: Overdrive needs 4 or later, so Cassandra 2.2 or later");
        }
    }

    private static NodeDistance distance(Node node, @Nullable String local, String failover) {
        String datacenter = node.getDatacenter();
        return Objects.equals(datacenter, local)
                ? NodeDistance.LOCAL
                : failover.equals(datacenter) ? NodeDistance.REMOTE : NodeDistance.IGNORED;
    }

    /**
     * Refuses to begin without a usable node. Without this check, the driver would connect and then find no node for
     * any request.
     */
    private static void requireNodes(DefaultSession session, ConnectOptions options) {
        String datacenter = options.datacenter();
        requireNodes(
                session,
                NodeDistance.LOCAL,
                datacenter == null
                        ? "the data centre of the driver's configuration"
                        : "data centre \"" + datacenter + "\"",
                options);
        String failover = options.failoverDatacenter();
        if (failover != null) {
            requireNodes(session, NodeDistance.REMOTE, "data centre \"" + failover + "\" to fail over to", options);
        }
    }

    private static void requireNodes(
            DefaultSession session, NodeDistance distance, String where, ConnectOptions options) {
        Collection<Node> nodes = session.getMetadata().getNodes().values();
        if (nodes.stream().noneMatch(node -> node.getDistance() == distance)) {
            Wire.close(session);
            throw new OverdriveException(
                    Kind.CONNECT,
                    hosts(options) + " reports no node in " + where + "; the cluster has "
                            + nodes.stream()
                                    .map(node -> String.valueOf(node.getDatacenter()))
                                    .distinct()
                                    .sorted()
                                    .collect(Collectors.joining(", ")));
        }
    }

    /**
     * The driver keeps its connection for metadata at the contact point, even if that is in another data centre: it is moved to a
     * local node. If none takes it, it stays where it is.
     */
    private static void leaveRemoteContactPoint(DefaultSession session) {
        ControlConnection control = ((InternalDriverContext) session.getContext()).getControlConnection();
        DriverChannel first = control.channel();
        boolean isLocal = first == null
                || session.getMetadata()
                        .findNode(first.getEndPoint())
                        .map(node -> node.getDistance() == NodeDistance.LOCAL)
                        .orElse(false);
        if (isLocal) {
            return;
        }
        control.reconnectNow();
        long start = System.nanoTime();
        while (control.channel() == first && System.nanoTime() - start < MAX_MOVE_NANOS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** The first message: some exceptions of the driver have none, but a cause. */
    private static @Nullable String reason(Throwable e) {
        Throwable cause = e.getCause();
        return e.getMessage() == null && cause != null ? reason(cause) : e.getMessage();
    }

    private static String unreachable(ConnectOptions options, AllNodesFailedException e) {
        StringBuilder reasons = new StringBuilder();
        String advice = options.bundle() != null
                ? "is the database awake, and is this its newest bundle?"
                : "is Cassandra running there, "
                        + (options.tls() == null
                                ? "does it listen on that address and port, and does it require TLS?"
                                : "and does it listen on that address and port?");
        for (List<Throwable> errors : e.getAllErrors().values()) {
            String reason = "";
            for (Throwable cause = errors.get(0); cause != null; cause = cause.getCause()) {
                if (cause instanceof AuthenticationException) {
                    advice = "check the user and the password";
                } else if (cause instanceof SSLException) {
                    advice = tlsAdvice(cause);
                }
                if (String.valueOf(cause.getMessage()).startsWith(PLAIN_ANSWER)) {
                    advice = "connect without TLS, or name the port at which the node expects it";
                    reason = "the node does not use TLS at this port";
                    break;
                }
                // the innermost message is the most specific, but not every exception has one
                reason = cause.getMessage() != null ? cause.getMessage() : reason;
                if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                    reason = "the host name is unknown";
                    advice = "check its spelling, and the name service of this machine";
                    break;
                }
                if (cause instanceof ClosedChannelException) {
                    reason = "the connection was refused or closed"; // the driver gives no more detail
                    break;
                }
                if (cause instanceof ClosedConnectionException && !isOfTls(cause)) {
                    reason = "the other side has closed the connection";
                    break;
                }
                if (isNoAnswerOfCassandra(cause) && !isOfTls(cause)) {
                    reason = "what answers there is not Cassandra";
                    advice = "its port for CQL is native_transport_port in cassandra.yaml, usually 9042";
                    break;
                }
                if (cause instanceof DriverTimeoutException || cause instanceof SslHandshakeTimeoutException) {
                    reason = "it takes connections, and has not answered within "
                            + options.timeout().toMillis() / 1000.0 + " s";
                    break;
                }
            }
            reasons.append(reasons.isEmpty() ? "" : "; ").append(reason);
        }
        return "cannot connect to " + hosts(options) + ": " + reasons + " (" + advice + ")";
    }

    /** Whether a TLS connection could not be made, for which the driver and Netty have several exceptions. */
    private static boolean isOfTls(Throwable e) {
        Throwable cause = e;
        while (cause != null && !(cause instanceof SSLException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Whether the driver cannot read what it has received. */
    private static boolean isNoAnswerOfCassandra(Throwable cause) {
        return cause instanceof FrameTooLongException
                || cause instanceof DecoderException
                || cause instanceof IllegalArgumentException
                || cause instanceof IndexOutOfBoundsException;
    }

    static String tlsAdvice(Throwable handshake) {
        for (Throwable cause = handshake; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof CertificateExpiredException) {
                return "the node's certificate has expired, or the clock of this machine is wrong";
            } else if (cause instanceof CertificateNotYetValidException) {
                return "the node's certificate is not valid yet, or the clock of this machine is wrong";
            } else if (message.startsWith("Extended key usage")) {
                return "the node's certificate is for clients only: it needs one for servers";
            } else if (message.contains("certificate_expired")) {
                return "for the node, the certificate of the client has expired";
            } else if (cause instanceof CertPathBuilderException) {
                return "the node's certificate is not signed by an authority in the trust store";
            } else if (message.startsWith("No ")) {
                return "the node's certificate is for another host: connect by a name that it has, or allow any";
            }
        }
        return "TLS handshake failed: is TLS enabled on the node, and does it require a client certificate?";
    }

    /** Whether the driver is to read these keyspaces only. Its own default leaves out system keyspaces, which have no metadata. */
    private static boolean isFilter(Collection<String> keyspaces) {
        return !keyspaces.isEmpty()
                && keyspaces.stream().allMatch(name -> name.matches("\\w+") && !SystemTables.isSystem(name));
    }

    private static String hosts(ConnectOptions options) {
        if (options.bundle() != null) {
            return "the cluster of " + options.bundle();
        }
        return options.contactPoints().stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .distinct() // a name has several addresses
                .collect(Collectors.joining(", "));
    }

    /**
     * The driver's configuration, in this order: the user's settings, the user's driver file, our settings, the
     * driver's defaults.
     */
    private static DriverConfigLoader config(ConnectOptions options) {
        Map<String, Object> ours = new HashMap<>();
        BiConsumer<DriverOption, Object> set = (option, value) -> ours.put(option.getPath(), value);
        set.accept(DefaultDriverOption.CONFIG_RELOAD_INTERVAL, Duration.ZERO);
        set.accept(DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, DcInferringLoadBalancingPolicy.class.getName());
        set.accept(DefaultDriverOption.METRICS_FACTORY_CLASS, NoopMetricsFactory.class.getName());
        set.accept(DseDriverOption.MONITOR_REPORTING_ENABLED, false);
        set.accept(DefaultDriverOption.TIMESTAMP_GENERATOR_FORCE_JAVA_CLOCK, true);
        set.accept(DefaultDriverOption.REQUEST_TIMEOUT, options.timeout());
        set.accept(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, options.timeout());
        set.accept(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, options.timeout());
        set.accept(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, options.timeout());
        // Heartbeats detect a node that hangs: our requests then go to another replica.
        set.accept(DefaultDriverOption.HEARTBEAT_INTERVAL, Duration.ofSeconds(5));
        set.accept(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofSeconds(5));
        set.accept(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(500));
        set.accept(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(10));
        set.accept(DefaultDriverOption.NETTY_IO_SIZE, Runtime.getRuntime().availableProcessors());
        set.accept(DefaultDriverOption.NETTY_ADMIN_SIZE, 1);
        // A program that does not close its connection must be able to end: Spark's do not.
        set.accept(DefaultDriverOption.NETTY_DAEMON, true);
        // Schema changes are rare, and must be visible at once: the driver would wait a second for more of them.
        set.accept(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(20));
        // A node that does not know a statement says so when it is to execute it, and prepares it then. A large
        // cluster has many nodes that this process never asks.
        set.accept(DefaultDriverOption.PREPARE_ON_ALL_NODES, false);
        setOfOwnQueries((option, value) -> ours.put("profiles." + OwnQuery.PROFILE + "." + option.getPath(), value));
        if (isFilter(options.keyspaces())) {
            set.accept(DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES, List.copyOf(options.keyspaces()));
        }
        if (options.failoverDatacenter() != null) {
            // For the driver's own requests: those for metadata, and to prepare.
            set.accept(DefaultDriverOption.LOAD_BALANCING_DC_FAILOVER_MAX_NODES_PER_REMOTE_DC, MAX_FAILOVER_NODES);
            set.accept(DefaultDriverOption.LOAD_BALANCING_DC_FAILOVER_ALLOW_FOR_LOCAL_CONSISTENCY_LEVELS, true);
        }
        if (options.wireCompression() != WireCompression.NONE) {
            set.accept(
                    DefaultDriverOption.PROTOCOL_COMPRESSION,
                    options.wireCompression().name().toLowerCase(Locale.ROOT));
        }
        if (options.wireCompression() == WireCompression.SNAPPY) {
            set.accept(DefaultDriverOption.PROTOCOL_VERSION, DefaultProtocolVersion.V4.name());
        }
        // No tasks are left when we close; the driver would wait for two seconds to be sure.
        set.accept(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0);
        set.accept(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
        Path file = options.driverConfig();
        Config users = file == null ? ConfigFactory.empty() : ConfigFactory.parseFile(file.toFile(), MUST_EXIST);
        return new DefaultDriverConfigLoader(
                () -> ConfigFactory.parseMap(options.driverSettings())
                        .withFallback(users.hasPath(DRIVER_ROOT) ? users.getConfig(DRIVER_ROOT) : ConfigFactory.empty())
                        .withFallback(ConfigFactory.parseMap(ours))
                        .withFallback(ConfigFactory.defaultReference(SessionSetup.class.getClassLoader())
                                .getConfig(DRIVER_ROOT))
                        .resolve(),
                /* supportsReloading */ false);
    }

    /** A node that hangs costs one of our own queries a second. */
    private static void setOfOwnQueries(BiConsumer<DriverOption, Object> set) {
        set.accept(
                DefaultDriverOption.SPECULATIVE_EXECUTION_POLICY_CLASS,
                ConstantSpeculativeExecutionPolicy.class.getName());
        set.accept(DefaultDriverOption.SPECULATIVE_EXECUTION_MAX, OwnQuery.MAX_NODES);
        set.accept(DefaultDriverOption.SPECULATIVE_EXECUTION_DELAY, OwnQuery.NEXT_NODE_AFTER);
    }
}
