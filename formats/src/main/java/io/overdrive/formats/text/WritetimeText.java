package io.overdrive.formats.text;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.hints.NumericDate;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * Write times: integers are microseconds as from {@code writetime()}, anything else is a timestamp, and so is everything if
 * there is a pattern of timestamps that it matches. A number that would be a time of this century in seconds, milliseconds or
 * nanoseconds, or has the digits of a date, is refused: in microseconds it would be so old, or so far in the future, that the row would be
 * invisible or could not be changed. So is a timestamp with a fraction of a microsecond: two records would have one write time. Written
 * as microseconds. Confined to one thread; on the hot path.
 */
public final class WritetimeText extends ValueText {
    private static final int MAX_DATE_DIGITS = "yyyyMMddHHmmss".length();

    private final ValueText integer;
    private final ValueText timestamp;
    private final boolean hasPattern;

    public WritetimeText(ValueFormat format) {
        super("writetime");
        integer = ValueText.of(DataTypes.BIGINT, format);
        timestamp = ValueText.of(DataTypes.TIMESTAMP, format);
        hasPattern = format.timestampPattern() != null;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        parseBare(chars, start, trimEnd(chars, start, to), out);
    }

    private void parseBare(char[] chars, int from, int to, Bytes out) {
        boolean digits = points(chars, from, to) == 0;
        if (digits && !(hasPattern && isTimestamp(chars, from, to, out))) {
            integer.parse(chars, from, to, out);
            checkUnit(Bytes.getLong(out.array(), out.length() - 8), chars, from, to);
            return;
        }
        if (!digits) {
            // a pattern may take such a text for a date
            if (!hasPattern && points(chars, from, to) == 1) {
                throw BadValueException.but(
                        "a write time", chars, from, to, "has a fraction: a number is in microseconds, and whole");
            }
            timestamp.parse(chars, from, to, out);
        }
        long millis = Bytes.getLong(out.array(), out.length() - 8);
        if (millis >= Long.MAX_VALUE / 1000 || millis <= -Long.MAX_VALUE / 1000) {
            throw BadValueException.but("a write time", chars, from, to, "is out of range");
        }
        int nanos = timestamp.nanosBelowMillis();
        if (nanos % 1000 != 0) {
            throw BadValueException.but(
                    "a write time", chars, from, to, "has a fraction of a microsecond, which no write time has");
        }
        long micros = 1000 * millis + nanos / 1000;
        out.truncate(out.length() - 8);
        out.putLong(micros);
    }

    /** Whether it matches the pattern; it is then parsed. */
    private boolean isTimestamp(char[] chars, int from, int to, Bytes out) {
        int before = out.length();
        try {
            timestamp.parse(chars, from, to, out);
            return true;
        } catch (BadValueException e) {
            out.truncate(before);
            return false;
        }
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        integer.write(from, offset, length, out);
    }

    private static void checkUnit(long micros, char[] chars, int from, int to) {
        String pattern = to - from > MAX_DATE_DIGITS ? "" : NumericDate.pattern(new String(chars, from, to - from));
        if (!pattern.isEmpty()) {
            String why = "has the digits of a date: a number is in microseconds";
            throw BadValueException.but("a write time", chars, from, to, why)
                    .withHint(words ->
                            "; if it is a date, give " + words.of(JobOption.TIMESTAMP_PATTERN) + " " + pattern);
        }
        boolean nanos = isInCentury(micros, TimeUnit.NANOSECONDS);
        if (nanos || isInCentury(micros, TimeUnit.MILLISECONDS) || isInCentury(micros, TimeUnit.SECONDS)) {
            throw BadValueException.but(
                    "a write time",
                    chars,
                    from,
                    to,
                    "would be " + Instant.EPOCH.plus(micros, ChronoUnit.MICROS) + ": a number is in microseconds;"
                            + " write a time in another unit as text, such as 2020-12-24T18:30:00Z");
        }
    }

    /** Whether the count is a time from 2000 to 2099. */
    private static boolean isInCentury(long count, TimeUnit unit) {
        long seconds = unit.toSeconds(count);
        return seconds >= 946_684_800L && seconds < 4_102_444_800L;
    }
}
