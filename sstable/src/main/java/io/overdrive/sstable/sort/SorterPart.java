package io.overdrive.sstable.sort;

import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.KeyCount;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.Statistics;
import io.overdrive.sstable.write.RowEncoder;
import io.overdrive.sstable.write.SstableWriter;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows that one producer gives to a {@link SstableSorter}. Confined to its thread, and after that to {@link SstableSorter#write}. */
public final class SorterPart {
    private static final int MAX_KEY_BYTES = 0xFFFF;

    private final SstableSorter sorter;
    private final SstableSchema schema;
    private final int partitionColumns;
    private final int keyColumns;
    private final int firstRegular;
    private final int chunkBytes;
    private final byte[][] chunks = new byte[SstableSorter.PIECES][];
    private final int[] used = new int[SstableSorter.PIECES];
    private final @Nullable CanonicalForm[] keyForms;
    final KeyCount keys = new KeyCount();
    private final Bytes record = new Bytes(512);
    private Bytes key = new Bytes(128);
    private Bytes lastKey = new Bytes(128);
    private long token;
    long firstWriteTime = Long.MAX_VALUE;
    long rowsWithoutCells;
    /** The least token of all partitions; greater than the last one if there is none. */
    long firstToken = Long.MAX_VALUE;

    long lastToken = Long.MIN_VALUE;
    /** Where rows have the columns of the schema; negative for those that they do not have. */
    private final int[] sources;
    /** Whether rows have the whole primary key, and not only the partition key, for its static columns. */
    private final boolean isOfRows;

    private final boolean cellsOnly;

    SorterPart(SstableSorter sorter, List<String> columns, boolean cellsOnly) {
        this.sorter = sorter;
        this.schema = sorter.schema;
        this.partitionColumns = sorter.partitionColumns;
        this.keyColumns = sorter.keyColumns;
        this.firstRegular = sorter.firstRegular;
        this.chunkBytes = sorter.chunkBytes;
        this.keyForms = keyForms();
        this.cellsOnly = cellsOnly;
        sources = schema.columns().stream()
                .mapToInt(column -> columns.indexOf(column.name()))
                .toArray();
        isOfRows = Arrays.stream(sources, 0, keyColumns).allMatch(source -> source >= 0);
    }

    private @Nullable CanonicalForm[] keyForms() {
        @Nullable CanonicalForm[] forms = new CanonicalForm[keyColumns];
        for (int i = 0; i < keyColumns; i++) {
            forms[i] = Layout.canonical(schema.columns().get(i));
        }
        return forms;
    }

    /**
     * Why a row cannot be in a file, though its values are well-formed; the server would refuse it, too. Null if it can.
     *
     * @param row has all columns of its key
     * @param ttlSeconds 0 for none
     */
    public @Nullable String problem(RowBuffer row, long writeTimeMicros, int ttlSeconds) {
        if (writeTimeMicros == Long.MIN_VALUE) {
            // stands for no time in the server; and collections are deleted a microsecond before, which would be
            // the last one
            return "the write time is " + writeTimeMicros + ", must be later";
        }
        long keyBytes = 0;
        for (int i = 0; i < keyColumns; i++) {
            if (sources[i] < 0) {
                continue;
            }
            int length = row.length(sources[i]);
            if (length > MAX_KEY_BYTES) {
                return "key column \"" + schema.columns().get(i).name() + "\" has " + length + " bytes, "
                        + MAX_KEY_BYTES + " is the maximum";
            }
            keyBytes += i < partitionColumns ? length + (partitionColumns > 1 ? 3 : 0) : 0;
        }
        if (keyBytes == 0) {
            return "the partition key is empty";
        }
        if (keyBytes > MAX_KEY_BYTES) {
            return "the partition key has " + keyBytes + " bytes, " + MAX_KEY_BYTES + " is the maximum";
        }
        if (ttlSeconds < 0 || ttlSeconds > SstableWriter.MAX_TTL_SECONDS) {
            return "the TTL is " + ttlSeconds + " s, must be 0 to " + SstableWriter.MAX_TTL_SECONDS;
        }
        if (ttlSeconds >= Statistics.NEVER - sorter.nowSeconds) {
            return "a TTL of " + ttlSeconds + " s ends after January 2038, the last time in files that Cassandra 4"
                    + " can read";
        }
        return null;
    }

    /**
     * Takes a row, copying its bytes.
     *
     * @param row without a {@link #problem}
     * @param ttlSeconds 0 for none
     * @throws OverdriveException of kind DISK if it cannot be spilled
     */
    public void add(RowBuffer row, long writeTimeMicros, int ttlSeconds) {
        add(row, writeTimeMicros, ttlSeconds, /* more */ 0);
    }

    /** As {@link #add(RowBuffer, long, int)}, for more cells of an input row that another call stands for: it counts once. */
    public void addMore(RowBuffer row, long writeTimeMicros, int ttlSeconds) {
        add(row, writeTimeMicros, ttlSeconds, RowRecord.MORE);
    }

    private void add(RowBuffer row, long writeTimeMicros, int ttlSeconds, int more) {
        setKey(row);
        firstWriteTime = Math.min(firstWriteTime, writeTimeMicros);
        boolean hasStatics = hasCells(row, keyColumns, firstRegular);
        if (hasStatics) {
            put(row, isOfRows ? RowRecord.STATICS : RowRecord.ONLY_STATICS + more, writeTimeMicros, ttlSeconds);
        }
        if (isOfRows && (!cellsOnly || hasCells(row, firstRegular, sources.length))) {
            put(row, (cellsOnly ? RowRecord.CELLS : RowRecord.ROW) + more, writeTimeMicros, ttlSeconds);
        } else if (more == 0 && (isOfRows || !hasStatics)) {
            rowsWithoutCells++;
        }
    }

    /** The token of the partition of the last row that was added. */
    public long lastToken() {
        return token;
    }

    private void setKey(RowBuffer row) {
        Bytes last = key;
        key = lastKey;
        lastKey = last;
        key.clear();
        for (int i = 0; i < partitionColumns; i++) {
            int from = key.length();
            if (partitionColumns > 1) {
                key.putShort(0);
            }
            putValue(row, sources[i], keyForms[i], key);
            if (partitionColumns > 1) {
                Bytes.setShort(key.array(), from, key.length() - from - 2);
                key.putByte(0);
            }
        }
        // the last key is empty before the first row only: no row has an empty one
        if (!Arrays.equals(key.array(), 0, key.length(), last.array(), 0, last.length())) {
            token = Murmur3.token(key.array(), 0, key.length());
            keys.add(token);
            firstToken = Math.min(firstToken, token);
            lastToken = Math.max(lastToken, token);
        }
    }

    private static void putValue(RowBuffer row, int source, @Nullable CanonicalForm form, Bytes out) {
        int length = row.length(source);
        if (form != null && length > 0) {
            form.append(row.array(), row.offset(source), length, out);
        } else {
            out.put(row.array(), row.offset(source), length);
        }
    }

    private boolean hasCells(RowBuffer row, int from, int to) {
        for (int i = from; i < to; i++) {
            if (sources[i] >= 0 && row.isSet(sources[i])) {
                return true;
            }
        }
        return false;
    }

    private void put(RowBuffer row, int kind, long writeTimeMicros, int ttlSeconds) {
        RowRecord.begin(record, token, writeTimeMicros, ttlSeconds, kind, key);
        for (int i = 0; i < partitionColumns; i++) {
            record.putInt(0);
        }
        boolean ofStatics = RowRecord.isOfStatics(kind);
        for (int i = partitionColumns; i < keyColumns; i++) {
            if (ofStatics) {
                record.putInt(0);
            } else {
                int begin = record.beginValue();
                putValue(row, sources[i], keyForms[i], record);
                record.endValue(begin);
            }
        }
        for (int i = keyColumns; i < sources.length; i++) {
            boolean isOther = i < firstRegular != ofStatics;
            if (isOther || sources[i] < 0 || !row.isSet(sources[i])) {
                record.putInt(RowEncoder.UNSET);
            } else {
                int length = row.length(sources[i]);
                record.putInt(length);
                if (length > 0) {
                    record.put(row.array(), row.offset(sources[i]), length);
                }
            }
        }
        RowRecord.end(record);
        keep();
    }

    /** Copies the record into the chunk of its piece. */
    private void keep() {
        int piece = (int) ((token ^ Long.MIN_VALUE) >>> Long.SIZE - RecordSorter.PIECE_BITS);
        int size = record.length();
        byte[] chunk = chunks[piece];
        if (chunk != null && chunk.length - used[piece] < size) {
            if (chunk.length < chunkBytes && used[piece] + size <= chunkBytes) {
                chunk = Arrays.copyOf(chunk, Math.min(chunkBytes, Math.max(2 * chunk.length, used[piece] + size)));
                chunks[piece] = chunk;
            } else {
                emit(piece, chunk);
                chunk = null;
            }
        }
        if (chunk == null) {
            boolean isFirst = chunks[piece] == null;
            chunk = new byte[Math.max(isFirst ? SstableSorter.MIN_CHUNK_BYTES : chunkBytes, size)];
            chunks[piece] = chunk;
            used[piece] = 0;
        }
        System.arraycopy(record.array(), 0, chunk, used[piece], size);
        used[piece] += size;
    }

    private void emit(int piece, byte[] chunk) {
        sorter.take(piece, chunk, used[piece]);
    }

    /** Gives the rest to the sorter, once the producer has ended. */
    void emitAll() {
        for (int piece = 0; piece < SstableSorter.PIECES; piece++) {
            byte[] chunk = chunks[piece];
            if (chunk != null) {
                emit(piece, chunk);
                chunks[piece] = null;
            }
        }
    }
}
