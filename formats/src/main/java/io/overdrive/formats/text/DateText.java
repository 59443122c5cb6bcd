package io.overdrive.formats.text;

import io.overdrive.formats.hints.IsoMistake;
import io.overdrive.formats.hints.NumericDate;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;

/**
 * Dates: {@code 2013-01-31}; a year below 0 or above 9999 has a sign and as many digits as necessary. Confined to one
 * thread; on the hot path.
 *
 * <p>The number of a day, which CQL also accepts, is refused: in a file it nearly always means something else, such as
 * {@code 20130131}, and would become an unintended date.
 */
final class DateText extends ValueText {
    /** A sign, nine digits of a year, month and day, as of the last timestamp. */
    static final int MAX_BYTES = 16;

    private final IsoReader text = new IsoReader();

    DateText() {
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

    static void put(long epochDay, ValueText parser, char[] chars, int from, int to, Bytes out) {
        if (epochDay != (int) epochDay) {
            throw parser.outOfRange(chars, from, to, "-5877641-06-23", "+5881580-07-11");
        }
        out.putInt((int) epochDay ^ Integer.MIN_VALUE);
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        text.open(chars, from, to);
        return text.date() && text.isWhole;
    }

    @Override
    public MessageText hint(String value) {
        MessageText mistake = IsoMistake.inDate(value);
        return mistake != null ? mistake : NumericDate.hint(JobOption.DATE_PATTERN, "dd.MM.yyyy", value);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Integer.BYTES);
        out.reserve(MAX_BYTES);
        int start = out.length();
        out.advance(put(out.array(), start, epochDay(from, offset)) - start);
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }

    static int epochDay(byte[] from, int offset) {
        return Bytes.getInt(from, offset) ^ Integer.MIN_VALUE;
    }

    /**
     * Writes the date and returns its end. Counts in years that start in March, as {@code IsoReader} does: a year has 365
     * days, with a leap day every 4 years, not every 100, but every 400 years.
     */
    static int put(byte[] a, int start, long epochDay) {
        long day = epochDay + 719_468;
        long era = Math.floorDiv(day, 146_097L);
        int dayOfEra = (int) (day - era * 146_097);
        int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int monthFromMarch = (5 * dayOfYear + 2) / 153;
        int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
        long year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
        int at = year(a, start, year);
        a[at] = '-';
        Digits.put2(a, at + 1, month);
        a[at + 3] = '-';
        Digits.put2(a, at + 4, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1);
        return at + 6;
    }

    private static int year(byte[] a, int start, long year) {
        int at = start;
        long size = Math.abs(year);
        if (year < 0) {
            a[at++] = '-';
        } else if (year > 9999) {
            a[at++] = '+';
        }
        int end = at + Math.max(4, Digits.count(size));
        Digits.put(a, at, end, size);
        return end;
    }
}
