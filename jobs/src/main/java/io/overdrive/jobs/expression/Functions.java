package io.overdrive.jobs.expression;

import static io.overdrive.jobs.expression.Kind.BOOLEAN;
import static io.overdrive.jobs.expression.Kind.DECIMAL;
import static io.overdrive.jobs.expression.Kind.DOUBLE;
import static io.overdrive.jobs.expression.Kind.INTEGER;
import static io.overdrive.jobs.expression.Kind.TEXT;
import static io.overdrive.jobs.expression.Kind.VARINT;

import io.overdrive.formats.text.BadValueException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The functions whose parameters have fixed types; {@link Compiler} has the others. None of them has a state, reads a clock or draws a number,
 * so that a file gives the same rows each time. Texts are counted in code points, from 1. Stateless.
 */
final class Functions {
    private static final int MAX_PADDED = 1_000_000;
    /** Characters of a text that grows by a function; nodes take at most as many bytes in a row by default. */
    private static final int MAX_LENGTH = 1 << 24;
    /** Digits of a number in full, above which it is refused: some exponents need gigabytes. */
    private static final int MAX_DIGITS = 10_000;

    private static final Pattern GROUP = Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*\\$(\\d)");

    private Functions() {}

    /** Computes the result of a function from values that are not null. */
    interface Body {
        /** @throws BadValueException without the name of the function, as {@code is bigint, but 5 is out of range} */
        @Nullable Object apply(Object[] values);
    }

    /** Makes a body for an argument that is in the text, such as a pattern. */
    interface Maker {
        /** @throws IllegalArgumentException if the argument is wrong */
        Body of(Object literal);
    }

    /**
     * One form of a function.
     *
     * @param literal number of the parameter that has to be in the text; -1 for none
     */
    record Form(String name, List<Kind> takes, Kind gives, int literal, Maker maker) {}

    private static final List<Form> FORMS = forms();

    private static final List<String> NAMES =
            FORMS.stream().map(Form::name).distinct().toList();

    static List<Form> named(String name) {
        return FORMS.stream().filter(form -> form.name.equals(name)).toList();
    }

    static List<String> names() {
        return NAMES;
    }

    private static List<Form> forms() {
        List<Form> all = new ArrayList<>();
        texts(all);
        patterns(all);
        numbers(all);
        TimeFunctions.addTo(all);
        return List.copyOf(all);
    }

    static void add(List<Form> all, String name, Kind gives, Body body, Kind... takes) {
        all.add(new Form(name, List.of(takes), gives, /* literal */ -1, literal -> body));
    }

    static void add(List<Form> all, String name, Kind gives, int literal, Maker maker, Kind... takes) {
        all.add(new Form(name, List.of(takes), gives, literal, maker));
    }

    private static void texts(List<Form> all) {
        text(all, "upper", s -> s.toUpperCase(Locale.ROOT));
        text(all, "lower", s -> s.toLowerCase(Locale.ROOT));
        text(all, "trim", String::strip);
        text(all, "ltrim", String::stripLeading);
        text(all, "rtrim", String::stripTrailing);
        add(all, "length", INTEGER, v -> (long) length((String) v[0]), TEXT);
        add(all, "substr", TEXT, v -> substr((String) v[0], (Long) v[1], Integer.MAX_VALUE), TEXT, INTEGER);
        add(all, "substr", TEXT, v -> substr((String) v[0], (Long) v[1], count(v[2])), TEXT, INTEGER, INTEGER);
        add(all, "left", TEXT, v -> substr((String) v[0], 1, count(v[1])), TEXT, INTEGER);
        add(
                all,
                "right",
                TEXT,
                v -> substr((String) v[0], Math.max(1, length((String) v[0]) - count(v[1]) + 1), Integer.MAX_VALUE),
                TEXT,
                INTEGER);
        add(all, "replace", TEXT, v -> replace((String) v[0], (String) v[1], (String) v[2]), TEXT, TEXT, TEXT);
        add(all, "lpad", TEXT, v -> padding((String) v[0], v[1], (String) v[2]) + v[0], TEXT, INTEGER, TEXT);
        add(all, "rpad", TEXT, v -> v[0] + padding((String) v[0], v[1], (String) v[2]), TEXT, INTEGER, TEXT);
        add(all, "split_part", TEXT, v -> part((String) v[0], (String) v[1], (Long) v[2]), TEXT, TEXT, INTEGER);
        add(all, "starts_with", BOOLEAN, v -> ((String) v[0]).startsWith((String) v[1]), TEXT, TEXT);
        add(all, "ends_with", BOOLEAN, v -> ((String) v[0]).endsWith((String) v[1]), TEXT, TEXT);
        add(all, "contains", BOOLEAN, v -> ((String) v[0]).contains((String) v[1]), TEXT, TEXT);
    }

    private static void text(List<Form> all, String name, UnaryOperator<String> body) {
        add(all, name, TEXT, v -> body.apply((String) v[0]), TEXT);
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static int count(Object value) {
        long count = (Long) value;
        if (count < 0) {
            throw new BadValueException("needs a count of at least 0, got " + count);
        }
        return (int) Math.min(count, Integer.MAX_VALUE);
    }

    private static String substr(String text, long start, int count) {
        if (start < 1) {
            throw new BadValueException("needs a start of at least 1, got " + start);
        }
        int length = length(text);
        if (start > length) {
            return "";
        }
        int from = text.offsetByCodePoints(0, (int) start - 1);
        int taken = (int) Math.min(count, length - start + 1);
        return text.substring(from, text.offsetByCodePoints(from, taken));
    }

    private static String replace(String text, String old, String by) {
        if (old.isEmpty()) {
            return text;
        }
        if (by.length() > old.length() && (long) text.length() / old.length() * by.length() > MAX_LENGTH) {
            long length = text.length();
            for (int at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length())) {
                length += by.length() - old.length();
            }
            requireLength(length);
        }
        return text.replace(old, by);
    }

    private static void requireLength(long length) {
        if (length > MAX_LENGTH) {
            throw new BadValueException("has at most " + MAX_LENGTH + " characters, got more");
        }
    }

    /** Texts in sequence. */
    static String joined(Object[] texts) {
        long length = 0;
        for (Object each : texts) {
            length += ((String) each).length();
        }
        requireLength(length);
        StringBuilder joined = new StringBuilder((int) length);
        for (Object each : texts) {
            joined.append((String) each);
        }
        return joined.toString();
    }

    private static String padding(String text, Object toLength, String fill) {
        int length = count(toLength);
        int missing = length - length(text);
        if (missing <= 0 || fill.isEmpty()) {
            return "";
        }
        if (length > MAX_PADDED) {
            throw new BadValueException("has at most " + MAX_PADDED + " characters, got " + length);
        }
        int[] points = fill.codePoints().toArray();
        StringBuilder padding = new StringBuilder();
        for (int i = 0; i < missing; i++) {
            padding.appendCodePoint(points[i % points.length]);
        }
        return padding.toString();
    }

    /** Null if there are fewer parts. */
    private static @Nullable String part(String text, String delimiter, long number) {
        if (number < 1 || delimiter.isEmpty()) {
            throw new BadValueException("needs a delimiter, and a number of at least 1, got " + number);
        }
        int start = 0;
        for (long n = 1; n < number; n++) {
            int end = text.indexOf(delimiter, start);
            if (end < 0) {
                return null;
            }
            start = end + delimiter.length();
        }
        int end = text.indexOf(delimiter, start);
        return text.substring(start, end < 0 ? text.length() : end);
    }

    private static void patterns(List<Form> all) {
        add(all, "regexp_like", BOOLEAN, 1, p -> finder(p, (m, v) -> m.find()), TEXT, TEXT);
        add(all, "regexp_extract", TEXT, 1, p -> finder(p, (m, v) -> m.find() ? m.group() : null), TEXT, TEXT);
        add(
                all,
                "regexp_extract",
                TEXT,
                1,
                p -> finder(p, (m, v) -> m.find() ? m.group(group(m, (Long) v[2])) : null),
                TEXT,
                TEXT,
                INTEGER);
        add(
                all,
                "regexp_replace",
                TEXT,
                1,
                p -> finder(p, (m, v) -> replaced(m, replacement(m, (String) v[2]))),
                TEXT,
                TEXT,
                TEXT);
        add(
                all,
                "json_text",
                TEXT,
                1,
                p -> {
                    JsonPath path = JsonPath.parse((String) p);
                    return v -> path.in((String) v[0]);
                },
                TEXT,
                TEXT);
    }

    private interface Search {
        @Nullable Object apply(Matcher matcher, Object[] values);
    }

    private static Body finder(Object literal, Search search) {
        Pattern pattern;
        try {
            pattern = Pattern.compile((String) literal);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "the regular expression '" + literal + "' is wrong: " + e.getDescription(), e);
        }
        return values -> {
            try {
                return search.apply(pattern.matcher(new SearchedText((String) values[0], (String) literal)), values);
            } catch (StackOverflowError e) {
                throw new BadValueException("cannot be found: the text has " + ((String) values[0]).length()
                        + " characters, too many for the regular expression '" + literal + "'");
            }
        };
    }

    /**
     * Checks the number of a group, or a text with groups, before there is a text to search.
     *
     * @throws BadValueException if the regular expression has no such group
     */
    static void checkGroups(String regex, @Nullable Object groups) {
        Matcher anything = Pattern.compile("|" + regex).matcher("");
        if (groups instanceof Long number) {
            group(anything, number);
        } else if (groups instanceof String replacement && anything.find()) {
            try {
                anything.appendReplacement(new StringBuilder(), replacement(anything, replacement));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new BadValueException("has \"$\" or \"\\\" in another place than before a group's number, or the"
                        + " character that it escapes: " + e.getMessage());
            }
        }
    }

    private static String replaced(Matcher matcher, String replacement) {
        StringBuilder to = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(to, replacement);
            requireLength(to.length());
        }
        return matcher.appendTail(to).toString();
    }

    private static int group(Matcher matcher, long group) {
        if (group < 0 || group > matcher.groupCount()) {
            throw new BadValueException("needs a group from 0 to " + matcher.groupCount() + ", got " + group);
        }
        return (int) group;
    }

    private static String replacement(Matcher matcher, String replacement) {
        Matcher groups = GROUP.matcher(replacement);
        while (groups.find()) {
            group(matcher, Long.parseLong(groups.group(1)));
        }
        return replacement;
    }

    private static void numbers(List<Form> all) {
        add(all, "abs", INTEGER, v -> absolute((Long) v[0]), INTEGER);
        add(all, "abs", VARINT, v -> ((BigInteger) v[0]).abs(), VARINT);
        add(all, "abs", DECIMAL, v -> ((BigDecimal) v[0]).abs(), DECIMAL);
        add(all, "abs", DOUBLE, v -> Math.abs((Double) v[0]), DOUBLE);
        rounding(all, "round", x -> x.setScale(0, RoundingMode.HALF_UP));
        rounding(all, "floor", x -> x.setScale(0, RoundingMode.FLOOR));
        rounding(all, "ceil", x -> x.negate().setScale(0, RoundingMode.FLOOR).negate());
        add(all, "round", DECIMAL, v -> scaled((BigDecimal) v[0], (Long) v[1]), DECIMAL, INTEGER);
        add(all, "round", DOUBLE, v -> scaled((Double) v[0], (Long) v[1]), DOUBLE, INTEGER);
    }

    private static long absolute(long value) {
        if (value == Long.MIN_VALUE) {
            throw new BadValueException("is bigint, but 9223372036854775808 is out of range");
        }
        return Math.abs(value);
    }

    private static void rounding(List<Form> all, String name, UnaryOperator<BigDecimal> rule) {
        add(all, name, INTEGER, v -> v[0], INTEGER);
        add(all, name, VARINT, v -> v[0], VARINT);
        add(all, name, DECIMAL, v -> rule.apply(bounded((BigDecimal) v[0])), DECIMAL);
        add(all, name, DOUBLE, v -> rounded((Double) v[0], rule), DOUBLE);
    }

    /** @throws BadValueException if the number would have too many digits in full */
    static BigDecimal bounded(BigDecimal value) {
        if ((long) value.precision() - value.scale() > MAX_DIGITS || value.scale() > MAX_DIGITS) {
            throw new BadValueException(
                    "needs more than " + MAX_DIGITS + " digits, for a value with the scale " + value.scale());
        }
        return value;
    }

    private static BigDecimal scaled(BigDecimal value, long scale) {
        return bounded(value).setScale(scale(scale), RoundingMode.HALF_UP);
    }

    private static double scaled(double value, long scale) {
        return rounded(value, x -> x.setScale(scale(scale), RoundingMode.HALF_UP));
    }

    private static int scale(long scale) {
        if (Math.abs(scale) > MAX_DIGITS) {
            throw new BadValueException("needs a scale of at most " + MAX_DIGITS + ", got " + scale);
        }
        return (int) scale;
    }

    private static double rounded(double value, UnaryOperator<BigDecimal> rule) {
        return Double.isFinite(value) ? rule.apply(BigDecimal.valueOf(value)).doubleValue() : value;
    }
}
