package io.overdrive.formats.records;

import java.util.ArrayList;
import java.util.List;

/**
 * The texts of a CSV field that mean a missing value. Immutable; on the hot path.
 *
 * <p>An empty field without quotes is not a value, unless the user says that it is empty text. Columns that are not text also take the usual words for "missing",
 * which cannot be values there; a text column takes only the words that the user gives, and not in quotes.
 */
public final class NullWords {
    /** Missing values in columns that are not text, in quotes or not. */
    static final List<String> USUAL = List.of("NA", "N/A", "NULL", "null", "\\N");

    private final char[][] words;
    private final boolean text;
    /** Whether an empty field without quotes is a missing value. */
    private final boolean empty;

    private NullWords(List<String> words, boolean text, boolean empty) {
        this.words = words.stream().map(String::toCharArray).toArray(char[][]::new);
        this.text = text;
        this.empty = empty;
    }

    public static NullWords forText(List<String> given) {
        return new NullWords(given, /* text */ true, /* empty */ true);
    }

    /** As {@link #forText}, but an empty field is always empty text. */
    public static NullWords forTextThatMayBeEmpty(List<String> given) {
        return new NullWords(given, /* text */ true, /* empty */ false);
    }

    public static NullWords forOthers(List<String> given) {
        List<String> words = new ArrayList<>(USUAL);
        words.addAll(given);
        return new NullWords(words, /* text */ false, /* empty */ true);
    }

    public boolean matches(char[] chars, int from, int to, boolean quoted) {
        if (from == to) {
            return text ? empty && !quoted : empty;
        }
        if (quoted && text) {
            return false;
        }
        int length = to - from;
        for (char[] word : words) {
            if (word.length == length && word[0] == chars[from] && same(word, chars, from)) {
                return true;
            }
        }
        return false;
    }

    private static boolean same(char[] word, char[] chars, int from) {
        for (int i = 1; i < word.length; i++) {
            if (word[i] != chars[from + i]) {
                return false;
            }
        }
        return true;
    }
}
