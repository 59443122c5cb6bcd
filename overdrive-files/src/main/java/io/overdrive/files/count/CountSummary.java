package io.overdrive.files.count;

import io.overdrive.ScanTotals;
import java.util.List;

/**
 * What was counted. Immutable.
 *
 * @param groups what was asked for beside the whole: token ranges and nodes in order, partitions from the largest on
 */
public record CountSummary(long rows, List<Group> groups, ScanTotals totals) {
    /** A part of the table. */
    public record Group(String name, long rows) {}
}
