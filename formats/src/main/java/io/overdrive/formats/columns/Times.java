package io.overdrive.formats.columns;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;

/** Readers of dates, times and durations, which refuse what a type would not keep. Stateless; on the hot path. */
final class Times {
    private static final long DAY_SECONDS = 86_400;
    private static final long DAY_NANOS = DAY_SECONDS * 1_000_000_000;
    private static final long DAY_MILLIS = DAY_SECONDS * 1_000;
    private static final long JULIAN_DAY_OF_1970 = 2_440_588;

    private Times() {}

    static @Nullable CellReader date(ColumnType from) {
        return switch (from.kind()) {
            case DATE_DAYS -> (column, row, out) -> putDate(column.integer(row), out);
            case DATE_MILLIS -> (column, row, out) -> putDate(days(column.integer(row), DAY_MILLIS), out);
            case TIMESTAMP ->
                (column, row, out) -> putDate(
                        days(column.integer(row), DAY_SECONDS * column.type().unit().perSecond), out);
            case JULIAN ->
                (column, row, out) -> {
                    days(column.longAt(row, 0), DAY_NANOS);
                    putDate(julianDay(column, row), out);
                };
            default -> null;
        };
    }

    /**
     * Refuses infinity, which no type but text has.
     *
     * @param name of the type
     * @param times reads the others
     */
    static CellReader finite(ColumnType from, CqlType to, String name, CellReader times) {
        if (!mayBeInfinite(from)) {
            return times;
        }
        boolean isText = to == CqlType.TEXT || to == CqlType.ASCII;
        return (column, row, out) -> {
            String infinity = infinity(column, row);
            if (infinity == null) {
                times.read(column, row, out);
            } else if (isText) {
                out.put(TextForms.utf8(infinity));
            } else {
                throw new BadValueException("is " + name + ", got " + infinity);
            }
        };
    }

    private static boolean mayBeInfinite(ColumnType type) {
        return (type.kind() == ColumnType.Kind.DATE_DAYS || type.kind() == ColumnType.Kind.TIMESTAMP)
                && type.metadata().containsKey(ColumnType.INFINITE);
    }

    /** Infinity as text; null if the time, whose column may have it, is another one. */
    private static @Nullable String infinity(Column column, int row) {
        long max = column.type().width() == Integer.SIZE ? Integer.MAX_VALUE : Long.MAX_VALUE;
        long value = column.integer(row);
        return value == max ? "infinity" : value == -max ? "-infinity" : null;
    }

    private static long julianDay(Column column, int row) {
        return column.intAt(row, Long.BYTES) - JULIAN_DAY_OF_1970;
    }

    private static long days(long value, long ofDay) {
        if (Math.floorMod(value, ofDay) != 0) {
            throw new BadValueException("is date, got a time that is not the start of a day in UTC");
        }
        return Math.floorDiv(value, ofDay);
    }

    private static void putDate(long days, Bytes out) {
        if (days != (int) days) {
            throw new BadValueException("is date, but " + days + " days from 1970-01-01 are out of range");
        }
        out.putInt((int) days ^ Integer.MIN_VALUE); // 1970-01-01 is the middle of the range
    }

    static @Nullable CellReader time(ColumnType from) {
        if (from.kind() != ColumnType.Kind.TIME) {
            return null;
        }
        long nanosEach = 1_000_000_000 / from.unit().perSecond;
        return (column, row, out) -> {
            long value = column.integer(row);
            if (value < 0 || value >= DAY_NANOS / nanosEach) {
                throw new BadValueException("is time, but " + value + " is out of range (one day)");
            }
            out.putLong(value * nanosEach);
        };
    }

    static @Nullable CellReader timestamp(ColumnType from, ValueFormat values) {
        ZoneId zone = values.zone();
        boolean isUtc = from.hasZone() || zone.normalized().equals(ZoneOffset.UTC);
        return switch (from.kind()) {
            case TIMESTAMP ->
                (column, row, out) -> {
                    long millis = millis(column.integer(row), column.type());
                    out.putLong(isUtc ? millis : inZone(millis, zone));
                };
            case JULIAN ->
                (column, row, out) -> {
                    long nanos = column.longAt(row, 0);
                    if (Math.floorMod(nanos, 1_000_000L) != 0) {
                        throw tooFine(julian(column, row).toString());
                    }
                    out.putLong(julianDay(column, row) * DAY_MILLIS + Math.floorDiv(nanos, 1_000_000L));
                };
            case DATE_DAYS ->
                (column, row, out) -> {
                    long millis = column.integer(row) * DAY_MILLIS;
                    out.putLong(isUtc ? millis : inZone(millis, zone));
                };
            default -> null;
        };
    }

    /**
     * A reader of timestamps as text, with all their digits.
     *
     * @param coarse reads the ones that have no more than milliseconds
     */
    static CellReader text(ColumnType from, ValueFormat values, CellReader coarse) {
        if (from.kind() == ColumnType.Kind.JULIAN) {
            return (column, row, out) -> {
                if (Math.floorMod(column.longAt(row, 0), 1_000_000L) == 0) {
                    coarse.read(column, row, out);
                } else {
                    out.put(TextForms.utf8(julian(column, row).toString()));
                }
            };
        }
        long perMilli = from.unit().perSecond / 1_000;
        if (perMilli <= 1) {
            return coarse;
        }
        ZoneId zone = from.hasZone() ? ZoneOffset.UTC : values.zone();
        return (column, row, out) -> {
            long value = column.integer(row);
            long beyond = Math.floorMod(value, perMilli);
            if (beyond == 0) {
                coarse.read(column, row, out);
                return;
            }
            Instant start = Instant.ofEpochMilli(inZone(Math.floorDiv(value, perMilli), zone));
            out.put(TextForms.utf8(
                    start.plusNanos(beyond * (1_000_000 / perMilli)).toString()));
        };
    }

    private static long millis(long value, ColumnType type) {
        long perSecond = type.unit().perSecond;
        if (perSecond == 1) {
            long millis = value * 1_000;
            if (millis / 1_000 != value) {
                throw new BadValueException("is timestamp, but " + value + " seconds from 1970 are out of range");
            }
            return millis;
        }
        long perMilli = perSecond / 1_000;
        if (Math.floorMod(value, perMilli) != 0) {
            throw tooFine(instant(value, type));
        }
        return Math.floorDiv(value, perMilli);
    }

    private static BadValueException tooFine(String instant) {
        return new BadValueException(
                "is timestamp, which has milliseconds, and " + instant + " is finer; text keeps it");
    }

    static Instant julian(Column column, int row) {
        return Instant.ofEpochSecond(julianDay(column, row) * DAY_SECONDS).plusNanos(column.longAt(row, 0));
    }

    /** Microseconds from 1970 of a time by its Julian day, as write times are. */
    static long julianMicros(Column column, int row) {
        long nanos = column.longAt(row, 0);
        if (Math.floorMod(nanos, 1_000L) != 0) {
            throw new BadValueException(
                    "is a write time, which has microseconds, and " + julian(column, row) + " is finer");
        }
        return julianDay(column, row) * DAY_SECONDS * 1_000_000 + Math.floorDiv(nanos, 1_000L);
    }

    /** The time as text, with all its digits. */
    static String text(Column column, int row) {
        String infinity = mayBeInfinite(column.type()) ? infinity(column, row) : null;
        return infinity == null ? instant(column.integer(row), column.type()) : infinity;
    }

    private static String instant(long value, ColumnType type) {
        long perSecond = type.unit().perSecond;
        try {
            return Instant.ofEpochSecond(
                            Math.floorDiv(value, perSecond),
                            Math.floorMod(value, perSecond) * (1_000_000_000 / perSecond))
                    .toString();
        } catch (DateTimeException e) {
            return String.valueOf(value);
        }
    }

    /** A local time as a point in time: the earlier one of two; refuses a time that the zone leaves out. */
    private static long inZone(long localMillis, ZoneId zone) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(
                Math.floorDiv(localMillis, 1_000L),
                (int) Math.floorMod(localMillis, 1_000L) * 1_000_000,
                ZoneOffset.UTC);
        ZonedDateTime point = local.atZone(zone);
        if (!point.toLocalDateTime().equals(local)) {
            throw new BadValueException("is timestamp, but " + local + " does not exist in " + zone
                    + ", whose clocks are set forward then");
        }
        return point.toInstant().toEpochMilli();
    }

    /** Microseconds from 1970 of a timestamp, as write times are. */
    static long micros(Column column, int row) {
        long value = column.integer(row);
        long perSecond = column.type().unit().perSecond;
        if (perSecond <= 1_000_000) {
            long each = 1_000_000 / perSecond;
            long micros = value * each;
            if (micros / each != value) {
                throw new BadValueException("is a write time, but " + value + " is out of range");
            }
            return micros;
        }
        if (Math.floorMod(value, 1_000L) != 0) {
            throw new BadValueException(
                    "is a write time, which has microseconds, and " + instant(value, column.type()) + " is finer");
        }
        return Math.floorDiv(value, 1_000L);
    }

    static @Nullable CellReader duration(ColumnType from) {
        return switch (from.kind()) {
            case MONTHS -> (column, row, out) -> put(column.intAt(row, 0), 0, 0, out);
            case DAYS_MILLIS ->
                (column, row, out) -> put(0, column.intAt(row, 0), column.intAt(row, 4) * 1_000_000L, out);
            case MONTHS_DAYS_NANOS ->
                (column, row, out) -> put(column.intAt(row, 0), column.intAt(row, 4), column.longAt(row, 8), out);
            case ELAPSED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    long each = 1_000_000_000 / column.type().unit().perSecond;
                    long nanos = value * each;
                    if (nanos / each != value) {
                        throw new BadValueException("is duration, but " + value + " is out of range");
                    }
                    put(0, 0, nanos, out);
                };
            default -> null;
        };
    }

    private static void put(long months, long days, long nanos, Bytes out) {
        boolean isNegative = months < 0 || days < 0 || nanos < 0;
        if (isNegative && (months > 0 || days > 0 || nanos > 0)) {
            throw new BadValueException("is duration, but " + months + " months, " + days + " days and " + nanos
                    + " nanoseconds have different signs");
        }
        out.putVint(months);
        out.putVint(days);
        out.putVint(nanos);
    }
}
