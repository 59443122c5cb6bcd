package io.overdrive.jobs.unload;

import io.overdrive.RowCursor;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * Converts rows to records, for one thread at a time: of a page, or if it writes them by the batch, of a split. On the hot path (read step 5).
 */
final class PageEncoder {
    /** Size of buffered text at which it is written out. */
    private static final int CHUNK_BYTES = 256 << 10;

    private final Unloader unload;
    private final RecordWriter records;
    private final Bytes text = new Bytes(CHUNK_BYTES + (CHUNK_BYTES >> 2));
    private final NotKeptCounter counter;
    /** Whether rows wait for those of the next page. */
    final boolean isBatched;

    /**
     * @param columns number of columns
     * @param keysWithoutEmpty as for {@link NotKeptCounter}
     */
    PageEncoder(Unloader unload, RecordWriter records, int columns, int[] keysWithoutEmpty) {
        this.unload = unload;
        this.records = records;
        this.counter = new NotKeptCounter(records, columns, keysWithoutEmpty);
        this.isBatched = records.limitBatch(Integer.MAX_VALUE);
    }

    void write(RowCursor rows, Unloader.SplitWriter split) throws IOException {
        int columns = rows.columns();
        text.clear();
        if (isBatched) {
            records.limitBatch(unload.batchBytes());
        }
        boolean wantsPosition = split.wantsPosition() && !records.isFilling();
        while (rows.next()) {
            if (wantsPosition && split.isAtNextToken(rows)) {
                flush(split);
                addNotKept(split);
                split.reached();
                wantsPosition = false;
            }
            split.part.add(rows);
            records.begin(text);
            for (int c = 0; c < columns; c++) {
                records.cell(c, rows.array(), rows.offset(c), rows.length(c), text);
            }
            records.end(text);
            counter.count(rows);
            split.rows++;
            if (text.length() >= CHUNK_BYTES) {
                put(split);
            }
        }
        if (isBatched) {
            put(split);
        } else {
            flush(split);
        }
        addNotKept(split);
        unload.overlongFieldLines.accumulateAndGet(records.overlongFieldLines(), Math::max);
    }

    /** Adds the counts since the last call. */
    private void addNotKept(Unloader.SplitWriter split) {
        NotKept since = counter.take();
        split.notKeptOfSplit = split.notKeptOfSplit.plus(since);
        unload.addNotKept(since);
    }

    /** Writes all rows out. */
    void flush(Unloader.SplitWriter split) throws IOException {
        records.complete(text);
        put(split);
    }

    private void put(Unloader.SplitWriter split) throws IOException {
        if (text.length() > 0) {
            split.to.write(text);
            split.bytes += text.length();
            unload.bytesWritten.add(text.length());
            text.clear();
        }
    }
}
