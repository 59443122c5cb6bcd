package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.internal.core.channel.ChannelFactory;
import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.driver.internal.core.protocol.BytesToSegmentDecoder;
import com.datastax.oss.driver.internal.core.protocol.FrameDecoder;
import com.datastax.oss.driver.internal.core.protocol.SegmentToFrameDecoder;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.PrimitiveCodec;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.Segment;
import com.datastax.oss.protocol.internal.SegmentCodec;
import com.datastax.oss.protocol.internal.response.Ready;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.Rows;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LargeAnswersTest {
    private static final int CELL_BYTES = 3_000_000;
    private static final int READ_BYTES = 65_536;

    private final UnpooledByteBufAllocator direct = new UnpooledByteBufAllocator(/* preferDirect */ true);
    private final PrimitiveCodec<ByteBuf> primitives = new ByteBufPrimitiveCodec(ByteBufAllocator.DEFAULT);
    private final FrameCodec<ByteBuf> client = FrameCodec.defaultClient(primitives, Compressor.none());
    private final FrameCodec<ByteBuf> server = FrameCodec.defaultServer(primitives, Compressor.none());
    private final SegmentCodec<ByteBuf> segments = new SegmentCodec<>(primitives, Compressor.none());
    private final EmbeddedChannel channel = new EmbeddedChannel();

    /** Opens it as the driver sets up a connection. */
    private void open(int version) {
        channel.config().setAllocator(direct);
        channel.pipeline()
                .addLast(ChannelFactory.BYTES_TO_FRAME_DECODER_NAME, new FrameDecoder(client, Integer.MAX_VALUE))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        if (version >= ProtocolConstants.Version.V5 && ((Frame) message).message instanceof Ready) {
                            context.pipeline()
                                    .replace(
                                            ChannelFactory.BYTES_TO_FRAME_DECODER_NAME,
                                            ChannelFactory.BYTES_TO_SEGMENT_DECODER_NAME,
                                            new BytesToSegmentDecoder(segments));
                            context.pipeline()
                                    .addAfter(
                                            ChannelFactory.BYTES_TO_SEGMENT_DECODER_NAME,
                                            ChannelFactory.SEGMENT_TO_FRAME_DECODER_NAME,
                                            new SegmentToFrameDecoder(client, "test"));
                        }
                        context.fireChannelRead(message);
                    }
                });
        LargeAnswers.collect(channel, client);
        receive(server.encode(frame(version, new Ready())));
        assertThat(this.<Frame>read().message).isInstanceOf(Ready.class);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private static Frame frame(int version, Message message) {
        return Frame.forResponse(version, /* streamId */ 1, null, Frame.NO_PAYLOAD, List.of(), message);
    }

    private static Message row(byte[] cell) {
        Queue<List<ByteBuffer>> data = new ArrayDeque<>();
        data.add(List.of(ByteBuffer.wrap(cell)));
        return new DefaultRows(new RowsMetadata(/* columnCount */ 1, null, new int[0], null), data);
    }

    private static byte[] cell(int bytes, int seed) {
        byte[] cell = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            cell[i] = (byte) (i * 31 + seed);
        }
        return cell;
    }

    /** Receives bytes as from a socket: in direct memory, a read at a time. */
    private void receive(ByteBuf bytes) {
        while (bytes.isReadable()) {
            int length = Math.min(READ_BYTES, bytes.readableBytes());
            channel.writeInbound(direct.directBuffer(length).writeBytes(bytes, length));
        }
        bytes.release();
    }

    private ByteBuf inSegments(Frame... frames) {
        ByteBuf payload = direct.heapBuffer();
        for (Frame frame : frames) {
            ByteBuf encoded = server.encode(frame);
            payload.writeBytes(encoded);
            encoded.release();
        }
        boolean isSelfContained = payload.readableBytes() <= Segment.MAX_PAYLOAD_LENGTH;
        ByteBuf all = direct.heapBuffer();
        while (payload.isReadable()) {
            int length = Math.min(Segment.MAX_PAYLOAD_LENGTH, payload.readableBytes());
            List<Object> parts = new ArrayList<>();
            segments.encode(new Segment<>(payload.readRetainedSlice(length), isSelfContained), parts);
            for (Object part : parts) {
                all.writeBytes((ByteBuf) part);
                ((ByteBuf) part).release();
            }
        }
        payload.release();
        return all;
    }

    @SuppressWarnings("unchecked")
    private <T> T read() {
        return (T) channel.readInbound();
    }

    private byte[] readCell() {
        Frame frame = read();
        ByteBuffer cell = ((Rows) frame.message).getData().remove().get(0);
        byte[] bytes = new byte[cell.remaining()];
        cell.get(bytes);
        return bytes;
    }

    /** Asserts that the cell is read; leaves its bytes out of the message. */
    private void assertReads(byte[] cell) {
        byte[] found = readCell();
        assertThat(found.length).isEqualTo(cell.length);
        assertThat(Arrays.mismatch(found, cell)).as("first byte that differs").isNegative();
    }

    @Test
    void areReadAsTheyWereSentBetweenSmallOnes() {
        open(ProtocolConstants.Version.V5);
        int version = ProtocolConstants.Version.V5;
        receive(inSegments(frame(version, row(cell(10, 1))), frame(version, row(cell(20, 2)))));
        receive(inSegments(frame(version, row(cell(CELL_BYTES, 3)))));
        receive(inSegments(frame(version, row(cell(Segment.MAX_PAYLOAD_LENGTH, 4)))));
        receive(inSegments(frame(version, row(cell(30, 5)))));
        assertReads(cell(10, 1));
        assertReads(cell(20, 2));
        assertReads(cell(CELL_BYTES, 3));
        assertReads(cell(Segment.MAX_PAYLOAD_LENGTH, 4));
        assertReads(cell(30, 5));
    }

    @Test
    void takeLittleDirectMemoryWhileTheyArrive() {
        open(ProtocolConstants.Version.V5);
        ByteBuf answer = inSegments(frame(ProtocolConstants.Version.V5, row(cell(CELL_BYTES, 1))));
        receive(answer.readRetainedSlice(CELL_BYTES - 1000));
        assertThat(direct.metric().usedDirectMemory()).isLessThan(4L * Segment.MAX_PAYLOAD_LENGTH);
        receive(answer);
        assertReads(cell(CELL_BYTES, 1));
    }

    @Test
    void leaveNoDirectMemoryInUseIfTheConnectionBreaksBeforeTheirEnd() {
        open(ProtocolConstants.Version.V5);
        ByteBuf answer = inSegments(frame(ProtocolConstants.Version.V5, row(cell(CELL_BYTES, 1))));
        receive(answer.readRetainedSlice(CELL_BYTES / 2));
        answer.release();
        var unused = channel.close();
        assertThat(direct.metric().usedDirectMemory()).isZero();
    }

    @Test
    void takeLittleDirectMemoryInOlderVersionsOfTheProtocol() {
        open(ProtocolConstants.Version.V4);
        ByteBuf answer = server.encode(frame(ProtocolConstants.Version.V4, row(cell(CELL_BYTES, 1))));
        receive(answer.readRetainedSlice(CELL_BYTES - 1000));
        assertThat(direct.metric().usedDirectMemory()).isLessThan(4L * READ_BYTES);
        receive(answer);
        assertReads(cell(CELL_BYTES, 1));
    }
}
