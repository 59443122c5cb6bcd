package io.overdrive.sstable.write;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;

/** The Bloom filter of partition keys, Filter.db. Confined to one thread; on the hot path. */
final class KeyFilter {
    private static final int MAX_BITS_A_KEY = 20;
    /** Cassandra's own addition, so that no filter is empty. */
    private static final int EXCESS_BITS = 20;

    private final int hashes;
    private final byte[] bits;
    private final long capacity;

    /**
     * @param keys that it is sized for; with more, it lets through more than {@code chance} of the look-ups of missing keys
     * @throws IllegalArgumentException if it would be larger than an array
     */
    KeyFilter(long keys, double chance) {
        double bitsAKey = bitsAKey(chance);
        hashes = Math.max(1, (int) Math.round(bitsAKey * Math.log(2)));
        double words = Math.ceil((bitsAKey * keys + EXCESS_BITS) / Long.SIZE);
        if (words * Long.BYTES > Integer.MAX_VALUE - 64) {
            throw new IllegalArgumentException(
                    "a filter for " + keys + " partitions is larger than 2 GiB; write several SSTables");
        }
        bits = new byte[(int) words * Long.BYTES];
        capacity = 8L * bits.length;
    }

    /** Estimate of the bytes of filters for so many keys. */
    static double bytes(long keys, double chance) {
        return chance < 1 ? keys * bitsAKey(chance) / 8 : 0;
    }

    private static double bitsAKey(double chance) {
        return Math.min(MAX_BITS_A_KEY, Math.ceil(-Math.log(chance) / (Math.log(2) * Math.log(2))));
    }

    void add(byte[] key, int from, int length) {
        long step = Murmur3.firstHalf(key, from, from + length);
        long hash = Murmur3.secondHalf(key, from, from + length);
        for (int i = 0; i < hashes; i++) {
            long bit = Math.abs(hash % capacity);
            bits[(int) (bit >>> 3)] |= (byte) (1 << (bit & 7));
            hash += step;
        }
    }

    /** The content of Filter.db. */
    Bytes content() {
        Bytes content = new Bytes(8 + bits.length);
        content.putInt(hashes);
        content.putInt(bits.length / Long.BYTES);
        content.put(bits);
        return content;
    }
}
