package io.overdrive.formats.columns;

import io.overdrive.internal.codec.Bytes;

/** Durations as intervals of months, days and nanoseconds. Confined to one thread; on the hot path. */
final class DurationBuilder extends DataBuilder {
    private static final int INTERVAL_BYTES = 16;

    DurationBuilder(ColumnType type) {
        super(type);
    }

    @Override
    ColumnBuilder with(ColumnType other) {
        return new DurationBuilder(other);
    }

    @Override
    void value(byte[] from, int offset, int length) {
        int end = offset + length;
        int daysAt = next(from, offset, end, length);
        int nanosAt = next(from, daysAt, end, length);
        if (next(from, nanosAt, end, length) != end) {
            throw badLength("duration", length);
        }
        putInt((int) Bytes.getVint(from, offset), data);
        putInt((int) Bytes.getVint(from, daysAt), data);
        putLong(Bytes.getVint(from, nanosAt), data);
    }

    private static int next(byte[] from, int at, int end, int length) {
        int next = at < end ? at + Bytes.vintBytes(from[at]) : Integer.MAX_VALUE;
        if (next > end) {
            throw badLength("duration", length);
        }
        return next;
    }

    @Override
    void missing() {
        zeros(INTERVAL_BYTES, data);
    }
}
