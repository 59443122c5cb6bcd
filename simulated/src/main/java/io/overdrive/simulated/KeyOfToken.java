package io.overdrive.simulated;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Finds the key of 16 bytes whose hash is given: MurmurHash3 x64 128 with seed 0, whose first half is Cassandra's token. For a key of exactly
 * one block, every step of the hash can be undone. Stateless.
 */
final class KeyOfToken {
    static final int KEY_BYTES = 16;

    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final long D1 = 0x52dce729;
    private static final long D2 = 0x38495ab5;
    private static final long F1 = 0xff51afd7ed558ccdL;
    private static final long F2 = 0xc4ceb9fe1a85ec53L;

    private KeyOfToken() {}

    /**
     * The only key with this hash.
     *
     * @param token the first half of the hash
     * @param second the second half
     */
    static ByteBuffer key(long token, long second) {
        long h2 = second - token;
        long h1 = unfinish(token - h2);
        h2 = unfinish(h2);
        h2 -= h1;
        h1 -= h2;
        h1 ^= KEY_BYTES;
        h2 ^= KEY_BYTES;
        long mixed2 = Long.rotateRight((h2 - D2) * inverse(5) - h1, 31);
        long mixed1 = Long.rotateRight((h1 - D1) * inverse(5), 27);
        long k1 = Long.rotateRight(mixed1 * inverse(C2), 31) * inverse(C1);
        long k2 = Long.rotateRight(mixed2 * inverse(C1), 33) * inverse(C2);
        return ByteBuffer.allocate(KEY_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(k1)
                .putLong(k2)
                .flip();
    }

    /** The token of a key of 16 bytes. */
    static long token(ByteBuffer key) {
        ByteBuffer bytes = key.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        long h1 = Long.rotateLeft(bytes.getLong() * C1, 31) * C2;
        long h2 = Long.rotateLeft(bytes.getLong() * C2, 33) * C1;
        h1 = Long.rotateLeft(h1, 27) * 5 + D1;
        h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + D2;
        h1 ^= KEY_BYTES;
        h2 ^= KEY_BYTES;
        h1 += h2;
        h2 += h1;
        return finish(h1) + finish(h2);
    }

    private static long finish(long h) {
        h = (h ^ h >>> 33) * F1;
        h = (h ^ h >>> 33) * F2;
        return h ^ h >>> 33;
    }

    private static long unfinish(long h) {
        h = (h ^ h >>> 33) * inverse(F2);
        h = (h ^ h >>> 33) * inverse(F1);
        return h ^ h >>> 33;
    }

    /** The factor that undoes a multiplication by an odd number, by Newton's method: each round doubles the number of right bits, from 3. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}
