package io.overdrive.files.text.write;

import io.overdrive.files.text.BadValueException;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.files.text.parse.PatternParser;
import io.overdrive.internal.codec.Bytes;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import java.util.Objects;

/**
 * Dates, times and timestamps by a pattern of {@link DateTimeFormatter}; timestamps in the zone of the format.
 * Immutable.
 *
 * <p>Much slower than the other forms. Parts without a place in the pattern, such as the seconds, are lost.
 */
final class PatternWriter extends ValueWriter {
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

    private PatternWriter(Kind kind, String pattern, ZoneId zone) {
        super(kind.name().toLowerCase(Locale.ROOT));
        this.kind = kind;
        this.pattern = pattern;
        this.zone = zone;
        formatter = PatternParser.formatter(pattern, zone);
        lacksEra = kind != Kind.TIME && PatternParser.lacksEra(pattern);
    }

    static PatternWriter date(ValueFormat format) {
        return new PatternWriter(Kind.DATE, Objects.requireNonNull(format.datePattern()), format.zone());
    }

    static PatternWriter time(ValueFormat format) {
        return new PatternWriter(Kind.TIME, Objects.requireNonNull(format.timePattern()), format.zone());
    }

    static PatternWriter timestamp(ValueFormat format) {
        return new PatternWriter(Kind.TIMESTAMP, Objects.requireNonNull(format.timestampPattern()), format.zone());
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
                case DATE -> LocalDate.ofEpochDay(DateWriter.epochDay(from, offset));
                case TIME -> LocalTime.ofNanoOfDay(Bytes.getLong(from, offset));
                case TIMESTAMP ->
                    Instant.ofEpochMilli(Bytes.getLong(from, offset)).atZone(zone);
            };
            if (lacksEra && value.get(ChronoField.YEAR) < 1) {
                throw new DateTimeException("would be read as a year of our era");
            }
            return TextForms.utf8(formatter.format(value));
        } catch (DateTimeException e) {
            throw new BadValueException("is " + type + ", but " + (value == null ? "the value" : value)
                    + " cannot be written by the pattern " + pattern);
        }
    }
}
