package io.overdrive.files.text.write;

import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;

/**
 * Durations as in CQL: {@code 1y2mo3d4h5m6s7ms8us9ns}, after a minus if they are negative, and {@code 0s} for none.
 * Immutable.
 */
final class DurationWriter extends ValueWriter {
    private static final byte[] NONE = TextForms.utf8("0s");
    private static final String[] NANO_UNITS = {"h", "m", "s", "ms", "us", "ns"};
    private static final long[] NANOS = {3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1};

    DurationWriter() {
        super("duration");
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int daysAt = next(from, offset, end);
        int nanosAt = next(from, daysAt, end);
        if (next(from, nanosAt, end) != end) {
            throw badLength(length);
        }
        long months = Bytes.getVint(from, offset);
        long days = Bytes.getVint(from, daysAt);
        long nanos = Bytes.getVint(from, nanosAt);
        if ((months | days | nanos) == 0) {
            out.put(NONE);
            return;
        }
        boolean negative = months < 0 || days < 0 || nanos < 0;
        if (negative && (months > 0 || days > 0 || nanos > 0)) {
            throw new BadValueException("is duration, but " + months + " months, " + days + " days and " + nanos
                    + " nanoseconds have different signs");
        }
        if (negative) {
            out.putByte('-');
        }
        put(months / 12, "y", out);
        put(months % 12, "mo", out);
        put(days, "d", out);
        for (int i = 0; i < NANOS.length; i++) {
            put(nanos / NANOS[i], NANO_UNITS[i], out);
            nanos %= NANOS[i];
        }
    }

    /** A part without its sign, which is written once for the duration. */
    private static void put(long count, String unit, Bytes out) {
        if (count != 0) {
            Digits.put(Math.abs(count), out);
            TextForms.putAscii(unit, out);
        }
    }

    /** The end of the vint at {@code at}. */
    private int next(byte[] from, int at, int end) {
        int next = at < end ? at + Bytes.vintBytes(from[at]) : Integer.MAX_VALUE;
        if (next > end) {
            throw new BadValueException("is duration, but its bytes end inside a part");
        }
        return next;
    }
}
