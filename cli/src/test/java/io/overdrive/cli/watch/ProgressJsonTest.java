package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProgressJsonTest {
    private static final String START =
            "\"time\":\"2026-01-31T13:45:00.120Z\",\"run\":\"20260131-134500-abcd\",\"command\":\"load\",";

    private final ProgressJson json = new ProgressJson(
            "20260131-134500-abcd", "load", Clock.fixed(Instant.parse("2026-01-31T13:45:00.120456Z"), ZoneOffset.UTC));

    private static Figures at(int seconds, long rows, long rejected, double done, @Nullable String waiting) {
        return new Figures(
                Duration.ofSeconds(seconds),
                rows,
                100 * rows,
                12,
                Duration.ofNanos(15_300_000),
                rejected,
                done,
                waiting,
                new Figures.Counts(-1, -1, -1, -1, -1, -1, -1, -1));
    }

    @Test
    void ratesAreThoseSinceTheLineBeforeAndSinceTheStart() {
        assertThat(json.progress(at(2, 1000, 0, 0.25, null), null, null))
                .isEqualTo("{\"event\":\"progress\"," + START
                        + "\"seconds\":2.0,\"rows\":1000,\"rowsPerSecond\":500,\"meanRowsPerSecond\":500,"
                        + "\"bytes\":100000,\"bytesPerSecond\":50000,\"inFlight\":12,\"p99Millis\":15.3,"
                        + "\"rejected\":0,\"done\":0.25,\"secondsLeft\":6.0}");
        assertThat(json.progress(at(4, 5000, 0, 0.5, null), null, null))
                .contains(
                        "\"rowsPerSecond\":2000,\"meanRowsPerSecond\":1250,\"bytes\":500000,\"bytesPerSecond\":200000,");
    }

    @Test
    void saysWhatTheRunWaitsForAndWhyItIsHeldBack() {
        assertThat(json.progress(at(2, 1000, -1, -1, "node \"a\" does not answer"), "held back", "skew"))
                .endsWith(
                        "\"p99Millis\":15.3,\"waiting\":\"node \\\"a\\\" does not answer\",\"heldBack\":\"held back\",\"limitedBy\":\"skew\"}");
    }

    @Test
    void saysThatAQueryHasNoRowYet() {
        assertThat(json.query(Duration.ofSeconds(90), "the query has read 7 rows, and has no result yet"))
                .startsWith("{\"event\":\"progress\"," + START + "\"seconds\":90.0,\"rows\":0,")
                .endsWith("\"waiting\":\"the query has read 7 rows, and has no result yet\"}");
    }

    @Test
    void theLastLineHasTheOutcome() {
        assertThat(json.end(at(2, 1000, 3, 1, null), Outcome.STOPPED))
                .startsWith("{\"event\":\"end\"," + START + "\"outcome\":\"stopped\",\"seconds\":2.0,\"rows\":1000,")
                .endsWith("\"rejected\":3,\"done\":1.0}");
        assertThat(json.end(null, Outcome.FAILED)).isEqualTo("{\"event\":\"end\"," + START + "\"outcome\":\"failed\"}");
    }

    @Test
    void thePageHasEachMember() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "reference", "metrics.md"));
        String line = json.progress(at(2, 1000, 0, 0.25, null), "held back", "skew")
                + json.progress(at(3, 1000, 0, 0.25, "waiting"), null, null)
                + json.end(null, Outcome.DONE);
        assertThat(Pattern.compile("\"(\\w+)\":").matcher(line).results().map((MatchResult each) -> each.group(1)))
                .isNotEmpty()
                .allSatisfy(member -> assertThat(page).containsPattern("(?m)^\\| (`\\w+`, )?`" + member + "`"));
    }
}
