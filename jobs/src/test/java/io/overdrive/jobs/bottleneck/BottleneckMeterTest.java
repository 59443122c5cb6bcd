package io.overdrive.jobs.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.Waits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A meter in virtual time: one thread on one processor. */
class BottleneckMeterTest {
    private static final long SECOND = 1_000_000_000;

    private long now = -5 * SECOND;
    private long input;
    private long paced;
    private long permits;
    /** Counts all threads but the first. */
    private long otherThreads;
    /** Waits for permits of the second node. */
    private long silent;

    private long silentRequests;
    private long silentEmpty;
    private final List<Long> places = new ArrayList<>(Collections.nCopies(100, 0L));
    private final BottleneckMeter meter = new BottleneckMeter(this::measure);

    private Span measure() {
        Waits waits = new Waits(
                /* isRead */ false,
                /* threadNanos */ 0,
                paced,
                /* heldBackNanos */ 0,
                /* diskNanos */ 0,
                /* answersNanos */ 0,
                /* queuedHeldBackNanos */ 0,
                nodes(),
                List.copyOf(places));
        return new Span(now, new JobTimes(now + otherThreads, input, 0, List.of(waits)), 0, 0, 0, 1);
    }

    /** The second one only if anything was sent to it. */
    private List<Waits.Node> nodes() {
        Waits.Node first = new Waits.Node("10.0.0.1:9042", permits, 0, permits, permits / 1_000_000, permits, 0, 0);
        Waits.Node second = new Waits.Node("10.0.0.2:9042", silent, 0, silent, silentRequests, silent, silentEmpty, 0);
        return silent == 0 ? List.of(first) : List.of(first, second);
    }

    private void passSecond(double share, Cause cause) {
        now += SECOND;
        long waited = (long) (share * SECOND);
        switch (cause) {
            case INPUT -> input += waited;
            case RATE_LIMIT -> paced += waited;
            default -> permits += waited;
        }
        meter.sample();
    }

    private Cause recent() {
        return Objects.requireNonNull(meter.recent()).cause();
    }

    @Test
    void saysNothingBeforeASecondHasPassed() {
        now += SECOND / 2;
        input += SECOND / 2;
        assertThat(meter.isTooEarly(now)).isTrue();
        assertThat(meter.isTooEarly(now + SECOND / 2)).isFalse();
        meter.sample();
        assertThat(meter.recent()).isNull();
        assertThat(meter.overall()).isNull();
        now += SECOND / 2;
        input += SECOND / 2;
        meter.sample();
        assertThat(recent()).isEqualTo(Cause.INPUT);
        assertThat(Objects.requireNonNull(meter.overall()).share()).isEqualTo(1);
    }

    @Test
    void followsTheLastTenSecondsAndTheWholeRun() {
        for (int i = 0; i < 30; i++) {
            passSecond(1, Cause.INPUT);
        }
        for (int i = 0; i < 10; i++) {
            passSecond(1, Cause.RATE_LIMIT);
        }
        assertThat(recent()).isEqualTo(Cause.RATE_LIMIT);
        assertThat(Objects.requireNonNull(meter.recent()).share()).isEqualTo(1);
        Bottleneck whole = Objects.requireNonNull(meter.overall());
        assertThat(whole.cause()).isEqualTo(Cause.INPUT);
        assertThat(whole.share()).isEqualTo(0.75);
        assertThat(whole.evidence()).isEqualTo("threads wait for it 75 % of their time; then the rate limit, 25 %");
    }

    @Test
    void doesNotFlickerBetweenCausesOfSimilarShares() {
        for (int i = 0; i < 10; i++) {
            passSecond(1, Cause.INPUT);
        }
        assertThat(recent()).isEqualTo(Cause.INPUT);
        for (int i = 0; i < 20; i++) {
            passSecond(1, i % 2 == 0 ? Cause.RATE_LIMIT : Cause.INPUT);
            assertThat(recent()).isEqualTo(Cause.INPUT);
        }
        passSecond(1, Cause.RATE_LIMIT);
        passSecond(1, Cause.RATE_LIMIT);
        passSecond(1, Cause.RATE_LIMIT);
        assertThat(recent()).isEqualTo(Cause.RATE_LIMIT);
    }

    /** Input that is sorted by partition: over the whole run, no partition has more than the others. */
    @Test
    void judgesEachSecondByItself() {
        for (int i = 0; i < 50; i++) {
            places.set(i, 1000L);
            passSecond(0.9, Cause.SKEW);
        }
        Bottleneck whole = Objects.requireNonNull(meter.overall());
        assertThat(whole.cause()).isEqualTo(Cause.SKEW);
        assertThat(whole.evidence()).startsWith("a few at a time get most of the bytes");
    }

    /** The last thread waits for an answer: it is one of eight, and limits the run as much as they did. */
    @Test
    void aSecondCountsTheSameHoweverFewThreadsThereAre() {
        for (int i = 0; i < 4; i++) {
            otherThreads += 7 * SECOND;
            passSecond(8, Cause.INPUT);
        }
        for (int i = 0; i < 5; i++) {
            passSecond(1, Cause.RATE_LIMIT);
        }
        assertThat(Objects.requireNonNull(meter.overall()).evidence())
                .isEqualTo("threads wait for it 56 % of their time; then the input, 44 %");
        assertThat(Objects.requireNonNull(meter.recent()).shares().get(Cause.INPUT))
                .isCloseTo(4 / 9.0, within(1e-9));
    }

    /** Its requests end at the timeout, so that it has some in the whole run. */
    @Test
    void namesASilentNodeAfterItsRequestsHaveEnded() {
        for (int i = 0; i < 3; i++) {
            silent += SECOND;
            silentEmpty += SECOND;
            passSecond(0, Cause.INPUT);
        }
        silentRequests = 10;
        silentEmpty = 0;
        passSecond(1, Cause.INPUT);
        assertThat(Objects.requireNonNull(meter.overall()).evidence())
                .startsWith("10.0.0.2:9042: threads wait for it 75 % of their time");
    }
}
