package io.overdrive.sstable.format;

/** Places for vints in the middle of an array; {@code Bytes} appends them. Stateless; on the hot path. */
public final class Vints {
    private Vints() {}

    /** The number of bytes of an unsigned vint. */
    public static int bytes(long value) {
        return Math.min(9, (63 - Long.numberOfLeadingZeros(value | 1)) / 7 + 1);
    }

    /** Writes an unsigned vint of this many bytes, and nothing beyond them. */
    public static void set(byte[] array, int at, long value, int bytes) {
        long rest = value;
        for (int i = at + bytes - 1; i > at; i--) {
            array[i] = (byte) rest;
            rest >>>= 8;
        }
        array[at] = (byte) (bytes == 9 ? 0xFF : rest | ~(0xFFL >> bytes - 1));
    }
}
