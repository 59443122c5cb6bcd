package io.overdrive.formats.arrow;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import io.overdrive.OverdriveException;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnSource;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.columns.ColumnType.Dictionary;
import io.overdrive.formats.columns.ColumnType.Kind;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream or a file of Arrow IPC, which its first bytes distinguish, from its beginning to its end. Used by one thread at a
 * time; its batches are decoded by any thread.
 *
 * <p>A dictionary has to come before the batches that refer to it, as all known writers have it; the batches keep the dictionaries
 * that were known when they were read.
 */
public final class ArrowReader implements ColumnSource {
    private static final byte[] FEATHER_1 = {'F', 'E', 'A', '1'};
    private static final long MAX_BODY_BYTES = Integer.MAX_VALUE - 64;
    /** Memory that is taken without knowing that the input has as many bytes. */
    private static final int TRUSTED_BYTES = 16 << 20;

    /** Bodies that are read in place, without a copy in the heap. */
    public interface Mapper {
        /** The bytes that come next in the input, which are then skipped; null if they are to be read as the others. */
        @Nullable ByteBuffer map(long length) throws IOException;
    }

    private final String name;
    private final InputStream in;
    private final Mapper mapper;
    private final boolean isFile;
    private final List<ColumnType> types;
    private Map<Long, Column> dictionaries = new HashMap<>();
    private int batches;

    /**
     * Reads up to the schema.
     *
     * @param name of the file, for messages of batches that turn out to be damaged when they are decoded
     * @throws IOException if this is no Arrow, or it has columns that cannot be read; the message continues a sentence
     */
    public ArrowReader(String name, InputStream input, Mapper mapper) throws IOException {
        this.name = name;
        this.mapper = mapper;
        byte[] head = input.readNBytes(ArrowMessage.HEAD.length);
        isFile = Arrays.equals(Arrays.copyOf(head, ArrowMessage.MAGIC.length), ArrowMessage.MAGIC);
        if (Arrays.equals(Arrays.copyOf(head, FEATHER_1.length), FEATHER_1)) {
            throw new IOException(
                    "it is Feather of version 1, which is not read: write it as version 2, the format of Arrow files");
        }
        in = isFile ? input : new SequenceInputStream(new ByteArrayInputStream(head), input);
        Message first;
        try {
            first = ArrowMessage.read(in);
        } catch (EOFException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new IOException("it is not in the format of Arrow IPC", e);
        }
        if (first == null || first.headerType() != MessageHeader.Schema) {
            throw new IOException("it is not in the format of Arrow IPC: it does not begin with a schema");
        }
        Schema schema = (Schema) first.header(new Schema());
        if (schema == null) {
            throw new IOException("it has no schema");
        }
        types = List.copyOf(ArrowSchema.read(schema));
    }

    /** The bytes with which a file begins and ends. */
    public static byte[] magic() {
        return ArrowMessage.MAGIC.clone();
    }

    @Override
    public List<ColumnType> columns() {
        return types;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        try {
            return nextBatch();
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException("its metadata are damaged: " + e.getMessage(), e);
        }
    }

    private @Nullable ColumnBatch nextBatch() throws IOException {
        while (true) {
            Message message = ArrowMessage.read(in);
            if (message == null) {
                end();
                return null;
            }
            long length = message.bodyLength();
            if (length < 0 || length > MAX_BODY_BYTES) {
                throw new IOException("batch " + (batches + 1) + " has " + length
                        + " bytes, more than can be read at a time (2 GiB): write the file in smaller batches");
            }
            ByteBuffer body = body((int) length);
            switch (message.headerType()) {
                case MessageHeader.DictionaryBatch -> {
                    DictionaryBatch batch = (DictionaryBatch) message.header(new DictionaryBatch());
                    if (batch == null) {
                        throw new IOException("a dictionary has no header");
                    }
                    dictionary(batch, body);
                }
                case MessageHeader.RecordBatch -> {
                    RecordBatch batch = (RecordBatch) message.header(new RecordBatch());
                    if (batch == null) {
                        throw new IOException("batch " + (batches + 1) + " has no header");
                    }
                    return batch(batch, body);
                }
                default ->
                    throw new IOException("it has a message of the unknown kind " + message.headerType()
                            + " where a batch or a dictionary should be");
            }
        }
    }

    private ByteBuffer body(int length) throws IOException {
        ByteBuffer mapped = mapper.map(length);
        if (mapped != null) {
            in.skipNBytes(length);
            return mapped;
        }
        byte[] bytes;
        if (length <= TRUSTED_BYTES) {
            bytes = new byte[length];
            if (in.readNBytes(bytes, 0, length) < length) {
                throw new EOFException("it ends inside batch " + (batches + 1));
            }
        } else {
            bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new EOFException("it ends inside batch " + (batches + 1));
            }
        }
        return ByteBuffer.wrap(bytes);
    }

    private ColumnBatch batch(RecordBatch batch, ByteBuffer body) throws IOException {
        int number = ++batches;
        int rows = rows(batch);
        Map<Long, Column> known = dictionaries;
        if (rows == 0) {
            new Decoder(batch, body, known).columns(types, rows); // nobody decodes it, and the number may be wrong
        }
        return new ColumnBatch(number, rows, body.limit(), () -> {
            try {
                return new Decoder(batch, body, known).columns(types, rows);
            } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException e) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        name + " batch " + number + ": cannot be read: " + e.getMessage()
                                + "; the file is damaged. Records of other batches were read",
                        e);
            }
        });
    }

    private static int rows(RecordBatch batch) throws IOException {
        long rows = batch.length();
        if (rows < 0 || rows > Integer.MAX_VALUE - 8) {
            throw new IOException("a batch has " + rows + " rows");
        }
        return (int) rows;
    }

    private void dictionary(DictionaryBatch batch, ByteBuffer body) throws IOException {
        ColumnType type = find(types, batch.id());
        RecordBatch data = batch.data();
        if (type == null || data == null) {
            throw new IOException("it has a dictionary to which no column refers");
        }
        Map<Long, Column> next = new HashMap<>(dictionaries);
        Column values = new Decoder(data, body, dictionaries)
                .columns(List.of(type.withDictionary(null)), rows(data))
                .get(0);
        if (batch.isDelta()) {
            throw new IOException(
                    "it has a dictionary that is continued, which is not read: write the file with whole dictionaries");
        }
        next.put(batch.id(), values);
        dictionaries = next;
    }

    private static @Nullable ColumnType find(List<ColumnType> types, long id) {
        for (ColumnType type : types) {
            Dictionary dictionary = type.dictionary();
            if (dictionary != null && dictionary.id() == id) {
                return type;
            }
            ColumnType child = find(type.children(), id);
            if (child != null) {
                return child;
            }
        }
        return null;
    }

    /** Checks what follows the last batch: the footer of a file, and nothing after a stream. */
    private void end() throws IOException {
        if (!isFile) {
            if (in.read() >= 0) {
                throw new IOException("bytes follow its end mark: give each of several streams a separate file");
            }
            return;
        }
        byte[] rest = in.readNBytes(ArrowMessage.MAX_METADATA_BYTES);
        int footerEnd = rest.length - ArrowMessage.MAGIC.length - Integer.BYTES;
        if (footerEnd < 0
                || !Arrays.equals(
                        rest,
                        footerEnd + Integer.BYTES,
                        rest.length,
                        ArrowMessage.MAGIC,
                        0,
                        ArrowMessage.MAGIC.length)) {
            throw new EOFException("it ends without its footer");
        }
        int length = ByteBuffer.wrap(rest).order(ByteOrder.LITTLE_ENDIAN).getInt(footerEnd);
        if (length <= 0 || length > footerEnd) {
            throw new IOException("its footer has " + length + " bytes");
        }
        ByteBuffer footer =
                ByteBuffer.wrap(rest, footerEnd - length, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        int listed = Footer.getRootAsFooter(footer).recordBatchesLength();
        if (listed != batches) {
            throw new IOException("its footer lists " + listed + " batches, and the file has " + batches);
        }
    }

    /** Takes the columns of a batch from its body. Confined to one thread. */
    private static final class Decoder {
        private final RecordBatch batch;
        private final ByteBuffer body;
        private final Map<Long, Column> dictionaries;
        private final int codec;
        private int node;
        private int buffer;
        private int variadic;

        Decoder(RecordBatch batch, ByteBuffer body, Map<Long, Column> dictionaries) throws IOException {
            this.batch = batch;
            this.body = body;
            this.dictionaries = dictionaries;
            BodyCompression compression = batch.compression();
            codec = compression == null ? -1 : compression.codec();
            if (compression != null && codec != CompressionType.LZ4_FRAME && codec != CompressionType.ZSTD) {
                throw new IOException("it is compressed in the unknown way " + codec);
            }
        }

        List<Column> columns(List<ColumnType> types, int rows) throws IOException {
            List<Column> columns = new ArrayList<>();
            for (ColumnType type : types) {
                Column column = column(type);
                if (column.rows() != rows) {
                    throw new IOException("column \"" + type.name() + "\" has " + column.rows() + " rows, not " + rows);
                }
                columns.add(column);
            }
            return columns;
        }

        private Column column(ColumnType type) throws IOException {
            if (node >= batch.nodesLength()) {
                throw new IOException("it has " + batch.nodesLength() + " columns and parts of them, too few");
            }
            long length = batch.nodes(node).length();
            long nulls = batch.nodes(node).nullCount();
            node++;
            if (length < 0 || length > Integer.MAX_VALUE - 8) {
                throw new IOException("column \"" + type.name() + "\" has " + length + " rows");
            }
            int rows = (int) length;
            Dictionary dictionary = type.dictionary();
            Kind kind = dictionary == null ? type.kind() : dictionary.index().kind();
            ByteBuffer none = ByteBuffer.allocate(0);
            ByteBuffer validity = kind == Kind.NULL ? none : next();
            ByteBuffer offsets = none;
            ByteBuffer data = none;
            List<ByteBuffer> views = List.of();
            switch (kind) {
                case NULL, STRUCT, FIXED_LIST -> {}
                case LIST, MAP -> offsets = next();
                case TEXT, BINARY -> {
                    if (type.width() == ColumnType.VIEW) {
                        data = next();
                        views = views();
                    } else {
                        offsets = next();
                        data = next();
                    }
                }
                default -> data = next();
            }
            boolean hasNulls = nulls != 0 && kind != Kind.NULL;
            if (hasNulls && rows > 0 && validity.limit() == 0) {
                throw new IOException("column \"" + type.name() + "\" does not say which of its values are null");
            }
            List<Column> children = new ArrayList<>();
            if (dictionary == null) {
                for (ColumnType child : type.children()) {
                    children.add(column(child));
                }
            }
            Column values = dictionary == null ? null : values(type, dictionary, rows - nulls);
            try {
                return new Column(type, rows, hasNulls ? validity : null, offsets, data, views, children, values);
            } catch (IllegalArgumentException e) {
                throw new IOException("column \"" + type.name() + "\" " + e.getMessage(), e);
            }
        }

        private Column values(ColumnType type, Dictionary dictionary, long used) throws IOException {
            Column values = dictionaries.get(dictionary.id());
            if (values != null) {
                return values;
            }
            if (used > 0) {
                throw new IOException("the dictionary of column \"" + type.name() + "\" does not come before it");
            }
            return new Column(
                    ColumnType.of(type.name(), Kind.NULL, 0),
                    0,
                    null,
                    ByteBuffer.allocate(0),
                    ByteBuffer.allocate(0),
                    List.of(),
                    List.of(),
                    null);
        }

        private List<ByteBuffer> views() throws IOException {
            if (variadic >= batch.variadicBufferCountsLength()) {
                throw new IOException("it does not say how many buffers its views have");
            }
            long count = batch.variadicBufferCounts(variadic++);
            List<ByteBuffer> views = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                views.add(next());
            }
            return views;
        }

        private ByteBuffer next() throws IOException {
            if (buffer >= batch.buffersLength()) {
                throw new IOException("it has " + batch.buffersLength() + " buffers, too few for its columns");
            }
            Buffer place = batch.buffers(buffer++);
            long offset = place.offset();
            long length = place.length();
            if (offset < 0 || length < 0 || offset + length > body.limit()) {
                throw new IOException("its buffer " + buffer + " is not in its body");
            }
            ByteBuffer bytes = body.slice((int) offset, (int) length);
            return codec < 0 || length == 0 ? bytes : unpacked(bytes.order(ByteOrder.LITTLE_ENDIAN));
        }

        private ByteBuffer unpacked(ByteBuffer packed) throws IOException {
            if (packed.limit() < Long.BYTES) {
                throw new IOException("its buffer " + buffer + " has no length");
            }
            long length = packed.getLong(0);
            ByteBuffer content = packed.slice(Long.BYTES, packed.limit() - Long.BYTES);
            if (length == -1) {
                return content;
            }
            if (length < 0 || length > MAX_BODY_BYTES) {
                throw new IOException("its buffer " + buffer + " has " + length + " bytes unpacked");
            }
            byte[] bytes = new byte[content.limit()];
            content.get(0, bytes);
            return ByteBuffer.wrap(
                    codec == CompressionType.ZSTD ? zstd(bytes, (int) length) : lz4(bytes, (int) length));
        }

        private static byte[] zstd(byte[] packed, int length) throws IOException {
            if (Zstd.getFrameContentSize(packed) > length) {
                throw new IOException("a buffer has more bytes than it says");
            }
            try (InputStream content = new ZstdInputStream(new ByteArrayInputStream(packed))) {
                return exactly(content, length);
            }
        }

        private static byte[] lz4(byte[] packed, int length) throws IOException {
            try (InputStream content = new LZ4FrameInputStream(new ByteArrayInputStream(packed))) {
                return exactly(content, length);
            }
        }

        /** Memory is taken as the content comes, as a damaged length may be anything. */
        private static byte[] exactly(InputStream content, int length) throws IOException {
            byte[] bytes;
            if (length <= TRUSTED_BYTES) {
                bytes = new byte[length];
                if (content.readNBytes(bytes, 0, length) < length) {
                    throw new EOFException("a buffer has fewer bytes than it says");
                }
            } else {
                bytes = content.readNBytes(length);
                if (bytes.length < length) {
                    throw new EOFException("a buffer has fewer bytes than it says");
                }
            }
            if (content.read() >= 0) {
                throw new IOException("a buffer has more bytes than it says");
            }
            return bytes;
        }
    }
}
