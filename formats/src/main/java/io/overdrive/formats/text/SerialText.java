package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;

/**
 * Dates, times and timestamps as spreadsheets count them: days since 30 December 1899, with the time of day as a fraction; timestamps in
 * the zone of the format. Confined to one thread.
 *
 * <p>Days before 1 March 1900 are refused, as spreadsheets differ by one there. A fraction means the second that it rounds; if it rounds
 * none, and has at least eight digits, the millisecond. Shorter ones must be a whole minute: others say no second. Written with twelve
 * digits, milliseconds of a time.
 */
final class SerialText extends ValueText {
    private static final LocalDate FIRST = LocalDate.of(1899, 12, 30);
    private static final int MIN_DAY = 61;
    /** The end of 9999. */
    private static final int MAX_DAY = 2_958_465;

    private static final BigDecimal MILLIS_PER_DAY = BigDecimal.valueOf(86_400_000);
    private static final BigDecimal SECONDS_PER_DAY = BigDecimal.valueOf(86_400);
    private static final int MILLIS_PER_MINUTE = 60_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Fewer digits of a fraction do not say the second. */
    private static final int SECOND_DIGITS = 5;
    /** Fewer digits of a fraction do not say the millisecond. */
    private static final int MILLI_DIGITS = 8;

    private static final int WRITTEN_DIGITS = 12;
    /** Longer ones are no such number. */
    private static final int MAX_CHARS = 40;

    private enum Kind {
        DATE,
        TIME,
        TIMESTAMP
    }

    private final Kind kind;
    private final ZoneId zone;
    private long repeatedTimes;

    private SerialText(Kind kind, ZoneId zone) {
        super(kind.name().toLowerCase(Locale.ROOT));
        this.kind = kind;
        this.zone = zone;
    }

    /** Whether the text in place of a pattern means this form. */
    static boolean isMeant(String pattern) {
        return pattern.equals(ValueFormat.SERIAL);
    }

    static SerialText date(ValueFormat format) {
        return new SerialText(Kind.DATE, format.zone());
    }

    static SerialText time(ValueFormat format) {
        return new SerialText(Kind.TIME, format.zone());
    }

    static SerialText timestamp(ValueFormat format) {
        return new SerialText(Kind.TIMESTAMP, format.zone());
    }

    /** A number, so that it may have a decimal comma. */
    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        int end = trimEnd(chars, start, to);
        int points = start == end || end - start > MAX_CHARS ? -1 : points(chars, start, end);
        if (points < 0 || points > 1 || !isDigit(chars[start]) || !isDigit(chars[end - 1])) {
            throw BadValueException.got(
                    type + " as a number of days (\"" + ValueFormat.SERIAL + "\")", chars, from, to);
        }
        BigDecimal days = new BigDecimal(chars, start, end - start);
        int day = days.compareTo(BigDecimal.valueOf(MAX_DAY + 1L)) < 0 ? days.intValue() : MAX_DAY + 1;
        if (kind == Kind.TIME ? day != 0 : day < MIN_DAY || day > MAX_DAY) {
            throw kind == Kind.TIME
                    ? outOfRange(chars, from, to, "0", "a day, which is 1, without its end")
                    : outOfRange(chars, from, to, MIN_DAY + ", 1900-03-01", MAX_DAY + ", 9999-12-31");
        }
        BigDecimal fraction = days.subtract(BigDecimal.valueOf(day));
        if (kind == Kind.DATE) {
            if (fraction.signum() != 0) {
                throw BadValueException.but(type, chars, from, to, "has a time of day");
            }
            DateText.put(FIRST.toEpochDay() + day, this, chars, from, to, out);
            return;
        }
        long millis = millis(fraction);
        if (millis < 0) {
            throw BadValueException.but(
                    type, chars, from, to, "has too few digits to say the second: format the cells as date and time");
        }
        if (kind == Kind.TIME) {
            if (millis == MILLIS_PER_DAY.longValue()) {
                throw outOfRange(chars, from, to, "0", "a day, which is 1, without its end");
            }
            out.putLong(millis * NANOS_PER_MILLI);
        } else {
            putTimestamp(FIRST.plusDays(day).atStartOfDay().plusNanos(millis * NANOS_PER_MILLI), chars, from, to, out);
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** The time of day that the fraction of a day means; -1 if it has too few digits. */
    private static long millis(BigDecimal fraction) {
        int digits = fraction.scale();
        BigDecimal millis = fraction.multiply(MILLIS_PER_DAY);
        if (digits < SECOND_DIGITS) {
            boolean isMinute =
                    millis.remainder(BigDecimal.valueOf(MILLIS_PER_MINUTE)).signum() == 0;
            return isMinute ? millis.longValue() : -1;
        }
        BigDecimal second = fraction.multiply(SECONDS_PER_DAY).setScale(0, RoundingMode.HALF_UP);
        BigDecimal rounded = second.divide(SECONDS_PER_DAY, digits, RoundingMode.HALF_UP);
        if (rounded.compareTo(fraction) == 0) {
            return second.longValue() * 1000;
        }
        return digits < MILLI_DIGITS
                ? -1
                : millis.setScale(0, RoundingMode.HALF_UP).longValue();
    }

    private void putTimestamp(LocalDateTime local, char[] chars, int from, int to, Bytes out) {
        ZonedDateTime time = local.atZone(zone);
        if (!time.toLocalDateTime().equals(local) && !local.toLocalTime().equals(LocalTime.MIDNIGHT)) {
            throw TimestampText.leftOut(zone, chars, from, to);
        }
        out.putLong(time.toInstant().toEpochMilli());
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, kind == Kind.DATE ? Integer.BYTES : Long.BYTES);
        switch (kind) {
            case DATE -> Digits.put(day(DateText.epochDay(from, offset)), out);
            case TIME -> {
                long nanos = Bytes.getLong(from, offset);
                if (nanos < 0 || nanos >= MILLIS_PER_DAY.longValue() * NANOS_PER_MILLI) {
                    throw new BadValueException("is time, but " + nanos + " nanoseconds are not within a day");
                }
                out.put(TextForms.utf8(text(0, nanos / NANOS_PER_MILLI)));
            }
            case TIMESTAMP -> {
                ZonedDateTime time = zoned(Bytes.getLong(from, offset));
                if (!time.getOffset().equals(time.withEarlierOffsetAtOverlap().getOffset())) {
                    repeatedTimes++;
                }
                long millis = time.toLocalTime().toNanoOfDay() / NANOS_PER_MILLI;
                out.put(TextForms.utf8(text(day(time.toLocalDate().toEpochDay()), millis)));
            }
        }
    }

    private ZonedDateTime zoned(long millis) {
        try {
            return Instant.ofEpochMilli(millis).atZone(zone);
        } catch (DateTimeException e) {
            throw new BadValueException("is timestamp, but " + millis + " milliseconds cannot be written as days");
        }
    }

    private long day(long epochDay) {
        long day = epochDay - FIRST.toEpochDay();
        if (day < MIN_DAY || day > MAX_DAY) {
            throw new BadValueException(
                    "is " + type + ", but a day before 1900-03-01 or after 9999-12-31 cannot be written"
                            + " as a number of days (\"" + ValueFormat.SERIAL + "\")");
        }
        return day;
    }

    private static String text(long day, long millis) {
        return millis == 0
                ? Long.toString(day)
                : BigDecimal.valueOf(millis)
                        .divide(MILLIS_PER_DAY, WRITTEN_DIGITS, RoundingMode.HALF_UP)
                        .add(BigDecimal.valueOf(day))
                        .toPlainString();
    }

    @Override
    public long repeatedTimes() {
        return repeatedTimes;
    }
}
