package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WaitsTest {
    private static Waits.Node node(String name, long inFlightNanos, long emptyNanos) {
        return new Waits.Node(name, 1, 2, inFlightNanos, 3, 4, emptyNanos, emptyNanos > 0 ? 0.5 : 0);
    }

    private static Waits waits(Waits.Node... nodes) {
        return new Waits(/* isRead */ false, 0, 0, 0, 0, 0, 0, List.of(nodes), List.of());
    }

    /** The driver then has two nodes of one address, and the first one gets no more requests. */
    @Test
    void takesANodeTogetherWithTheOneThatHasTakenItsAddress() {
        Waits replaced = waits(node("a", 10, 7), node("b", 20, 0), node("a", 5, 0));
        assertThat(replaced.nodes()).containsExactly(new Waits.Node("a", 2, 4, 15, 6, 8, 7, 0.5), node("b", 20, 0));
        Waits earlier = waits(node("a", 9, 0), node("b", 20, 0));
        assertThat(replaced.since(earlier).nodes())
                .containsExactly(new Waits.Node("a", 1, 2, 6, 3, 4, 7, 0.5), new Waits.Node("b", 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void takesTheTimesOfJobsTogether() {
        Waits reads = new Waits(/* isRead */ true, 5, 0, 0, 0, 6, 0, List.of(node("a", 1, 0)), List.of(7L));
        JobTimes copy = new JobTimes(10, 1, 2, 3, 4, List.of(reads, waits(node("a", 20, 0))));
        JobTimes both = copy.plus(JobTimes.of(reads));
        assertThat(both.threadNanos()).isEqualTo(15);
        assertThat(both.waits())
                .containsExactly(
                        new Waits(true, 10, 0, 0, 0, 12, 0, List.of(node("a", 1, 0), node("a", 1, 0)), List.of()),
                        waits(node("a", 20, 0)));
        assertThat(both.since(JobTimes.NONE).waits()).isEqualTo(both.waits());
        assertThat(JobTimes.NONE.plus(copy).since(JobTimes.NONE).importNanos()).isEqualTo(4);
    }
}
