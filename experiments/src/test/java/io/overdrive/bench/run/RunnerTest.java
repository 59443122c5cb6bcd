package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunnerTest {
    @Test
    void theOrderOfRunsIsRandomAndFollowsFromTheSeed() {
        List<Arm> arms = IntStream.range(0, 20)
                .mapToObj(i -> new Arm(Map.of("x", Integer.toString(i))))
                .toList();
        List<Arm> first = Runner.order(arms, 1, 7);
        assertThat(first).containsExactlyInAnyOrderElementsOf(arms).isNotEqualTo(arms);
        assertThat(Runner.order(arms, 1, 7)).isEqualTo(first);
        assertThat(Runner.order(arms, 2, 7)).isNotEqualTo(first);
        assertThat(Runner.order(arms, 1, 8)).isNotEqualTo(first);
    }

    @Test
    void theWarmUpCoversEveryLevelOfEveryFactorInAsFewRunsAsPossible() {
        List<Arm> arms = new ArrayList<>();
        for (String x : List.of("1", "2", "3")) {
            for (String y : List.of("a", "b", "c", "d", "e")) {
                arms.add(new Arm(Map.of("x", x, "y", y)));
            }
        }
        List<Arm> warmUp = Runner.warmUp(arms);
        assertThat(warmUp).hasSize(5).isSubsetOf(arms);
        assertThat(warmUp).extracting(arm -> arm.level("x")).contains("1", "2", "3");
        assertThat(warmUp).extracting(arm -> arm.level("y")).contains("a", "b", "c", "d", "e");
    }

    @Test
    void aNodeGetsItsShareOfHalfTheMemoryAndAtMostAGigabyte() {
        Size three = Size.rows(1).nodes(3);
        assertThat(BenchCluster.heapMegabytes(three, 24L << 30)).isEqualTo(1024);
        assertThat(BenchCluster.heapMegabytes(three, 6L << 30)).isEqualTo(624);
        assertThat(BenchCluster.heapMegabytes(three, 2L << 30)).isEqualTo(256);
    }
}
