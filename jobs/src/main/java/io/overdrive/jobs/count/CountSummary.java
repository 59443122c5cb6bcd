package io.overdrive.jobs.count;

import io.overdrive.ScanTotals;
import java.util.List;

/**
 * What was counted. Immutable.
 *
 * @param groups the requested groups: token ranges and nodes in order, partitions from the largest on
 * @param rowsBefore those of the rows that earlier runs have counted, which this one resumes
 * @param splitsBefore number of splits that these have counted; they are not among the splits of {@code totals}
 */
public record CountSummary(long rows, List<Group> groups, long rowsBefore, int splitsBefore, ScanTotals totals) {
    /** The count of a part of the table. */
    public record Group(String name, long rows) {}
}
