package io.overdrive.formats.text;

import io.overdrive.formats.hints.IsoMistake;
import io.overdrive.formats.hints.NumericDate;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.CharBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps in CQL's forms and ISO 8601: a date; a {@code T} or a space; {@code HH:MM[:SS[.fraction]]}; an offset such
 * as {@code Z}, {@code +0100}, {@code +01:00}, or a zone of the time zone database, like {@code Europe/Berlin} or {@code UTC}.
 * Everything but the date is optional. After an offset the zone may follow in brackets, as Java prints it. Other abbreviations of zones are refused, as they mean several. A fraction is truncated to
 * milliseconds, which is what Cassandra stores. Confined to one thread; on the hot path.
 *
 * <p>A plain number counts from the epoch in the format's unit, and may then have a fraction. Without a unit it is milliseconds, and its absolute value
 * must be 0 or from {@link #MIN_MILLIS} to {@link #MAX_MILLIS}: smaller numbers are more likely seconds or the digits of a
 * date, larger ones microseconds. Twelve digits that are a date and a time of day ({@code 202012241015}) are refused as
 * well.
 *
 * <p>Written in ISO 8601 and UTC, {@code 2013-01-01T05:00:00Z}, with milliseconds if they are not zero. All timestamps have
 * this form: see {@link DateText} for years of more than four digits.
 */
final class TimestampText extends ValueText {
    private static final long MILLIS_PER_DAY = 86_400_000;
    /** Date, T, time, a fraction of three digits, Z. */
    private static final int MAX_BYTES = DateText.MAX_BYTES + 1 + TimeText.SECOND_BYTES + 4 + 1;

    /** A year: seconds reach it in the year 2969. */
    private static final long MIN_MILLIS = 365 * 86_400_000L;
    /** The end of 2499: microseconds reach it after half a year, {@code yyyyMMddHHmmss} is always above. */
    private static final long MAX_MILLIS = 16_725_225_599_999L;

    /** Zones of the time zone database that change to daylight time, though their names are those of a standard time. */
    private static final Set<String> STANDARD_TIMES = Set.of("CET", "EET", "MET", "WET");

    /** A number with a fraction; longer ones are no times. */
    private static final Pattern FRACTION = Pattern.compile("[-+]?\\d{1,20}\\.\\d{1,20}");

    private final IsoReader text = new IsoReader();
    private final ZoneId zone;
    private final @Nullable TimeUnit epochUnit;
    private final long epochMillis;
    private int nanosBelowMillis;

    TimestampText(ValueFormat format) {
        super("timestamp");
        zone = format.zone() instanceof ZoneOffset
                ? format.zone()
                : format.zone().normalized();
        epochUnit = format.epochUnit();
        epochMillis = format.epoch().toEpochMilli();
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
        nanosBelowMillis = 0;
        if (text.isNumber()) {
            putNumber(chars, from, to, out);
            return;
        }
        if (epochUnit != null && isFraction(chars)) {
            putFraction(epochUnit, chars, from, to, out);
            return;
        }
        if (!text.date()) {
            throw got(chars, from, to);
        }
        int secondOfDay = 0;
        int millis = 0;
        if (skipToTime(chars)) {
            if (!text.time()) {
                throw got(chars, from, to);
            }
            secondOfDay = text.secondOfDay;
            millis = text.nano / 1_000_000;
            nanosBelowMillis = text.nano % 1_000_000;
        }
        long localSecond = text.epochDay * 86_400 + secondOfDay;
        long second = localSecond - offset(localSecond, chars, from, to);
        putSecond(second, millis, chars, from, to, out);
    }

    @Override
    int nanosBelowMillis() {
        return nanosBelowMillis;
    }

    /** Skips the separator before a time; false if there is none. */
    private boolean skipToTime(char[] chars) {
        char separator = text.peek();
        return (separator == 'T' || separator == 't' || separator == ' ')
                && isDigitAt(chars, text.at() + 1)
                && text.skip(separator);
    }

    private boolean isDigitAt(char[] chars, int i) {
        return i < text.end() && chars[i] >= '0' && chars[i] <= '9';
    }

    private int offset(long localSecond, char[] chars, int from, int to) {
        if (text.atEnd()) {
            return zone instanceof ZoneOffset fixed
                    ? fixed.getTotalSeconds()
                    : offset(zone, localSecond, chars, from, to);
        }
        boolean spaced = text.skip(' ');
        if (text.offset() && (text.atEnd() || isZoneInBrackets(chars))) {
            return text.offsetSeconds;
        }
        if (spaced && Character.isLetter(text.peek())) {
            return offset(new String(chars, text.at(), text.end() - text.at()), localSecond, chars, from, to);
        }
        throw got(chars, from, to);
    }

    /** Whether the rest is a zone in brackets; the offset before it already says what it means at that time. */
    private boolean isZoneInBrackets(char[] chars) {
        int last = text.end() - 1;
        if (text.peek() != '[' || chars[last] != ']') {
            return false;
        }
        try {
            ZoneId unused = ZoneId.of(new String(chars, text.at() + 1, last - text.at() - 1));
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private int offset(String name, long localSecond, char[] chars, int from, int to) {
        ZoneId named;
        try {
            named = ZoneId.of(name);
        } catch (DateTimeException e) {
            if (name.length() <= "AM".length()) {
                throw got(chars, from, to);
            }
            throw BadValueException.but(
                    type,
                    chars,
                    from,
                    to,
                    "names no zone of the time zone database; write an offset like -08:00, or a zone like"
                            + " America/Los_Angeles: abbreviations like PST or BST mean several zones");
        }
        int offset = offset(named, localSecond, chars, from, to);
        if (STANDARD_TIMES.contains(name)
                && named.getRules().isDaylightSavings(Instant.ofEpochSecond(localSecond - offset))) {
            throw BadValueException.but(
                    type,
                    chars,
                    from,
                    to,
                    "is in summer, when " + name
                            + " may mean standard or daylight time; write an offset like +01:00, or a zone like"
                            + " Europe/Berlin");
        }
        return offset;
    }

    /**
     * Resolves a local time to an offset. If clocks show a time twice because they are set back, the first one is
     * meant.
     */
    private int offset(ZoneId of, long localSecond, char[] chars, int from, int to) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(localSecond, 0, ZoneOffset.UTC);
        ZoneOffsetTransition transition = of.getRules().getTransition(local);
        if (transition != null && transition.isGap() && Math.floorMod(localSecond, 86_400L) != 0) {
            throw leftOut(of, chars, from, to);
        }
        return of.getRules().getOffset(local).getTotalSeconds();
    }

    /** Why a local time is refused that no clock shows; midnight is the start of its day, which may be later. */
    static BadValueException leftOut(ZoneId zone, char[] chars, int from, int to) {
        return BadValueException.but(
                "timestamp",
                chars,
                from,
                to,
                "is a time that the clocks of " + zone + " have left out when they were set forward");
    }

    private void putSecond(long second, int millis, char[] chars, int from, int to, Bytes out) {
        // computed from the next second, so that negative seconds down to Long.MIN_VALUE do not overflow
        long rounded = second < 0 ? second + 1 : second;
        long rest = second < 0 ? millis - 1000 : millis;
        long value = rounded * 1000 + rest;
        if (Math.abs(rounded) > Long.MAX_VALUE / 1000 || (value < 0) != (second < 0)) {
            throw outOfRange(chars, from, to, "-292275055-05-16T16:47:04.192Z", "+292278994-08-17T07:12:55.807Z");
        }
        out.putLong(value);
    }

    private void putNumber(char[] chars, int from, int to, Bytes out) {
        boolean negative = text.skip('-');
        text.skip('+');
        try {
            long count = 0;
            for (int i = text.at(); i < text.end(); i++) {
                count = Math.addExact(Math.multiplyExact(count, 10), negative ? '0' - chars[i] : chars[i] - '0');
            }
            long millis = Math.addExact(epochMillis, millis(count));
            if (epochUnit == null && !isPlausible(count, chars, text.at())) {
                throw BadValueException.but(
                        type, chars, from, to, "as milliseconds would be " + Instant.ofEpochMilli(millis));
            }
            out.putLong(millis);
        } catch (ArithmeticException e) {
            throw tooFar(chars, from, to);
        }
    }

    private boolean isFraction(char[] chars) {
        return FRACTION.matcher(CharBuffer.wrap(chars, text.at(), text.end() - text.at()))
                .matches();
    }

    private void putFraction(TimeUnit unit, char[] chars, int from, int to, Bytes out) {
        BigDecimal count = new BigDecimal(chars, text.at(), text.end() - text.at());
        BigDecimal millis = count.multiply(BigDecimal.valueOf(unit.toNanos(1)))
                .movePointLeft(6)
                .setScale(0, RoundingMode.FLOOR);
        try {
            out.putLong(Math.addExact(epochMillis, millis.longValueExact()));
        } catch (ArithmeticException e) {
            throw tooFar(chars, from, to);
        }
    }

    private BadValueException tooFar(char[] chars, int from, int to) {
        return outOfRange(chars, from, to, Long.MIN_VALUE + "", Long.MAX_VALUE + " milliseconds from 1970-01-01");
    }

    private boolean isPlausible(long millis, char[] chars, int firstDigit) {
        boolean inRange = millis == 0
                || (millis >= MIN_MILLIS && millis <= MAX_MILLIS)
                || (millis <= -MIN_MILLIS && millis >= -MAX_MILLIS);
        return inRange
                && (text.end() - firstDigit != 12
                        || NumericDate.pattern(new String(chars, firstDigit, 12))
                                .isEmpty());
    }

    @Override
    public MessageText hint(String value) {
        String number = value.strip();
        boolean negative = number.startsWith("-");
        String digits = negative || number.startsWith("+") ? number.substring(1) : number;
        if (NumericDate.isSerial(number)) {
            return words -> "; if it counts days as spreadsheets do, give " + words.of(JobOption.TIMESTAMP_PATTERN)
                    + " excel; if seconds, " + words.of(JobOption.EPOCH_UNIT) + " seconds";
        }
        if (FRACTION.matcher(number).matches()) {
            return words -> "; if it is a number of seconds, give " + words.of(JobOption.EPOCH_UNIT) + " seconds";
        }
        if (!NumericDate.isDigits(digits)) {
            MessageText mistake = IsoMistake.inTimestamp(value);
            return mistake != null ? mistake : NumericDate.hint(JobOption.TIMESTAMP_PATTERN, "dd.MM.yyyy HH:mm", value);
        }
        String pattern = negative ? "" : NumericDate.pattern(digits);
        if (!pattern.isEmpty()) {
            MessageText date =
                    words -> "; if it is a date, give " + words.of(JobOption.TIMESTAMP_PATTERN) + " " + pattern;
            return digits.length() == 12
                    ? words -> date.in(words) + ", or else " + words.of(JobOption.EPOCH_UNIT) + " milliseconds"
                    : date;
        }
        // the number of digits of a present-day time
        String unit = digits.length() <= 11 ? "seconds" : digits.length() <= 16 ? "microseconds" : "nanoseconds";
        return words -> "; give the unit of such numbers, for example " + words.of(JobOption.EPOCH_UNIT) + " " + unit;
    }

    private long millis(long count) {
        if (epochUnit == null) {
            return count;
        }
        return switch (epochUnit) {
            case NANOSECONDS -> Math.floorDiv(count, 1_000_000L);
            case MICROSECONDS -> Math.floorDiv(count, 1_000L);
            case MILLISECONDS -> count;
            case SECONDS -> Math.multiplyExact(count, 1_000L);
            case MINUTES -> Math.multiplyExact(count, 60_000L);
            case HOURS -> Math.multiplyExact(count, 3_600_000L);
            case DAYS -> Math.multiplyExact(count, 86_400_000L);
        };
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        text.open(chars, from, to);
        if (text.isNumber()) {
            return epochUnit != null
                    && Digits.isPlainInteger(chars, from, to)
                    && hasOnlyZeros(chars, Math.max(text.at(), text.end() - digitsBelowMillis(epochUnit)), text.end());
        }
        text.date();
        int secondOfDay = 0;
        if (skipToTime(chars) && text.time()) {
            if (text.nano % 1_000_000 != 0) {
                return false;
            }
            secondOfDay = text.secondOfDay;
        }
        if (!text.isWhole) {
            return false;
        }
        return text.atEnd() ? isInZone(text.epochDay * 86_400 + secondOfDay) : isUtc(chars);
    }

    /** Whether a local time exists: clocks that are set forward leave some out. */
    private boolean isInZone(long localSecond) {
        return zone instanceof ZoneOffset
                || !zone.getRules()
                        .getValidOffsets(LocalDateTime.ofEpochSecond(localSecond, 0, ZoneOffset.UTC))
                        .isEmpty();
    }

    private static int digitsBelowMillis(TimeUnit unit) {
        return unit == TimeUnit.NANOSECONDS ? 6 : unit == TimeUnit.MICROSECONDS ? 3 : 0;
    }

    private static boolean hasOnlyZeros(char[] chars, int from, int to) {
        for (int i = from; i < to; i++) {
            if (chars[i] != '0') {
                return false;
            }
        }
        return true;
    }

    private boolean isUtc(char[] chars) {
        text.skip(' ');
        if (text.offset()) {
            return text.offsetSeconds == 0;
        }
        String zone = new String(chars, text.at(), text.end() - text.at());
        return zone.equals("UTC") || zone.equals("GMT");
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
        int at = DateText.put(a, start, day);
        a[at++] = 'T';
        int second = millisOfDay / 1000;
        TimeText.put(a, at, second);
        at += TimeText.SECOND_BYTES;
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
