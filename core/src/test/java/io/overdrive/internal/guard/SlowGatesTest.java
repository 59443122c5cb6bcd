package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlowGatesTest {
    private final SlowGates gates = new SlowGates();
    private long second;

    private long now() {
        return TimeUnit.SECONDS.toNanos(second);
    }

    private List<String> after(int seconds, NodeFigures figures) {
        second += seconds;
        gates.update("n1", figures, now());
        return gates.closed(now());
    }

    private static NodeFigures figures(long dropped, long hints, long compactions, @Nullable String disk) {
        return new NodeFigures(dropped, hints, compactions, disk);
    }

    @Test
    void closesForAMinuteWhenMessagesAreDropped() {
        assertThat(after(0, figures(7, 0, 0, null))).isEmpty();
        assertThat(after(5, figures(7, 0, 0, null))).isEmpty();
        assertThat(after(5, figures(8, 0, 0, null))).containsExactly("n1 drops messages of other nodes");
        assertThat(after(59, figures(8, 0, 0, null))).hasSize(1);
        assertThat(after(1, figures(8, 0, 0, null))).isEmpty();
    }

    @Test
    void closesWhenHintsGrowAndNotWhenTheyAreDelivered() {
        after(0, figures(0, 3, 0, null));
        assertThat(after(5, figures(0, 1, 0, null))).isEmpty();
        assertThat(after(5, figures(0, 2, 0, null))).containsExactly("the hints that n1 holds grow");
    }

    @Test
    void doesNotTakeAFigureThatBecomesKnownForGrowth() {
        after(0, figures(-1, -1, -1, null));
        assertThat(after(5, figures(1000, 1000, 1000, null))).isEmpty();
        assertThat(after(5, figures(-1, -1, -1, null))).isEmpty();
        assertThat(after(5, figures(2000, 2000, 2000, null))).isEmpty();
    }

    @Test
    void closesWhenPendingCompactionsRiseForMinutes() {
        for (int n = 0; n < 12 * 4; n++) {
            assertThat(after(5, figures(0, 0, 20 + n, null))).as("poll %s", n).isEmpty();
        }
        boolean closed = false;
        for (int n = 0; n < 12; n++) {
            closed |= !after(5, figures(0, 0, 70 + n, null)).isEmpty();
        }
        assertThat(closed).isTrue();
        assertThat(gates.closed(now())).containsExactly("the pending compactions of n1 keep rising");
        for (int n = 0; n < 24; n++) {
            after(5, figures(0, 0, 30, null));
        }
        assertThat(gates.closed(now())).isEmpty();
    }

    @Test
    void ignoresPendingCompactionsThatComeAndGoOrAreFew() {
        for (int n = 0; n < 1000; n++) {
            assertThat(after(5, figures(0, 0, n % 10 == 0 ? 0 : 1000 + n, null)))
                    .isEmpty();
        }
        for (int n = 0; n < 12 * 15; n++) {
            assertThat(after(5, figures(0, 0, n / 12, null))).isEmpty();
        }
    }

    @Test
    void closesWhileADiskIsNearlyFull() {
        assertThat(after(0, figures(0, 0, 0, "SPACIOUS"))).isEmpty();
        assertThat(after(5, figures(0, 0, 0, "STUFFED"))).containsExactly("the disk of n1 is nearly full");
        assertThat(after(500, figures(0, 0, 0, "FULL"))).containsExactly("the disk of n1 is full");
        assertThat(after(5, figures(0, 0, 0, "SPACIOUS"))).isEmpty();
    }

    @Test
    void givesOneReasonForEachGateAndForgetsNodesThatAreDown() {
        gates.update("n2", figures(0, 0, 0, "FULL"), now());
        after(0, figures(0, 0, 0, "FULL"));
        assertThat(after(5, figures(5, 0, 0, "FULL")))
                .containsExactly("n1 drops messages of other nodes", "the disk of n1 is full");
        gates.forgetAllBut(List.of("n2"));
        assertThat(gates.closed(now())).containsExactly("the disk of n2 is full");
    }

    @Test
    void oneNodeOfTwentyWithTroubleDoesNotCountAndTwoDo() {
        for (int node = 0; node < 20; node++) {
            gates.update("node" + node, figures(0, 0, 0, node == 7 ? "FULL" : "SPACIOUS"), now());
        }
        assertThat(gates.closed(now())).isEmpty();
        gates.update("node9", figures(0, 1, 0, "SPACIOUS"), now());
        assertThat(gates.closed(now())).as("signs of two kinds").isEmpty();
        gates.update("node9", figures(0, 1, 0, "STUFFED"), now());
        assertThat(gates.closed(now())).containsExactly("the disk of node7 is full");
    }
}
