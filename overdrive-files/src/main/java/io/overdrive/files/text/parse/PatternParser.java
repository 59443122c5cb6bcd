package io.overdrive.files.text.parse;

import io.overdrive.files.text.BadValueException;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import java.util.Objects;

/**
 * Dates, times and timestamps by a pattern of {@link DateTimeFormatter}. Immutable.
 *
 * <p>Much slower than CQL's own forms. Dates are strict: 30 February is refused, not changed to 28 February.
 */
public final class PatternParser extends ValueParser {
    private enum Kind {
        DATE,
        TIME,
        TIMESTAMP
    }

    private final Kind kind;
    private final String pattern;
    private final ZoneId zone;
    private final DateTimeFormatter formatter;

    private PatternParser(Kind kind, String pattern, ZoneId zone) {
        super(kind.name().toLowerCase(Locale.ROOT));
        this.kind = kind;
        this.pattern = pattern;
        this.zone = zone;
        formatter = formatter(pattern, zone);
    }

    /** Also used for writing, by {@code PatternWriter}. */
    public static DateTimeFormatter formatter(String pattern, ZoneId zone) {
        DateTimeFormatterBuilder builder =
                new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(pattern);
        if (lacksEra(pattern)) {
            // y is the year of an era, which strict resolving requires
            builder.parseDefaulting(ChronoField.ERA, 1);
        }
        return builder.toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT)
                .withZone(zone);
    }

    /** Whether the pattern has the year of an era, but no era, so that it is our era. */
    public static boolean lacksEra(String pattern) {
        return pattern.indexOf('y') >= 0 && pattern.indexOf('G') < 0;
    }

    static PatternParser date(ValueFormat format) {
        return new PatternParser(Kind.DATE, Objects.requireNonNull(format.datePattern()), format.zone());
    }

    static PatternParser time(ValueFormat format) {
        return new PatternParser(Kind.TIME, Objects.requireNonNull(format.timePattern()), format.zone());
    }

    static PatternParser timestamp(ValueFormat format) {
        return new PatternParser(Kind.TIMESTAMP, Objects.requireNonNull(format.timestampPattern()), format.zone());
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        String text = new String(chars, start, trimEnd(chars, start, to) - start);
        try {
            switch (kind) {
                case DATE ->
                    DateParser.put(formatter.parse(text, LocalDate::from).toEpochDay(), this, chars, from, to, out);
                case TIME -> out.putLong(formatter.parse(text, LocalTime::from).toNanoOfDay());
                case TIMESTAMP -> out.putLong(millis(formatter.parseBest(text, ZonedDateTime::from, LocalDate::from)));
            }
        } catch (DateTimeException | ArithmeticException e) {
            throw new BadValueException(
                    got(chars, from, to).getMessage() + ", which does not match the pattern " + pattern);
        }
    }

    private long millis(TemporalAccessor parsed) {
        ZonedDateTime time = parsed instanceof LocalDate date ? date.atStartOfDay(zone) : (ZonedDateTime) parsed;
        return time.toInstant().toEpochMilli();
    }
}
