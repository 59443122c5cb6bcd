package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;

/**
 * Durations: {@code 1y2mo3w4d5h6m7s8ms9us10ns}, ISO 8601 ({@code P1Y2M3DT4H5M6S}, {@code P2W}) and its alternative form
 * ({@code P0001-02-03T04:05:06}), each after an optional minus that negates everything; {@code 0}; and as Java prints them,
 * with a fraction of a second and a minus before each part ({@code PT-1H-0.5S}). Written in the first form without
 * weeks, and {@code 0s} for none. The bytes are months, days and nanoseconds as signed vints. Confined to one thread.
 */
final class DurationText extends ValueText {
    private static final byte[] NONE = TextForms.utf8("0s");
    private static final String[] NANO_UNITS = {"h", "m", "s", "ms", "us", "ns"};
    private static final long[] NANOS = {3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1};

    private static final long NANOS_PER_MINUTE = 60 * IsoReader.NANOS_PER_SECOND;

    private long months;
    private long days;
    private long nanos;
    /** 1 or -1; parts are added with their sign, since the smallest long has no positive counterpart. */
    private int sign;
    /** The current position. */
    private int at;

    DurationText() {
        super("duration");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        at = skipSpaces(chars, from, to);
        int end = trimEnd(chars, at, to);
        months = 0;
        days = 0;
        nanos = 0;
        sign = 1;
        if (at < end && chars[at] == '-') {
            sign = -1;
            at++;
        }
        boolean good;
        try {
            if (at < end && chars[at] == 'P') {
                at++;
                good = isAlternative(chars, end) ? alternative(chars, end) : iso(chars, end);
            } else {
                good = isZero(chars, end) || units(chars, end);
            }
        } catch (ArithmeticException e) {
            throw tooLong(chars, from, to);
        }
        if (!good) {
            throw got(chars, from, to);
        }
        if (months != (int) months || days != (int) days) {
            throw tooLong(chars, from, to);
        }
        out.putVint(months);
        out.putVint(days);
        out.putVint(nanos);
    }

    @Override
    public MessageText hint(String value) {
        return words -> "; durations are written like 1y2mo3d4h5m6s or P1Y2M3DT4H5M6S";
    }

    private BadValueException tooLong(char[] chars, int from, int to) {
        return BadValueException.but(
                type, chars, from, to, "is too long: months and days are 32-bit numbers, nanoseconds a 64-bit number");
    }

    private boolean isZero(char[] chars, int end) {
        return end - at == 1 && chars[at] == '0';
    }

    /** Units must come in descending order, each at most once. */
    private boolean units(char[] chars, int end) {
        int last = 0;
        if (at == end) {
            return false;
        }
        while (at < end) {
            int first = at;
            long count = number(chars, end);
            if (at == first || at == end) {
                return false;
            }
            char next = at + 1 < end ? lower(chars[at + 1]) : 0;
            int unit;
            switch (lower(chars[at++])) {
                case 'y' -> unit = addMonths(1, count, 12);
                case 'w' -> unit = addDays(3, count, 7);
                case 'd' -> unit = addDays(4, count, 1);
                case 'h' -> unit = addNanos(5, count, 60 * NANOS_PER_MINUTE);
                case 's' -> unit = addNanos(7, count, IsoReader.NANOS_PER_SECOND);
                case 'm' -> {
                    if (next == 'o') {
                        at++;
                        unit = addMonths(2, count, 1);
                    } else if (next == 's') {
                        at++;
                        unit = addNanos(8, count, 1_000_000);
                    } else {
                        unit = addNanos(6, count, NANOS_PER_MINUTE);
                    }
                }
                case 'u', '\u00b5', '\u03bc' -> {
                    if (next != 's') {
                        return false;
                    }
                    at++;
                    unit = addNanos(9, count, 1_000);
                }
                case 'n' -> {
                    if (next != 's') {
                        return false;
                    }
                    at++;
                    unit = addNanos(10, count, 1);
                }
                default -> {
                    return false;
                }
            }
            if (unit <= last) {
                return false;
            }
            last = unit;
        }
        return true;
    }

    private boolean iso(char[] chars, int end) {
        boolean time = false;
        int last = 0;
        boolean any = false;
        while (at < end) {
            if (chars[at] == 'T' && !time) {
                time = true;
                at++;
                any = false;
                continue;
            }
            int signOfAll = sign;
            if (chars[at] == '-') {
                sign = -sign;
                at++;
            }
            int first = at;
            long count = number(chars, end);
            if (at == first || at == end || !fraction(chars, end)) {
                return false;
            }
            sign = signOfAll;
            int unit;
            switch (chars[at++]) {
                case 'Y' -> unit = time ? 0 : addMonths(1, count, 12);
                case 'M' -> unit = time ? addNanos(6, count, NANOS_PER_MINUTE) : addMonths(2, count, 1);
                // weeks cannot be combined with other units
                case 'W' -> unit = time || last > 0 || at < end ? 0 : addDays(3, count, 7);
                case 'D' -> unit = time ? 0 : addDays(4, count, 1);
                case 'H' -> unit = time ? addNanos(5, count, 60 * NANOS_PER_MINUTE) : 0;
                case 'S' -> unit = time ? addNanos(7, count, IsoReader.NANOS_PER_SECOND) : 0;
                default -> unit = 0;
            }
            if (unit <= last) {
                return false;
            }
            last = unit;
            any = true;
        }
        return any && !hasMixedSigns();
    }

    private boolean hasMixedSigns() {
        return (months < 0 || days < 0 || nanos < 0) && (months > 0 || days > 0 || nanos > 0);
    }

    /** Adds the fraction of a second at the current position, if any, of up to nine digits; false if it is malformed. */
    private boolean fraction(char[] chars, int end) {
        if (chars[at] != '.') {
            return true;
        }
        int first = ++at;
        long fraction = number(chars, end);
        int digits = at - first;
        if (digits < 1 || digits > 9 || at == end || chars[at] != 'S') {
            return false;
        }
        for (int i = digits; i < 9; i++) {
            fraction *= 10;
        }
        nanos = Math.addExact(nanos, fraction);
        return true;
    }

    private boolean isAlternative(char[] chars, int end) {
        return end - at == 19 && chars[at + 4] == '-';
    }

    /** {@code yyyy-mm-ddThh:mm:ss}. */
    private boolean alternative(char[] chars, int end) {
        String separators = "--T::";
        for (int part = 0; part < 6; part++) {
            int first = at;
            long count = number(chars, end);
            if (at - first != (part == 0 ? 4 : 2)) {
                return false;
            }
            switch (part) {
                case 0 -> addMonths(1, count, 12);
                case 1 -> addMonths(2, count, 1);
                case 2 -> addDays(4, count, 1);
                case 3 -> addNanos(5, count, 60 * NANOS_PER_MINUTE);
                case 4 -> addNanos(6, count, NANOS_PER_MINUTE);
                default -> addNanos(7, count, IsoReader.NANOS_PER_SECOND);
            }
            if (part < 5 && chars[at++] != separators.charAt(part)) {
                return false;
            }
        }
        return at == end;
    }

    /** Reads a number at the current position, with the duration's sign. */
    private long number(char[] chars, int end) {
        long value = 0;
        for (; at < end && chars[at] >= '0' && chars[at] <= '9'; at++) {
            value = Math.addExact(Math.multiplyExact(value, 10), (long) sign * (chars[at] - '0'));
        }
        return value;
    }

    private int addMonths(int unit, long count, long months) {
        this.months = Math.addExact(this.months, Math.multiplyExact(count, months));
        return unit;
    }

    private int addDays(int unit, long count, long days) {
        this.days = Math.addExact(this.days, Math.multiplyExact(count, days));
        return unit;
    }

    private int addNanos(int unit, long count, long nanos) {
        this.nanos = Math.addExact(this.nanos, Math.multiplyExact(count, nanos));
        return unit;
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int daysAt = next(from, offset, end);
        int nanosAt = next(from, daysAt, end);
        if (next(from, nanosAt, end) != end) {
            throw badLength(length);
        }
        long months = Bytes.getVint(from, offset);
        long days = Bytes.getVint(from, daysAt);
        long nanos = Bytes.getVint(from, nanosAt);
        if ((months | days | nanos) == 0) {
            out.put(NONE);
            return;
        }
        boolean negative = months < 0 || days < 0 || nanos < 0;
        if (negative && (months > 0 || days > 0 || nanos > 0)) {
            throw new BadValueException("is duration, but " + months + " months, " + days + " days and " + nanos
                    + " nanoseconds have different signs");
        }
        if (negative) {
            out.putByte('-');
        }
        put(months / 12, "y", out);
        put(months % 12, "mo", out);
        put(days, "d", out);
        for (int i = 0; i < NANOS.length; i++) {
            put(nanos / NANOS[i], NANO_UNITS[i], out);
            nanos %= NANOS[i];
        }
    }

    /** A part without its sign, which is written once for the duration. */
    private static void put(long count, String unit, Bytes out) {
        if (count != 0) {
            Digits.put(Math.abs(count), out);
            TextForms.putAscii(unit, out);
        }
    }

    /** The end of the vint at {@code at}. */
    private int next(byte[] from, int at, int end) {
        int next = at < end ? at + Bytes.vintBytes(from[at]) : Integer.MAX_VALUE;
        if (next > end) {
            throw new BadValueException("is duration, but its bytes end inside a part");
        }
        return next;
    }
}
