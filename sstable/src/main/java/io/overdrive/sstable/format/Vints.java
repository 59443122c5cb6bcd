package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;
import java.io.DataInput;
import java.io.IOException;

/** Unsigned vints in the middle of an array, or read from a file; {@code Bytes} appends them. Stateless; on the hot path. */
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

    /** Reads an unsigned vint. */
    public static long read(DataInput in) throws IOException {
        byte first = in.readByte();
        int rest = Bytes.vintBytes(first) - 1;
        long value = first & (0xFF >> rest);
        for (int i = 0; i < rest; i++) {
            value = value << 8 | in.readUnsignedByte();
        }
        return value;
    }
}
