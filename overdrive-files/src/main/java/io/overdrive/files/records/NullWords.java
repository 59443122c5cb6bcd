package io.overdrive.files.records;

import java.util.ArrayList;
import java.util.List;

/**
 * The texts of a CSV field that mean a missing value. Immutable; on the hot path.
 *
 * <p>An empty field without quotes is never a value. Columns that are not text also take the usual words for "missing",
 * which cannot be values there; a text column takes only the words that the user gives, and not in quotes.
 */
public final class NullWords {
    /** Missing values in columns that are not text, in quotes or not. */
    static final List<String> USUAL = List.of("NA", "N/A", "NULL", "null", "\\N");

    private final char[][] words;
    private final boolean text;

    private NullWords(List<String> words, boolean text) {
        this.words = words.stream().map(String::toCharArray).toArray(char[][]::new);
        this.text = text;
    }

    public static NullWords forText(List<String> given) {
        return new NullWords(given, /* text */ true);
    }

    public static NullWords forOthers(List<String> given) {
        List<String> words = new ArrayList<>(USUAL);
        words.addAll(given);
        return new NullWords(words, /* text */ false);
    }

    public boolean matches(char[] chars, int from, int to, boolean quoted) {
        if (from == to) {
            return !quoted || !text;
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
