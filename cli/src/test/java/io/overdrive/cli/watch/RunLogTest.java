package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import io.overdrive.jobs.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunLogTest {
    private final Path directory;

    private final RunLog log = new RunLog();
    private int seconds;
    private long rejected;
    private long retries;
    private @Nullable String waiting;
    private @Nullable String heldBack;
    private Set<String> down = Set.of();

    RunLogTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeEach
    void open() throws IOException {
        Logging.quiet();
        Logging.toFile(directory.resolve("log"));
    }

    @AfterEach
    void close() {
        Logging.closeFile();
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            seconds++;
            Figures now = new Figures(
                    Duration.ofSeconds(seconds),
                    1000L * seconds,
                    0,
                    0,
                    Duration.ZERO,
                    rejected,
                    -1,
                    waiting,
                    new Figures.Counts(-1, -1, -1, -1, -1, -1, -1, -1));
            NodeTotals node = new NodeTotals(
                    "10.0.0.1:9042", null, 0, 0, 0, 0, 0, retries, 0, 0, retries, Latency.Histogram.NONE);
            log.tick(now, heldBack, down, List.of(node));
        }
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("log")).stream()
                .map(line -> line.substring(25))
                .toList();
    }

    @Test
    void aRunWithoutTroubleHasALineAMinute() throws IOException {
        tick(59);
        assertThat(lines()).isEmpty();
        tick(61);
        assertThat(lines()).hasSize(2).allMatch(line -> line.startsWith("INFO  run: ") && line.contains(" rows/s now"));
    }

    @Test
    void nodesThatGoDownAndComeUpAreNamedOnce() throws IOException {
        down = Set.of("10.0.0.2:9042");
        tick(5);
        down = Set.of();
        tick(4);
        assertThat(lines())
                .containsExactly("WARN  run: node 10.0.0.2:9042 is down", "INFO  run: node 10.0.0.2:9042 is up");
    }

    @Test
    void waitingAndBeingHeldBackHaveABeginningAndAnEnd() throws IOException {
        tick(1);
        waiting = "node 10.0.0.1:9042 does not answer, waiting 6 s";
        heldBack = "held back to 20 % for others";
        tick(5);
        waiting = null;
        heldBack = null;
        tick(1);
        assertThat(lines())
                .containsExactly(
                        "WARN  run: waits: node 10.0.0.1:9042 does not answer, waiting 6 s",
                        "INFO  run: held back to 20 % for others",
                        "INFO  run: waits no longer",
                        "INFO  run: held back no longer");
    }

    @Test
    void retriesAndRejectsHaveALineInTenSeconds() throws IOException {
        tick(1);
        retries = 1200;
        rejected = 7;
        tick(20);
        rejected = 9;
        tick(10);
        assertThat(lines())
                .containsExactly(
                        "WARN  run: retries: 1,200 more; of all requests, 1,200 met overload, 0 timed out, 0 were lost",
                        "WARN  run: rejected rows: 7 more, 7 in all",
                        "WARN  run: rejected rows: 2 more, 9 in all");
    }
}
