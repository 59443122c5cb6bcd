package io.overdrive.files;

import io.overdrive.internal.codec.Bytes;

/**
 * Dates: {@code 2013-01-31}, also with a sign and a longer year, or the number that CQL takes, the day counted from
 * -5877641-06-23 so that 2<sup>31</sup> is 1970-01-01. Confined to one thread; on the hot path.
 */
final class DateParser extends ValueParser {
    private final IsoText text = new IsoText();

    DateParser() {
        super("date");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
        if (text.isNumber()) {
            putNumber(chars, from, to, out);
            return;
        }
        if (!text.date() || !text.atEnd()) {
            throw got(chars, from, to);
        }
        put(text.epochDay, this, chars, from, to, out);
    }

    static void put(long epochDay, ValueParser parser, char[] chars, int from, int to, Bytes out) {
        if (epochDay != (int) epochDay) {
            throw parser.outOfRange(chars, from, to, "-5877641-06-23", "+5881580-07-11");
        }
        out.putInt((int) epochDay ^ Integer.MIN_VALUE);
    }

    private void putNumber(char[] chars, int from, int to, Bytes out) {
        boolean negative = text.skip('-');
        text.skip('+');
        long day = 0;
        for (int i = text.at(); i < text.end() && day <= 0xFFFF_FFFFL; i++) {
            day = day * 10 + chars[i] - '0';
        }
        if (day > 0xFFFF_FFFFL || (negative && day != 0)) {
            throw outOfRange(chars, from, to, "0", "4294967295, which counts days; 2147483648 is 1970-01-01");
        }
        out.putInt((int) day);
    }
}
