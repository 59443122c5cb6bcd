package io.overdrive.internal.scan;

import java.util.Arrays;

/**
 * Corrects paging states that Cassandra returns but does not accept. Stateless.
 *
 * <p>A paging state ends with the number of rows that may still come from the partition in which the page ended. With {@code
 * GROUP BY}, a partition of a single row counts its group a second time at the end of the page, after that number was set to 0. The
 * server then sends -1, and answers the next request with the protocol error "Invalid value for the paging state", which also
 * closes the connection. To Cassandra both values mean that nothing is left in this partition, so 0 is correct. Every client has
 * this problem; it was seen with Cassandra 5.0.9.
 *
 * <p>Format, since version 4 of the protocol: {@code [vint length][partition key] [vint length][row mark] [vint remaining]
 * [vint remaining in partition]}, where vint is an unsigned integer of 1 to 9 bytes whose first byte has as many leading ones as
 * bytes follow. A negative number takes all 9 and begins with {@code ff ff}. All other states stay as they are.
 */
final class PagingState {
    private static final int NEGATIVE_BYTES = 9;

    private PagingState() {}

    /** The state as the server accepts it: usually the same array. */
    static byte[] accepted(byte[] state) {
        int at = skipBytes(state, 0);
        at = skipBytes(state, at);
        at = skipNumber(state, at);
        boolean isNegative =
                at >= 0 && at + NEGATIVE_BYTES == state.length && state[at] == (byte) 0xff && state[at + 1] < 0;
        if (!isNegative) {
            return state;
        }
        byte[] corrected = Arrays.copyOf(state, at + 1);
        corrected[at] = 0;
        return corrected;
    }

    /** Where the next part starts, after a length and that number of bytes; -1 if there is none. */
    private static int skipBytes(byte[] state, int at) {
        int start = skipNumber(state, at);
        if (start < 0) {
            return -1;
        }
        long length = number(state, at, start);
        return length >= 0 && length < state.length - start ? start + (int) length : -1;
    }

    private static int skipNumber(byte[] state, int at) {
        if (at < 0 || at >= state.length) {
            return -1;
        }
        int next = at + 1 + Math.min(8, Integer.numberOfLeadingZeros(~state[at] << 24));
        return next < state.length ? next : -1;
    }

    private static long number(byte[] state, int start, int end) {
        int more = end - start - 1;
        long value = more >= 7 ? 0 : state[start] & (0xff >> more);
        for (int i = start + 1; i < end; i++) {
            value = value << 8 | state[i] & 0xff;
        }
        return value;
    }
}
