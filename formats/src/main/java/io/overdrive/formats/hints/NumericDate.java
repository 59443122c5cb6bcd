package io.overdrive.formats.hints;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Recognises dates and times in the digits of a refused value. Static and pure; off the hot path. */
public final class NumericDate {
    private static final String PATTERN = "yyyyMMddHHmmss";
    private static final Pattern SERIAL = Pattern.compile("[1-9]\\d{4}([.,]\\d+)?");
    /** Two numbers and a year, maybe with a time of day. */
    private static final Pattern PARTS = Pattern.compile(
            "(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})(?: (\\d{1,2}:\\d{2}(?::\\d{2})?)(?: ([AaPp][Mm]))?)?");

    private NumericDate() {}

    /** The end of a message about a value that is in none of CQL's forms. */
    public static MessageText hint(JobOption option, String example, String value) {
        String digits = value.strip();
        String pattern = isDigits(digits) ? pattern(digits) : "";
        if (!pattern.isEmpty()) {
            return words -> "; if it is a date, give " + words.of(option) + " " + pattern;
        }
        if (isSerial(digits)) {
            return words -> "; if it counts days as spreadsheets do, give " + words.of(option) + " excel";
        }
        Matcher parts = PARTS.matcher(digits);
        if (parts.matches()) {
            return order(option, parts, example);
        }
        MessageText error = SheetHint.error(value);
        if (!error.isEmpty()) {
            return error;
        }
        return value.chars().anyMatch(c -> c >= '0' && c <= '9')
                ? words -> "; give the pattern of such values with " + words.of(option) + ", for example \"" + example
                        + "\""
                : MessageText.EMPTY;
    }

    /** The hint for a day, a month and a year with other characters between them, by their order. */
    private static MessageText order(JobOption option, Matcher parts, String example) {
        String day = parts.group(1);
        String month = parts.group(3);
        String between = parts.group(2);
        String end = between + "y".repeat(parts.group(4).length()) + time(parts.group(5), parts.group(6));
        String dayFirst = "d".repeat(day.length()) + between + "M".repeat(month.length()) + end;
        String monthFirst = "M".repeat(day.length()) + between + "d".repeat(month.length()) + end;
        boolean mayBeDayFirst = Integer.parseInt(month) <= 12;
        boolean mayBeMonthFirst = Integer.parseInt(day) <= 12 && !between.equals(".");
        if (mayBeDayFirst && mayBeMonthFirst) {
            return words -> "; if the day comes first, give " + words.of(option) + " \"" + dayFirst
                    + "\", and if the month does, \"" + monthFirst + "\"";
        }
        String pattern = mayBeDayFirst ? dayFirst : mayBeMonthFirst ? monthFirst : example;
        return words ->
                "; give the pattern of such values with " + words.of(option) + ", for example \"" + pattern + "\"";
    }

    private static String time(@Nullable String time, @Nullable String half) {
        if (time == null) {
            return "";
        }
        String hour = (half == null ? "H" : "h").repeat(time.indexOf(':'));
        return " " + hour + ":mm" + (time.indexOf(':') == time.lastIndexOf(':') ? "" : ":ss")
                + (half == null ? "" : " a");
    }

    /** Whether digits are probably the number of a day from 1927 to 2173, as spreadsheets count them, maybe with a fraction. */
    public static boolean isSerial(String text) {
        return SERIAL.matcher(text).matches();
    }

    public static boolean isDigits(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /**
     * The pattern by which the digits are a date from 1900 to 2099, with or without a time of day: {@code yyyyMMdd},
     * {@code yyyyMMddHH}, {@code yyyyMMddHHmm} or {@code yyyyMMddHHmmss}; empty if there is none.
     */
    public static String pattern(String digits) {
        int length = digits.length();
        if (length < 8 || length > PATTERN.length() || length % 2 != 0) {
            return "";
        }
        int year = Integer.parseInt(digits, 0, 4, 10);
        try {
            LocalDate.of(year, two(digits, 4), two(digits, 6));
        } catch (DateTimeException e) {
            return "";
        }
        boolean good = year >= 1900
                && year <= 2099
                && (length < 10 || two(digits, 8) < 24)
                && (length < 12 || two(digits, 10) < 60)
                && (length < 14 || two(digits, 12) < 60);
        return good ? PATTERN.substring(0, length) : "";
    }

    private static int two(String digits, int at) {
        return Integer.parseInt(digits, at, at + 2, 10);
    }
}
