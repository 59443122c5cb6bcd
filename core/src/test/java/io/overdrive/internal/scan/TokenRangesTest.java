package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring.Arc;
import io.overdrive.internal.ring.Ring.ReplicaSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TokenRangesTest {
    private static final ReplicaSet NOBODY = new ReplicaSet(0, List.of());
    /** Bounds at which arithmetic may overflow, and some that collide. */
    private static final long[] BOUNDS = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MIN_VALUE + 2, -2, -1, 0, 1, 2, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };

    @Test
    void mergesRangesThatOverlapOrTouch() {
        assertThat(TokenRanges.merged(List.of())).isEmpty();
        assertThat(TokenRanges.merged(List.of(new Range(5, 9), new Range(0, 5), new Range(20, 30), new Range(22, 23))))
                .containsExactly(new Range(0, 9), new Range(20, 30));
        assertThat(TokenRanges.merged(List.of(new Range(0, 5), new Range(6, 7))))
                .as("token 6 is in neither")
                .containsExactly(new Range(0, 5), new Range(6, 7));
        assertThat(TokenRanges.merged(List.of(new Range(0, Long.MAX_VALUE), new Range(Long.MIN_VALUE, 0))))
                .containsExactly(Split.WHOLE_RING);
    }

    @Test
    void knowsTheShareOfTheRing() {
        assertThat(TokenRanges.share(List.of(Split.WHOLE_RING))).isEqualTo(1);
        assertThat(TokenRanges.share(List.of(new Range(Long.MIN_VALUE, -1L << 62), new Range(0, 1L << 62))))
                .isEqualTo(0.5);
        assertThat(TokenRanges.share(List.of(new Range(4, 5)))).isEqualTo(0x1p-64);
    }

    @Test
    void keepsTheTokensOfAnyRanges() {
        Seeds.times(300, random -> {
            List<Range> drawn = drawn(random);
            List<Range> merged = TokenRanges.merged(drawn);
            for (long token : tokens(drawn)) {
                assertThat(contains(merged, token)).isEqualTo(contains(drawn, token));
            }
            for (int i = 1; i < merged.size(); i++) {
                assertThat(merged.get(i).start())
                        .isGreaterThan(merged.get(i - 1).end());
            }
        });
    }

    @Test
    void intersectsArcsWithAnyRanges() {
        Seeds.times(300, random -> {
            List<Range> ranges = ranges(random);
            List<Arc> arcs = ranges(random).stream()
                    .map(range -> new Arc(range.start(), range.end(), NOBODY))
                    .toList();
            List<Range> both = TokenRanges.within(arcs, ranges).stream()
                    .map(arc -> new Range(arc.start(), arc.end()))
                    .toList();
            List<Range> ofArcs =
                    arcs.stream().map(arc -> new Range(arc.start(), arc.end())).toList();
            List<Range> all = new ArrayList<>(ranges);
            all.addAll(ofArcs);
            for (long token : tokens(all)) {
                assertThat(contains(both, token)).isEqualTo(contains(ranges, token) && contains(ofArcs, token));
            }
            for (int i = 1; i < both.size(); i++) {
                assertThat(both.get(i).start())
                        .isGreaterThanOrEqualTo(both.get(i - 1).end());
            }
        });
    }

    /** Some ranges as options have them. */
    static List<Range> ranges(Random random) {
        return TokenRanges.merged(drawn(random));
    }

    /** The splits have the tokens of the ranges, each once. */
    static void assertSame(List<Split> splits, List<Range> ranges) {
        List<Range> all = new ArrayList<>();
        splits.forEach(split -> all.addAll(split.ranges()));
        assertThat(all.stream().mapToLong(range -> range.end() - range.start()).sum())
                .as("number of tokens, modulo 2^64")
                .isEqualTo(ranges.stream()
                        .mapToLong(range -> range.end() - range.start())
                        .sum());
        assertThat(TokenRanges.merged(all)).isEqualTo(ranges);
    }

    private static List<Range> drawn(Random random) {
        List<Range> drawn = new ArrayList<>();
        int wanted = 1 + random.nextInt(6);
        while (drawn.size() < wanted) {
            long one = bound(random);
            long other = bound(random);
            if (one != other) {
                drawn.add(new Range(Math.min(one, other), Math.max(one, other)));
            }
        }
        return drawn;
    }

    private static long bound(Random random) {
        return random.nextBoolean() ? random.nextLong() : BOUNDS[random.nextInt(BOUNDS.length)];
    }

    /** All places where something may change. */
    private static long[] tokens(List<Range> ranges) {
        return ranges.stream()
                .flatMapToLong(range -> LongStream.of(range.start(), range.end()))
                .flatMap(bound -> LongStream.of(bound - 1, bound, bound + 1))
                .toArray();
    }

    private static boolean contains(List<Range> ranges, long token) {
        return ranges.stream().anyMatch(range -> token > range.start() && token <= range.end());
    }
}
