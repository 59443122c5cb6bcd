package io.overdrive.sstable.format;

import java.util.Arrays;

/**
 * Estimates how many distinct tokens there are, within a few percent: keeps those whose last bits are zero, and one bit more whenever
 * there are too many. Confined to one thread.
 */
public final class KeyCount {
    private static final int MAX_KEPT = 4096;

    /** A hash table with linear probing, at most half full; 0 is an empty place, and stands for the token 0, too. */
    private final long[] table = new long[2 * MAX_KEPT];

    private int kept;
    private int bits;

    public void add(long token) {
        if ((token & (1L << bits) - 1) == 0 && insert(token) && kept > MAX_KEPT) {
            long[] all = table.clone();
            while (kept > MAX_KEPT / 2) {
                bits++;
                Arrays.fill(table, 0);
                kept = 0;
                for (long each : all) {
                    if (each != 0 && (each & (1L << bits) - 1) == 0) {
                        insert(each);
                    }
                }
            }
        }
    }

    private boolean insert(long token) {
        int place = (int) ((token >>> bits) * 0x9E3779B97F4A7C15L >>> 51);
        while (table[place] != 0) {
            if (table[place] == token) {
                return false;
            }
            place = (place + 1) & (table.length - 1);
        }
        table[place] = token;
        kept += token == 0 ? 0 : 1;
        return true;
    }

    /** Adds all that the other one has seen. */
    public void addAll(KeyCount other) {
        while (bits < other.bits) {
            long[] all = table.clone();
            bits++;
            Arrays.fill(table, 0);
            kept = 0;
            for (long each : all) {
                if (each != 0) {
                    add(each);
                }
            }
        }
        for (long each : other.table) {
            if (each != 0) {
                add(each);
            }
        }
    }

    /** Estimate of the number of keys. */
    public long estimate() {
        return (long) kept << bits;
    }
}
