package io.overdrive.sstable.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;

/**
 * Counts of values and rows from SSTables that were left out, as their columns were dropped after they were written.
 * Immutable.
 *
 * @param values their number in each column that was added again
 * @param goneColumns those that the table has no longer; none if it is not known that their values were meant to stay
 * @param rowsOfGoneColumns rows that have values of these
 * @param rows that had no other values
 */
public record LeftOut(SortedMap<String, Long> values, List<String> goneColumns, long rowsOfGoneColumns, long rows) {
    public LeftOut {
        goneColumns = List.copyOf(goneColumns);
    }

    /** One element for each kind; none if nothing was left out. */
    public List<String> inWords() {
        List<String> all = new ArrayList<>();
        values.forEach((column, count) ->
                all.add(count(count, "value", "values") + " from before column \"" + column + "\" was dropped"));
        if (rowsOfGoneColumns > 0) {
            all.add("the values that " + count(rowsOfGoneColumns, "row has", "rows have")
                    + " of columns that the table has no longer (" + String.join(", ", goneColumns) + ")");
        }
        if (rows > 0) {
            all.add(count(rows, "row", "rows") + " that had no other values");
        }
        return all;
    }

    private static String count(long count, String one, String many) {
        return String.format(Locale.ROOT, "%,d ", count) + (count == 1 ? one : many);
    }
}
