package io.overdrive.files.count;

import io.overdrive.ScanTotals;
import java.util.List;

/**
 * What was counted. Immutable.
 *
 * @param groups the requested groups: token ranges and nodes in order, partitions from the largest on
 */
public record CountSummary(long rows, List<Group> groups, ScanTotals totals) {
    /** The count of a part of the table. */
    public record Group(String name, long rows) {}
}
