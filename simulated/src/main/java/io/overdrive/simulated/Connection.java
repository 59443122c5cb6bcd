package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Version;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.request.Register;
import com.datastax.oss.protocol.internal.request.Startup;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Event;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.result.SetKeyspace;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.overdrive.simulated.SimulatedNode.Mode;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a client to a node: sets it up, and answers its requests as the node's switches say. Confined to its thread of Netty,
 * except for {@link #announce} and {@link #close}.
 */
final class Connection extends SimpleChannelInboundHandler<Frame> {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final int EVENT_STREAM = -1;
    /** Query of the driver while it sets up a connection. */
    private static final String SET_UP_QUERY = "SELECT cluster_name FROM system.local";

    private final SimulatedNode node;
    private final Answers answers;
    private final int maxVersion;
    private volatile @Nullable ChannelHandlerContext context;
    private volatile int version;
    private volatile Set<String> eventTypes = Set.of();
    private @Nullable String keyspace;
    private boolean isStarted;

    Connection(SimulatedNode node, Answers answers) {
        this.node = node;
        this.answers = answers;
        maxVersion = node.protocolVersion();
        version = maxVersion;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext channel, Frame frame) {
        if (frame.protocolVersion > maxVersion) {
            version = maxVersion;
            send(channel, frame.streamId, unsupported());
            return;
        }
        version = frame.protocolVersion;
        boolean setsUp = setsUp(frame.message);
        if (!setsUp && !(frame.message instanceof Options)) {
            node.asked();
        }
        Mode mode = node.mode();
        if (mode == Mode.HANGS || mode == Mode.HANGS_AFTER_CONNECT && !setsUp) {
            return;
        }
        Message answer = answer(frame.message);
        long delay = node.delayMillis();
        if (delay == 0) {
            send(channel, frame.streamId, answer);
        } else {
            channel.executor()
                    .schedule(
                            () -> {
                                send(channel, frame.streamId, answer);
                                channel.flush();
                            },
                            delay,
                            TimeUnit.MILLISECONDS)
                    .addListener(done -> {});
        }
    }

    /** Whether a request belongs to the set-up of a connection; OPTIONS does until then, and is a heartbeat later. */
    private boolean setsUp(Message request) {
        return request instanceof Startup
                || request instanceof Register
                || request instanceof Options && !isStarted
                || request instanceof Query query && query.query.equals(SET_UP_QUERY);
    }

    private Message answer(Message request) {
        if (request instanceof Register register) {
            eventTypes = Set.copyOf(register.eventTypes);
            return new Ready();
        }
        Message answer = answers.answer(node, request, keyspace, version);
        if (answer instanceof SetKeyspace used) {
            keyspace = used.keyspace;
        }
        return answer;
    }

    private Error unsupported() {
        return new Error(
                ErrorCode.PROTOCOL_ERROR,
                "Invalid or unsupported protocol version; the lowest supported version is 3 and the greatest is "
                        + maxVersion);
    }

    private void send(ChannelHandlerContext channel, int stream, Message message) {
        channel.write(Frame.forResponse(version, stream, /* tracingId */ null, Frame.NO_PAYLOAD, List.of(), message))
                .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
        if (message instanceof Ready && !isStarted) {
            isStarted = true;
            channel.flush();
            if (version >= Version.V5) {
                Framing.useSegments(channel.pipeline());
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext channel) {
        channel.flush();
    }

    /** The client sent a frame that cannot be decoded, as its version is unknown, or something else, or has gone. */
    @Override
    public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
        OptionalInt stream = Framing.undecodedStream(cause);
        if (stream.isPresent()) {
            send(channel, stream.getAsInt(), unsupported());
            channel.flush();
        } else {
            LOG.debug("a connection to {} ends", node, cause);
            close();
        }
    }

    /** Sends the event if the client wants to know events of its type. */
    void announce(Event event) {
        ChannelHandlerContext channel = context;
        if (channel != null && eventTypes.contains(event.type)) {
            channel.executor().execute(() -> {
                send(channel, EVENT_STREAM, event);
                channel.flush();
            });
        }
    }

    void close() {
        ChannelHandlerContext channel = context;
        if (channel != null) {
            channel.close().addListener(done -> {});
        }
    }
}
