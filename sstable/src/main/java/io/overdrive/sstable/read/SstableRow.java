package io.overdrive.sstable.read;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row that {@link SstableMerge} has found, as a view that is used for the next one: values in wire form, where they were read. Columns
 * are counted as in {@link SstableSchema#columns}. Confined to the thread that reads; on the hot path.
 */
public final class SstableRow {
    /** The write time of a null, and of a row marker that is not there. */
    public static final long NO_TIME = Long.MIN_VALUE;
    /** The expiry of a value that does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final byte[] NOTHING = {};

    final byte[][] arrays;
    final int[] starts;
    final int[] lengths;
    private final long[] times;
    private final int[] ttls;
    private final long[] expiries;
    /** Cells of columns of any number of cells; null for other columns. */
    private final @Nullable Elements[] elements;

    private long token;
    private long markerTime = NO_TIME;
    private long markerExpiry = NEVER;

    /** Write times and expiries, of which a field that is null has none. */
    private static final class Elements {
        long[] times = new long[8];
        long[] expiries = new long[8];
        int count;

        void add(long time, long expiry) {
            if (count == times.length) {
                times = Arrays.copyOf(times, 2 * count);
                expiries = Arrays.copyOf(expiries, 2 * count);
            }
            times[count] = time;
            expiries[count++] = expiry;
        }
    }

    SstableRow(int columns) {
        arrays = new byte[columns][];
        Arrays.fill(arrays, NOTHING);
        starts = new int[columns];
        lengths = new int[columns];
        times = new long[columns];
        ttls = new int[columns];
        expiries = new long[columns];
        elements = new Elements[columns];
        Arrays.fill(times, NO_TIME);
        Arrays.fill(expiries, NEVER);
        Arrays.fill(lengths, -1);
    }

    void token(long of) {
        token = of;
    }

    /** Sets a value that has no write time. */
    void set(int column, byte[] array, int start, int length) {
        arrays[column] = array;
        starts[column] = start;
        lengths[column] = length;
    }

    void set(int column, byte[] array, int start, int length, long time, int ttl, long expiry) {
        arrays[column] = array;
        starts[column] = start;
        lengths[column] = length;
        times[column] = time;
        ttls[column] = ttl;
        expiries[column] = expiry;
    }

    /** Sets the times of the row marker; without one {@link #NO_TIME} and {@link #NEVER}. */
    void setMarker(long time, long expiry) {
        markerTime = time;
        markerExpiry = expiry;
    }

    void setNull(int column) {
        lengths[column] = -1;
        times[column] = NO_TIME;
        ttls[column] = 0;
        expiries[column] = NEVER;
    }

    /** Starts a column of any number of cells. */
    void beginElements(int column) {
        Elements of = elements[column];
        if (of == null) {
            of = new Elements();
            elements[column] = of;
        }
        of.count = 0;
    }

    void addElement(int column, long time, long expiry) {
        Objects.requireNonNull(elements[column]).add(time, expiry);
    }

    /** Token of the row's partition. */
    public long token() {
        return token;
    }

    public boolean isNull(int column) {
        return lengths[column] < 0;
    }

    /** The array that has the value, which begins at {@link #start}. */
    public byte[] array(int column) {
        return arrays[column];
    }

    public int start(int column) {
        return starts[column];
    }

    /** Length in bytes; -1 for a null. */
    public int length(int column) {
        return lengths[column];
    }

    /**
     * Write time in microseconds since 1970; {@link #NO_TIME} for a null, for columns of the primary key, and for
     * collections and UDTs that are not frozen, in which each element has its own: see {@link #appendWriteTime}.
     */
    public long writeTime(int column) {
        return times[column];
    }

    /** The TTL that it was written with, in seconds; 0 for none, and without a write time. */
    public int ttlSeconds(int column) {
        return ttls[column];
    }

    /** Expiry in seconds since 1970; {@link #NEVER} without TTL. */
    public long expiry(int column) {
        return expiries[column];
    }

    /**
     * Appends {@code writetime()} of the column as in an answer of the server, with its length in four bytes: a bigint, or for
     * collections and UDTs that are not frozen a list with one for each element or field; null for a null.
     */
    public void appendWriteTime(int column, Bytes out) {
        Elements of = elements[column];
        if (isNull(column)) {
            out.putNull();
        } else if (of == null) {
            putTime(times[column], out);
        } else {
            int start = out.beginValue();
            out.putInt(of.count);
            for (int i = 0; i < of.count; i++) {
                putTime(of.times[i], out);
            }
            out.endValue(start);
        }
    }

    private static void putTime(long time, Bytes out) {
        if (time == NO_TIME) {
            out.putNull();
        } else {
            out.putInt(8);
            out.putLong(time);
        }
    }

    /**
     * Appends {@code ttl()} of the column, like {@link #appendWriteTime}: an int, or a list of them; null for values that do not expire.
     *
     * @param nowSeconds since 1970; what has expired since the row was found has a second left, as a TTL of 0 would mean that it never
     *     expires
     */
    public void appendTtl(int column, long nowSeconds, Bytes out) {
        Elements of = elements[column];
        if (isNull(column)) {
            out.putNull();
        } else if (of == null) {
            putTtl(expiries[column], nowSeconds, out);
        } else {
            int start = out.beginValue();
            out.putInt(of.count);
            for (int i = 0; i < of.count; i++) {
                putTtl(of.expiries[i], nowSeconds, out);
            }
            out.endValue(start);
        }
    }

    private static void putTtl(long expiry, long nowSeconds, Bytes out) {
        if (expiry == NEVER) {
            out.putNull();
        } else {
            out.putInt(4);
            out.putInt((int) Math.max(1, expiry - nowSeconds));
        }
    }

    /**
     * When the row marker was written, in microseconds since 1970; {@link #NO_TIME} if it has none that is live. The row marker is what an
     * INSERT writes in addition to its cells, so that the row stays when all of them are null.
     */
    public long markerTime() {
        return markerTime;
    }

    /** When the row marker expires, in seconds since 1970; {@link #NEVER} without one, and without TTL. */
    public long markerExpiry() {
        return markerExpiry;
    }

    /** Appends {@link #markerTime} as a bigint; null without a row marker. */
    public void appendMarkerTime(Bytes out) {
        putTime(markerTime, out);
    }

    /** Appends the remaining time to live of the row marker, like {@link #appendTtl}. */
    public void appendMarkerTtl(long nowSeconds, Bytes out) {
        putTtl(markerExpiry, nowSeconds, out);
    }

    /** Appends the value with its length in four bytes, as in an answer of the server. */
    public void append(int column, Bytes out) {
        int length = lengths[column];
        out.putInt(length);
        if (length > 0) {
            out.put(arrays[column], starts[column], length);
        }
    }
}
