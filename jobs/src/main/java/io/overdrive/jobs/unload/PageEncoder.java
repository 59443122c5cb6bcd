package io.overdrive.jobs.unload;

import io.overdrive.RowCursor;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Converts rows to records, for one thread at a time: of a page, or if it writes them by the batch, of a split. On the hot path (read step 5).
 */
final class PageEncoder implements RowEncoder {
    /** Size of buffered text at which it is written out. */
    private static final int CHUNK_BYTES = 256 << 10;
    /** Room for text at first, which batches make larger. */
    private static final int BATCH_BYTES = 1 << 10;

    private final Unloader unload;
    private final RecordWriter records;
    /** Writes the fields of rows if these are not simply the columns; else null. */
    private final OutputFields.@Nullable Row row;

    private final Bytes text;
    private final NotKeptCounter counter;
    private final boolean isBatched;
    /** Whether files have a limit. */
    private final boolean isLimited;

    /**
     * @param fields that the records have
     * @param withoutEmpty as for {@link NotKeptCounter}
     */
    PageEncoder(Unloader unload, RecordWriter records, OutputFields fields, NotKeptCounter.WithoutEmpty withoutEmpty) {
        this.unload = unload;
        this.records = records;
        this.row = fields.row();
        this.counter = new NotKeptCounter(records, fields, row, withoutEmpty);
        this.isLimited = !unload.options.limit().isNone();
        this.isBatched = records.limitBatch(Integer.MAX_VALUE);
        this.text = new Bytes(isBatched ? BATCH_BYTES : CHUNK_BYTES + (CHUNK_BYTES >> 2));
    }

    @Override
    public boolean isBatched() {
        return isBatched;
    }

    void limitBatch(int bytes) {
        records.limitBatch(bytes);
    }

    @Override
    public void write(RowCursor rows, Unloader.SplitWriter split) throws IOException {
        text.clear();
        if (isBatched) {
            records.limitBatch(unload.batchBytes());
        }
        boolean wantsPosition = split.wantsPosition(/* canWait */ records.isFilling());
        while (rows.next()) {
            if (wantsPosition && split.isAtNextToken(rows)) {
                flush(split);
                addNotKept(split);
                split.reached();
                wantsPosition = false;
            }
            split.add(rows);
            boolean isWritten = row(rows, split, split.to);
            if (isWritten && !wantsPosition) {
                wantsPosition = split.wantsPosition(/* canWait */ records.isFilling());
            }
        }
        if (!isBatched) {
            records.complete(text);
        }
        endPage(split, split.to);
        unload.overlongFieldLines.accumulateAndGet(records.overlongFieldLines(), Math::max);
    }

    /** Writes the current row, and returns whether rows were written out. */
    boolean row(RowCursor rows, Unloader.SplitWriter split, Output.Target to) throws IOException {
        if (row != null && !row.take(rows, split.lastStatics)) {
            return false;
        }
        int columns = rows.columns();
        records.begin(text);
        if (row != null) {
            row.write(rows, records, text);
        } else {
            for (int c = 0; c < columns; c++) {
                records.cell(c, rows.array(), rows.offset(c), rows.length(c), text);
            }
        }
        records.end(text);
        counter.count(rows);
        split.rows++;
        if (isLimited && to.isLast(text.length())) {
            flush(split, to);
            to.roll();
            return true;
        }
        boolean isFull = text.length() >= CHUNK_BYTES;
        if (isFull) {
            put(split, to);
        }
        return isFull;
    }

    /** Writes the text out, and the counts of rows. */
    void endPage(Unloader.SplitWriter split, Output.Target to) throws IOException {
        put(split, to);
        addNotKept(split);
    }

    /** Adds the counts since the last call. */
    private void addNotKept(Unloader.SplitWriter split) {
        NotKept since = counter.take();
        split.notKeptOfSplit = split.notKeptOfSplit.plus(since);
        unload.addNotKept(since);
    }

    @Override
    public void flush(Unloader.SplitWriter split) throws IOException {
        flush(split, split.to);
    }

    void flush(Unloader.SplitWriter split, Output.Target to) throws IOException {
        records.complete(text);
        put(split, to);
    }

    private void put(Unloader.SplitWriter split, Output.Target to) throws IOException {
        if (text.length() > 0) {
            to.write(text);
            split.bytes += text.length();
            unload.bytesWritten.add(text.length());
            text.clear();
        }
    }
}
