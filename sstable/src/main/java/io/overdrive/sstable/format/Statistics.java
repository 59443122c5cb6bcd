package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Statistics.db, which describes all rows to the node: histograms, bounds of write times, expiry and clustering
 * columns, and how numbers and types of the rows are encoded. Confined to one thread; on the hot path.
 */
public final class Statistics {
    /** The expiry of values that do not expire. */
    public static final int NEVER = Integer.MAX_VALUE;

    /** Numbers in the header are stored as their distance from these: 22 September 2015, and no TTL. */
    public static final long WRITE_TIME_EPOCH = 1_442_880_000_000_000L;

    public static final int EXPIRY_EPOCH = 1_442_880_000;

    private static final int VALIDATION = 0;
    private static final int COMPACTION = 1;
    private static final int STATS = 2;
    private static final int HEADER = 3;

    private final Layout layout;
    private final Histogram partitionBytes = new Histogram(155);
    private final Histogram partitionCells = new Histogram(118);
    private final DropTimes dropTimes = new DropTimes();
    private final KeySketch keys = new KeySketch();
    private final Clusterings bounds;

    private long minWriteTime = Long.MAX_VALUE;
    private long maxWriteTime = Long.MIN_VALUE;
    private int minExpiry = NEVER;
    private int maxExpiry = Integer.MIN_VALUE;
    private int minTtl = Integer.MAX_VALUE;
    private int maxTtl = Integer.MIN_VALUE;
    private long cellsOfPartition;
    private long rows;
    private long columns;
    private boolean hasClusterings;

    public Statistics(Layout layout) {
        this.layout = layout;
        bounds = new Clusterings(layout.clustering());
    }

    /**
     * Cells of one write time.
     *
     * @param ttl in seconds, 0 for none
     * @param expiry in seconds since 1970; or when they were deleted, or {@link #NEVER}
     * @param count of cells, possibly 0
     * @param marks 1 with the row marker, or the mark that a collection was deleted before, which are not counted as cells
     */
    public void cells(long writeTime, int ttl, int expiry, int count, int marks) {
        minWriteTime = Math.min(minWriteTime, writeTime);
        maxWriteTime = Math.max(maxWriteTime, writeTime);
        minTtl = Math.min(minTtl, ttl);
        maxTtl = Math.max(maxTtl, ttl);
        deletable(expiry, count + marks);
        cellsOfPartition += count;
    }

    /** The mark that the cells of a collection were deleted before. */
    public void collectionDeleted(long writeTime, int epochSeconds) {
        minWriteTime = Math.min(minWriteTime, writeTime);
        maxWriteTime = Math.max(maxWriteTime, writeTime);
        deletable(epochSeconds, 1);
    }

    private void deletable(int expiry, int count) {
        minExpiry = Math.min(minExpiry, expiry);
        maxExpiry = Math.max(maxExpiry, expiry);
        if (expiry != NEVER) {
            dropTimes.add(expiry, count);
        }
    }

    /** Ends a row, static or not, that has cells in so many columns. */
    public void row(int columnsWithCells) {
        rows++;
        columns += columnsWithCells;
    }

    public void partition(byte[] key, int from, int length, long bytes) {
        partitionBytes.add(bytes);
        partitionCells.add(cellsOfPartition);
        cellsOfPartition = 0;
        keys.add(key, from, length);
    }

    /** Takes the first and last clustering of a partition into account. */
    public void clusterings(ClusteringValues first, ClusteringValues last) {
        hasClusterings = true;
        bounds.extend(first);
        bounds.extend(last);
    }

    /** The content of Statistics.db. */
    public Bytes content(double compressionRatio, double bloomFilterFpChance, EncodingBase base) {
        Bytes validation = new Bytes(64);
        Strings.putUtf(validation, "org.apache.cassandra.dht.Murmur3Partitioner");
        validation.putDouble(bloomFilterFpChance);
        Bytes compaction = new Bytes(8 << 10);
        keys.write(compaction);
        List<Bytes> sections = List.of(validation, compaction, stats(compressionRatio), header(base));
        int[] kinds = {VALIDATION, COMPACTION, STATS, HEADER};
        Bytes out = new Bytes(16 << 10);
        out.putInt(kinds.length);
        CRC32 checksum = new CRC32();
        checksum.update(out.array(), 0, out.length());
        out.putInt((int) checksum.getValue());
        int from = out.length();
        int at = from + 8 * kinds.length + 4;
        for (int i = 0; i < kinds.length; i++) {
            out.putInt(kinds[i]);
            out.putInt(at);
            at += sections.get(i).length() + 4;
        }
        checksum.update(out.array(), from, out.length() - from);
        out.putInt((int) checksum.getValue());
        for (Bytes section : sections) {
            out.put(section.array(), 0, section.length());
            checksum.reset();
            checksum.update(section.array(), 0, section.length());
            out.putInt((int) checksum.getValue());
        }
        return out;
    }

    private Bytes stats(double compressionRatio) {
        Bytes out = new Bytes(8 << 10);
        partitionBytes.write(out);
        partitionCells.write(out);
        putNoCommitLog(out);
        out.putLong(minWriteTime);
        out.putLong(maxWriteTime);
        out.putInt(minExpiry);
        out.putInt(maxExpiry);
        boolean hasCells = minTtl <= maxTtl; // not if collections were deleted, and nothing was written
        out.putInt(hasCells ? minTtl : 0);
        out.putInt(hasCells ? maxTtl : 0);
        out.putDouble(compressionRatio);
        dropTimes.write(out);
        out.putInt(0); // level
        out.putLong(0); // not repaired
        bounds.write(out);
        out.putByte(0); // no counters
        out.putLong(columns);
        out.putLong(rows);
        putNoCommitLog(out);
        out.putInt(0); // intervals of the commit log
        out.putByte(0); // no repair is pending
        out.putByte(0); // not transient
        out.putByte(0); // no node wrote it
        return out;
    }

    private static void putNoCommitLog(Bytes out) {
        out.putLong(-1);
        out.putInt(0);
    }

    private Bytes header(EncodingBase base) {
        Bytes out = new Bytes(1 << 10);
        out.putUnsignedVint(base.writeTime() - WRITE_TIME_EPOCH);
        out.putUnsignedVint(base.expiry() - EXPIRY_EPOCH);
        out.putUnsignedVint(0); // TTL
        Strings.putVintUtf(out, layout.partitionKeyType());
        out.putUnsignedVint(layout.clustering().size());
        for (Layout.Part part : layout.clustering()) {
            Strings.putVintUtf(out, part.typeName());
        }
        // as in Cassandra's own files, which have the columns of what was written: rows, or static rows only
        List<Layout.Part> regulars = hasClusterings ? layout.regulars() : List.of();
        for (List<Layout.Part> parts : List.of(layout.statics(), regulars)) {
            out.putUnsignedVint(parts.size());
            for (Layout.Part part : parts) {
                Strings.putVintUtf(out, part.name());
                Strings.putVintUtf(out, part.typeName());
            }
        }
        return out;
    }

    /** Counts in buckets whose bounds grow by a fifth; the last bucket is for all above. */
    private static final class Histogram {
        private final long[] limits;
        private final long[] counts;

        Histogram(int size) {
            limits = new long[size];
            counts = new long[size + 1];
            limits[0] = 1;
            for (int i = 1; i < size; i++) {
                limits[i] = Math.max(limits[i - 1] + 1, Math.round(limits[i - 1] * 1.2));
            }
        }

        void add(long value) {
            int at = Arrays.binarySearch(limits, value);
            counts[at < 0 ? -at - 1 : at]++;
        }

        void write(Bytes out) {
            out.putInt(counts.length);
            for (int i = 0; i < counts.length; i++) {
                out.putLong(limits[Math.max(0, i - 1)]);
                out.putLong(counts[i]);
            }
        }
    }

    /** The first and last clustering of all partitions. */
    private static final class Clusterings {
        private final ClusteringOrder[] orders;
        private final ClusteringValues first;
        private final ClusteringValues last;
        private boolean isEmpty = true;

        Clusterings(List<Layout.Part> clustering) {
            orders = Layout.orders(clustering);
            first = new ClusteringValues(orders.length);
            last = new ClusteringValues(orders.length);
        }

        void extend(ClusteringValues values) {
            if (isEmpty || values.compareTo(last, orders) > 0) {
                last.copy(values);
            }
            if (isEmpty || values.compareTo(first, orders) < 0) {
                first.copy(values);
            }
            isEmpty = false;
        }

        void write(Bytes out) {
            first.write(out, isEmpty);
            last.write(out, isEmpty);
        }
    }
}
