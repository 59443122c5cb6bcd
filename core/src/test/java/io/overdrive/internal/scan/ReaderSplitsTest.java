package io.overdrive.internal.scan;

import static io.overdrive.internal.scan.SplitterTest.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.scan.Splitter.Sizes;
import io.overdrive.internal.scan.SplitterTest.Cluster;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The splits of {@link Splitter#forReaders}. */
class ReaderSplitsTest {
    private static final double RING = 0x1p64;

    private static Sizes bytes(double total) {
        return (start, end) -> total * (Splitter.width(start, end) / RING);
    }

    @Test
    void coversTheTokensExactlyOnce() {
        Seeds.times(200, random -> {
            Cluster cluster = Cluster.random(random);
            SizeEstimates sizes = SplitterTest.sizes(cluster, random);
            List<Range> ranges = random.nextBoolean() ? ALL : TokenRangesTest.ranges(random);
            int number = random.nextInt(40);
            List<Split> splits = Splitter.forReaders(cluster.ring(), sizes::bytes, ranges, number);
            TokenRangesTest.assertSame(splits, ranges);
            if (number > 0) {
                assertThat(splits).hasSizeLessThanOrEqualTo(number);
            }
            for (Split split : splits) {
                for (Range range : split.ranges()) {
                    assertThat(cluster.local(range.end())).containsAll(split.replicas());
                    assertThat(cluster.local(range.start() + 1)).containsAll(split.replicas());
                }
            }
        });
    }

    @Test
    void cutsAsManyAsWantedOfTheSameSize() {
        Seeds.times(200, random -> {
            Cluster cluster = Cluster.random(random);
            SizeEstimates sizes = SplitterTest.sizes(cluster, random);
            int number = 1 + random.nextInt(40);
            List<Split> splits = Splitter.forReaders(cluster.ring(), sizes::bytes, ALL, number);
            assertThat(splits).hasSize(number);
            double each = sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE) / number;
            for (Split split : splits) {
                assertThat((double) split.estimatedBytes()).isLessThanOrEqualTo(1.27 * each + 1);
            }
        });
    }

    /** The nodes have one token each. */
    @Test
    void splitsOfARingWithFewTokensHaveReplicasInCommon() {
        Cluster cluster = new Cluster(new Random(1), 6, 0, 1, 3, /* evenly */ true);
        for (int number : new int[] {2, 3, 4, 6, 7, 12, 36}) {
            List<Split> splits = Splitter.forReaders(cluster.ring(), bytes(1L << 40), ALL, number);
            assertThat(splits).hasSize(number);
            for (Split split : splits) {
                if (number > 2) {
                    assertThat(split.replicas()).as("%d splits", number).isNotEmpty();
                }
                if (number % 6 == 0) {
                    assertThat(split.ranges()).hasSize(1);
                    assertThat(split.replicas()).as("%d splits", number).hasSize(3);
                }
            }
        }
    }

    /** 256 tokens a node, nearly as many replica sets as tokens. */
    @Test
    void splitsOfARingWithManyTokensHaveANodeInCommon() {
        int nodes = 50;
        Ring ring = new Cluster(new Random(1), nodes, 0, 256, 3, /* evenly */ false).ring();
        List<Split> splits = Splitter.forReaders(ring, bytes(1L << 40), ALL, 4 * nodes);
        assertThat(splits).hasSize(4 * nodes);
        TokenRangesTest.assertSame(splits, ALL);
        assertThat(splits.stream().filter(split -> !split.replicas().isEmpty()).count())
                .as("those with a node that has all")
                .isGreaterThan(3L * nodes);
        Set<String> hosts =
                splits.stream().flatMap(split -> split.replicas().stream()).collect(Collectors.toSet());
        assertThat(hosts).hasSize(nodes);
        assertThat(splits.stream()
                        .mapToInt(split -> split.ranges().size())
                        .max()
                        .orElse(0))
                .isLessThan(2 * 256 / 4);
        List<Split> few = Splitter.forReaders(ring, bytes(1L << 40), ALL, nodes / 2);
        assertThat(few).as("fewer than nodes").hasSize(nodes / 2);
        assertThat(few).allMatch(split -> split.ranges().size() == 1);
    }

    @Test
    void theirNumberFollowsFromTheSize() {
        Ring one = new Cluster(new Random(1), 1, 0, 1, 1, /* evenly */ true).ring();
        assertThat(Splitter.forReaders(one, bytes(0), ALL, 0)).as("unknown").hasSize(4);
        assertThat(Splitter.forReaders(one, bytes(1000), ALL, 0)).hasSize(1);
        assertThat(Splitter.forReaders(one, bytes(40 << 20), ALL, 0)).hasSize(3);
        assertThat(Splitter.forReaders(one, bytes(1 << 30), ALL, 0)).hasSize(4);
        assertThat(Splitter.forReaders(one, bytes(10L << 30), ALL, 0)).hasSize(40);
        Ring six = new Cluster(new Random(1), 6, 0, 16, 3, /* evenly */ false).ring();
        assertThat(Splitter.forReaders(six, bytes(0), ALL, 0)).hasSize(24);
        assertThat(Splitter.forReaders(six, bytes(1L << 40), ALL, 0)).hasSize(4096);
    }

    @Test
    void cutsFewTokensIntoNoMoreSplits() {
        Ring ring = new Cluster(new Random(1), 1, 0, 1, 1, /* evenly */ true).ring();
        for (long start : new long[] {Long.MIN_VALUE, -3, 0, Long.MAX_VALUE - 6}) {
            List<Range> six = List.of(new Range(start, start + 6));
            assertThat(Splitter.forReaders(ring, bytes(1 << 20), six, 6))
                    .hasSize(6)
                    .allMatch(split ->
                            split.ranges().get(0).end() - split.ranges().get(0).start() == 1);
            List<Split> more = Splitter.forReaders(ring, bytes(1 << 20), six, 100);
            assertThat(more).hasSizeLessThanOrEqualTo(6);
            TokenRangesTest.assertSame(more, six);
        }
    }

    /** All bytes in a corner, where a token is a large share of them. */
    @Test
    void cutsWhereTheBytesAre() {
        Ring ring = new Cluster(new Random(1), 3, 0, 1, 3, /* evenly */ true).ring();
        long corner = Long.MAX_VALUE - (1L << 30);
        Sizes sizes = (start, end) -> end <= corner ? 0 : Splitter.width(Math.max(start, corner), end);
        List<Split> splits = Splitter.forReaders(ring, sizes, ALL, 10);
        assertThat(splits).hasSize(10);
        assertThat(splits.stream().mapToLong(Split::estimatedBytes).max().orElse(0))
                .isLessThan((1L << 30) / 9);
    }

    @Test
    void namesNodesOfTheLocalDataCentreOnly() {
        Cluster cluster = new Cluster(new Random(1), 3, 3, 16, 2, /* evenly */ false);
        Set<String> local = cluster.ring().allLocalNodes().nodes().stream()
                .map(Node::toString)
                .collect(Collectors.toSet());
        assertThat(Splitter.forReaders(cluster.ring(), bytes(1 << 30), ALL, 12))
                .allMatch(split -> local.containsAll(split.replicas()));
    }
}
