package io.overdrive.formats.text;

/**
 * A cursor over the ISO 8601 forms of dates, times and offsets that CQL accepts. Each method reads one of them,
 * advances, and returns whether it was there. Confined to one thread; on the hot path.
 */
public final class IsoReader {
    public static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** Powers of ten for fractions of a second with fewer than nine digits. */
    private static final int[] SCALE = {
        1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
    };

    private char[] chars = {};
    private int at;
    private int end;

    /** Days since 1970-01-01, from {@link #date}. */
    long epochDay;
    /** Seconds since midnight, from {@link #time}. */
    int secondOfDay;
    /** Fraction of the second, from {@link #time}. */
    int nano;
    /** Seconds east of UTC, from {@link #offset}. */
    int offsetSeconds;
    /** Whether the date and the time have the signs and digits with which they are written. */
    boolean isWhole;

    /** Starts over with a text, without the spaces around it. */
    void open(char[] text, int from, int to) {
        chars = text;
        at = ValueText.skipSpaces(text, from, to);
        end = ValueText.trimEnd(text, at, to);
        isWhole = true;
    }

    int at() {
        return at;
    }

    int end() {
        return end;
    }

    boolean atEnd() {
        return at == end;
    }

    /** The next character, or 0 at the end. */
    char peek() {
        return at < end ? chars[at] : 0;
    }

    boolean skip(char c) {
        if (at < end && chars[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    /** Whether the rest is digits with an optional sign; does not advance. */
    boolean isNumber() {
        char[] text = chars;
        int i = at;
        if (i < end && (text[i] == '-' || text[i] == '+')) {
            i++;
        }
        if (i == end) {
            return false;
        }
        for (; i < end; i++) {
            if (text[i] < '0' || text[i] > '9') {
                return false;
            }
        }
        return true;
    }

    /** {@code [sign] year - month - day}: a year of four to nine digits, the others of one or two. */
    boolean date() {
        char sign = peek();
        boolean negative = sign == '-';
        if (negative || sign == '+') {
            at++;
        }
        int first = at;
        int year = digits(9);
        int yearDigits = at - first;
        if (yearDigits < 4 || !skip('-')) {
            return false;
        }
        boolean isLong = yearDigits > 4;
        isWhole &= (isLong ? chars[first] != '0' : !(negative && year == 0)) && (negative || (sign == '+') == isLong);
        int month = twoDigits();
        if (month < 1 || month > 12 || !skip('-')) {
            return false;
        }
        int day = twoDigits();
        if (negative) {
            year = -year;
        }
        if (day < 1 || day > lengthOfMonth(year, month)) {
            return false;
        }
        epochDay = epochDay(year, month, day);
        return true;
    }

    /** {@code hour : minute [: second [. fraction]]}. */
    boolean time() {
        int hour = twoDigits();
        if (hour < 0 || hour > 23 || !skip(':')) {
            return false;
        }
        int minute = twoDigits();
        if (minute < 0 || minute > 59) {
            return false;
        }
        int second = 0;
        nano = 0;
        if (skip(':')) {
            second = twoDigits();
            if (second < 0 || second > 59) {
                return false;
            }
            if (skip('.')) {
                int first = at;
                int fraction = digits(9);
                if (fraction < 0) {
                    return false;
                }
                nano = fraction * SCALE[at - first];
            }
        }
        secondOfDay = (hour * 60 + minute) * 60 + second;
        return true;
    }

    /** {@code Z}, {@code +01}, {@code +0100} or {@code +01:00}. */
    boolean offset() {
        char c = peek();
        if (c == 'Z' || c == 'z') {
            at++;
            offsetSeconds = 0;
            return true;
        }
        if (c != '+' && c != '-') {
            return false;
        }
        at++;
        int first = at;
        int hours = digits(2);
        if (at - first != 2) {
            return false;
        }
        int minutes = 0;
        if (skip(':') || !atEnd()) {
            first = at;
            minutes = digits(2);
            if (at - first != 2) {
                return false;
            }
        }
        if (hours > 18 || minutes > 59) {
            return false;
        }
        int seconds = (hours * 60 + minutes) * 60;
        offsetSeconds = c == '-' ? -seconds : seconds;
        return true;
    }

    /** A number of one or two digits, or -1. */
    private int twoDigits() {
        int first = at;
        int value = digits(2);
        isWhole &= at - first == 2;
        return value;
    }

    /** A number of 1 to {@code max} digits, or -1. */
    private int digits(int most) {
        char[] text = chars;
        int stop = Math.min(end, at + most);
        int i = at;
        int value = 0;
        while (i < stop) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                break;
            }
            value = value * 10 + digit;
            i++;
        }
        boolean none = i == at;
        at = i;
        return none ? -1 : value;
    }

    private static int lengthOfMonth(int year, int month) {
        return switch (month) {
            case 2 -> isLeap(year) ? 29 : 28;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }

    private static boolean isLeap(int year) {
        return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    /**
     * Counts in years that start in March, so that the leap day is the last day of a year: five months from March on
     * have 153 days, and 400 years have 146,097 days.
     */
    private static long epochDay(int year, int month, int day) {
        long y = month > 2 ? year : year - 1L;
        int monthFromMarch = month > 2 ? month - 3 : month + 9;
        long era = Math.floorDiv(y, 400L);
        long yearOfEra = y - era * 400;
        long dayOfYear = (153L * monthFromMarch + 2) / 5 + day - 1;
        long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097 + dayOfEra - 719_468;
    }
}
