package io.overdrive.internal.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The token of a partition with Cassandra's default partitioner, and the hash that it comes from. Stateless; on the hot path.
 *
 * <p>The token is the first half of MurmurHash3 x64 128 with seed 0, except that the bytes of the tail are signed, as in Cassandra from the start
 * (CASSANDRA-2975), and that {@code Long.MIN_VALUE}, which is not a valid token, becomes {@code Long.MAX_VALUE}.
 */
public final class Murmur3 {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;

    private Murmur3() {}

    /** The token of the key in {@code key} from {@code from} (inclusive) to {@code to} (exclusive). */
    public static long token(byte[] key, int from, int to) {
        long first = half(key, from, to, /* second */ false);
        return first == Long.MIN_VALUE ? Long.MAX_VALUE : first;
    }

    /** The first half of the hash, for Bloom filters: the token, but for {@code Long.MIN_VALUE}. */
    public static long firstHalf(byte[] key, int from, int to) {
        return half(key, from, to, /* second */ false);
    }

    /** The second half of the hash, for Bloom filters. */
    public static long secondHalf(byte[] key, int from, int to) {
        return half(key, from, to, /* second */ true);
    }

    private static long half(byte[] key, int from, int to, boolean second) {
        long h1 = 0;
        long h2 = 0;
        int length = to - from;
        int i = from;
        for (int end = from + (length & ~15); i < end; i += 16) {
            long k1 = (long) LONG.get(key, i);
            long k2 = (long) LONG.get(key, i + 8);
            h1 ^= mix1(k1);
            h1 = Long.rotateLeft(h1, 27) + h2;
            h1 = h1 * 5 + 0x52dce729;
            h2 ^= mix2(k2);
            h2 = Long.rotateLeft(h2, 31) + h1;
            h2 = h2 * 5 + 0x38495ab5;
        }
        long k1 = 0;
        long k2 = 0;
        for (int j = (length & 15) - 1; j >= 8; j--) {
            k2 ^= (long) key[i + j] << (j - 8) * 8;
        }
        for (int j = Math.min(7, (length & 15) - 1); j >= 0; j--) {
            k1 ^= (long) key[i + j] << j * 8;
        }
        h2 ^= mix2(k2);
        h1 ^= mix1(k1);
        h1 ^= length;
        h2 ^= length;
        h1 += h2;
        h2 += h1;
        h1 = finish(h1);
        h2 = finish(h2);
        h1 += h2;
        return second ? h1 + h2 : h1;
    }

    private static long mix1(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long mix2(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    private static long finish(long h) {
        h ^= h >>> 33;
        h *= 0xff51afd7ed558ccdL;
        h ^= h >>> 33;
        h *= 0xc4ceb9fe1a85ec53L;
        return h ^ h >>> 33;
    }
}
