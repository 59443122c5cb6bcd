package io.overdrive.bench.report;

import io.overdrive.bench.Result;
import java.util.List;

/**
 * The advice of a tuning run: an answer for each setting, with its evidence. Immutable.
 *
 * @param title the heading
 * @param answers one for each setting
 * @param words the settings in the words of each tool
 * @param runs all runs, with the command that repeats them and their environment
 */
public record Advice(String title, List<Answer> answers, List<Listing> words, Result runs) {
    public Advice {
        answers = List.copyOf(answers);
        words = List.copyOf(words);
    }

    /**
     * The answer for one setting.
     *
     * @param result the runs of all values
     * @param value to set
     * @param style how it is marked
     * @param verdict whether that is better than the default, in a few words
     * @param evidence the figures that say so
     */
    public record Answer(Result result, String value, Style style, String verdict, String evidence) {}

    /** How an answer is marked. */
    public enum Style {
        /** Something to change. */
        CHANGE,
        KEEP,
        UNKNOWN
    }

    /**
     * Lines to copy.
     *
     * @param title their purpose
     * @param note on their use; may be empty
     */
    public record Listing(String title, String text, String note) {}
}
