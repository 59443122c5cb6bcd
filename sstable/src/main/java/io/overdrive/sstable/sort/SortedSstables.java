package io.overdrive.sstable.sort;

import io.overdrive.OverdriveException;
import io.overdrive.sstable.format.CellTimes;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.write.Sstable;
import io.overdrive.sstable.write.SstableWriter;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges sorted records of the same row, and writes each partition into the SSTables of its owners. Confined to one thread; on the hot
 * path.
 */
final class SortedSstables implements AutoCloseable {
    /** Opens the SSTable of an owner, when its first partition comes. */
    interface Opener {
        SstableWriter open(int owner) throws IOException;
    }

    private static final byte[] NONE = {};

    private final RecordOrder order;
    private final TokenOwners owners;
    private final Opener opener;
    private final MergedRow merged;
    private final long[] rows;
    private long rowCount;
    private final @Nullable SstableWriter[] all;
    private final @Nullable SstableWriter[] current;
    private int currentCount;
    private byte[] last = NONE;
    private int lastAt;
    private int range;

    SortedSstables(RecordOrder order, Layout layout, TokenOwners owners, int ownerCount, Opener opener) {
        this.order = order;
        this.owners = owners;
        this.opener = opener;
        merged = new MergedRow(layout);
        rows = new long[owners.ranges()];
        all = new SstableWriter[ownerCount];
        current = new SstableWriter[ownerCount];
    }

    /**
     * Writes records, which are in order, and whose partitions are behind those before.
     *
     * @throws OverdriveException of kind INPUT if rows of one key cannot be merged
     */
    void write(Records records) throws IOException {
        boolean hasMore = records.next();
        while (hasMore) {
            byte[] array = records.array();
            int at = records.at();
            if (last == NONE || order.comparePartitions(last, lastAt, array, at) != 0) {
                startPartition(array, at);
            }
            last = array;
            lastAt = at;
            int equal = 1;
            int counted = RowRecord.counts(array, at) ? 1 : 0;
            hasMore = records.next();
            while (hasMore && order.compareRows(array, at, records.array(), records.at()) == 0) {
                if (equal == 1) {
                    merged.start(array, at);
                }
                merged.add(records.array(), records.at());
                equal++;
                counted += RowRecord.counts(records.array(), records.at()) ? 1 : 0;
                hasMore = records.next();
            }
            int kind = RowRecord.kind(array, at);
            rows[range] += counted;
            rowCount += counted;
            if (equal == 1) {
                write(
                        kind,
                        array,
                        RowRecord.valuesFrom(array, at),
                        RowRecord.writeTime(array, at),
                        RowRecord.ttl(array, at),
                        /* times */ null,
                        RowRecord.hasMarker(array, at));
            } else {
                write(kind, merged.values(), 0, merged.writeTime(), merged.ttl(), merged.times(), merged.hasMarker());
            }
        }
        last = NONE; // its array is as large as all these records
        merged.clear();
    }

    private void startPartition(byte[] array, int at) throws IOException {
        range = owners.rangeOf(RowRecord.token(array, at));
        currentCount = 0;
        for (int owner : owners.ownersOf(range)) {
            SstableWriter writer = all[owner];
            if (writer == null) {
                writer = opener.open(owner);
                all[owner] = writer;
            }
            writer.partition(array, RowRecord.keyFrom(at), RowRecord.keyLength(array, at));
            current[currentCount++] = writer;
        }
    }

    private void write(
            int kind, byte[] values, int from, long writeTime, int ttl, @Nullable CellTimes times, boolean hasMarker)
            throws IOException {
        for (int i = 0; i < currentCount; i++) {
            SstableWriter writer = Objects.requireNonNull(current[i]);
            if (kind == RowRecord.STATICS) {
                writer.statics(values, from, writeTime, ttl, times);
            } else {
                writer.row(values, from, writeTime, ttl, times, hasMarker);
            }
        }
    }

    /** Ends the SSTables, and adds each to the list of its owner. */
    void finish(List<List<Sstable>> sstables) throws IOException {
        for (int owner = 0; owner < all.length; owner++) {
            SstableWriter writer = all[owner];
            if (writer != null) {
                Sstable sstable = writer.finish();
                synchronized (sstables) {
                    sstables.get(owner).add(sstable);
                }
            }
        }
    }

    /** Number of input rows that were written; equal keys count each time. */
    long rowCount() {
        return rowCount;
    }

    /** Adds the number of input rows of each range of tokens to those of others; equal keys count each time. */
    void addRowsTo(long[] sums) {
        for (int i = 0; i < rows.length; i++) {
            sums[i] += rows[i];
        }
    }

    /** Deletes the SSTables that are not finished. */
    @Override
    public void close() throws IOException {
        for (SstableWriter writer : all) {
            if (writer != null) {
                writer.close();
            }
        }
    }
}
