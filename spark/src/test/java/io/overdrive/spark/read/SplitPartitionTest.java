package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Split;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SplitPartitionTest {
    private static final Hosts HOSTS = new Hosts(
            Map.of("10.0.0.1", Set.of("worker1"), "10.0.0.2", Set.of("worker2")),
            /* isLocal */ false,
            /* addsExecutors */ false);

    private static Split split(long start, long end, String... replicas) {
        return new Split(List.of(new Split.Range(start, end)), List.of(replicas), 1000);
    }

    @Test
    void neighboursGoToDifferentPartitions() {
        List<SplitPartition> partitions = SplitPartition.group(
                List.of(split(0, 1, "10.0.0.1"), split(1, 2, "10.0.0.2"), split(2, 3, "10.0.0.1")), 2, HOSTS);
        assertThat(partitions).hasSize(2);
        assertThat(partitions.get(0).splits()).containsExactly(split(0, 1, "10.0.0.1"), split(2, 3, "10.0.0.1"));
        assertThat(partitions.get(0).preferredLocations()).containsExactly("worker1");
        assertThat(partitions.get(1).preferredLocations()).containsExactly("worker2");
    }

    /** The cluster has 100 nodes with 16 tokens each, and the table three replicas. */
    @Test
    void splitsOfAPartitionShareAReplica() {
        int nodes = 100;
        Random random = new Random(1);
        Map<String, Set<String>> executors = new HashMap<>();
        for (int node = 0; node < nodes; node++) {
            executors.put("n" + node, Set.of("worker" + node));
        }
        Hosts hosts = new Hosts(executors, /* isLocal */ false, /* addsExecutors */ false);
        List<Split> splits = new ArrayList<>();
        for (int range = 0; range < 16 * nodes; range++) {
            int node = random.nextInt(nodes);
            for (int i = 0; i < 10; i++) {
                long start = 10L * range + i;
                splits.add(split(start, start + 1, "n" + node, "n" + (node + 1) % nodes, "n" + (node + 7) % nodes));
            }
        }
        int count = 4_000;
        List<SplitPartition> partitions = SplitPartition.group(splits, count, hosts);
        assertThat(partitions).hasSize(count).allSatisfy(partition -> assertThat(partition.splits())
                .hasSize(4));
        assertThat(partitions.stream().flatMap(partition -> partition.splits().stream()))
                .containsExactlyInAnyOrderElementsOf(splits);
        long local = partitions.stream()
                .filter(partition -> partition.preferredLocations().length == 3)
                .count();
        assertThat(local).isGreaterThan(count - nodes);
        Set<String> first = new TreeSet<>();
        partitions
                .subList(0, nodes)
                .forEach(partition ->
                        first.add(partition.splits().get(0).replicas().get(0)));
        assertThat(first).as("nodes of the first partitions").hasSize(nodes);
    }

    /** Spark would keep them waiting for three seconds, and then read them anywhere. */
    @Test
    void prefersNoHostWithoutExecutors() {
        assertThat(HOSTS.names(List.of("10.0.0.3"))).isEmpty();
        assertThat(HOSTS.names(List.of("10.0.0.3", "10.0.0.2", "10.0.0.1"))).containsExactly("worker2", "worker1");
        Hosts growing = new Hosts(HOSTS.byAddress(), /* isLocal */ false, /* addsExecutors */ true);
        assertThat(growing.names(List.of("10.0.0.3", "10.0.0.4", "10.0.0.3"))).containsExactly("10.0.0.3", "10.0.0.4");
        assertThat(growing.names(List.of("10.0.0.3", "10.0.0.1"))).containsExactly("worker1");
    }

    @Test
    void prefersNoHostInLocalMode() {
        Hosts local = new Hosts(Map.of(), /* isLocal */ true, /* addsExecutors */ false);
        assertThat(SplitPartition.group(List.of(split(0, 1, "10.0.0.1")), 1, local)
                        .get(0)
                        .preferredLocations())
                .isEmpty();
    }

    /** More partitions than splits: splits are cut, also where the length of a range exceeds a long. */
    @Test
    void everyTokenIsInOnePartition() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Split> splits = new ArrayList<>();
            long at = Long.MIN_VALUE;
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                long end = i == count - 1 ? Long.MAX_VALUE : at / 2 + random.nextInt(1000) + 1;
                splits.add(split(at, end, "10.0.0.1"));
                at = end;
            }
            int wanted = 1 + random.nextInt(30);
            List<SplitPartition> partitions = SplitPartition.group(splits, wanted, HOSTS);
            assertThat(partitions).as("seed %d", seed).hasSizeLessThanOrEqualTo(wanted);
            List<Split.Range> ranges = partitions.stream()
                    .flatMap(partition -> partition.splits().stream())
                    .flatMap(split -> split.ranges().stream())
                    .sorted(Comparator.comparingLong(Split.Range::start))
                    .toList();
            assertThat(ranges.get(0).start()).isEqualTo(Long.MIN_VALUE);
            assertThat(ranges.get(ranges.size() - 1).end()).isEqualTo(Long.MAX_VALUE);
            for (int i = 1; i < ranges.size(); i++) {
                assertThat(ranges.get(i).start())
                        .as("seed %d", seed)
                        .isEqualTo(ranges.get(i - 1).end());
            }
        }
    }

    @Test
    void tokensCanBeLeftOut() {
        List<Split> splits = List.of(
                new Split(
                        List.of(new Split.Range(Long.MIN_VALUE, -5), new Split.Range(10, 20)),
                        List.of("10.0.0.1"),
                        /* estimatedBytes */ 7),
                split(-5, -4, "10.0.0.2"),
                split(-4, 10, "10.0.0.2"),
                split(20, Long.MAX_VALUE, "10.0.0.2"));
        assertThat(SplitPartition.without(splits, new TreeSet<>())).isEqualTo(splits);
        assertThat(SplitPartition.without(
                        splits, new TreeSet<>(List.of(-5L, -4L, -3L, 11L, 15L, 20L, 21L, Long.MAX_VALUE))))
                .containsExactly(
                        new Split(
                                List.of(
                                        new Split.Range(Long.MIN_VALUE, -6),
                                        new Split.Range(11, 14),
                                        new Split.Range(15, 19)),
                                List.of("10.0.0.1"),
                                /* estimatedBytes */ 7),
                        split(-3, 10, "10.0.0.2"),
                        split(21, Long.MAX_VALUE - 1, "10.0.0.2"));
    }
}
