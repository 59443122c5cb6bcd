package io.overdrive.formats.hints;

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
    public static String whole(String value) {
        if (value.length() > MAX_LENGTH) {
            return "";
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        if (grouped.matches() && String.valueOf(grouped.group(3)).isEmpty()) {
            return grouping(String.valueOf(grouped.group(1)));
        }
        return FRACTION.matcher(text).matches()
                ? "; a number with a point or an exponent needs a column of type double or decimal"
                : "";
    }

    /** The hint for a column of numbers that may have a fraction. */
    public static String fraction(String value) {
        if (value.length() > MAX_LENGTH) {
            return "";
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        boolean isGrouped = grouped.matches();
        String decimal = text.matches("[-+]?[\\d.]+,\\d+")
                ? "; if the comma is a decimal point, give --decimal-separator ,"
                : "";
        if (!isGrouped) {
            return decimal;
        }
        String separator = String.valueOf(grouped.group(1));
        if (decimal.isEmpty()) {
            return grouping(separator);
        }
        return separator.equals(".")
                ? decimal + " --grouping-separator ."
                : decimal + ", and if it separates thousands, --grouping-separator ,";
    }

    private static String grouping(String separator) {
        String quoted = separator.isBlank() || separator.equals("'") ? '"' + separator + '"' : separator;
        return "; if \"" + separator + "\" separates thousands, give --grouping-separator " + quoted;
    }
}
