package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnSource;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.columns.RefusedFileException;
import io.overdrive.internal.flow.JavaHeap;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Parquet file, from its first row group to the last: a page of each column is in memory at a time, and a batch of rows. Used by
 * one thread at a time.
 */
public final class ParquetReader implements ColumnSource {
    static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ENCRYPTED_MAGIC = "PARE".getBytes(StandardCharsets.US_ASCII);
    private static final int TAIL_BYTES = Integer.BYTES + 4;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int MAX_BATCH_ROWS = 1 << 16;
    private static final int MAX_BATCH_BYTES = 4 << 20;
    /** Bytes that a value takes in addition to its own. */
    private static final int VALUE_BYTES = 4;
    /** A footer takes a multiple of its size in memory. */
    private static final int SHARE_OF_HEAP = 16;

    private final FileChannel file;
    private final LongConsumer passed;
    private final FileMetaData about;
    private final ParquetSchema schema;
    private final List<ColumnType> types;
    /** The number of the row group, from 1. */
    private int group;

    /** Readers of the columns of the file; null for columns that are left out. */
    private List<@Nullable ChunkReader> chunks = List.of();

    private @Nullable BitSet wanted;
    private long rowsOfGroup;
    private long rowOfGroup;
    private int batchRows;
    private long start = MAGIC.length;
    private long end = MAGIC.length;

    /**
     * Reads the footer.
     *
     * @param passed receives the place up to which the file is read, about, after each batch
     * @throws IOException if this is no Parquet, or it has columns that cannot be read; the message continues a sentence
     */
    public ParquetReader(FileChannel file, LongConsumer passed) throws IOException {
        this.file = file;
        this.passed = passed;
        try {
            about = footer(file);
            schema = new ParquetSchema(about.getSchema(), cqlNotes(about));
        } catch (RuntimeException e) {
            throw new IOException("its footer is damaged: " + e.getMessage(), e);
        }
        types = schema.columns().stream().map(Node::type).toList();
        checkRows();
    }

    /** The bytes with which a file begins and ends. */
    public static byte[] magic() {
        return MAGIC.clone();
    }

    private static FileMetaData footer(FileChannel file) throws IOException {
        long size = file.size();
        byte[] head = read(file, 0, (int) Math.min(size, MAGIC.length));
        if (Arrays.equals(head, ENCRYPTED_MAGIC)) {
            throw new IOException("it is encrypted, which is not read");
        }
        if (!Arrays.equals(head, MAGIC)) {
            throw new IOException("it is not in the format of Parquet: it does not begin with PAR1");
        }
        if (size < MAGIC.length + TAIL_BYTES) {
            throw new EOFException("it ends without its footer");
        }
        ByteBuffer tail =
                ByteBuffer.wrap(read(file, size - TAIL_BYTES, TAIL_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int length = tail.getInt();
        if (!Arrays.equals(Arrays.copyOfRange(tail.array(), Integer.BYTES, TAIL_BYTES), MAGIC)) {
            throw new EOFException("it ends without its footer");
        }
        if (length <= 0 || length > size - TAIL_BYTES - MAGIC.length) {
            throw new IOException("its footer has " + length + " bytes");
        }
        if (length > Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP) {
            throw new RefusedFileException("its footer of " + (length >> 20) + " MiB needs more than "
                    + JavaHeap.described() + " has for it: " + JavaHeap.REMEDY);
        }
        return Metadata.ofFile(read(file, size - TAIL_BYTES - length, length));
    }

    static byte[] read(FileChannel file, long at, int count) throws IOException {
        byte[] bytes = new byte[count];
        read(file, at, bytes, 0);
        return bytes;
    }

    /** Fills the array from an index on, by pieces: Java copies each through direct memory of its size. */
    static void read(FileChannel file, long at, byte[] to, int from) throws IOException {
        for (int next = from; next < to.length; ) {
            ByteBuffer piece = ByteBuffer.wrap(to, next, Math.min(PIECE_BYTES, to.length - next));
            int count = file.read(piece, at + next - from);
            if (count < 0) {
                throw new EOFException("the file has become shorter");
            }
            next += count;
        }
    }

    private static Map<String, String> cqlNotes(FileMetaData about) {
        Map<String, String> types = new HashMap<>();
        if (about.isSetKey_value_metadata()) {
            for (KeyValue each : about.getKey_value_metadata()) {
                if (each.getKey().startsWith("cql.") && each.isSetValue()) {
                    types.put(each.getKey(), each.getValue());
                }
            }
        }
        return types;
    }

    private void checkRows() throws IOException {
        long rows = 0;
        for (RowGroup each : about.getRow_groups()) {
            if (each.getNum_rows() < 0
                    || each.getColumnsSize() != schema.leaves().size()) {
                throw new IOException("a row group has " + each.getNum_rows() + " rows in " + each.getColumnsSize()
                        + " columns, and the schema " + schema.leaves().size() + " columns");
            }
            rows += each.getNum_rows();
        }
        if (rows < about.getNum_rows()) { // some writers leave it 0
            throw new IOException("its footer says " + about.getNum_rows() + " rows, and its row groups have " + rows);
        }
    }

    @Override
    public List<ColumnType> columns() {
        return types;
    }

    @Override
    public void restrict(BitSet columns) {
        wanted = columns;
    }

    private boolean isWanted(int column) {
        BitSet known = wanted;
        return known == null || known.get(column);
    }

    @Override
    public long skip(long rows) {
        long skipped = 0;
        while (rowOfGroup == rowsOfGroup && group < about.getRow_groupsSize()) {
            long next = about.getRow_groups().get(group).getNum_rows();
            if (skipped + next > rows) {
                break;
            }
            skipped += next;
            group++;
        }
        return skipped;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        while (rowOfGroup == rowsOfGroup) {
            if (!begin()) {
                return null;
            }
        }
        int wantedRows = (int) Math.min(batchRows, rowsOfGroup - rowOfGroup);
        List<ChunkReader> readers = wantedChunks();
        readers.forEach(chunk -> chunk.beginBatch(wantedRows));
        int rows = 0;
        while (rows < wantedRows && (rows == 0 || bytes(readers) < MAX_BATCH_BYTES)) {
            rows += step(readers, wantedRows - rows);
        }
        rowOfGroup += rows;
        if (rowOfGroup == rowsOfGroup) {
            for (ChunkReader chunk : readers) {
                attempt(chunk.leaf, chunk::requireEnd);
            }
        }
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            columns.add(isWanted(i) ? assemble(schema.columns().get(i)) : leftOut(types.get(i), rows));
        }
        passed.accept(start + Math.round((double) (end - start) * rowOfGroup / rowsOfGroup));
        return new ColumnBatch(group, rows, bytes(readers), () -> columns);
    }

    private List<ChunkReader> wantedChunks() {
        List<ChunkReader> readers = new ArrayList<>();
        for (int column = 0; column < types.size(); column++) {
            for (int i = schema.firstLeaf(column); i < schema.firstLeaf(column + 1) && isWanted(column); i++) {
                readers.add(Objects.requireNonNull(chunks.get(i)));
            }
        }
        return readers;
    }

    /** Reads rows of all columns, as many as the page of each has: rows may differ much in size. */
    private int step(List<ChunkReader> readers, int wantedRows) throws IOException {
        int[] rows = {wantedRows};
        for (ChunkReader chunk : readers) {
            attempt(chunk.leaf, () -> rows[0] = chunk.rowsAtHand(rows[0]));
        }
        for (ChunkReader chunk : readers) {
            attempt(chunk.leaf, () -> chunk.read(rows[0]));
        }
        return rows[0];
    }

    private static long bytes(List<ChunkReader> readers) {
        return readers.stream().mapToLong(ChunkReader::batchBytes).sum();
    }

    /** A step in reading a column. */
    private interface Step {
        void run() throws IOException;
    }

    private void attempt(Leaf leaf, Step step) throws IOException {
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            throw in(leaf, e);
        }
    }

    private Column assemble(Node node) throws IOException {
        try {
            return new ColumnAssembly(chunks).column(node);
        } catch (IOException | IllegalArgumentException e) {
            throw in(schema.leaves().get(node.leaf()), e);
        }
    }

    private static Column leftOut(ColumnType type, int rows) {
        return new Column(
                ColumnType.of(type.name(), ColumnType.Kind.NULL, 0),
                rows,
                null,
                ByteBuffer.allocate(0),
                ByteBuffer.allocate(0),
                List.of(),
                List.of(),
                null);
    }

    private IOException in(Leaf leaf, Exception e) {
        String message = "column \"" + leaf.path() + "\" in row group " + group + ": "
                + (e.getMessage() == null ? e.toString() : e.getMessage());
        return e instanceof RefusedFileException ? new RefusedFileException(message) : new IOException(message, e);
    }

    /** Opens the next row group; false if there is none. */
    private boolean begin() throws IOException {
        chunks = List.of();
        PageMemory memory = new PageMemory();
        if (group == about.getRow_groupsSize()) {
            passed.accept(file.size());
            return false;
        }
        RowGroup next = about.getRow_groups().get(group++);
        rowsOfGroup = next.getNum_rows();
        rowOfGroup = 0;
        if (rowsOfGroup == 0) {
            return true;
        }
        List<@Nullable ChunkReader> opened = new ArrayList<>();
        double bytes = 0;
        start = end;
        for (int column = 0; column < types.size(); column++) {
            for (int i = schema.firstLeaf(column); i < schema.firstLeaf(column + 1); i++) {
                Leaf leaf = schema.leaves().get(i);
                try {
                    if (!isWanted(column)) {
                        opened.add(null);
                        continue;
                    }
                    ColumnMetaData of = check(leaf, next.getColumns().get(i), rowsOfGroup);
                    end = Math.max(
                            end, Math.min(file.size(), of.getData_page_offset() + of.getTotal_compressed_size()));
                    ChunkReader chunk = new ChunkReader(leaf, of, file, memory);
                    opened.add(chunk);
                    double unpacked = (double) of.getTotal_uncompressed_size() / Math.max(1, of.getNum_values());
                    bytes += (Math.max(chunk.valueBytes(), unpacked) + VALUE_BYTES) * of.getNum_values();
                } catch (IOException | RuntimeException e) {
                    throw in(leaf, e);
                }
            }
        }
        chunks = opened;
        batchRows = (int) Math.max(1, Math.min(MAX_BATCH_ROWS, MAX_BATCH_BYTES / Math.max(1, bytes / rowsOfGroup)));
        return true;
    }

    private static ColumnMetaData check(Leaf leaf, ColumnChunk chunk, long rows) throws IOException {
        if (chunk.isSetFile_path()) {
            throw new RefusedFileException(
                    "its values are in the file " + chunk.getFile_path() + ": load that file, or leave the column out");
        }
        ColumnMetaData about = chunk.getMeta_data();
        if (about == null || chunk.isSetCrypto_metadata()) {
            throw new RefusedFileException("it is encrypted, which is not read: leave the column out");
        }
        if (about.getType() != leaf.type() || !about.getPath_in_schema().equals(leaf.names())) {
            throw new IOException("the row group has " + String.join(".", about.getPath_in_schema()) + " of the type "
                    + about.getType() + " in its place");
        }
        if (about.getNum_values() < rows || (leaf.maxRepetition() == 0 && about.getNum_values() != rows)) {
            throw new IOException("it has " + about.getNum_values() + " values, and the row group " + rows + " rows");
        }
        return about;
    }
}
