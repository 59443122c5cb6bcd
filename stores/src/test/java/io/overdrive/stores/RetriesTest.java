package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private final List<Duration> pauses = new ArrayList<>();
    private final BackOff backOff = new BackOff(Duration.ofMillis(100), pauses::add);

    private void run(IOException failure) throws IOException {
        Retries.of("x", backOff, () -> {
            throw failure;
        });
    }

    private static PassingException busy(long seconds) {
        return new PassingException("busy", Duration.ofSeconds(seconds), null);
    }

    private Duration waited() {
        return pauses.stream().reduce(Duration.ZERO, Duration::plus);
    }

    @Test
    void waitsLongerAndLonger() {
        assertThatThrownBy(() -> run(busy(0)))
                .isInstanceOf(FileSystemException.class)
                .hasMessage("x: busy (11 tries)")
                .hasCauseInstanceOf(PassingException.class);
        assertThat(pauses)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 12_800L, 20_000L, 20_000L);
    }

    @Test
    void waitsAsLongAsTheStoreAsks() {
        assertThatThrownBy(() -> run(busy(5))).hasMessage("x: busy (11 tries)");
        assertThat(pauses.subList(0, 8))
                .extracting(Duration::toMillis)
                .containsExactly(5_000L, 5_000L, 5_000L, 5_000L, 5_000L, 5_000L, 6_400L, 12_800L);
    }

    @Test
    void limitsWhatAStoreAsksFor() {
        assertThatThrownBy(() -> run(busy(1_000_000))).hasMessage("x: busy (4 tries)");
        assertThat(pauses).containsOnly(BackOff.MAX_ASKED);
        assertThat(waited()).isEqualTo(Retries.MAX_WAIT);
    }

    @Test
    void doesNotRepeatWhatNoOtherTryCanChange() {
        assertThatThrownBy(() -> run(new FileSystemException("x"))).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> run(new ChangedObjectException("x"))).isInstanceOf(ChangedObjectException.class);
        assertThat(pauses).isEmpty();
    }

    @Test
    void readsHowLongAServerWantsNoRequest() {
        String now = "Mon, 30 Nov 2026 04:00:00 GMT";
        assertThat(Http.retryAfter("120", now)).hasSeconds(120);
        assertThat(Http.retryAfter("Mon, 30 Nov 2026 04:00:07 GMT", now)).hasSeconds(7);
        for (String each : List.of("Mon, 30 Nov 2026 03:00:00 GMT", "-5", "soon", "99999999999")) {
            assertThat(Http.retryAfter(each, now)).isZero();
        }
        assertThat(Http.retryAfter(null, now)).isZero();
        assertThat(Http.retryAfter("Mon, 30 Nov 2026 04:00:07 GMT", null)).isZero();
    }
}
