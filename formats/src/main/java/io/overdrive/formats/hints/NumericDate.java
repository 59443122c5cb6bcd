package io.overdrive.formats.hints;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.time.DateTimeException;
import java.time.LocalDate;

/** Recognises dates and times in the digits of a refused value. Static and pure; off the hot path. */
public final class NumericDate {
    private static final String PATTERN = "yyyyMMddHHmmss";

    private NumericDate() {}

    /** The end of a message about a value that is in none of CQL's forms. */
    public static MessageText hint(JobOption option, String example, String value) {
        String digits = value.strip();
        String pattern = isDigits(digits) ? pattern(digits) : "";
        if (!pattern.isEmpty()) {
            return words -> "; if it is a date, give " + words.of(option) + " " + pattern;
        }
        return value.chars().anyMatch(c -> c >= '0' && c <= '9')
                ? words -> "; give the pattern of such values with " + words.of(option) + ", for example \"" + example
                        + "\""
                : MessageText.EMPTY;
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
