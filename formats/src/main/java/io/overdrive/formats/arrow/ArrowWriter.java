package io.overdrive.formats.arrow;

import com.github.luben.zstd.Zstd;
import com.google.flatbuffers.FlatBufferBuilder;
import io.overdrive.formats.columns.BatchWriter;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.internal.codec.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches of columns as messages of Arrow IPC: a stream, or a file, which is a stream with a magic word around it and a
 * footer that says where its batches are. Stateless, apart from the compression; for any thread. On the hot path.
 */
public final class ArrowWriter implements BatchWriter {
    /** How the buffers of a batch are compressed. */
    public enum Packing {
        NONE,
        LZ4,
        ZSTD
    }

    private static final int ALIGNMENT = 8;

    private final List<ColumnType> types;
    private final Packing packing;
    private final boolean isStream;

    /** @param isStream whether a stream is written, and not a file with a footer */
    public ArrowWriter(List<ColumnType> types, Packing packing, boolean isStream) {
        this.types = List.copyOf(types);
        this.packing = packing;
        this.isStream = isStream;
    }

    @Override
    public void head(Bytes out) {
        if (!isStream) {
            out.put(ArrowMessage.HEAD);
        }
        FlatBufferBuilder metadata = new FlatBufferBuilder();
        int schema = ArrowSchema.write(types, metadata);
        message(MessageHeader.Schema, schema, /* bodyBytes */ 0, metadata, out);
    }

    private static void message(byte kind, int header, long bodyBytes, FlatBufferBuilder metadata, Bytes out) {
        metadata.finish(Message.createMessage(metadata, MetadataVersion.V5, kind, header, bodyBytes, 0));
        ByteBuffer bytes = metadata.dataBuffer();
        int length = bytes.remaining();
        int padded = padded(length);
        out.putInt(ArrowMessage.CONTINUES);
        out.putInt(Integer.reverseBytes(padded));
        out.reserve(padded);
        bytes.get(bytes.position(), out.array(), out.length(), length);
        out.advance(length);
        zeros(padded - length, out);
    }

    private static int padded(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    private static void zeros(int count, Bytes out) {
        for (int i = 0; i < count; i++) {
            out.putByte(0);
        }
    }

    @Override
    public void batch(List<Column> columns, int rows, int maxKeptBytes, Bytes out) {
        Body body = new Body();
        columns.forEach(column -> column.visit(body));
        FlatBufferBuilder metadata = new FlatBufferBuilder();
        int compression = packing == Packing.NONE
                ? 0
                : BodyCompression.createBodyCompression(
                        metadata,
                        packing == Packing.LZ4 ? CompressionType.LZ4_FRAME : CompressionType.ZSTD,
                        BodyCompressionMethod.BUFFER);
        RecordBatch.startNodesVector(metadata, body.nodes.size());
        for (int i = body.nodes.size() - 1; i >= 0; i--) {
            FieldNode.createFieldNode(metadata, body.nodes.get(i)[0], body.nodes.get(i)[1]);
        }
        int nodes = metadata.endVector();
        RecordBatch.startBuffersVector(metadata, body.buffers.size());
        for (int i = body.buffers.size() - 1; i >= 0; i--) {
            Buffer.createBuffer(metadata, body.buffers.get(i)[0], body.buffers.get(i)[1]);
        }
        int buffers = metadata.endVector();
        int batch = RecordBatch.createRecordBatch(metadata, rows, nodes, buffers, compression, 0);
        message(MessageHeader.RecordBatch, batch, body.bytes.length(), metadata, out);
        out.put(body.bytes.array(), 0, body.bytes.length());
    }

    /** The buffers of a batch, and where they are. Confined to one thread. */
    private final class Body implements Column.Visitor {
        private final Bytes bytes = new Bytes(1 << 16);
        private final List<long[]> nodes = new ArrayList<>();
        private final List<long[]> buffers = new ArrayList<>();

        @Override
        public void column(int rows, @Nullable ByteBuffer validity, ByteBuffer offsets, ByteBuffer data, Kind kind) {
            nodes.add(new long[] {rows, validity == null ? 0 : rows - ones(validity, rows)});
            add(validity == null ? ByteBuffer.allocate(0) : validity);
            switch (kind) {
                case LIST, MAP -> add(offsets);
                case TEXT, BINARY -> {
                    add(offsets);
                    add(data);
                }
                case STRUCT, FIXED_LIST -> {}
                default -> add(data);
            }
        }

        private void add(ByteBuffer buffer) {
            int start = bytes.length();
            int length = buffer.limit();
            if (packing == Packing.NONE || length == 0) {
                bytes.put(buffer.array(), buffer.arrayOffset(), length);
            } else {
                bytes.putLong(Long.reverseBytes(length));
                bytes.put(pack(buffer.array(), buffer.arrayOffset(), length));
            }
            buffers.add(new long[] {start, bytes.length() - start});
            zeros(padded(bytes.length()) - bytes.length(), bytes);
        }
    }

    private static int ones(ByteBuffer validity, int rows) {
        int ones = 0;
        for (int i = 0; i < (rows + 7) / 8; i++) {
            ones += Integer.bitCount(validity.get(i) & 0xFF); // bits beyond the last row are 0
        }
        return ones;
    }

    private byte[] pack(byte[] bytes, int from, int count) {
        if (packing == Packing.ZSTD) {
            byte[] packed = new byte[(int) Zstd.compressBound(count)];
            long size = Zstd.compressByteArray(
                    packed, 0, packed.length, bytes, from, count, Zstd.defaultCompressionLevel());
            if (Zstd.isError(size)) {
                throw new IllegalStateException("zstd: " + Zstd.getErrorName(size));
            }
            return Arrays.copyOf(packed, (int) size);
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream(count / 2 + 64);
        try (LZ4FrameOutputStream to = new LZ4FrameOutputStream(packed, LZ4FrameOutputStream.BLOCKSIZE.SIZE_256KB)) {
            to.write(bytes, from, count);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // in memory
        }
        return packed.toByteArray();
    }

    @Override
    public void end(@Nullable FileChannel file, long length, Bytes out) throws IOException {
        out.putInt(ArrowMessage.CONTINUES);
        out.putInt(0);
        if (!isStream && file != null) {
            footer(batches(file, length), out);
        }
    }

    private void footer(List<long[]> batches, Bytes out) {
        FlatBufferBuilder metadata = new FlatBufferBuilder();
        int schema = ArrowSchema.write(types, metadata);
        Footer.startRecordBatchesVector(metadata, batches.size());
        for (int i = batches.size() - 1; i >= 0; i--) {
            long[] batch = batches.get(i);
            Block.createBlock(metadata, batch[0], (int) batch[1], batch[2]);
        }
        int blocks = metadata.endVector();
        Footer.startDictionariesVector(metadata, 0);
        int none = metadata.endVector();
        metadata.finish(Footer.createFooter(metadata, MetadataVersion.V5, schema, none, blocks, 0));
        ByteBuffer bytes = metadata.dataBuffer();
        byte[] footer = new byte[bytes.remaining()];
        bytes.get(footer);
        out.put(footer);
        out.putInt(Integer.reverseBytes(footer.length));
        out.put(ArrowMessage.MAGIC);
    }

    /** Where each batch is: its start, the length of its metadata with the prefix, and the length of its body. */
    private static List<long[]> batches(FileChannel file, long end) throws IOException {
        List<long[]> batches = new ArrayList<>();
        long at = ArrowMessage.HEAD.length;
        while (at < end) {
            ByteBuffer prefix = read(file, at, ArrowMessage.PREFIX_BYTES);
            int length = prefix.getInt(Integer.BYTES);
            if (prefix.getInt(0) != ArrowMessage.CONTINUES || length <= 0) {
                throw new IOException(
                        "no message begins at byte " + at + ": the file was changed while it was written");
            }
            Message message = Message.getRootAsMessage(read(file, at + ArrowMessage.PREFIX_BYTES, length));
            int metadata = ArrowMessage.PREFIX_BYTES + length;
            if (message.headerType() == MessageHeader.RecordBatch) {
                batches.add(new long[] {at, metadata, message.bodyLength()});
            }
            at += metadata + message.bodyLength();
        }
        return batches;
    }

    private static ByteBuffer read(FileChannel file, long at, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            if (file.read(bytes, at + bytes.position()) < 0) {
                throw new EOFException("the file has become shorter");
            }
        }
        return bytes.flip();
    }
}
