package io.overdrive.formats.records;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds and counts bytes, eight at a time; on the hot path of the reading thread. Static and pure.
 *
 * <p>A byte of {@code word ^ pattern} is zero where the wanted byte occurs. {@code (x & 7F..) + 7F..} carries into the
 * top bit of each byte that is not zero and never beyond it, so that the marks are exact and can be counted.
 */
public final class ByteScan {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long LOW = 0x7F7F7F7F7F7F7F7FL;
    private static final long LF = '\n' * ONES;
    private static final long CR = '\r' * ONES;

    private ByteScan() {}

    /** The first index in {@code [from, to)} that holds {@code wanted}, or -1. */
    static int indexOf(byte[] bytes, int from, int to, int wanted) {
        long pattern = wanted * ONES;
        int i = from;
        for (int end = to - 7; i < end; i += 8) {
            long marks = zeroBytes((long) WORD.get(bytes, i) ^ pattern);
            if (marks != 0) {
                return i + (Long.numberOfTrailingZeros(marks) >>> 3);
            }
        }
        for (; i < to; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    static int count(byte[] bytes, int from, int to, int wanted) {
        long pattern = wanted * ONES;
        int count = 0;
        int i = from;
        for (int end = to - 7; i < end; i += 8) {
            count += Long.bitCount(zeroBytes((long) WORD.get(bytes, i) ^ pattern));
        }
        for (; i < to; i++) {
            count += bytes[i] == wanted ? 1 : 0;
        }
        return count;
    }

    /** How many lines end in {@code [from, to)}: by LF, CR LF (which is one), or CR. */
    static int countLineEnds(byte[] bytes, int from, int to) {
        int count = 0;
        int i = from;
        long crBefore = 0; // the mark of the previous word's last byte, moved to this word's first
        for (int end = to - 7; i < end; i += 8) {
            long word = (long) WORD.get(bytes, i);
            long lf = zeroBytes(word ^ LF);
            long cr = zeroBytes(word ^ CR);
            count += Long.bitCount(lf);
            if ((cr | crBefore) != 0) {
                count += Long.bitCount(cr) - Long.bitCount((cr << 8 | crBefore) & lf);
                crBefore = cr >>> 56;
            }
        }
        boolean afterCr = crBefore != 0;
        for (; i < to; i++) {
            byte b = bytes[i];
            count += b == '\r' || (b == '\n' && !afterCr) ? 1 : 0;
            afterCr = b == '\r';
        }
        return count;
    }

    /** The first LF or CR in {@code [from, to)}, or -1. */
    public static int indexOfLineEnd(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                return i;
            }
        }
        return -1;
    }

    /** The end of the line whose line end starts at {@code i}; -1 if unknown, because an LF may follow. */
    static int afterLineEnd(byte[] bytes, int i, int to, boolean last) {
        if (bytes[i] == '\n') {
            return i + 1;
        }
        if (i + 1 < to) {
            return bytes[i + 1] == '\n' ? i + 2 : i + 1;
        }
        return last ? i + 1 : -1;
    }

    private static long zeroBytes(long x) {
        return ~(((x & LOW) + LOW) | x | LOW);
    }
}
