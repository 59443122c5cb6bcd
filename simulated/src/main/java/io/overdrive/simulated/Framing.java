package io.overdrive.simulated;

import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.driver.internal.core.protocol.BytesToSegmentDecoder;
import com.datastax.oss.driver.internal.core.protocol.FrameDecoder;
import com.datastax.oss.driver.internal.core.protocol.FrameDecodingException;
import com.datastax.oss.driver.internal.core.protocol.FrameEncoder;
import com.datastax.oss.driver.internal.core.protocol.FrameToSegmentEncoder;
import com.datastax.oss.driver.internal.core.protocol.SegmentToBytesEncoder;
import com.datastax.oss.driver.internal.core.protocol.SegmentToFrameDecoder;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.SegmentCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import java.util.OptionalInt;

/**
 * Frames in the bytes of a connection: in sequence, and from version 5 of the protocol on, after the connection was set up, in
 * segments with checksums. The driver's own handlers do it, with codecs for the server's side. Stateless.
 */
final class Framing {
    private static final int MAX_FRAME_BYTES = 256 << 20;
    private static final String DECODER = "decoder";
    private static final String ENCODER = "encoder";
    private static final String LOG_PREFIX = "simulated";

    private static final ByteBufPrimitiveCodec PRIMITIVES = new ByteBufPrimitiveCodec(ByteBufAllocator.DEFAULT);
    private static final FrameCodec<ByteBuf> FRAMES = FrameCodec.defaultServer(PRIMITIVES, Compressor.none());
    private static final SegmentCodec<ByteBuf> SEGMENTS = new SegmentCodec<>(PRIMITIVES, Compressor.none());

    private Framing() {}

    /** Begins with plain frames. */
    static void start(ChannelPipeline pipeline, Connection connection) {
        pipeline.addLast(DECODER, new FrameDecoder(FRAMES, MAX_FRAME_BYTES));
        pipeline.addLast(ENCODER, new FrameEncoder(FRAMES, MAX_FRAME_BYTES));
        pipeline.addLast(connection);
    }

    /** Continues with segments. */
    static void useSegments(ChannelPipeline pipeline) {
        pipeline.replace(DECODER, DECODER, new BytesToSegmentDecoder(SEGMENTS));
        pipeline.addAfter(DECODER, "segment-decoder", new SegmentToFrameDecoder(FRAMES, LOG_PREFIX));
        pipeline.replace(ENCODER, ENCODER, new SegmentToBytesEncoder(SEGMENTS));
        pipeline.addAfter(ENCODER, "segment-encoder", new FrameToSegmentEncoder(PRIMITIVES, FRAMES, LOG_PREFIX));
    }

    /** The stream of a frame that could not be decoded; empty if that is not what failed. */
    static OptionalInt undecodedStream(Throwable failure) {
        return failure instanceof FrameDecodingException frame ? OptionalInt.of(frame.streamId) : OptionalInt.empty();
    }
}
