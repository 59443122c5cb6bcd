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
        if (SheetHint.isRounded(text)) {
            return words ->
                    "; a spreadsheet has rounded it: format the cells as numbers without decimals, and export them"
                            + " again";
        }
        return FRACTION.matcher(text).matches()
                ? words -> "; a number with a point or an exponent needs a column of type double or decimal"
                : SheetHint.number(value);
    }

    /** The hint for a column of numbers that may have a fraction. */
    public static MessageText fraction(String value) {
        if (value.length() > MAX_LENGTH) {
            return MessageText.EMPTY;
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        boolean isGrouped = grouped.matches();
        MessageText decimal = text.matches("[-+]?[\\d.]+,\\d+([eE][-+]?\\d+)?")
                ? words -> "; if the comma is a decimal point, give " + words.of(JobOption.DECIMAL_SEPARATOR) + " ,"
                : MessageText.EMPTY;
        if (!isGrouped) {
            return decimal.isEmpty() ? SheetHint.number(value) : decimal;
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

    /**
     * The hint for a number whose separators are known.
     *
     * @param grouping between thousands; NUL for none
     */
    public static MessageText separated(String value, char decimal, char grouping) {
        if (value.length() > MAX_LENGTH) {
            return MessageText.EMPTY;
        }
        String text = value.strip();
        Matcher grouped = GROUPED.matcher(text);
        String separator = grouped.matches() ? String.valueOf(grouped.group(1)) : "";
        if (!separator.isEmpty() && separator.charAt(0) != decimal && separator.charAt(0) != grouping) {
            return grouping(separator);
        }
        if (decimal != '.' && grouping != '.' && FRACTION.matcher(text).matches() && text.indexOf('.') >= 0) {
            return words -> "; it has a point, and " + words.of(JobOption.DECIMAL_SEPARATOR) + " is " + decimal;
        }
        return SheetHint.number(value);
    }

    /** A space stands for no-break spaces, and an apostrophe for a typographic one. */
    private static MessageText grouping(String given) {
        String separator = SheetHint.isSpace(given.charAt(0)) ? " " : given.equals("\u2019") ? "'" : given;
        String quoted = separator.isBlank() || separator.equals("'") ? '"' + separator + '"' : separator;
        return words -> "; if \"" + separator + "\" separates thousands, give " + words.of(JobOption.GROUPING_SEPARATOR)
                + " " + quoted;
    }
}
