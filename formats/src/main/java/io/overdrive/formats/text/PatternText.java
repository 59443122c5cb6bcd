package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Dates, times and timestamps by a pattern of {@link DateTimeFormatter}; timestamps in the zone of the format. Confined to one thread.
 *
 * <p>A year of two digits is one from 1970 to 2069, as in MySQL: {@code 31-DEC-99} is in 1999.
 *
 * <p>Much slower than CQL's own forms. Dates are strict: 30 February is refused, not changed to 28 February, and so is a time that clocks
 * leave out when they are set forward. Of two times that they show when they are set back, the first one is meant, unless the text has an
 * offset or a name such as CET; the second one is counted when it is written without. Parts without a place in the pattern, such as the
 * seconds, are lost when written.
 *
 * <p>Names such as PST may mean several zones: the names of the format's zone are read, besides UTC and the like, and say whether clocks
 * are set forward.
 */
final class PatternText extends ValueText {
    private static final ChronoField[] TIME_FIELDS =
            Arrays.stream(ChronoField.values()).filter(ChronoField::isTimeBased).toArray(ChronoField[]::new);

    /** Text in quotes in a pattern, or all letters of a year or of the name of a zone side by side. */
    private static final Pattern QUOTED_OR_SPECIAL = Pattern.compile("'[^']*'|y+|u+|z+|v+");

    /** First of the hundred years that two digits can mean; Java's own would be 2000. */
    private static final LocalDate FIRST_YEAR = LocalDate.of(1970, 1, 1);

    private enum Kind {
        DATE,
        TIME,
        TIMESTAMP
    }

    private final Kind kind;
    private final String pattern;
    private final ZoneId zone;
    private final DateTimeFormatter formatter;
    private final boolean lacksEra;
    private final boolean lacksCentury;
    /** The letters of a zone's name; empty if there is none. */
    private final String zoneLetters;

    private int nanosBelowMillis;
    private long repeatedTimes;

    private PatternText(Kind kind, String pattern, ZoneId zone) {
        super(kind.name().toLowerCase(Locale.ROOT));
        this.kind = kind;
        this.pattern = pattern;
        this.zone = zone;
        formatter = formatter(pattern, zone);
        lacksEra = kind != Kind.TIME && lacksEra(pattern);
        lacksCentury = kind != Kind.TIME && parts(pattern).anyMatch(PatternText::isShortYear);
        zoneLetters = parts(pattern).filter(PatternText::isZone).findFirst().orElse("");
    }

    private static DateTimeFormatter formatter(String pattern, ZoneId zone) {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().parseCaseInsensitive();
        int end = 0;
        Matcher part = QUOTED_OR_SPECIAL.matcher(pattern);
        while (part.find()) {
            String letters = part.group();
            boolean isZone = isZone(letters);
            if (isZone || isShortYear(letters)) {
                builder.appendPattern(pattern.substring(end, part.start()));
                if (isZone) {
                    appendZone(letters, zone, builder);
                } else {
                    builder.appendValueReduced(
                            letters.equals("yy") ? ChronoField.YEAR_OF_ERA : ChronoField.YEAR, 2, 2, FIRST_YEAR);
                }
                end = part.end();
            }
        }
        builder.appendPattern(pattern.substring(end));
        if (lacksEra(pattern)) {
            // y is the year of an era, which strict resolving requires
            builder.parseDefaulting(ChronoField.ERA, 1);
        }
        return builder.toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT)
                .withZone(zone);
    }

    private static boolean isShortYear(String letters) {
        return letters.equals("yy") || letters.equals("uu");
    }

    private static boolean isZone(String letters) {
        return letters.startsWith("z") || letters.startsWith("v");
    }

    /** Prefers the format's zone to others with the same names. */
    private static void appendZone(String letters, ZoneId zone, DateTimeFormatterBuilder to) {
        TextStyle style = letters.length() == 4 ? TextStyle.FULL : TextStyle.SHORT;
        if (letters.startsWith("z")) {
            to.appendZoneText(style, Set.of(zone));
        } else {
            to.appendGenericZoneText(style, Set.of(zone));
        }
    }

    private static Stream<String> parts(String pattern) {
        return QUOTED_OR_SPECIAL.matcher(pattern).results().map(MatchResult::group);
    }

    /** Whether the pattern has the year of an era, but no era, so that it is our era. */
    private static boolean lacksEra(String pattern) {
        return pattern.indexOf('y') >= 0 && pattern.indexOf('G') < 0;
    }

    static ValueText date(ValueFormat format) {
        String pattern = Objects.requireNonNull(format.datePattern());
        return SerialText.isMeant(pattern)
                ? SerialText.date(format)
                : new PatternText(Kind.DATE, pattern, format.zone());
    }

    static ValueText time(ValueFormat format) {
        String pattern = Objects.requireNonNull(format.timePattern());
        return SerialText.isMeant(pattern)
                ? SerialText.time(format)
                : new PatternText(Kind.TIME, pattern, format.zone());
    }

    static ValueText timestamp(ValueFormat format) {
        String pattern = Objects.requireNonNull(format.timestampPattern());
        return SerialText.isMeant(pattern)
                ? SerialText.timestamp(format)
                : new PatternText(Kind.TIMESTAMP, pattern, format.zone());
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        String text = new String(chars, start, trimEnd(chars, start, to) - start);
        try {
            switch (kind) {
                case DATE ->
                    DateText.put(formatter.parse(text, LocalDate::from).toEpochDay(), this, chars, from, to, out);
                case TIME -> out.putLong(formatter.parse(text, LocalTime::from).toNanoOfDay());
                case TIMESTAMP -> out.putLong(millis(text, chars, from, to));
            }
        } catch (DateTimeException | ArithmeticException e) {
            throw new BadValueException(
                    got(chars, from, to).getMessage() + ", which does not match the pattern " + pattern);
        }
    }

    private long millis(String text, char[] chars, int from, int to) {
        TemporalAccessor parsed = formatter.parse(text);
        if (isDateOnly(parsed)) {
            nanosBelowMillis = 0;
            ZoneId of = parsed.query(TemporalQueries.zone());
            checkName(of, text);
            return LocalDate.from(parsed).atStartOfDay(of).toInstant().toEpochMilli();
        }
        ZonedDateTime time = time(parsed, text);
        if (!parsed.isSupported(ChronoField.OFFSET_SECONDS)) {
            LocalDateTime local = LocalDateTime.from(parsed);
            if (!local.equals(time.toLocalDateTime()) && !local.toLocalTime().equals(LocalTime.MIDNIGHT)) {
                throw TimestampText.leftOut(time.getZone(), chars, from, to);
            }
        }
        nanosBelowMillis = time.getNano() % 1_000_000;
        return time.toInstant().toEpochMilli();
    }

    /** Takes the first of two times that clocks show when they are set back, unless the text says that it is the second one. */
    private ZonedDateTime time(TemporalAccessor parsed, String text) {
        ZonedDateTime time = ZonedDateTime.from(parsed);
        if (zoneLetters.isEmpty()
                || parsed.isSupported(ChronoField.OFFSET_SECONDS)
                || !checkName(time.getZone(), text)) {
            return time;
        }
        if (zoneLetters.startsWith("v")) {
            return time; // names that are the same all year
        }
        DateTimeFormatter name = DateTimeFormatter.ofPattern(zoneLetters, Locale.ENGLISH);
        for (ZonedDateTime each : List.of(time, time.withLaterOffsetAtOverlap())) {
            if (contains(text, name.format(each))) {
                return each;
            }
        }
        throw new BadValueException("is timestamp, but \"" + text + "\" has a name that " + time.getZone()
                + " does not have at that time, when it is " + name.format(time) + "; write an offset like "
                + time.getOffset());
    }

    /**
     * Whether a zone was named by letters that other zones have, too: then it must be the format's zone. Names of the time zone database,
     * UTC and the like are for certain.
     */
    private boolean checkName(ZoneId of, String text) {
        if (zoneLetters.isEmpty()
                || of.getRules().isFixedOffset()
                || (of.getId().indexOf('/') >= 0 && contains(text, of.getId()))) {
            return false;
        }
        if (!of.getRules().equals(zone.getRules())) {
            throw new BadValueException(
                            "is timestamp, but \"" + text + "\" names a zone by letters that may mean several")
                    .withHint(words ->
                            "; give the zone that is meant as " + words.of(JobOption.TIME_ZONE) + ", such as " + of);
        }
        return true;
    }

    private static boolean contains(String text, String name) {
        return text.toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT));
    }

    @Override
    int nanosBelowMillis() {
        return nanosBelowMillis;
    }

    /** Whether it has no part of a time: parts that make no whole one, such as hours and milliseconds, are not left out. */
    private static boolean isDateOnly(TemporalAccessor parsed) {
        if (parsed.isSupported(ChronoField.OFFSET_SECONDS)) {
            return false;
        }
        for (ChronoField field : TIME_FIELDS) {
            if (parsed.isSupported(field)) {
                return false;
            }
        }
        return true;
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        if (kind != Kind.TIMESTAMP) {
            return true;
        }
        int first = skipSpaces(chars, from, to);
        TemporalAccessor parsed = formatter.parse(new String(chars, first, trimEnd(chars, first, to) - first));
        if (isDateOnly(parsed)) {
            return true;
        }
        ZonedDateTime time = ZonedDateTime.from(parsed); // at an overlap, either will do
        ZoneOffset offset = zone.getRules().getOffset(time.toInstant());
        return time.getNano() % 1_000_000 == 0
                && time.getOffset().equals(offset)
                && (!parsed.isSupported(ChronoField.OFFSET_SECONDS)
                        || parsed.get(ChronoField.OFFSET_SECONDS) == offset.getTotalSeconds());
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.put(text(from, offset, length));
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        byte[] text = text(from, offset, length);
        TextForms.putLiteral(text, 0, text.length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        byte[] text = text(from, offset, length);
        TextForms.putJson(text, 0, text.length, out);
    }

    @Override
    void writeName(byte[] from, int offset, int length, Bytes out) {
        writeJson(from, offset, length, out);
    }

    private byte[] text(byte[] from, int offset, int length) {
        checkLength(length, kind == Kind.DATE ? Integer.BYTES : Long.BYTES);
        TemporalAccessor value = null;
        try {
            value = switch (kind) {
                case DATE -> LocalDate.ofEpochDay(DateText.epochDay(from, offset));
                case TIME -> LocalTime.ofNanoOfDay(Bytes.getLong(from, offset));
                case TIMESTAMP ->
                    Instant.ofEpochMilli(Bytes.getLong(from, offset)).atZone(zone);
            };
            if (lacksEra && value.get(ChronoField.YEAR) < 1) {
                throw new DateTimeException("would be read as a year of our era");
            }
            if (lacksCentury && !isInCentury(value.get(ChronoField.YEAR))) {
                throw new DateTimeException("would be read as a year of another century");
            }
            String text = formatter.format(value);
            if (value instanceof ZonedDateTime time && isSecondOfTwo(time) && !isReadAs(time, text)) {
                repeatedTimes++;
            }
            return TextForms.utf8(text);
        } catch (DateTimeException e) {
            throw new BadValueException("is " + type + ", but " + (value == null ? "the value" : value)
                    + " cannot be written by the pattern " + pattern);
        }
    }

    private static boolean isInCentury(int year) {
        return year >= FIRST_YEAR.getYear() && year < FIRST_YEAR.getYear() + 100;
    }

    /** Whether clocks have shown the time before, and were then set back. */
    private static boolean isSecondOfTwo(ZonedDateTime time) {
        return !time.getOffset().equals(time.withEarlierOffsetAtOverlap().getOffset());
    }

    private boolean isReadAs(ZonedDateTime time, String text) {
        TemporalAccessor read = formatter.parse(text);
        return isDateOnly(read) || time(read, text).getOffset().equals(time.getOffset());
    }

    @Override
    public long repeatedTimes() {
        return repeatedTimes;
    }
}
