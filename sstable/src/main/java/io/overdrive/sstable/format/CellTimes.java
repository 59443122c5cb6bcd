package io.overdrive.sstable.format;

import java.util.Arrays;

/** The write time and the TTL of each value of a row that was merged of several. Confined to one thread; on the hot path. */
public final class CellTimes {
    private final long[] writeTimes;
    private final int[] ttls;

    public CellTimes(int values) {
        writeTimes = new long[values];
        ttls = new int[values];
    }

    /** Sets one time for all values. */
    public void setAll(long writeTimeMicros, int ttlSeconds) {
        Arrays.fill(writeTimes, writeTimeMicros);
        Arrays.fill(ttls, ttlSeconds);
    }

    public void set(int value, long writeTimeMicros, int ttlSeconds) {
        writeTimes[value] = writeTimeMicros;
        ttls[value] = ttlSeconds;
    }

    public long writeTime(int value) {
        return writeTimes[value];
    }

    /** TTL in seconds; 0 for none. */
    public int ttl(int value) {
        return ttls[value];
    }
}
