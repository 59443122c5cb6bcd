package io.overdrive.formats.hints;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Suggests options by which a refused number would be accepted. Static and pure; off the hot path. */
public final class NumberHint {
    private static final Pattern GROUPED = Pattern.compile("[-+]?\\d{1,3}([^\\d\\w+-])\\d{3}(\\1\\d{3})*(.*)");
    private static final Pattern FRACTION = Pattern.compile("[-+]?\\d*\\.\\d*([eE][-+]?\\d+)?|[-+]?\\d+[eE][-+]?\\d+");

    /** Longer than any number that somebody would have written with separators. */
    private static final int MAX_LENGTH = 1000;

    private NumberHint() {}

    /** The hint for a column of integers. */
    public static MessageText whole(String value) {
        if (value.length() > MAX_LENGTH) {
            return MessageText.EMPTY;
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        if (grouped.matches() && String.valueOf(grouped.group(3)).isEmpty()) {
            return grouping(String.valueOf(grouped.group(1)));
        }
        return FRACTION.matcher(text).matches()
                ? words -> "; a number with a point or an exponent needs a column of type double or decimal"
                : MessageText.EMPTY;
    }

    /** The hint for a column of numbers that may have a fraction. */
    public static MessageText fraction(String value) {
        if (value.length() > MAX_LENGTH) {
            return MessageText.EMPTY;
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        boolean isGrouped = grouped.matches();
        MessageText decimal = text.matches("[-+]?[\\d.]+,\\d+")
                ? words -> "; if the comma is a decimal point, give " + words.of(JobOption.DECIMAL_SEPARATOR) + " ,"
                : MessageText.EMPTY;
        if (!isGrouped) {
            return decimal;
        }
        String separator = String.valueOf(grouped.group(1));
        if (decimal.isEmpty()) {
            return grouping(separator);
        }
        return separator.equals(".")
                ? words -> decimal.in(words) + " " + words.of(JobOption.GROUPING_SEPARATOR) + " ."
                : words -> decimal.in(words) + ", and if it separates thousands, "
                        + words.of(JobOption.GROUPING_SEPARATOR) + " ,";
    }

    private static MessageText grouping(String separator) {
        String quoted = separator.isBlank() || separator.equals("'") ? '"' + separator + '"' : separator;
        return words -> "; if \"" + separator + "\" separates thousands, give " + words.of(JobOption.GROUPING_SEPARATOR)
                + " " + quoted;
    }
}
