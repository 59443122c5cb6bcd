package io.overdrive.jobs.expression;

import io.overdrive.formats.text.BadValueException;

/**
 * A text that a regular expression is searched in, and that ends the search after a number of steps: some expressions, such as
 * {@code (a|aa)+b}, need exponentially many, and Java's search has no limit. Confined to one thread.
 */
final class SearchedText implements CharSequence {
    private static final long MIN_STEPS = 10_000_000;
    private static final long STEPS_FOR_A_CHARACTER = 100;

    private final String text;
    private final String pattern;
    private long stepsLeft;

    SearchedText(String text, String pattern) {
        this.text = text;
        this.pattern = pattern;
        stepsLeft = Math.max(MIN_STEPS, STEPS_FOR_A_CHARACTER * text.length());
    }

    @Override
    public char charAt(int index) {
        if (--stepsLeft < 0) {
            throw new BadValueException("takes too long: the regular expression '" + pattern
                    + "' looks at the characters of this text, " + text.length() + ", again and again");
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
