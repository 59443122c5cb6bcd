package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/**
 * Timestamps in ISO 8601 and UTC: {@code 2013-01-01T05:00:00Z}, with milliseconds if they are not zero. All timestamps
 * have this form: see {@link DateWriter} for years of more than four digits. Immutable; on the hot path.
 */
final class TimestampWriter extends ValueWriter {
    private static final long MILLIS_PER_DAY = 86_400_000;
    /** Date, T, time, a fraction of three digits, Z. */
    private static final int MAX_BYTES = DateWriter.MAX_BYTES + 1 + TimeWriter.SECOND_BYTES + 4 + 1;

    TimestampWriter() {
        super("timestamp");
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Long.BYTES);
        long value = Bytes.getLong(from, offset);
        out.reserve(MAX_BYTES);
        byte[] a = out.array();
        int start = out.length();
        long day = Math.floorDiv(value, MILLIS_PER_DAY);
        int millisOfDay = (int) (value - day * MILLIS_PER_DAY);
        int at = DateWriter.put(a, start, day);
        a[at++] = 'T';
        int second = millisOfDay / 1000;
        TimeWriter.put(a, at, second);
        at += TimeWriter.SECOND_BYTES;
        int millis = millisOfDay - second * 1000;
        if (millis != 0) {
            a[at] = '.';
            Digits.put(a, at + 1, at + 4, millis);
            at += 4;
        }
        a[at++] = 'Z';
        out.advance(at - start);
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }
}
