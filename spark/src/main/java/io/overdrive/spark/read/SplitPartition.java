package io.overdrive.spark.read;

import io.overdrive.Split;
import io.overdrive.spark.config.ExecutorConnections;
import io.overdrive.spark.config.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Splits that one task reads, and the hosts of their replicas. Plans (on the driver) and travels to an executor.
 * Immutable.
 */
record SplitPartition(List<Split> splits, List<String> hosts) implements InputPartition {
    private static final long serialVersionUID = 1;

    /**
     * Deals out splits, so that those of a partition have a replica in common where possible, and can be read from there. Spark begins with
     * the first partitions: neighbours in the list have different replicas, so that no node gets all of its requests at once.
     */
    static List<SplitPartition> group(List<Split> splits, int count, Hosts hosts) {
        int cuts = (count + splits.size() - 1) / splits.size();
        List<Split> pieces = splits.stream()
                .sorted(Comparator.comparing(split -> String.join(",", split.replicas())))
                .flatMap(split -> cut(split, cuts).stream())
                .toList();
        List<SplitPartition> partitions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Split> group = pieces.subList(firstOf(i, pieces.size(), count), firstOf(i + 1, pieces.size(), count));
            if (!group.isEmpty()) {
                partitions.add(new SplitPartition(List.copyOf(group), hosts.names(nodesOfMost(group))));
            }
        }
        return inTurn(partitions);
    }

    /** @param table its name */
    static void logConnections(List<SplitPartition> partitions, SparkContext spark, Settings settings, String table) {
        ExecutorConnections.log(spark, settings, "[" + table + "] is read", partitions.size(), nodesOfOne(partitions));
    }

    /** The most nodes that may answer the requests of one of these; {@link Integer#MAX_VALUE} if any may. */
    static int nodesOfOne(List<SplitPartition> partitions) {
        int most = 0;
        for (SplitPartition partition : partitions) {
            Set<String> nodes = new HashSet<>();
            for (Split split : partition.splits) {
                if (split.replicas().isEmpty()) {
                    return Integer.MAX_VALUE;
                }
                nodes.addAll(split.replicas());
            }
            most = Math.max(most, nodes.size());
        }
        return most;
    }

    private static int firstOf(int group, int pieces, int count) {
        return (int) (((long) group * pieces + count - 1) / count);
    }

    /** The nodes that have replicas of most splits. */
    private static List<String> nodesOfMost(List<Split> splits) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        splits.forEach(split -> split.replicas().forEach(node -> counts.merge(node, 1, Integer::sum)));
        int most = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return counts.keySet().stream()
                .filter(node -> Integer.valueOf(most).equals(counts.get(node)))
                .toList();
    }

    /** One partition of each first replica, then the next one of each. */
    private static List<SplitPartition> inTurn(List<SplitPartition> partitions) {
        Map<String, Deque<SplitPartition>> byNode = new LinkedHashMap<>();
        for (SplitPartition each : partitions) {
            String node = each.splits.get(0).replicas().stream().findFirst().orElse("");
            byNode.computeIfAbsent(node, key -> new ArrayDeque<>()).add(each);
        }
        List<SplitPartition> ordered = new ArrayList<>();
        while (!byNode.isEmpty()) {
            byNode.values().forEach(queue -> ordered.add(queue.remove()));
            byNode.values().removeIf(Deque::isEmpty);
        }
        return ordered;
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
