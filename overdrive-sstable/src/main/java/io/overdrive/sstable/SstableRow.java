package io.overdrive.sstable;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/**
 * A row that {@link SstableMerge} has found, as a view that is used for the next one: values in wire form, where they were read. Columns
 * are counted as in {@link SstableSchema#columns}. Confined to the thread that reads; on the hot path.
 */
public final class SstableRow {
    /** The write time of a null. */
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
    private long token;

    SstableRow(int columns) {
        arrays = new byte[columns][];
        Arrays.fill(arrays, NOTHING);
        starts = new int[columns];
        lengths = new int[columns];
        times = new long[columns];
        ttls = new int[columns];
        expiries = new long[columns];
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

    void setNull(int column) {
        lengths[column] = -1;
        times[column] = NO_TIME;
        ttls[column] = 0;
        expiries[column] = NEVER;
    }

    /** Of its partition. */
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

    /** In bytes; -1 for a null. */
    public int length(int column) {
        return lengths[column];
    }

    /**
     * In microseconds since 1970; {@link #NO_TIME} for a null, for columns of the primary key, and for collections and UDTs that are not
     * frozen, in which each element has its own.
     */
    public long writeTime(int column) {
        return times[column];
    }

    /** The TTL that it was written with, in seconds; 0 for none, and without a write time. */
    public int ttlSeconds(int column) {
        return ttls[column];
    }

    /** In seconds since 1970; {@link #NEVER} without TTL. */
    public long expiry(int column) {
        return expiries[column];
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
