package io.overdrive.files;

import io.overdrive.internal.codec.Bytes;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;

/**
 * Timestamps in CQL's forms and ISO 8601: a date; a {@code T} or a space; {@code HH:MM[:SS[.fraction]]}; an offset such
 * as {@code Z}, {@code +0100}, {@code +01:00}, or the name of a zone. All but the date may be missing. A fraction is cut
 * off after milliseconds, which is what Cassandra stores. A plain number counts from the epoch. Confined to one thread;
 * on the hot path.
 */
final class TimestampParser extends ValueParser {
    private final IsoText text = new IsoText();
    private final ZoneId zone;
    private final TimeUnit epochUnit;
    private final long epochMillis;

    TimestampParser(ValueFormat format) {
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
        if (text.isNumber()) {
            putNumber(chars, from, to, out);
            return;
        }
        if (!text.date()) {
            throw got(chars, from, to);
        }
        int secondOfDay = 0;
        int millis = 0;
        char separator = text.peek();
        if ((separator == 'T' || separator == 't' || separator == ' ') && isDigitAt(chars, text.at() + 1)) {
            text.skip(separator);
            if (!text.time()) {
                throw got(chars, from, to);
            }
            secondOfDay = text.secondOfDay;
            millis = text.nano / 1_000_000;
        }
        long localSecond = text.epochDay * 86_400 + secondOfDay;
        long second = localSecond - offset(localSecond, chars, from, to);
        putSecond(second, millis, chars, from, to, out);
    }

    private boolean isDigitAt(char[] chars, int i) {
        return i < text.end() && chars[i] >= '0' && chars[i] <= '9';
    }

    private int offset(long localSecond, char[] chars, int from, int to) {
        if (text.atEnd()) {
            return zone instanceof ZoneOffset fixed ? fixed.getTotalSeconds() : offset(zone, localSecond);
        }
        boolean spaced = text.skip(' ');
        if (text.offset() && text.atEnd()) {
            return text.offsetSeconds;
        }
        if (spaced && Character.isLetter(text.peek())) {
            try {
                String name = new String(chars, text.at(), text.end() - text.at());
                return offset(ZoneId.of(name, ZoneId.SHORT_IDS), localSecond);
            } catch (DateTimeException e) {
                // no zone of that name: bad, as below
            }
        }
        throw got(chars, from, to);
    }

    private static int offset(ZoneId zone, long localSecond) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(localSecond, 0, ZoneOffset.UTC);
        return zone.getRules().getOffset(local).getTotalSeconds();
    }

    private void putSecond(long second, int millis, char[] chars, int from, int to, Bytes out) {
        // computed from the second after, a negative second may reach down to Long.MIN_VALUE
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
            out.putLong(Math.addExact(epochMillis, millis(count)));
        } catch (ArithmeticException e) {
            String limit = " milliseconds from 1970-01-01";
            throw outOfRange(chars, from, to, Long.MIN_VALUE + "", Long.MAX_VALUE + limit);
        }
    }

    private long millis(long count) {
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
}
