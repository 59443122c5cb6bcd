package io.overdrive.internal.wire;

import com.datastax.dse.protocol.internal.DseProtocolV1ClientCodecs;
import com.datastax.dse.protocol.internal.DseProtocolV2ClientCodecs;
import com.datastax.dse.protocol.internal.ProtocolV4ClientCodecsForDse;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.channel.ChannelFactory;
import com.datastax.oss.driver.internal.core.channel.DriverChannel;
import com.datastax.oss.driver.internal.core.channel.DriverChannelOptions;
import com.datastax.oss.driver.internal.core.config.typesafe.TypesafeDriverConfig;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import com.datastax.oss.driver.internal.core.metadata.DistanceEvent;
import com.datastax.oss.driver.internal.core.metadata.LoadBalancingPolicyWrapper;
import com.datastax.oss.driver.internal.core.pool.ChannelPool;
import com.datastax.oss.driver.internal.core.pool.ChannelPoolFactory;
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
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.overdrive.internal.cql.OwnQuery;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The driver's parts, except that our requests are sent as the bytes that they are, and rows of answers stay encoded. Thread-safe, as
 * its superclass is.
 */
final class RawContext extends DefaultDriverContext {
    /** The whole message of a node that refuses a request that has waited too long in its queue. */
    private static final String REFUSED_FROM_QUEUE = "Query timed out before it could start";

    /** Part of the message of a node that has received something else than was sent, and closes the connection. */
    private static final String DAMAGED = "CRC mismatch";

    /** The least time for a node to take a connection for requests. */
    private static final long MIN_CONNECT_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A node may take this many times as long as the first one, which the user has named. */
    private static final int SLOWER_THAN_FIRST = 4;

    /** More than {@code WriteSetting.IN_FLIGHT_REQUESTS} may be: Limiter is what limits requests in flight, not the driver. */
    private static final int MAX_PLACES = 8192;

    /** Enough for the requests in flight to one of a thousand nodes. */
    private static final int MIN_PLACES = 1024;

    /** Places on the connections to all nodes: 16 MiB of them at most. The driver has a power of two for each connection. */
    private static final int ALL_PLACES = 1 << 21;

    /** The stream id of messages that no request waits for. */
    private static final int NO_STREAM = -1;

    private final @Nullable LazyPools lazyPools;

    /** Builds sessions with such parts. */
    static final class Builder extends CqlSessionBuilder {
        private final @Nullable LazyPools lazyPools;

        /** @param lazyPools connect to nodes; null to connect to all of them at the start */
        Builder(@Nullable LazyPools lazyPools) {
            this.lazyPools = lazyPools;
        }

        @Override
        protected DriverContext buildContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
            return new RawContext(loader, arguments, lazyPools);
        }
    }

    private RawContext(DriverConfigLoader loader, ProgrammaticArguments arguments, @Nullable LazyPools lazyPools) {
        super(loader, arguments);
        this.lazyPools = lazyPools;
    }

    @Override
    public ChannelPoolFactory getChannelPoolFactory() {
        return lazyPools != null ? lazyPools : super.getChannelPoolFactory();
    }

    /** A statement of the user connects to the node that it would best go to, for later ones; another node takes it meanwhile. */
    @Override
    protected LoadBalancingPolicyWrapper buildLoadBalancingPolicyWrapper() {
        return new LoadBalancingPolicyWrapper(this, getLoadBalancingPolicies()) {
            @Override
            public Queue<Node> newQueryPlan(@Nullable Request request, String profile, @Nullable Session session) {
                Queue<Node> plan = super.newQueryPlan(request, profile, session);
                if (lazyPools != null
                        && request instanceof Statement
                        && !OwnQuery.PROFILE.equals(request.getExecutionProfileName())) {
                    plan.stream().findFirst().ifPresent(best -> connect(best));
                }
                return plan;
            }
        };
    }

    /** The pool of a node that has a connection only from its first request on, which this is; null if all nodes have one. */
    @Nullable CompletableFuture<ChannelPool> use(Node node) {
        return lazyPools == null ? null : lazyPools.use(node, this);
    }

    /** Makes the driver connect to a node if it has not been used. */
    void connect(Node node) {
        var unused = use(node);
    }

    /** Whether the driver is only made to connect to a node. */
    boolean isUse(DistanceEvent event) {
        return lazyPools != null && lazyPools.isOurs(event);
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

    /**
     * A session is ready once the driver has tried to connect to each node. A node that takes connections and answers nothing would make
     * it wait for the whole timeout: it gets less time, and the driver connects to it later, as to a node that is down.
     */
    @Override
    protected ChannelFactory buildChannelFactory() {
        return new ChannelFactory(this) {
            private volatile long firstNanos;
            private volatile int places;

            @Override
            public CompletionStage<DriverChannel> connect(Node node, DriverChannelOptions options) {
                bound();
                boolean isForRequests = options.eventTypes.isEmpty();
                long start = System.nanoTime();
                CompletionStage<DriverChannel> connecting = super.connect(node, options);
                if (isForRequests) {
                    return within(connecting, Math.max(MIN_CONNECT_NANOS, SLOWER_THAN_FIRST * firstNanos));
                }
                connecting.thenRun(() -> firstNanos = System.nanoTime() - start);
                return connecting;
            }

            /** The driver allocates 8 bytes for each request that may be in flight on a connection, unless the user has set that number. */
            private void bound() {
                int nodes = Math.max(
                        1, getMetadataManager().getMetadata().getNodes().size());
                int each = Math.max(MIN_PLACES, Math.min(MAX_PLACES, Integer.highestOneBit(ALL_PLACES / nodes)));
                if (each != places && getConfig() instanceof TypesafeDriverConfig config) {
                    places = each;
                    config.overrideDefaults(Map.of(DefaultDriverOption.CONNECTION_MAX_REQUESTS, each));
                }
            }
        };
    }

    /** Gives up after a time; a connection that comes later is closed. */
    private static CompletionStage<DriverChannel> within(CompletionStage<DriverChannel> connecting, long nanos) {
        CompletableFuture<DriverChannel> limited =
                new CompletableFuture<DriverChannel>().orTimeout(nanos, TimeUnit.NANOSECONDS);
        connecting.whenComplete((channel, failure) -> {
            if (failure != null) {
                limited.completeExceptionally(failure);
            } else if (!limited.complete(channel)) {
                var unused = channel.forceClose();
            }
        });
        return limited.exceptionallyCompose(failure -> CompletableFuture.failedStage(
                failure instanceof TimeoutException
                        ? new DriverTimeoutException("it takes connections, and has not answered within "
                                + TimeUnit.NANOSECONDS.toMillis(nanos) / 1000.0 + " s")
                        : failure));
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
}
