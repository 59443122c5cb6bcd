package io.overdrive.sstable;

import java.util.Arrays;

/** The write time and the TTL of each value of a row that was merged of several. Confined to one thread; on the hot path. */
final class CellTimes {
    private final long[] writeTimes;
    private final int[] ttls;

    CellTimes(int values) {
        writeTimes = new long[values];
        ttls = new int[values];
    }

    /** Sets those of all values. */
    void setAll(long writeTimeMicros, int ttlSeconds) {
        Arrays.fill(writeTimes, writeTimeMicros);
        Arrays.fill(ttls, ttlSeconds);
    }

    void set(int value, long writeTimeMicros, int ttlSeconds) {
        writeTimes[value] = writeTimeMicros;
        ttls[value] = ttlSeconds;
    }

    long writeTime(int value) {
        return writeTimes[value];
    }

    /** In seconds; 0 for none. */
    int ttl(int value) {
        return ttls[value];
    }
}
