package io.overdrive.files.text.write;

import io.overdrive.files.text.BadValueException;
import io.overdrive.files.text.parse.IsoText;
import io.overdrive.internal.codec.Bytes;

/**
 * Times of day as {@code 10:15:30}, with 3, 6 or 9 digits of a fraction if it is not zero. Immutable; on the hot path.
 */
final class TimeWriter extends ValueWriter {
    /** {@code HH:MM:SS}. */
    static final int SECOND_BYTES = 8;

    private static final int MAX_BYTES = SECOND_BYTES + 10;
    private static final long SECONDS_PER_DAY = 86_400;

    TimeWriter() {
        super("time");
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Long.BYTES);
        long nanos = Bytes.getLong(from, offset);
        long second = nanos / IsoText.NANOS_PER_SECOND;
        if (nanos < 0 || second >= SECONDS_PER_DAY) {
            throw new BadValueException("is time, but " + nanos + " nanoseconds are not within a day");
        }
        out.reserve(MAX_BYTES);
        byte[] a = out.array();
        int at = out.length();
        put(a, at, (int) second);
        at += SECOND_BYTES;
        int nano = (int) (nanos - second * IsoText.NANOS_PER_SECOND);
        if (nano != 0) {
            a[at++] = '.';
            int digits = nano % 1_000 != 0 ? 9 : nano % 1_000_000 != 0 ? 6 : 3;
            Digits.put(a, at, at + digits, digits == 9 ? nano : digits == 6 ? nano / 1_000 : nano / 1_000_000);
            at += digits;
        }
        out.advance(at - out.length());
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }

    /** Writes {@link #SECOND_BYTES} bytes. */
    static void put(byte[] a, int at, int secondOfDay) {
        int minuteOfDay = secondOfDay / 60;
        Digits.put2(a, at, minuteOfDay / 60);
        a[at + 2] = ':';
        Digits.put2(a, at + 3, minuteOfDay % 60);
        a[at + 5] = ':';
        Digits.put2(a, at + 6, secondOfDay % 60);
    }
}
