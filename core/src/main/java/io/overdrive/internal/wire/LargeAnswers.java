package io.overdrive.internal.wire;

import com.datastax.oss.driver.internal.core.channel.ChannelFactory;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Segment;
import com.datastax.oss.protocol.internal.response.Authenticate;
import com.datastax.oss.protocol.internal.response.Ready;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.MessageToMessageDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of an answer that is larger than a segment of the protocol (128 KiB) in an array on the Java heap. The driver
 * keeps them in direct memory, of which the launcher gives little, and never releases the parts of an answer if the connection breaks
 * before the last one: after a few such answers no connection can be made any more. Confined to the I/O thread of its connection; read
 * step 3.
 */
final class LargeAnswers extends MessageToMessageDecoder<Segment<ByteBuf>> {
    private static final UnpooledByteBufAllocator HEAP = new UnpooledByteBufAllocator(/* preferDirect */ false);

    private final FrameCodec<ByteBuf> codec;
    private @Nullable ByteBuf answer;

    private LargeAnswers(FrameCodec<ByteBuf> codec) {
        this.codec = codec;
    }

    /** Adds the collector of answers. Called when the driver has set up the handlers of a new connection. */
    static void collect(Channel channel, FrameCodec<ByteBuf> codec) {
        ChannelPipeline pipeline = channel.pipeline();
        // Up to version 4 of the protocol, answers are not in segments.
        ((ByteToMessageDecoder) pipeline.get(ChannelFactory.BYTES_TO_FRAME_DECODER_NAME))
                .setCumulator((allocator, collected, read) ->
                        ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(HEAP, onHeap(collected), read));
        pipeline.addAfter(ChannelFactory.BYTES_TO_FRAME_DECODER_NAME, null, new Start(codec));
    }

    private static ByteBuf onHeap(ByteBuf collected) {
        if (!collected.isDirect() || !collected.isReadable()) {
            return collected;
        }
        try {
            return HEAP.buffer(collected.readableBytes()).writeBytes(collected);
        } finally {
            collected.release();
        }
    }

    /** Waits for the answer to STARTUP, at which the driver changes to segments if the version has them. */
    private static final class Start extends ChannelInboundHandlerAdapter {
        private final FrameCodec<ByteBuf> codec;

        Start(FrameCodec<ByteBuf> codec) {
            this.codec = codec;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.fireChannelRead(message);
            if (message instanceof Frame frame
                    && (frame.message instanceof Ready || frame.message instanceof Authenticate)) {
                ChannelPipeline pipeline = context.pipeline();
                if (pipeline.get(ChannelFactory.SEGMENT_TO_FRAME_DECODER_NAME) != null) {
                    pipeline.addBefore(ChannelFactory.SEGMENT_TO_FRAME_DECODER_NAME, null, new LargeAnswers(codec));
                }
                pipeline.remove(this);
            }
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, Segment<ByteBuf> segment, List<Object> out) {
        if (segment.isSelfContained) {
            out.add(segment);
            return;
        }
        ByteBuf part = segment.payload;
        try {
            ByteBuf collected = answer;
            if (collected == null) {
                int length = FrameCodec.V3_ENCODED_HEADER_SIZE + codec.decodeBodySize(part);
                collected = Unpooled.wrappedBuffer(new byte[length]).clear();
            }
            collected.writeBytes(part);
            boolean isComplete = !collected.isWritable();
            answer = isComplete ? null : collected;
            if (isComplete) {
                out.add(new Segment<>(collected, /* isSelfContained */ true));
            }
        } finally {
            part.release();
        }
    }
}
