package io.overdrive.simulated;

import java.nio.ByteBuffer;

/**
 * The rows of a table, numbered from 0 in the order of their tokens, which lie around the ring at equal distances. A row is computed when it
 * is read, so a table may have any number. Immutable.
 */
final class TokenRows {
    private final long size;
    /** Distance between the tokens of two rows, unsigned. */
    private final long step;

    TokenRows(long size) {
        this.size = size;
        step = size == 0 ? 0 : Long.divideUnsigned(-1, size);
    }

    long size() {
        return size;
    }

    /** Number of rows whose token is not greater, which is also the number of the first row behind it. */
    long upTo(long token) {
        long place = token - token(0); // unsigned, unless it is before the first row
        if (size == 0 || token < token(0)) {
            return 0;
        }
        return Math.min(size, Long.divideUnsigned(place, step) + 1);
    }

    long token(long row) {
        return Long.MIN_VALUE + (step >>> 1) + row * step;
    }

    ByteBuffer key(long row) {
        return KeyOfToken.key(token(row), row);
    }

    /** The number of the row with this key; -1 if there is none. */
    long find(ByteBuffer key) {
        if (key.remaining() != KeyOfToken.KEY_BYTES) {
            return -1;
        }
        long row = upTo(KeyOfToken.token(key)) - 1;
        return row >= 0 && key(row).equals(key) ? row : -1;
    }
}
