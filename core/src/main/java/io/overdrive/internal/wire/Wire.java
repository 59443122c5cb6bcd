package io.overdrive.internal.wire;

import com.datastax.dse.driver.api.core.config.DseDriverOption;
import com.datastax.dse.protocol.internal.DseProtocolV1ClientCodecs;
import com.datastax.dse.protocol.internal.DseProtocolV2ClientCodecs;
import com.datastax.dse.protocol.internal.ProtocolV4ClientCodecsForDse;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.config.DriverOption;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.internal.core.channel.DriverChannel;
import com.datastax.oss.driver.internal.core.channel.ResponseCallback;
import com.datastax.oss.driver.internal.core.config.typesafe.DefaultDriverConfigLoader;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import com.datastax.oss.driver.internal.core.control.ControlConnection;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import com.datastax.oss.driver.internal.core.metadata.DistanceEvent;
import com.datastax.oss.driver.internal.core.metrics.NoopMetricsFactory;
import com.datastax.oss.driver.internal.core.session.DefaultSession;
import com.datastax.oss.driver.internal.core.ssl.SslHandlerFactory;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolV3ClientCodecs;
import com.datastax.oss.protocol.internal.ProtocolV5ClientCodecs;
import com.datastax.oss.protocol.internal.ProtocolV6ClientCodecs;
import com.datastax.oss.protocol.internal.response.Error;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.concurrent.Future;
import io.overdrive.ConnectOptions;
import io.overdrive.FlowDecision;
import io.overdrive.FoundSizes;
import io.overdrive.GatheringDecision;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WireCompression;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.ring.CurrentRing;
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
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's session, bypassing its statement types: {@link #send} puts a body that is already in wire format on a
 * connection to a chosen node. Topology, pools, TLS, authentication, heartbeats and prepare are left to the driver.
 * Thread-safe.
 *
 * <p>Apart from {@code Ring}, which needs the number of a token, and {@code LargeAnswers}, this is the only class that uses the
 * driver's internal types; see docs/decisions for why. It is above 500 lines for that reason.
 */
public final class Wire implements Transport, AutoCloseable {
    /** Start of netty's message if a node answers a TLS handshake in plain text; the message then contains the answer. */
    private static final String PLAIN_ANSWER = "not an SSL/TLS record";

    private static final String DRIVER_ROOT = DefaultDriverConfigLoader.DEFAULT_ROOT_PATH;
    private static final ConfigParseOptions MUST_EXIST =
            ConfigParseOptions.defaults().setAllowMissing(false);

    /** The whole message of a node that refuses a request that has waited too long in its queue. */
    private static final String REFUSED_FROM_QUEUE = "Query timed out before it could start";

    /** Part of the message of a node that has received something else than was sent, and closes the connection. */
    private static final String DAMAGED = "CRC mismatch";

    /** The stream id of messages that no request waits for. */
    private static final int NO_STREAM = -1;

    private static final long IDLE_SECONDS = 10;
    private static final int MAX_FAILOVER_NODES = 3;
    private static final Logger LOG = LoggerFactory.getLogger(Wire.class);
    private static final String LOG_PREFIX = "overdrive";
    private static final int MAX_NAMED_NODES = 5;
    /** The driver counts a connection a moment after it is open. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A data centre in the driver's message about contact points in several data centres. */
    private static final Pattern DATACENTER = Pattern.compile("Node\\([^)]*\\)=(.+?)(?=, Node\\(|; please)");

    private static final long MAX_CLOSE_SECONDS = 3;
    private static final long MAX_MOVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final DefaultSession session;
    private final FoundSizes foundSizes;
    private final ScheduledExecutorService timer = executor("overdrive-timer");
    private final Traffic traffic = new Traffic();
    private final Map<CqlIdentifier, CurrentRing> rings = new ConcurrentHashMap<>();
    private volatile Consumer<FlowDecision> onFlowDecision = decision -> {};
    private volatile Consumer<GatheringDecision> onGatheringDecision = decision -> {};
    private volatile @Nullable BulkGuard guard;

    private Wire(DefaultSession session, FoundSizes foundSizes) {
        this.session = session;
        this.foundSizes = foundSizes;
        ((InternalDriverContext) session.getContext())
                .getEventBus()
                .register(DistanceEvent.class, event -> rings.values().forEach(CurrentRing::forget));
    }

    /**
     * Connects.
     *
     * @throws OverdriveException of kind CONNECT, with the failure of each node that was tried
     */
    public static Wire connect(ConnectOptions options) {
        try {
            RawSessionBuilder builder = new RawSessionBuilder();
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
            Wire wire = new Wire((DefaultSession) builder.build(), options.foundSizes());
            if (wire.protocolVersion() < ProtocolConstants.Version.V4) {
                wire.close();
                throw new OverdriveException(
                        Kind.CONNECT,
                        hosts(options) + " supports version " + wire.protocolVersion()
                                + " of the native protocol: Overdrive needs 4 or later, so Cassandra 2.2 or later");
            }
            wire.requireNodes(options);
            wire.leaveRemoteContactPoint();
            return wire;
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
                        hosts(options) + " are in several data centres (" + String.join(", ", datacenters)
                                + "): name the one to use with --dc",
                        e);
            }
            throw new OverdriveException(Kind.CONNECT, "cannot connect to " + hosts(options) + ": " + reason(e), e);
        }
    }

    /**
     * The connection behind a session that {@link #connect} created, such as {@link io.overdrive.Overdrive#session()}; closing
     * one closes both.
     */
    public static Wire of(CqlSession session) {
        return new Wire((DefaultSession) session, FoundSizes.NONE);
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
    private void requireNodes(ConnectOptions options) {
        String datacenter = options.datacenter();
        requireNodes(
                NodeDistance.LOCAL,
                datacenter == null
                        ? "the data centre of the driver's configuration"
                        : "data centre \"" + datacenter + "\"",
                options);
        String failover = options.failoverDatacenter();
        if (failover != null) {
            requireNodes(NodeDistance.REMOTE, "data centre \"" + failover + "\" to fail over to", options);
        }
    }

    private void requireNodes(NodeDistance distance, String where, ConnectOptions options) {
        Collection<Node> nodes = session.getMetadata().getNodes().values();
        if (nodes.stream().noneMatch(node -> node.getDistance() == distance)) {
            close();
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
     * Waits until a node is up that takes requests, so that what is asked before a job begins does not fail where its requests would wait.
     *
     * @throws OverdriveException of kind CONNECT if none is within this time, or the connection was closed; of kind INTERRUPTED if the
     *     thread is interrupted
     */
    public void awaitNode(Duration patience) {
        long start = System.nanoTime();
        boolean isSaid = false;
        while (!hasNode()) {
            if (isClosed()) {
                throw new OverdriveException(Kind.CONNECT, CLOSED);
            }
            if (!isSaid && System.nanoTime() - start > QUIET_NANOS) {
                isSaid = true;
                LOG.warn("no node is up ({}): waiting for one for up to {} s", downNodes(), patience.toSeconds());
            }
            if (System.nanoTime() - start > patience.toNanos()) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        "no node is up after " + patience.toSeconds() + " s (patience): " + downNodes()
                                + "; start one, or name another data centre that may be used meanwhile (--dc-failover)");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while no node was up");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Whether a request of the driver's own would find a node: one that counts as up, and whose connections are there. */
    private boolean hasNode() {
        return ((InternalDriverContext) session.getContext())
                        .getLoadBalancingPolicyWrapper()
                        .newQueryPlan(/* request */ null, DriverExecutionProfile.DEFAULT_NAME, session)
                        .stream()
                        .anyMatch(node -> session.getChannel(node, LOG_PREFIX) != null);
    }

    /** Down nodes of the local data centre, and of the data centre to fail over to. */
    private String downNodes() {
        return session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() != NodeDistance.IGNORED)
                .map(node -> NodeName.of(node) + " of data centre " + node.getDatacenter() + " is down")
                .sorted()
                .limit(MAX_NAMED_NODES)
                .collect(Collectors.joining(", "));
    }

    /**
     * The driver keeps its connection for metadata at the contact point, even if that is in another data centre: it is moved to a
     * local node. If none takes it, it stays where it is.
     */
    private void leaveRemoteContactPoint() {
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
        // Limiter is what limits requests in flight, not the driver.
        set.accept(DefaultDriverOption.CONNECTION_MAX_REQUESTS, 32768);
        set.accept(DefaultDriverOption.NETTY_IO_SIZE, Runtime.getRuntime().availableProcessors());
        set.accept(DefaultDriverOption.NETTY_ADMIN_SIZE, 1);
        // A program that does not close its connection must be able to end: Spark's do not.
        set.accept(DefaultDriverOption.NETTY_DAEMON, true);
        // Schema changes are rare, and must be visible at once: the driver would wait a second for more of them.
        set.accept(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(20));
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
                        .withFallback(ConfigFactory.defaultReference(Wire.class.getClassLoader())
                                .getConfig(DRIVER_ROOT))
                        .resolve(),
                /* supportsReloading */ false);
    }

    public CqlSession session() {
        return session;
    }

    @Override
    public CurrentRing ring(CqlIdentifier keyspace) {
        return rings.computeIfAbsent(keyspace, name -> new CurrentRing(session::getMetadata, name));
    }

    @Override
    public Metadata metadata() {
        return session.getMetadata();
    }

    @Override
    public boolean isClosed() {
        return session.isClosed();
    }

    @Override
    public @Nullable String whyDown(Node node) {
        return session.getContext()
                .getAuthProvider()
                .filter(provider -> provider instanceof Logins logins && logins.isRefused(node.getEndPoint()))
                .map(provider -> "does not accept the password of user " + ((Logins) provider).username())
                .orElse(null);
    }

    /** Logs in with this password from now on; connections that are open stay. No effect without {@link ConnectOptions#password}. */
    public void password(String password) {
        session.getContext().getAuthProvider().ifPresent(provider -> {
            if (provider instanceof Logins logins) {
                logins.setPassword(password);
            }
        });
    }

    /** Whether the driver has its connection for metadata, which it sets up again after a failure. */
    public boolean hasControlConnection() {
        DriverChannel channel = ((InternalDriverContext) session.getContext())
                .getControlConnection()
                .channel();
        return channel != null && !channel.closeFuture().isDone();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void decided(FlowDecision decision) {
        onFlowDecision.accept(decision);
    }

    @Override
    public void decided(GatheringDecision decision) {
        onGatheringDecision.accept(decision);
    }

    /** Sets what takes decisions on whether single rows share requests. */
    public void onGatheringDecision(Consumer<GatheringDecision> handler) {
        onGatheringDecision = handler;
    }

    /** Sets what takes decisions on how much may be in flight. */
    public void onFlowDecision(Consumer<FlowDecision> handler) {
        onFlowDecision = handler;
    }

    @Override
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public FoundSizes foundSizes() {
        return foundSizes;
    }

    @Override
    public BulkWork bulkWork(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
        BulkGuard holdsBack = guard;
        return holdsBack == null ? BulkWork.FREE : holdsBack.register(keyspace, table, limiter);
    }

    /** Lets a guard hold back bulk work that is registered from now on; the guard is closed with this connection. */
    public void guardedBy(BulkGuard holdsBack) {
        guard = holdsBack;
    }

    @Override
    public ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public ScheduledExecutorService executor(String threadName) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemon(threadName));
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** 4, 5 or later. */
    public int protocolVersion() {
        return session.getContext().getProtocolVersion().getCode();
    }

    @Override
    public boolean send(Node node, Message message, Request request) {
        DriverChannel channel = session.getChannel(node, LOG_PREFIX);
        if (channel == null) {
            return false;
        }
        channel.write(message, /* tracing */ false, Frame.NO_PAYLOAD, request).addListener(request::written);
        return true;
    }

    @Override
    public void close() {
        BulkGuard holdsBack = guard;
        try {
            if (holdsBack != null) {
                holdsBack.close();
            }
        } finally {
            closeSession();
        }
    }

    /**
     * The driver first waits for the answers of all requests in flight. One may have been lost, so that it comes only when the connection
     * breaks, which may be never.
     */
    private void closeSession() {
        try {
            session.closeAsync().toCompletableFuture().get(MAX_CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            session.forceCloseAsync().toCompletableFuture().join();
        } catch (InterruptedException e) {
            session.forceCloseAsync();
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            LOG.warn("the connection was not closed in order", e.getCause());
        }
    }

    /**
     * A request in flight. One of {@link #answered} and {@link #failed} is called by an I/O thread, and for a connection
     * that breaks maybe both.
     */
    public abstract static class Request implements ResponseCallback {
        /** The server answered, possibly with an error message. */
        protected abstract void answered(Message message);

        /**
         * There will be no answer.
         *
         * @param sent false if the request surely never left this machine
         */
        protected abstract void failed(@Nullable Throwable cause, boolean sent);

        @Override
        public final void onResponse(Frame frame) {
            answered(frame.message);
        }

        @Override
        public final void onFailure(Throwable error) {
            failed(error, true);
        }

        private void written(Future<? super Void> write) {
            if (!write.isSuccess()) {
                failed(write.cause(), false);
            }
        }
    }

    /**
     * A Cassandra without CASSANDRA-21508 refuses each request that has waited too long in its queue with stream id 0. If the request
     * that has that id took this for its answer, its real answer would later be that of the next request with the id. So no
     * request gets it, and the refused one times out.
     *
     * <p>What a node says of bytes that were changed on the way has that id, too, as it does not know whose they were. All requests in
     * flight then lose their connection.
     */
    static Frame withoutMistakenId(Frame frame) {
        boolean mayBelongToAnother =
                frame.streamId == 0 && frame.message instanceof Error error && isOfNoRequest(error);
        return mayBelongToAnother
                ? Frame.forResponse(
                        frame.protocolVersion,
                        NO_STREAM,
                        frame.tracingId,
                        frame.customPayload,
                        frame.warnings,
                        frame.message)
                : frame;
    }

    private static boolean isOfNoRequest(Error error) {
        return switch (error.code) {
            case ErrorCode.OVERLOADED -> REFUSED_FROM_QUEUE.equals(error.message);
            case ErrorCode.PROTOCOL_ERROR -> String.valueOf(error.message).contains(DAMAGED);
            default -> false;
        };
    }

    private static final class RawSessionBuilder extends CqlSessionBuilder {
        @Override
        protected DriverContext buildContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
            return new RawContext(loader, arguments);
        }
    }

    private static final class RawContext extends DefaultDriverContext {
        RawContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
            super(loader, arguments);
        }

        @Override
        protected NettyOptions buildNettyOptions() {
            return new DefaultNettyOptions(this) {
                @Override
                public void afterChannelInitialized(Channel channel) {
                    LargeAnswers.collect(channel, getFrameCodec());
                }
            };
        }

        @Override
        protected FrameCodec<ByteBuf> buildFrameCodec() {
            return new FrameCodec<ByteBuf>(
                    getPrimitiveCodec(),
                    getCompressor(),
                    raw(new ProtocolV3ClientCodecs()),
                    raw(new ProtocolV4ClientCodecsForDse()),
                    raw(new ProtocolV5ClientCodecs()),
                    raw(new ProtocolV6ClientCodecs()),
                    raw(new DseProtocolV1ClientCodecs()),
                    raw(new DseProtocolV2ClientCodecs())) {
                @Override
                public Frame decode(ByteBuf source) {
                    // A buffer may hold several frames, and RawRows takes its whole buffer as rows.
                    return withoutMistakenId(
                            super.decode(source.readSlice(V3_ENCODED_HEADER_SIZE + decodeBodySize(source))));
                }
            };
        }

        /** Builds the handler with our timeout: Netty's is 10 s, whatever the user has set. */
        @Override
        protected Optional<SslHandlerFactory> buildSslHandlerFactory() {
            Duration timeout =
                    getConfig().getDefaultProfile().getDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT);
            return super.buildSslHandlerFactory().map(factory -> new SslHandlerFactory() {
                @Override
                public SslHandler newSslHandler(Channel channel, EndPoint node) {
                    SslHandler handler = factory.newSslHandler(channel, node);
                    handler.setHandshakeTimeoutMillis(timeout.toMillis());
                    return handler;
                }

                @Override
                public void close() throws Exception {
                    factory.close();
                }
            });
        }

        /**
         * The same codecs, except that the codecs of BATCH and EXECUTE also take raw bodies, and the codec of RESULT leaves rows
         * encoded.
         */
        private static FrameCodec.CodecGroup raw(FrameCodec.CodecGroup group) {
            return registry -> group.registerCodecs(new FrameCodec.CodecGroup.Registry() {
                @Override
                public FrameCodec.CodecGroup.Registry addCodec(Message.Codec codec) {
                    return addEncoder(codec).addDecoder(codec);
                }

                @Override
                public FrameCodec.CodecGroup.Registry addEncoder(Message.Codec codec) {
                    boolean ours = codec.opcode == ProtocolConstants.Opcode.BATCH
                            || codec.opcode == ProtocolConstants.Opcode.EXECUTE;
                    registry.addEncoder(ours ? new RawMessage.Codec(codec) : codec);
                    return this;
                }

                @Override
                public FrameCodec.CodecGroup.Registry addDecoder(Message.Codec codec) {
                    boolean results = codec.opcode == ProtocolConstants.Opcode.RESULT;
                    registry.addDecoder(results ? new RawRows.Codec(codec) : codec);
                    return this;
                }
            });
        }
    }
}
