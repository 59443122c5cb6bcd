package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;

/**
 * Estimates how many distinct keys several SSTables have together, for compactions: HyperLogLog with 8192 registers, in the form of
 * stream-lib's {@code HyperLogLogPlus} that is not sparse. Confined to one thread; on the hot path.
 */
final class KeySketch {
    private static final int PRECISION = 13;
    private static final int SPARSE_PRECISION = 25;
    private static final int REGISTER_BITS = 5;
    private static final int REGISTERS_A_WORD = 6;
    private static final int MAX_RUN = (1 << REGISTER_BITS) - 1;
    private static final int VERSION = 2;
    private static final int NORMAL = 0;

    private final byte[] registers = new byte[1 << PRECISION];

    void add(byte[] key, int from, int length) {
        long hash = hash(key, from, length);
        int register = (int) (hash >>> (Long.SIZE - PRECISION));
        int run = Math.min(MAX_RUN, Long.numberOfLeadingZeros(hash << PRECISION | 1L << (PRECISION - 1)) + 1);
        if (run > registers[register]) {
            registers[register] = (byte) run;
        }
    }

    /** MurmurHash 2 of 64 bits with seed 0, whose last bytes are signed. */
    private static long hash(byte[] key, int from, int length) {
        long factor = 0xc6a4a7935bd1e995L;
        long hash = factor * length;
        int i = from;
        for (int end = from + (length & ~7); i < end; i += 8) {
            long word = Long.reverseBytes(Bytes.getLong(key, i)) * factor;
            hash = (hash ^ (word ^ word >>> 47) * factor) * factor;
        }
        int rest = length & 7;
        if (rest > 0) {
            for (int k = rest - 1; k >= 0; k--) {
                hash ^= (long) key[i + k] << 8 * k;
            }
            hash *= factor;
        }
        hash = (hash ^ hash >>> 47) * factor;
        return hash ^ hash >>> 47;
    }

    /** Appends its bytes, preceded by their number. */
    void write(Bytes out) {
        int begin = out.beginValue();
        out.putInt(-VERSION);
        putVarInt(out, PRECISION);
        putVarInt(out, SPARSE_PRECISION);
        putVarInt(out, NORMAL);
        int words = registers.length / REGISTERS_A_WORD + 1;
        putVarInt(out, words * Integer.BYTES);
        for (int word = 0; word < words; word++) {
            int bits = 0;
            for (int k = 0; k < REGISTERS_A_WORD; k++) {
                int register = word * REGISTERS_A_WORD + k;
                if (register < registers.length) {
                    bits |= registers[register] << k * REGISTER_BITS;
                }
            }
            out.putInt(bits);
        }
        out.endValue(begin);
    }

    /** Seven bits a byte, the lowest first. */
    private static void putVarInt(Bytes out, int value) {
        int rest = value;
        while (rest > 0x7F) {
            out.putByte(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.putByte(rest);
    }
}
