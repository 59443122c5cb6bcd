package io.overdrive.jobs.expression;

import java.util.Locale;

/**
 * The name of a column or a field in an expression. Immutable.
 *
 * @param text without quotes, and in lower case if it had none
 * @param isExact whether it was in quotes
 * @param isRaw whether the text of the field is meant, not its value: {@code raw(name)}
 */
public record Name(String text, boolean isExact, boolean isRaw) {
    static Name of(String word, boolean isExact, boolean isRaw) {
        return new Name(isExact ? word : word.toLowerCase(Locale.ROOT), isExact, isRaw);
    }

    /** Whether a field of this name may be meant. */
    public boolean matches(String field) {
        return field.equals(text) || (!isExact && field.strip().equalsIgnoreCase(text));
    }

    /** The name in messages. */
    @Override
    public String toString() {
        return "\"" + text + '"';
    }
}
