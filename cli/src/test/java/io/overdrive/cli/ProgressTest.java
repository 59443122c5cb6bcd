package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Latency;
import io.overdrive.Totals;
import io.overdrive.cli.watch.RateLine;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadSummary;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The progress line of a load. */
class ProgressTest {
    private static final LoadSummary NEVER_ASKED = at(Duration.ZERO, 0, 0, 0, 0, OptionalLong.empty());

    private final RateLine line = new RateLine();
    private @Nullable String heldBack;

    private static LoadSummary at(
            Duration elapsed, long read, long written, long rejected, long bytesRead, OptionalLong bytesTotal) {
        return at(elapsed, read, written, rejected, bytesRead, bytesTotal, /* waiting */ null);
    }

    private static LoadSummary at(
            Duration elapsed,
            long read,
            long written,
            long rejected,
            long bytesRead,
            OptionalLong bytesTotal,
            @Nullable String waiting) {
        Totals writes = new Totals(
                written,
                written,
                0,
                0,
                0,
                true,
                1500 * written,
                10,
                10,
                written,
                0,
                0,
                0,
                0,
                12,
                24_000,
                0,
                new Latency(Duration.ofMillis(2), Duration.ofMillis(15), Duration.ofMillis(40), Duration.ofMillis(50)),
                waiting,
                Set.of());
        return new LoadSummary(
                read,
                written,
                rejected,
                bytesRead,
                bytesTotal,
                bytesRead == 0 ? 0 : read * bytesTotal.orElse(0) / bytesRead,
                /* filesRead */ 0,
                /* filesTotal */ 1,
                elapsed,
                writes,
                /* imports */ null,
                null,
                List.of(),
                /* firstReject */ null,
                Outcome.RUNNING,
                null, /* run */
                null, /* query */
                null);
    }

    private static LoadSummary unsized(int seconds, long written) {
        return at(Duration.ofSeconds(seconds), written, written, 0, 1000, OptionalLong.empty());
    }

    private static LoadSummary sized(int seconds, long read, long written, long rejected, long bytesRead) {
        return at(Duration.ofSeconds(seconds), read, written, rejected, bytesRead, OptionalLong.of(1000));
    }

    private String line(LoadSummary now) {
        return line.of(now.figures(), heldBack);
    }

    @Test
    void aLineHasTheFiguresAndTheTimeLeft() {
        assertThat(line(sized(2, 1000, 1000, 0, 500)))
                .isEqualTo("1,000 rows  500 rows/s now  500 mean  750 kB/s  12 in flight  p99 15.0 ms  0 rejected"
                        + "  50%  2.0 s left");
    }

    @Test
    void aLineSaysFirstWhatTheRunWaitsFor() {
        String waiting = "node 10.0.0.1:9042 does not answer, waiting 42 s";
        assertThat(line(at(Duration.ofSeconds(2), 1000, 1000, 0, 500, OptionalLong.of(1000), waiting)))
                .isEqualTo(waiting + "  1,000 rows  500 rows/s now  500 mean  750 kB/s  12 in flight  p99 15.0 ms"
                        + "  0 rejected  50%");
    }

    @Test
    void aLineSaysWhyTheRunIsHeldBack() {
        heldBack = "held back to 20 % for others: p99 31.0 ms, limit 20.0 ms";
        assertThat(line(sized(2, 1000, 1000, 0, 500))).startsWith(heldBack + "  1,000 rows  500 rows/s now");
    }

    @Test
    void theCurrentRateIsSmoothedAndTheMeanIsThatOfTheWholeRun() {
        assertThat(line(unsized(2, 1000))).contains("  500 rows/s now  500 mean  ");
        // 4000 rows in 2 s: 0.6 * 500 + 0.4 * 2000
        assertThat(line(unsized(4, 5000))).contains("  1.10k rows/s now  1.25k mean  ");
        // nothing in 4 s: 0.6 * 1100
        assertThat(line(unsized(8, 5000))).contains("  660 rows/s now  625 mean  ");
    }

    @Test
    void aLineBeforeAnyTimeHasPassedHasNoRate() {
        assertThat(line(NEVER_ASKED)).startsWith("0 rows  0 rows/s now  0 mean  0 B/s  ");
        assertThat(line(unsized(1, 700))).startsWith("700 rows  700 rows/s now  700 mean  ");
    }

    @Test
    void withoutAKnownSizeThereIsNoShareAndNoTimeLeft() {
        assertThat(line(unsized(2, 1000))).endsWith("  0 rejected");
    }

    @Test
    void beforeTheFirstRecordAndForEmptyFilesThereIsNoShare() {
        assertThat(line(sized(1, 0, 0, 0, 400))).endsWith("  0 rejected");
        assertThat(line(at(Duration.ofSeconds(1), 0, 0, 0, 0, OptionalLong.of(0))))
                .endsWith("  0 rejected");
    }

    @Test
    void rowsThatAreReadButNotWrittenAreNotDone() {
        // half of the bytes are read, and half of the rows from them are written
        assertThat(line(sized(10, 600, 300, 0, 500))).endsWith("  0 rejected  25%  30.0 s left");
    }

    @Test
    void rejectedRecordsAreDone() {
        assertThat(line(sized(10, 2600, 1200, 1400, 500))).endsWith("  1,400 rejected  50%  10.0 s left");
    }

    @Test
    void theShareIsRoundedDownAndTheTimeLeftIsShownOnceItCanBeEstimated() {
        assertThat(line(sized(1, 10, 10, 0, 9))).endsWith("  0%");
        assertThat(line(sized(100, 999, 999, 0, 999))).endsWith("  99%  100 ms left");
        assertThat(line(sized(101, 1000, 1000, 0, 1000))).endsWith("  100%");
        // a file that grows
        assertThat(line(sized(102, 1100, 1100, 0, 1100))).endsWith("  100%");
    }

    @Test
    void figuresLookTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertThat(line(sized(2, 1000, 1000, 0, 500)))
                    .startsWith("1,000 rows  500 rows/s now")
                    .endsWith("  0 rejected  50%  2.0 s left");
        } finally {
            Locale.setDefault(before);
        }
    }
}
