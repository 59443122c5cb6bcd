package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitTimeTest {
    private final WaitTime time = new WaitTime();

    @Test
    void addsUpWaitsOfSeveralThreads() {
        time.begin(-1000);
        time.begin(-900);
        time.end(-800);
        time.end(-500);
        assertThat(time.nanos(-500)).isEqualTo(500 + 100);
        assertThat(time.nanos(10_000)).isEqualTo(600);
    }

    @Test
    void includesWaitsThatHaveNotEnded() {
        assertThat(time.isWaiting()).isFalse();
        time.begin(100);
        assertThat(time.isWaiting()).isTrue();
        assertThat(time.nanos(150)).isEqualTo(50);
        time.end(200);
        assertThat(time.nanos(300)).isEqualTo(100);
        assertThat(time.isWaiting()).isFalse();
    }

    /** Threads read the clock, and then get the lock in another order. */
    @Test
    void neverShrinksIfTimesAreOutOfOrder() {
        time.begin(100);
        assertThat(time.nanos(200)).isEqualTo(100);
        time.begin(190);
        assertThat(time.nanos(195)).isEqualTo(100);
        assertThat(time.nanos(210)).isEqualTo(120);
    }
}
