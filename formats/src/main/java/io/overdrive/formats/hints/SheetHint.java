package io.overdrive.formats.hints;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Recognises refused values that are in the form of a spreadsheet's cells. Static and pure; off the hot path. */
public final class SheetHint {
    /** Errors in several languages: {@code #N/A}, {@code #NV}, {@code #DIV/0!}, {@code #NOMBRE?}. */
    private static final Pattern ERROR = Pattern.compile("#\\p{Lu}[\\p{Lu}0-9]*(/[\\p{Lu}0-9]+)?[!?]?");

    private static final Pattern DIGIT = Pattern.compile("[0-9]");
    private static final Pattern CURRENCY = Pattern.compile("\\p{Sc}");
    /** Digits, as far as they fit a narrow cell. */
    private static final Pattern ROUNDED = Pattern.compile("[-+]?\\d([.,]\\d+)?E\\+\\d{2,}");

    /** Excel's words for true, by language, with those for false. */
    private static final Map<String, String> BOOLEANS = Map.of(
            "wahr", "FALSCH",
            "vrai", "FAUX",
            "verdadero", "FALSO",
            "verdadeiro", "FALSO",
            "vero", "FALSO",
            "waar", "ONWAAR",
            "sant", "FALSKT",
            "prawda", "FAŁSZ");

    private SheetHint() {}

    /** The hint for an error that stands in place of a value of any type. */
    public static MessageText error(String value) {
        String text = strip(value);
        return ERROR.matcher(text).matches()
                ? words ->
                        "; it is an error of a formula in a spreadsheet: mend the cell, or if it stands for a missing"
                                + " value, give " + words.of(JobOption.NULL_WORDS) + " \"" + text + "\""
                : MessageText.EMPTY;
    }

    /** The hint for a column of booleans. */
    public static MessageText bool(String value) {
        String word = strip(value);
        for (Map.Entry<String, String> pair : BOOLEANS.entrySet()) {
            boolean isTrue = word.equalsIgnoreCase(pair.getKey());
            // a word for false may be in several languages
            if (isTrue || (word.equalsIgnoreCase(pair.getValue()) && !word.equalsIgnoreCase("FALSO"))) {
                return words -> "; if it means true or false, give " + words.of(JobOption.TRUE_WORDS) + " "
                        + pair.getKey().toUpperCase(Locale.ROOT) + " and " + words.of(JobOption.FALSE_WORDS) + " "
                        + pair.getValue();
            }
        }
        MessageText error = error(value);
        return error.isEmpty()
                ? words -> "; if it means true or false, give " + words.of(JobOption.TRUE_WORDS) + " and "
                        + words.of(JobOption.FALSE_WORDS)
                : error;
    }

    /** The hint for a number with something around it, or an error in its place. */
    static MessageText number(String value) {
        String text = strip(value);
        if (text.isEmpty() && !value.isEmpty()) {
            return words -> "; if blank fields are missing values, give " + words.of(JobOption.TRIM);
        }
        if (!DIGIT.matcher(text).find()) {
            return error(value);
        }
        String part = part(text);
        if (!part.isEmpty()) {
            return words -> "; it has " + part + ": format the cells as plain numbers, or compute the column with "
                    + words.of(JobOption.SET);
        }
        return text.equals(value.strip())
                ? error(value)
                : words -> "; it has a no-break space at its end, or before it: give " + words.of(JobOption.TRIM);
    }

    private static String part(String text) {
        if (text.startsWith("'")) {
            return "an apostrophe, by which spreadsheets mark text";
        } else if (text.startsWith("(") && text.endsWith(")")) {
            return "brackets, which may mean that it is negative";
        } else if (text.indexOf('%') >= 0) {
            return "a percent sign";
        } else if (CURRENCY.matcher(text).find()) {
            return "a currency sign";
        } else if (text.indexOf('\u2212') >= 0) {
            return "a minus sign that is no hyphen";
        }
        return text.endsWith("-") ? "its sign at the end" : "";
    }

    /** Whether a spreadsheet has shown so few digits of a whole number that others are lost. */
    static boolean isRounded(String text) {
        return ROUNDED.matcher(text).matches();
    }

    static String strip(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isSpace(value.charAt(from))) {
            from++;
        }
        while (from < to && isSpace(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }
}
