package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.bench.Experiment;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Result;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.report.ReportDirectory;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.run.Suite.Entry;
import io.overdrive.bench.run.Suite.Outcome;
import io.overdrive.bench.spark.SparkExperiment;
import io.overdrive.bench.spark.SparkOptions;
import io.overdrive.bench.stress.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Suites on fake clusters. */
class SuiteTest {
    private static final ForegroundOptions FOREGROUND = new ForegroundOptions(Workload.WRITES, 100);

    private final ReportDirectory reports;
    /** Actions on clusters, in order. */
    private final List<String> log = new ArrayList<>();

    private final Map<String, RuntimeException> failures = new HashMap<>();
    private Consumer<Suite> duringRun = suite -> {};

    SuiteTest(@TempDir Path directory) {
        reports = new ReportDirectory(directory, List.of("sort-first", "grouping-order", "write-size-sweep"));
    }

    /** A run that ends at once. */
    private final class FakeRun implements ExperimentRun {
        private final Entry entry;
        private boolean stopped;

        FakeRun(Entry entry) {
            this.entry = entry;
        }

        @Override
        public Result run() {
            String name = name(entry);
            log.add("run " + name);
            duringRun.accept(Objects.requireNonNull(suite));
            RuntimeException failure = failures.get(name);
            if (failure != null) {
                throw failure;
            }
            return result(entry, stopped);
        }

        @Override
        public void stop() {
            stopped = true;
        }

        @Override
        public Runner.Progress progress() {
            return new Runner.Progress(2, 7, "in order, partition", null);
        }
    }

    private final class FakeHost implements Suite.Host {
        private final Entry first;

        FakeHost(Entry first) {
            this.first = first;
            log.add("open " + first.size().datacenters() + " "
                    + first.experiment().serverSettings().size());
        }

        @Override
        public boolean fits(Entry entry) {
            return first.size().datacenters() == entry.size().datacenters()
                    && first.experiment()
                            .serverSettings()
                            .equals(entry.experiment().serverSettings());
        }

        @Override
        public ExperimentRun run(Entry entry) {
            return new FakeRun(entry);
        }

        @Override
        public void close() {
            log.add("close");
        }
    }

    private @Nullable Suite suite;

    private Suite suite(String... names) {
        return suite((entry, progress) -> new FakeHost(entry), names);
    }

    private Suite suite(Suite.Hosts hosts, String... names) {
        Suite made = new Suite(
                Arrays.stream(names)
                        .map(name -> Experiments.named(name, SparkOptions.NONE))
                        .map(experiment ->
                                new Entry(experiment, experiment.size(Preset.LAPTOP), "overdrive bench", Selection.ALL))
                        .toList(),
                reports,
                hosts);
        suite = made;
        return made;
    }

    private static String name(Entry entry) {
        return entry.experiment().description().name();
    }

    private static Result result(Entry entry, boolean stopped) {
        Experiment experiment = entry.experiment();
        List<Measurement> runs = stopped
                ? List.of()
                : List.of(new Measurement(experiment.arms(entry.size()).get(0), 1, Map.of(), List.of(), null));
        return new Result(
                experiment.description(),
                Instant.EPOCH,
                1,
                !stopped,
                entry.command(),
                Map.of(),
                Map.of(),
                experiment.arms(entry.size()),
                runs,
                experiment.mainFigure(),
                experiment.tableFigures(),
                experiment.charts(),
                List.of(),
                List.of());
    }

    private static List<Outcome> runAll(Suite suite) {
        List<Outcome> outcomes = new ArrayList<>();
        try (suite) {
            while (suite.hasNext()) {
                outcomes.add(suite.runNext());
            }
        }
        return outcomes;
    }

    @Test
    void opensAsFewClustersAsPossible() {
        runAll(suite("dc-isolation", "write-size-sweep", "grouping-order", "equal-cost-capacity", "sort-first"));
        assertThat(log)
                .containsExactly(
                        "open 1 0",
                        "run grouping-order",
                        "run sort-first",
                        "close",
                        "open 1 "
                                + Experiments.named("write-size-sweep", SparkOptions.NONE)
                                        .serverSettings()
                                        .size(),
                        "run write-size-sweep",
                        "close",
                        "open 2 0",
                        "run dc-isolation",
                        "run equal-cost-capacity",
                        "close");
    }

    @Test
    void writesAReportOfEachExperimentAndTheIndex() {
        List<Outcome> outcomes = runAll(suite("grouping-order", "sort-first"));
        assertThat(outcomes)
                .extracting(Outcome::page)
                .containsExactly(
                        reports.path().resolve("grouping-order.html"),
                        reports.path().resolve("sort-first.html"));
        assertThat(Results.read(reports.path().resolve("sort-first.json")))
                .isEqualTo(outcomes.get(1).result());
        assertThat(reports.index()).content().containsSubsequence("sort-first.html", "grouping-order.html");
    }

    @Test
    void continuesAfterAnExperimentThatFails() {
        failures.put("grouping-order", new IllegalStateException("no node answers"));
        Suite failing = suite("grouping-order", "sort-first");
        List<Outcome> outcomes = runAll(failing);
        assertThat(outcomes.get(0).failure()).hasMessage("no node answers");
        assertThat(outcomes.get(0).result()).isNull();
        assertThat(outcomes.get(1).failure()).isNull();
        assertThat(outcomes.get(1).result()).isNotNull();
        assertThat(failing.failed()).isTrue();
        assertThat(failing.stopped()).isFalse();
    }

    @Test
    void triesEachExperimentIfNoClusterStarts() {
        Suite failing = suite(
                (entry, progress) -> {
                    throw new IllegalStateException("no memory for " + name(entry));
                },
                "grouping-order",
                "sort-first");
        assertThat(runAll(failing))
                .extracting(outcome -> Objects.requireNonNull(outcome.failure()).getMessage())
                .containsExactly("no memory for grouping-order", "no memory for sort-first");
    }

    @Test
    void keepsAResultThatCannotBeWritten() throws Exception {
        Files.createDirectory(reports.path().resolve("sort-first.json"));
        Suite failing = suite("sort-first");
        Outcome outcome = runAll(failing).get(0);
        assertThat(outcome.result()).isNotNull();
        assertThat(outcome.page()).isNull();
        assertThat(outcome.failure()).hasMessageContaining("sort-first.json can't be written");
        assertThat(failing.failed()).isTrue();
    }

    @Test
    void failsIfAllRunsOfAnExperimentFail() {
        duringRun = Suite::stop; // the fake then has no runs
        Suite stopped = suite("sort-first");
        runAll(stopped);
        assertThat(stopped.failed()).isTrue();
    }

    @Test
    void stopKeepsMeasurementsAndRunsNoMore() {
        duringRun = Suite::stop;
        Suite stopped = suite("grouping-order", "sort-first");
        List<Outcome> outcomes = runAll(stopped);
        assertThat(outcomes).hasSize(1);
        assertThat(Objects.requireNonNull(outcomes.get(0).result()).complete()).isFalse();
        assertThat(stopped.stopped()).isTrue();
        assertThat(log).containsExactly("open 1 0", "run grouping-order", "close");
    }

    @Test
    void stopInterruptsTheStartOfACluster() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        Suite stopped = suite(
                (entry, progress) -> {
                    opening.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("interrupted", e);
                    }
                    throw new AssertionError("not interrupted");
                },
                "grouping-order");
        Thread user = new Thread(() -> {
            try {
                opening.await();
            } catch (InterruptedException e) {
                return;
            }
            stopped.stop();
        });
        user.start();
        assertThat(runAll(stopped)).singleElement().satisfies(outcome -> {
            assertThat(outcome.failure()).as("stopped by the user").isNull();
            assertThat(outcome.result()).isNull();
        });
        user.join();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void progressNamesTheExperimentAndItsRuns() {
        List<Suite.Progress> seen = new ArrayList<>();
        duringRun = suite -> seen.add(suite.progress());
        Suite suite = suite(
                (entry, progress) -> {
                    progress.accept("starts node 1");
                    return new FakeHost(entry);
                },
                "grouping-order",
                "sort-first");
        assertThat(suite.progress()).isEqualTo(new Suite.Progress(1, 2, "grouping-order", "", null));
        runAll(suite);
        Runner.Progress runs = new Runner.Progress(2, 7, "in order, partition", null);
        assertThat(seen)
                .containsExactly(
                        new Suite.Progress(1, 2, "grouping-order", "starts node 1", runs),
                        new Suite.Progress(2, 2, "sort-first", "starts node 1", runs));
    }

    @Test
    void selectsByNameEachOnceOrAll() {
        assertThat(Suite.select(List.of("sort-first", "grouping-order", "sort-first"), null, SparkOptions.NONE))
                .extracting(experiment -> experiment.description().name())
                .containsExactly("sort-first", "grouping-order");
        assertThat(Suite.select(List.of("sort-first", "all"), null, SparkOptions.NONE))
                .containsExactlyInAnyOrderElementsOf(Experiments.all(SparkOptions.NONE).stream()
                        .filter(experiment -> !(experiment instanceof SparkExperiment))
                        .toList());
    }

    @Test
    void leavesOutExperimentsWithTheirOwnLoadIfThereIsAForegroundLoad() {
        assertThat(Suite.select(List.of("all"), FOREGROUND, SparkOptions.NONE))
                .extracting(experiment -> experiment.description().name())
                .contains("grouping-order")
                .doesNotContain("dc-isolation", "equal-cost-capacity");
        assertThatThrownBy(() -> Suite.select(List.of("dc-isolation"), FOREGROUND, SparkOptions.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("dc-isolation has its own load: leave --foreground out");
    }
}
