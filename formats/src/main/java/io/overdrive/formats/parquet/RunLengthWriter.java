package io.overdrive.formats.parquet;

import io.overdrive.internal.codec.Bytes;

/** Writes numbers of a few bits each as {@link RunLengths} reads them. Stateless; on the hot path. */
final class RunLengthWriter {
    private static final int GROUP = 8;

    private RunLengthWriter() {}

    /** Bits of the numbers up to a maximum. */
    static int bits(int maximum) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(maximum);
    }

    static void write(int[] numbers, int count, int bits, Bytes out) {
        int at = 0;
        while (at < count) {
            int run = run(numbers, at, count);
            if (run >= GROUP) {
                putUnsigned(run << 1, out);
                for (int shift = 0; shift < bits; shift += Byte.SIZE) {
                    out.putByte(numbers[at] >> shift);
                }
                at += run;
                continue;
            }
            int start = at;
            while (at < count && !beginsRun(numbers, at, count)) {
                at += GROUP;
            }
            pack(numbers, start, Math.min(at, count), bits, out);
        }
    }

    private static int run(int[] numbers, int from, int end) {
        int at = from + 1;
        while (at < end && numbers[at] == numbers[from]) {
            at++;
        }
        return at - from;
    }

    private static boolean beginsRun(int[] numbers, int from, int count) {
        return count - from >= GROUP && run(numbers, from, from + GROUP) == GROUP;
    }

    private static void pack(int[] numbers, int from, int end, int bits, Bytes out) {
        int groups = (end - from + GROUP - 1) / GROUP;
        putUnsigned(groups << 1 | 1, out);
        long waiting = 0;
        int waitingBits = 0;
        for (int i = from; i < from + groups * GROUP; i++) {
            long number = i < end ? numbers[i] : 0;
            waiting |= number << waitingBits;
            for (waitingBits += bits; waitingBits >= Byte.SIZE; waitingBits -= Byte.SIZE) {
                out.putByte((int) waiting);
                waiting >>>= Byte.SIZE;
            }
        }
    }

    private static void putUnsigned(int number, Bytes out) {
        int left = number;
        for (; (left & ~0x7F) != 0; left >>>= 7) {
            out.putByte(left & 0x7F | 0x80);
        }
        out.putByte(left);
    }
}
