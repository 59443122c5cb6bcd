package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final RetryBudget budget = new RetryBudget(executor::add, /* now */ 0);
    private final List<Integer> sent = new ArrayList<>();

    private void retry(int number) {
        budget.send(() -> sent.add(number), /* now */ 0);
    }

    private void runAll() {
        while (!executor.isEmpty()) {
            executor.remove().run();
        }
    }

    @Test
    void letsRetriesBeyondItsTokensWaitInOrderAndDropsNone() {
        for (int i = 0; i < 150; i++) {
            retry(i);
        }
        assertThat(sent).hasSize(100);
        assertThat(budget.waiting()).isEqualTo(50);
        for (int seconds = 1; seconds <= 5; seconds++) {
            budget.tick(Duration.ofSeconds(seconds).toNanos());
            assertThat(sent).hasSize(100 + 10 * seconds);
        }
        assertThat(sent).isSorted().hasSize(150);
        assertThat(budget.waiting()).isZero();
    }

    @Test
    void permitsOneRetryForTenSuccesses() {
        for (int i = 0; i < 110; i++) {
            retry(i);
        }
        for (int i = 0; i < 99; i++) {
            budget.succeeded(/* isRetry */ false);
        }
        runAll();
        assertThat(sent).hasSize(109);
        budget.succeeded(/* isRetry */ false);
        runAll();
        assertThat(sent).hasSize(110);
    }

    @Test
    void permitsMoreAndMoreRetriesWhileTheySucceed() {
        for (int i = 0; i < 5_000; i++) {
            retry(i);
        }
        int answered = 0;
        int roundTrips = 0;
        for (; sent.size() < 5_000; roundTrips++) {
            int inFlight = sent.size();
            for (; answered < inFlight; answered++) {
                budget.succeeded(/* isRetry */ true);
            }
            runAll();
        }
        assertThat(roundTrips).isLessThan(20);
    }

    @Test
    void countsNothingForARetryThatWasNotSent() {
        for (int i = 0; i < 1_000; i++) {
            budget.send(() -> false, /* now */ 0);
        }
        for (int i = 0; i < 100; i++) {
            retry(i);
        }
        assertThat(sent).hasSize(100);
    }

    @Test
    void savesNoMoreThanItBeganWith() {
        budget.tick(Duration.ofHours(1).toNanos());
        for (int i = 0; i < 10_000; i++) {
            budget.succeeded(/* isRetry */ false);
        }
        for (int i = 0; i < 200; i++) {
            retry(i);
        }
        assertThat(sent).hasSize(100);
    }

    @Test
    void saysForHowLongRetriesHaveWaited() {
        assertThat(budget.waitingNanos(5)).isZero();
        for (int i = 0; i < 101; i++) {
            budget.send(() -> true, /* now */ 7);
        }
        assertThat(budget.waitingNanos(17)).isEqualTo(10);
    }
}
