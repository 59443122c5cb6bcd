package io.overdrive.internal.wire;

import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.PrimitiveCodec;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.ProtocolConstants.RowsFlag;
import com.datastax.oss.protocol.internal.response.result.Rows;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.overdrive.internal.codec.Bytes;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Rows as received from the server, in one array: the I/O thread only copies them, unless they are in one already
 * ({@link LargeAnswers}). The driver's view, which the driver itself
 * needs for its own queries, is decoded on first use. Confined to one thread at a time.
 */
public final class RawRows extends Rows {
    /** The length of a name, and a type. */
    private static final int MIN_COLUMN_BYTES = 4;

    private final byte[] body;
    private final int start;
    private final Message.Codec driversOwn;
    private final PrimitiveCodec<ByteBuf> primitives;
    private @Nullable RowsMetadata metadata;
    private int rowsStart;
    private @Nullable Rows decoded;

    private RawRows(byte[] body, int start, Message.Codec driversOwn, PrimitiveCodec<ByteBuf> primitives) {
        this.body = body;
        this.start = start;
        this.driversOwn = driversOwn;
        this.primitives = primitives;
    }

    /**
     * The message, to the end of the array: maybe its header, then kind, metadata, number of rows, rows (native protocol,
     * section 4.2.5.2).
     */
    public byte[] body() {
        return body;
    }

    /**
     * The metadata before the rows, without names and types unless the request asked for them.
     *
     * @throws IllegalArgumentException if it cannot be an answer's
     * @throws IndexOutOfBoundsException if it is cut short
     */
    public RowsMetadata header() {
        RowsMetadata known = metadata;
        if (known == null) {
            checkHeader();
            ByteBuf buffer = Unpooled.wrappedBuffer(body).skipBytes(start + 4);
            known = RowsMetadata.decode(buffer, primitives, /* withPkIndices */ false, driversOwn.protocolVersion);
            rowsStart = buffer.readerIndex();
            metadata = known;
        }
        return known;
    }

    /**
     * The driver's codec makes arrays of any length that is given, and takes a paging state of negative length for the last page's:
     * the rows behind it would be missing.
     */
    private void checkHeader() {
        int flags = Bytes.getInt(body, start + 4);
        int columns = Bytes.getInt(body, start + 8);
        int rest = body.length - start - 12;
        if ((flags & RowsFlag.HAS_MORE_PAGES) != 0) {
            int state = Bytes.getInt(body, start + 12);
            rest -= 4;
            if (state < 1 || state > rest) {
                throw new IllegalArgumentException("more pages follow, and its paging state has " + state + " bytes");
            }
            rest -= state;
        }
        boolean hasMetadata = (flags & RowsFlag.NO_METADATA) == 0;
        if (hasMetadata && (columns < 0 || columns > rest / MIN_COLUMN_BYTES)) {
            throw new IllegalArgumentException(columns + " columns in " + rest + " bytes");
        }
    }

    /** Offset of the number of rows in {@link #body}, just before the first row. */
    public int rowsStart() {
        header();
        return rowsStart;
    }

    @Override
    public RowsMetadata getMetadata() {
        return decoded().getMetadata();
    }

    @Override
    public Queue<List<ByteBuffer>> getData() {
        return decoded().getData();
    }

    private Rows decoded() {
        Rows known = decoded;
        if (known == null) {
            known = (Rows) driversOwn.decode(Unpooled.wrappedBuffer(body).skipBytes(start), primitives);
            decoded = known;
        }
        return known;
    }

    /** Leaves rows encoded, and delegates other results to the driver's codec. Immutable. */
    static final class Codec extends Message.Codec {
        private final Message.Codec driversOwn;

        Codec(Message.Codec driversOwn) {
            super(driversOwn.opcode, driversOwn.protocolVersion);
            this.driversOwn = driversOwn;
        }

        @Override
        public <B> void encode(B target, Message message, PrimitiveCodec<B> primitives) {
            driversOwn.encode(target, message, primitives);
        }

        @Override
        public int encodedSize(Message message) {
            return driversOwn.encodedSize(message);
        }

        @Override
        @SuppressWarnings("unchecked") // the driver's frames are always in netty buffers
        public <B> Message decode(B source, PrimitiveCodec<B> primitives) {
            ByteBuf buffer = (ByteBuf) source;
            if (buffer.getInt(buffer.readerIndex()) != ProtocolConstants.ResultKind.ROWS) {
                return driversOwn.decode(source, primitives);
            }
            PrimitiveCodec<ByteBuf> ours = (PrimitiveCodec<ByteBuf>) primitives;
            if (isToTheEndOfAnArray(buffer)) {
                return new RawRows(buffer.array(), buffer.arrayOffset() + buffer.readerIndex(), driversOwn, ours);
            }
            byte[] body = new byte[buffer.readableBytes()];
            buffer.readBytes(body);
            return new RawRows(body, 0, driversOwn, ours);
        }

        /** Only arrays without a pool, which would use them again. */
        private static boolean isToTheEndOfAnArray(ByteBuf buffer) {
            return buffer.hasArray()
                    && buffer.alloc() instanceof UnpooledByteBufAllocator
                    && buffer.arrayOffset() + buffer.writerIndex() == buffer.array().length;
        }
    }
}
