package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.channel.DriverChannel;
import com.datastax.oss.driver.internal.core.channel.ResponseCallback;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.metadata.DistanceEvent;
import com.datastax.oss.driver.internal.core.pool.ChannelPool;
import com.datastax.oss.driver.internal.core.session.DefaultSession;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.Message;
import io.netty.util.concurrent.Future;
import io.overdrive.ConnectOptions;
import io.overdrive.FlowDecision;
import io.overdrive.FoundSizes;
import io.overdrive.GatheringDecision;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteSetting;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.ring.CurrentRing;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's session, bypassing its statement types: {@link #send} puts a body that is already in wire format on a
 * connection to a chosen node. Topology, pools, TLS, authentication, heartbeats and prepare are left to the driver.
 * Thread-safe.
 *
 * <p>Apart from {@code Ring}, which needs the number of a token, this class and its helpers {@link SessionSetup}, {@link RawContext},
 * {@code LargeAnswers} and {@code LazyPools} are the only ones that use the driver's internal types; see docs/decisions for why.
 */
public final class Wire implements Transport, AutoCloseable {

    private static final long IDLE_SECONDS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(Wire.class);
    private static final String LOG_PREFIX = "overdrive";
    private static final int MAX_NAMED_NODES = 5;
    /** The driver counts a connection a moment after it is open. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long MAX_CLOSE_SECONDS = 3;

    private final DefaultSession session;
    private final boolean ownsSession;
    private final Object onDistance;
    private final FoundSizes foundSizes;
    private final FoundSizes sessionSizes;
    private final ScheduledExecutorService timer;
    private final Traffic traffic = new Traffic();
    private final Map<CqlIdentifier, CurrentRing> rings = new ConcurrentHashMap<>();
    private volatile Consumer<FlowDecision> onFlowDecision = decision -> {};
    private volatile Consumer<GatheringDecision> onGatheringDecision = decision -> {};
    private volatile @Nullable BulkGuard guard;

    private Wire(
            DefaultSession session,
            boolean ownsSession,
            FoundSizes foundSizes,
            FoundSizes sessionSizes,
            ScheduledExecutorService timer) {
        this.session = session;
        this.ownsSession = ownsSession;
        this.foundSizes = foundSizes;
        this.sessionSizes = sessionSizes;
        this.timer = timer;
        this.onDistance = ((InternalDriverContext) session.getContext())
                .getEventBus()
                .register(DistanceEvent.class, this::onDistance);
    }

    private void onDistance(DistanceEvent event) {
        if (!(session.getContext() instanceof RawContext context && context.isUse(event))) {
            rings.values().forEach(CurrentRing::forget);
        }
    }

    /**
     * Connects.
     *
     * @throws OverdriveException of kind CONNECT, with the failure of each node that was tried
     */
    public static Wire connect(ConnectOptions options) {
        return own(SessionSetup.connect(options), options.foundSizes());
    }

    /**
     * The connection behind a session that {@link #connect} created, such as {@link io.overdrive.Overdrive#session()}; closing
     * one closes both.
     */
    public static Wire of(CqlSession session) {
        return own((DefaultSession) session, FoundSizes.NONE);
    }

    private static Wire own(DefaultSession session, FoundSizes foundSizes) {
        return new Wire(session, /* ownsSession */ true, foundSizes, new SessionSizes(), idling("overdrive-timer"));
    }

    /**
     * Another connection over the same session, which stays open when that one is closed. They share the timer and the sizes of what was
     * read, and neither figures nor decisions.
     */
    public Wire share(FoundSizes sizes) {
        return new Wire(session, /* ownsSession */ false, sizes, sessionSizes, timer);
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
                String down = downNodes();
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> "no node is up after " + patience.toSeconds() + " s ("
                                + words.of(WriteSetting.PATIENCE) + "): " + down + "; start one, or name"
                                + " another data centre that may be used meanwhile ("
                                + words.of(ConnectSetting.FAILOVER_DATACENTER) + ")");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while no node was up");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /**
     * Whether a request of the driver's own would find a node: one that counts as up, and whose connections are there. If none of those
     * that are connected to does, others are.
     */
    private boolean hasNode() {
        Queue<Node> plan = ((InternalDriverContext) session.getContext())
                .getLoadBalancingPolicyWrapper()
                .newQueryPlan(/* request */ null, DriverExecutionProfile.DEFAULT_NAME, session);
        boolean found = plan.stream().anyMatch(node -> session.getChannel(node, LOG_PREFIX) != null);
        if (!found && session.getContext() instanceof RawContext context) {
            plan.stream().limit(ConnectOptions.FIRST_NODES).forEach(context::connect);
        }
        return found;
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
    public FoundSizes sessionSizes() {
        return sessionSizes;
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
        return idling(threadName);
    }

    private static ScheduledExecutorService idling(String threadName) {
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
        return channel != null ? write(channel, message, request) : sendWhenConnected(node, message, request);
    }

    private static boolean write(DriverChannel channel, Message message, Request request) {
        channel.write(message, /* tracing */ false, Frame.NO_PAYLOAD, request).addListener(request::written);
        return true;
    }

    /** Sends a first request to a node once its connection is there, and later ones at once. */
    private boolean sendWhenConnected(Node node, Message message, Request request) {
        CompletableFuture<ChannelPool> pool =
                session.getContext() instanceof RawContext context ? context.use(node) : null;
        if (pool == null) {
            return false;
        }
        if (pool.isDone()) {
            DriverChannel channel =
                    pool.isCompletedExceptionally() ? null : pool.join().next();
            return channel != null && write(channel, message, request);
        }
        var unused = pool.whenComplete((opened, failure) -> {
            try {
                DriverChannel channel = opened == null ? null : opened.next();
                if (channel == null) {
                    request.failed(failure, /* sent */ false);
                } else {
                    write(channel, message, request);
                }
            } catch (RuntimeException | Error e) {
                request.failed(e, /* sent */ false);
            }
        });
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
            if (ownsSession) {
                close(session);
            } else {
                ((InternalDriverContext) session.getContext())
                        .getEventBus()
                        .unregister(onDistance, DistanceEvent.class);
            }
        }
    }

    /**
     * The driver first waits for the answers of all requests in flight. One may have been lost, so that it comes only when the connection
     * breaks, which may be never.
     */
    static void close(DefaultSession session) {
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
}
