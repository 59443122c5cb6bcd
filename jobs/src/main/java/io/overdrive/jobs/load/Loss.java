package io.overdrive.jobs.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values that their column does not keep in full. Immutable.
 *
 * @param values the number of such values
 * @param text one of them, truncated to a readable length
 * @param kept the part of that value that the column keeps
 */
public record Loss(String column, String type, long values, String text, String kept) {
    /** One loss for each column, in the order of their names. */
    static List<Loss> merge(List<Loss> losses) {
        Map<String, Loss> merged = new TreeMap<>();
        losses.forEach(loss -> merged.merge(loss.column, loss, Loss::plus));
        return new ArrayList<>(merged.values());
    }

    private Loss plus(Loss other) {
        return new Loss(column, type, values + other.values, text, kept);
    }
}
