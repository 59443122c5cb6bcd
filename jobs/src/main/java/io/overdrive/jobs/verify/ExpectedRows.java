package io.overdrive.jobs.verify;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.sort.Entry;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryMerge;
import io.overdrive.jobs.sort.KeyOrder;
import java.util.Arrays;

/**
 * The rows that a load of the entries leaves in an empty table, in order: of several records with one key, each value is that
 * of the last one that has it. Confined to one thread.
 */
final class ExpectedRows implements KeyOrder.Cells {
    private static final int COMPACT_BYTES = 1 << 20;

    private final EntryLayout layout;
    private final EntryMerge entries;
    private final Entry row;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] times;
    /** The first entry of the row, then the later values. */
    private Bytes bytes = new Bytes(512);

    private int compactAt;
    private long records;

    ExpectedRows(EntryLayout layout, EntryMerge entries) {
        this.layout = layout;
        this.entries = entries;
        row = new Entry(layout);
        offsets = new int[layout.columns()];
        lengths = new int[layout.columns()];
        times = new long[layout.columns()];
    }

    /** Advances to the next row, or to the static columns of the next partition; false if there is none. */
    boolean next() {
        if (entries.isEmpty()) {
            return false;
        }
        Entry first = entries.first();
        bytes.clear();
        bytes.put(first.array(), first.start(), first.size());
        row.set(bytes.array(), 0);
        row.readValues();
        for (int c : layout.values(row.isStatics())) {
            lengths[c] = row.length(c);
            offsets[c] = row.offset(c);
            times[c] = row.time();
        }
        compactAt = 2 * bytes.length() + COMPACT_BYTES;
        records = row.counts() ? 1 : 0;
        entries.remove();
        while (!entries.isEmpty() && entries.first().compareKeys(row) == 0) {
            records += entries.first().counts() ? 1 : 0;
            add(entries.first());
            entries.remove();
        }
        return true;
    }

    private void add(Entry later) {
        later.readValues();
        for (int c : layout.values(row.isStatics())) {
            if (later.length(c) == Entry.UNSET) {
                continue;
            }
            if (isTie(later, c)) {
                if (CellJoin.joins(layout.type(c))) {
                    join(later, c);
                    continue;
                }
                if (!winsTie(later, c)) {
                    continue;
                }
            }
            lengths[c] = later.length(c);
            offsets[c] = bytes.length();
            times[c] = later.time();
            if (lengths[c] > 0) {
                bytes.put(later.array(), later.offset(c), lengths[c]);
            }
        }
        if (bytes.length() > compactAt) {
            compact();
        }
        row.set(bytes.array(), 0);
    }

    private boolean isTie(Entry later, int column) {
        return layout.hasTimes() && lengths[column] != Entry.UNSET && times[column] == later.time();
    }

    /** Null deletes what is older than the write, so that cells of the same time stay. */
    private void join(Entry later, int column) {
        if (later.length(column) < 0) {
            return;
        }
        Bytes joined = new Bytes(64);
        if (lengths[column] < 0) {
            joined.put(later.array(), later.offset(column), later.length(column));
        } else {
            CellJoin.join(
                    layout.type(column),
                    bytes.array(),
                    offsets[column],
                    lengths[column],
                    later.array(),
                    later.offset(column),
                    later.length(column),
                    joined);
        }
        offsets[column] = bytes.length();
        lengths[column] = joined.length();
        bytes.put(joined.array(), 0, joined.length());
    }

    /** The server's rule for two values with one write time: null wins, else the greater one by its bytes. */
    private boolean winsTie(Entry later, int column) {
        if (lengths[column] < 0 || later.length(column) < 0) {
            return later.length(column) < 0;
        }
        return Arrays.compareUnsigned(
                        later.array(),
                        later.offset(column),
                        later.offset(column) + later.length(column),
                        bytes.array(),
                        offsets[column],
                        offsets[column] + lengths[column])
                > 0;
    }

    /** Drops values that were replaced: a key may come any number of times. */
    private void compact() {
        Bytes kept = new Bytes(bytes.length() / 2);
        kept.put(bytes.array(), 0, row.keyEnd());
        for (int c : layout.values(row.isStatics())) {
            int from = offsets[c];
            offsets[c] = kept.length();
            if (lengths[c] > 0) {
                kept.put(bytes.array(), from, lengths[c]);
            }
        }
        bytes = kept;
        compactAt = 2 * bytes.length() + COMPACT_BYTES;
    }

    /** Whether the current entry is a partition's static columns. */
    boolean isStatics() {
        return row.isStatics();
    }

    /** The number of records of the row; if these are static columns, of those that have nothing else. */
    long records() {
        return records;
    }

    long token() {
        return row.token();
    }

    /** A copy of the key's columns, each with its length. */
    byte[] key() {
        return Arrays.copyOfRange(bytes.array(), row.keyStart(), row.keyEnd());
    }

    @Override
    public byte[] array() {
        return bytes.array();
    }

    @Override
    public int offset(int column) {
        return isKey(column) ? row.offset(column) : offsets[column];
    }

    /** The number of bytes of a value; negative for null, and {@link Entry#UNSET} if no record has it. */
    @Override
    public int length(int column) {
        return isKey(column) ? row.length(column) : lengths[column];
    }

    private boolean isKey(int column) {
        return column < layout.keyColumns();
    }
}
