package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.write.WriteClock.Difference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WriteClockTest {
    private static final long NOW = 1_795_314_643_726_600L;
    private static final MessageText REMEDY = words -> "give it with " + words.of(WriteSetting.TIMESTAMP);

    private final AtomicLong now = new AtomicLong(NOW);
    private final List<Long> slept = new ArrayList<>();
    /** Time passes only while it sleeps, and a sleep ends a little early. */
    private final WriteClock clock = new WriteClock(now::get, micros -> {
        slept.add(micros);
        now.addAndGet(Math.max(1, micros - 100));
    });

    @Test
    void waitsUntilTheLastWriteTimeIsInThePast() {
        clock.awaitPast("ks.t", NOW + 5_000);
        assertThat(now.get()).isGreaterThan(NOW + 5_000).isLessThan(NOW + 5_200);
        assertThat(slept).first().isEqualTo(5_001L);
    }

    @Test
    void doesNotWaitIfWriteTimesArePastOrFarAhead() {
        clock.awaitPast("ks.t", 0);
        clock.awaitPast("ks.t", NOW - 1);
        clock.awaitPast("ks.t", NOW + WriteClock.MAX_WAIT_MICROS);
        assertThat(slept).isEmpty();
    }

    @Test
    void distinguishesAnInterruptedWaitFromMissingRows() {
        WriteClock interrupted = new WriteClock(now::get, micros -> {
            throw new InterruptedException();
        });
        assertThatThrownBy(() -> interrupted.awaitPast("ks.t", NOW + 2_500_000))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INTERRUPTED))
                .hasMessage("[ks.t] all rows are written, but the last write time is still 2.5 s in the future");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void saysHowFarWriteTimesAreAhead() {
        assertThat(clock.ahead(NOW + 17_800_000)).isEqualTo(Duration.ofMillis(17_800));
        assertThat(clock.ahead(NOW - 5)).isZero();
    }

    @Test
    void takesTheMiddleOfTheRoundTrip() {
        Difference ahead = Difference.of("n", NOW, NOW - 1_000_000, NOW + 200_000);
        assertThat(ahead.micros()).isEqualTo(1_100_000);
        assertThat(ahead.atLeastMicros()).isEqualTo(999_000);
        Difference slow = Difference.of("n", NOW, NOW + 1_900_000, NOW + 2_000_000);
        assertThat(slow.micros()).isEqualTo(-900_000);
        assertThat(slow.atLeastMicros()).isZero();
    }

    @Test
    void acceptsClocksThatMayBeEqualOrDifferALittle() {
        assertThatCode(() -> {
                    Difference.of("n", NOW, NOW, NOW).judge(REMEDY);
                    Difference.of("n", NOW, NOW + 9_000_000, NOW).judge(REMEDY);
                    Difference.of("n", NOW, NOW - 9_000_000, NOW).judge(REMEDY);
                    Difference.of("n", NOW, NOW + 15_000_000, NOW + 20_000_000).judge(REMEDY);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aClockThatIsFarBehindWouldHideRows() {
        assertThatThrownBy(() -> Difference.of("/10.0.0.1:9042", NOW, NOW + 42_000_000, NOW + 20)
                        .judge(REMEDY))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                .hasMessage("the clock of this machine is 42.0 s behind that of node /10.0.0.1:9042: rows would be"
                        + " acknowledged, but hidden by anything that was written to them in the last 42.0 s; set the"
                        + " clock, or give it with timestamp; the node's clock is at 1795314685726600 microseconds"
                        + " since 1970");
    }

    @Test
    void aClockThatIsFarAheadWouldHideWhatOthersWriteLater() {
        assertThatThrownBy(() -> Difference.of("/10.0.0.1:9042", NOW, NOW - 10_100_000, NOW + 20)
                        .judge(REMEDY))
                .hasMessage("the clock of this machine is 10.1 s ahead of that of node /10.0.0.1:9042: other programs'"
                        + " writes to the same rows would be acknowledged, but hidden by this run for 10.1 s; set the"
                        + " clock, or give it with timestamp; the node's clock is at 1795314633626600 microseconds"
                        + " since 1970");
    }
}
