package io.overdrive.spark.read;

import io.overdrive.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Splits that one task reads, and the hosts of their replicas. Plans (on the driver) and travels to an executor.
 * Immutable.
 */
record SplitPartition(List<Split> splits, List<String> hosts) implements InputPartition {
    private static final long serialVersionUID = 1;

    /** Deals out splits in turn: neighbours in the list have different replicas and go to different partitions. */
    static List<SplitPartition> group(List<Split> splits, int count, Hosts hosts) {
        List<List<Split>> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            groups.add(new ArrayList<>());
        }
        int next = 0;
        int pieces = (count + splits.size() - 1) / splits.size();
        for (Split split : splits) {
            for (Split piece : cut(split, pieces)) {
                groups.get(next++ % count).add(piece);
            }
        }
        return groups.stream()
                .filter(group -> !group.isEmpty())
                .map(group -> new SplitPartition(
                        group,
                        hosts.names(group.stream()
                                .flatMap(split -> split.replicas().stream())
                                .toList())))
                .toList();
    }

    /** The splits without these tokens. */
    static List<Split> without(List<Split> splits, NavigableSet<Long> tokens) {
        List<Split> left = new ArrayList<>();
        for (Split split : splits) {
            List<Split.Range> ranges = new ArrayList<>();
            for (Split.Range range : split.ranges()) {
                long start = range.start();
                for (long token :
                        tokens.subSet(start, /* fromInclusive */ false, range.end(), /* toInclusive */ true)) {
                    addRange(ranges, start, token - 1);
                    start = token;
                }
                addRange(ranges, start, range.end());
            }
            if (!ranges.isEmpty()) {
                left.add(new Split(ranges, split.replicas(), split.estimatedBytes()));
            }
        }
        return left;
    }

    private static void addRange(List<Split.Range> ranges, long start, long end) {
        if (start < end) {
            ranges.add(new Split.Range(start, end));
        }
    }

    /** Cuts a split into pieces with equal numbers of tokens. */
    private static List<Split> cut(Split split, int count) {
        if (count <= 1) {
            return List.of(split);
        }
        List<Split> pieces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Split.Range> ranges = new ArrayList<>();
            for (Split.Range range : split.ranges()) {
                long step = Long.divideUnsigned(range.end() - range.start(), count);
                long start = range.start() + i * step;
                long end = i == count - 1 ? range.end() : start + step;
                if (start < end) {
                    ranges.add(new Split.Range(start, end));
                }
            }
            if (!ranges.isEmpty()) {
                pieces.add(new Split(ranges, split.replicas(), split.estimatedBytes() / count));
            }
        }
        return pieces;
    }

    @Override
    public String[] preferredLocations() {
        return hosts.toArray(new String[0]);
    }
}
