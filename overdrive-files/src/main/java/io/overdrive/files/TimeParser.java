package io.overdrive.files;

import io.overdrive.internal.codec.Bytes;

/**
 * Times of day: {@code 10:15}, {@code 10:15:30.123456789}, or a number of nanoseconds since midnight. Confined to one
 * thread; on the hot path.
 */
final class TimeParser extends ValueParser {
    private static final long NANOS_PER_DAY = 86_400 * IsoText.NANOS_PER_SECOND;

    private final IsoText text = new IsoText();

    TimeParser() {
        super("time");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
        if (text.isNumber()) {
            putNumber(chars, from, to, out);
        } else if (text.time() && text.atEnd()) {
            out.putLong(text.secondOfDay * IsoText.NANOS_PER_SECOND + text.nano);
        } else {
            throw got(chars, from, to);
        }
    }

    private void putNumber(char[] chars, int from, int to, Bytes out) {
        boolean negative = text.skip('-');
        text.skip('+');
        long nanos = 0;
        for (int i = text.at(); i < text.end() && nanos < NANOS_PER_DAY; i++) {
            nanos = nanos * 10 + chars[i] - '0';
        }
        if (nanos >= NANOS_PER_DAY || (negative && nanos != 0)) {
            throw outOfRange(chars, from, to, "0", "86399999999999 nanoseconds");
        }
        out.putLong(nanos);
    }
}
