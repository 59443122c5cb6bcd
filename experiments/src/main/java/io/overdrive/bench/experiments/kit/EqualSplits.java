package io.overdrive.bench.experiments.kit;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Splits of one size, merged from smaller ones, as the connector for Spark 3 makes them: their number follows from the estimated bytes of
 * the table, whichever nodes hold their rows. (Overdrive's own splits are at most a sixteenth of a node's data.) Stateless.
 */
public final class EqualSplits {
    private EqualSplits() {}

    /**
     * Splits in the order of tokens.
     *
     * @param small splits of the same table, in any order, which are not divided
     * @param bytes of each resulting split, by the estimates of the small ones
     * @throws IllegalArgumentException if the small ones have no estimates
     */
    public static List<Split> of(List<Split> small, long bytes) {
        double total = small.stream().mapToLong(Split::estimatedBytes).sum();
        if (total == 0) {
            throw new IllegalArgumentException("the nodes have no estimate of the table's size yet");
        }
        List<Split> inOrder = small.stream()
                .sorted(Comparator.comparingLong(split -> split.ranges().get(0).start()))
                .toList();
        long count = Math.max(1, Math.round(total / bytes));
        List<Split> splits = new ArrayList<>();
        List<Range> ranges = new ArrayList<>();
        double before = 0;
        double until = 0;
        for (Split split : inOrder) {
            ranges.addAll(split.ranges());
            until += split.estimatedBytes();
            long left = count - splits.size();
            double end = before + (total - before) / left;
            if (left > 1 && until >= end - split.estimatedBytes() / 2.0) {
                splits.add(new Split(joined(ranges), List.of(), Math.round(until - before)));
                ranges.clear();
                before = until;
            }
        }
        if (!ranges.isEmpty()) {
            splits.add(new Split(joined(ranges), List.of(), Math.round(until - before)));
        }
        return splits;
    }

    /** Sorts ranges and merges adjacent ones. */
    private static List<Range> joined(List<Range> ranges) {
        List<Range> joined = new ArrayList<>();
        for (Range range :
                ranges.stream().sorted(Comparator.comparingLong(Range::start)).toList()) {
            int last = joined.size() - 1;
            if (last >= 0 && joined.get(last).end() == range.start()) {
                joined.set(last, new Range(joined.get(last).start(), range.end()));
            } else {
                joined.add(range);
            }
        }
        return joined;
    }
}
