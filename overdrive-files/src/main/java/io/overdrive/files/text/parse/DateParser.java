package io.overdrive.files.text.parse;

import io.overdrive.internal.codec.Bytes;

/**
 * Dates: {@code 2013-01-31}, also with a sign and a longer year. Confined to one thread; on the hot path.
 *
 * <p>The number of a day, which CQL also accepts, is refused: in a file it nearly always means something else, such as
 * {@code 20130131}, and would become an unintended date.
 */
final class DateParser extends ValueParser {
    private final IsoText text = new IsoText();

    DateParser() {
        super("date");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
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

    @Override
    public String hint(String value) {
        return NumericDate.hint("--date-format", "dd.MM.yyyy", value);
    }
}
