package io.overdrive.jobs.expression;

import static io.overdrive.jobs.expression.Functions.add;
import static io.overdrive.jobs.expression.Kind.DATE;
import static io.overdrive.jobs.expression.Kind.INTEGER;
import static io.overdrive.jobs.expression.Kind.TEXT;
import static io.overdrive.jobs.expression.Kind.TIME;
import static io.overdrive.jobs.expression.Kind.TIMESTAMP;

import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.jobs.expression.Functions.Form;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The functions of times, in UTC. Stateless. */
final class TimeFunctions {
    private TimeFunctions() {}

    static void addTo(List<Form> all) {
        part(all, "year", ChronoField.YEAR, DATE);
        part(all, "month", ChronoField.MONTH_OF_YEAR, DATE);
        part(all, "day", ChronoField.DAY_OF_MONTH, DATE);
        part(all, "day_of_week", ChronoField.DAY_OF_WEEK, DATE);
        part(all, "hour", ChronoField.HOUR_OF_DAY, TIME);
        part(all, "minute", ChronoField.MINUTE_OF_HOUR, TIME);
        part(all, "second", ChronoField.SECOND_OF_MINUTE, TIME);
        add(all, "millis", INTEGER, v -> Cells.millis((Instant) v[0]), TIMESTAMP);
        add(all, "date", DATE, v -> utc(v[0]).toLocalDate(), TIMESTAMP);
        add(all, "time", TIME, v -> utc(v[0]).toLocalTime(), TIMESTAMP);
        add(all, "timestamp", TIMESTAMP, v -> midnight((LocalDate) v[0]), DATE);
        add(all, "timestamp", TIMESTAMP, v -> Instant.ofEpochMilli((Long) v[0]), INTEGER);
        add(
                all,
                "trunc",
                TIMESTAMP,
                1,
                p -> {
                    ChronoUnit unit = unit(p);
                    return v -> start(utc(v[0]).toLocalDate(), unit, (Instant) v[0]);
                },
                TIMESTAMP,
                TEXT);
        add(
                all,
                "trunc",
                DATE,
                1,
                p -> {
                    ChronoUnit unit = unit(p);
                    return v -> day((LocalDate) v[0], unit);
                },
                DATE,
                TEXT);
        forms(all);
    }

    /** Texts of times by patterns. */
    private static void forms(List<Form> all) {
        form(all, "timestamp", TIMESTAMP, Instant.EPOCH.atZone(ZoneOffset.UTC));
        form(all, "date", DATE, LocalDate.EPOCH);
        form(all, "time", TIME, LocalTime.MIDNIGHT);
    }

    /** @param example of a value, to check patterns before the first row */
    private static void form(List<Form> all, String name, Kind kind, TemporalAccessor example) {
        add(
                all,
                "format",
                TEXT,
                1,
                p -> {
                    DateTimeFormatter form = formatter(p, example);
                    return v -> form.format(v[0] instanceof Instant ? utc(v[0]) : (TemporalAccessor) v[0]);
                },
                kind,
                TEXT);
        add(
                all,
                name,
                kind,
                1,
                p -> {
                    Cells cells = new Cells(kind.cql, format(kind, (String) p));
                    return v -> cells.parse((String) v[0]);
                },
                TEXT,
                TEXT);
    }

    private static DateTimeFormatter formatter(Object pattern, TemporalAccessor example) {
        try {
            DateTimeFormatter form = DateTimeFormatter.ofPattern((String) pattern, Locale.ENGLISH);
            String unused = form.format(example);
            return form;
        } catch (IllegalArgumentException | DateTimeException e) {
            throw wrong(pattern, String.valueOf(e.getMessage()), e);
        }
    }

    /** Texts are read as by the patterns of a load: strictly, with years of two digits from 1970 on. */
    private static ValueFormat format(Kind kind, String pattern) {
        String mistake = ValueFormat.mistakeIn(pattern);
        if (mistake != null) {
            throw wrong(pattern, mistake, null);
        }
        ValueFormat.Builder format = ValueFormat.DEFAULT.toBuilder();
        try {
            return switch (kind) {
                case TIMESTAMP -> format.timestampPattern(pattern).build();
                case DATE -> format.datePattern(pattern).build();
                default -> format.timePattern(pattern).build();
            };
        } catch (IllegalOptionException e) {
            throw wrong(
                    pattern,
                    e.getCause() == null ? e.getMessage() : e.getCause().getMessage(),
                    e);
        }
    }

    private static IllegalArgumentException wrong(Object pattern, @Nullable String why, @Nullable Exception cause) {
        return new IllegalArgumentException("the pattern '" + pattern + "' is wrong: " + why, cause);
    }

    private static void part(List<Form> all, String name, ChronoField field, Kind of) {
        add(all, name, INTEGER, v -> (long) utc(v[0]).get(field), TIMESTAMP);
        add(all, name, INTEGER, v -> (long) ((TemporalAccessor) v[0]).get(field), of);
    }

    private static ZonedDateTime utc(Object instant) {
        return ((Instant) instant).atZone(ZoneOffset.UTC);
    }

    private static Instant midnight(LocalDate date) {
        return date.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private static ChronoUnit unit(Object word) {
        return switch ((String) word) {
            case "year" -> ChronoUnit.YEARS;
            case "month" -> ChronoUnit.MONTHS;
            case "week" -> ChronoUnit.WEEKS;
            case "day" -> ChronoUnit.DAYS;
            case "hour" -> ChronoUnit.HOURS;
            case "minute" -> ChronoUnit.MINUTES;
            case "second" -> ChronoUnit.SECONDS;
            default ->
                throw new IllegalArgumentException(
                        "the unit is '" + word + "', must be year, month, week, day, hour, minute or second");
        };
    }

    private static Instant start(LocalDate date, ChronoUnit unit, Instant instant) {
        return unit.isTimeBased() ? instant.truncatedTo(unit) : midnight(day(date, unit));
    }

    private static LocalDate day(LocalDate date, ChronoUnit unit) {
        return switch (unit) {
            case YEARS -> date.withDayOfYear(1);
            case MONTHS -> date.withDayOfMonth(1);
            case WEEKS -> date.minusDays(date.getDayOfWeek().getValue() - 1L);
            default -> date;
        };
    }
}
