package io.overdrive.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Result;
import io.overdrive.bench.report.HtmlReport;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.report.TextReport;
import io.overdrive.bench.run.BenchNode;
import io.overdrive.bench.run.Runner;
import io.overdrive.bench.run.Selection;
import io.overdrive.bench.spark.SparkExperiment;
import io.overdrive.bench.spark.SparkOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every experiment that needs no Spark, at its smallest, on a real node. The build runs one of each kind: of writes, of reads, with a
 * foreground load, and with a timeline; {@code mvn -P experiments verify} runs all.
 */
class ExperimentsIT {
    /** Kept, so that several tests of an experiment need only one run. */
    private static final Map<String, Result> RESULTS = new HashMap<>();

    static List<String> names() {
        return Experiments.all(SparkOptions.NONE).stream()
                .filter(experiment -> !(experiment instanceof SparkExperiment))
                .map(experiment -> experiment.description().name())
                .toList();
    }

    private static Result result(String name) {
        return RESULTS.computeIfAbsent(name, missing -> {
            Experiment experiment = Experiments.named(name, SparkOptions.NONE);
            return new Runner(
                            experiment,
                            experiment.size(Preset.TINY),
                            1,
                            BenchNode.cluster(),
                            "overdrive bench " + name,
                            Selection.ALL,
                            null)
                    .run();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"grouping-order", "page-grid", "dc-isolation", "long-run"})
    void oneOfEachKindRunsToTheEndAndHasAllItsFigures(String name) {
        assertRunsToTheEndAndHasAllItsFigures(name);
    }

    @Tag("experiments")
    @ParameterizedTest
    @MethodSource("names")
    void eachRunsToTheEndAndHasAllItsFigures(String name) {
        assertRunsToTheEndAndHasAllItsFigures(name);
    }

    private static void assertRunsToTheEndAndHasAllItsFigures(String name) {
        Result result = result(name);
        assertThat(result.complete()).isTrue();
        assertThat(result.warnings()).isEmpty();
        assertThat(result.measurements()).isNotEmpty().allSatisfy(run -> assertThat(run.failure())
                .as(run.arm().toString())
                .isNull());
        assertThat(result.tableFigures()).contains(result.mainFigure());
        List<Figure> measured = new ArrayList<>(result.tableFigures());
        measured.removeAll(List.of(Figure.COMPACTIONS_GROWTH, Figure.LAST_TENTH)); // a run may be too short for these
        assertThat(measured).allSatisfy(figure -> assertThat(result.measurements().stream()
                        .filter(run -> run.figures().containsKey(figure)))
                .as("runs with %s", figure)
                .isNotEmpty());
        for (Chart chart : result.charts()) {
            assertThat(result.measurements().stream()
                            .filter(run -> run.figures().containsKey(chart.figure())
                                    || !run.timeline().isEmpty()))
                    .as("runs for \"%s\"", chart.title())
                    .isNotEmpty();
            result.arms().forEach(arm -> {
                if (chart.x() != null) {
                    assertThat(arm.levels()).containsKey(chart.x());
                }
                if (chart.series() != null) {
                    assertThat(arm.levels()).containsKey(chart.series());
                }
            });
        }
        assertThat(result.checks()).isNotEmpty();
        assertThat(Results.fromJson(Results.toJson(result))).isEqualTo(result);
        assertThat(TextReport.of(result)).contains(result.description().question());
        assertThat(HtmlReport.of(result)).contains("<figure");
    }

    @Test
    @Tag("nightly")
    void groupingOrderMakesTheIntendedBatches() {
        Result result = result("grouping-order");
        assertThat(figure(result, Figure.PARTITIONS_PER_BATCH, "in order", "partition, in each task"))
                .isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "in order", "partition, in each task"))
                .isBetween(6.0, 7.0);
        assertThat(figure(result, Figure.PARTITIONS_PER_BATCH, "round robin", "any rows"))
                .isBetween(6.0, 7.0);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "round robin", "partition, in each task"))
                .isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "in order", "off")).isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "shuffled", "partition, Overdrive"))
                .isBetween(15.0, 20.0);
    }

    @Tag("experiments")
    @Test
    void writeSizeSweepReachesEachSizeAsDescribed() {
        Result result = result("write-size-sweep");
        assertThat(result.measurements())
                .allSatisfy(run -> assertThat(run.figures().get(Figure.BYTES_PER_REQUEST))
                        .as(run.arm().toString())
                        .isCloseTo(WriteSizeSweep.requestBytes(run.arm()), withinPercentage(10)));
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "one row", "100 kB")).isEqualTo(1);
        assertThat(figure(result, Figure.PARTITIONS_PER_BATCH, "rows of one partition", "10 kB"))
                .isEqualTo(1);
        assertThat(figure(result, Figure.PARTITIONS_PER_BATCH, "rows of one node", "10 kB"))
                .isCloseTo(100, withinPercentage(20)); // the server does not count more exactly
    }

    @Tag("experiments")
    @Test
    void writeStrategiesBatchRowsAsDescribed() {
        Result result = result("write-strategies");
        for (String strategy : List.of("any rows", "one replica", "one replica, sent to it", "replica set")) {
            assertThat(strategies(result, Figure.ROWS_PER_REQUEST, "100 rows a partition", strategy, "50"))
                    .isEqualTo(50);
            assertThat(strategies(result, Figure.PARTITIONS_PER_BATCH, "1 row a partition", strategy, "50"))
                    .isCloseTo(50, withinPercentage(20));
        }
        assertThat(strategies(result, Figure.ROWS_PER_REQUEST, "100 rows a partition", "individual", "1"))
                .isEqualTo(1);
        assertThat(strategies(result, Figure.ROWS_PER_REQUEST, "1 row a partition", "partition", "50"))
                .isEqualTo(1);
        assertThat(strategies(result, Figure.ROWS_PER_REQUEST, "100 rows a partition", "partition", "50"))
                .isEqualTo(50);
        assertThat(strategies(result, Figure.PARTITIONS_PER_BATCH, "100 rows a partition", "partition", "50"))
                .isEqualTo(1);
    }

    private static double strategies(Result result, Figure figure, String schema, String strategy, String rows) {
        return figure(result, figure, schema, "LOCAL_QUORUM", strategy, rows);
    }

    @Tag("experiments")
    @Test
    void readSplitMemoryMakesSplitsOfTheGivenSizes() {
        Result result = result("read-split-memory");
        for (String payload : List.of("random", "compressible")) {
            for (String reading : List.of("kept to the end of the split", "looked at page by page")) {
                assertThat(figure(result, Figure.SPLIT_MEGABYTES, "2 MB", payload, reading))
                        .isBetween(1.5, 3.0);
                assertThat(figure(result, Figure.SPLIT_MEGABYTES, "250 kB", payload, reading))
                        .isBetween(0.15, 0.4);
            }
        }
    }

    @Test
    void pageGridReadsPagesOfTheGivenNumberOfRows() {
        Result result = result("page-grid");
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "20", "1")).isBetween(15.0, 20.0);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "100", "1")).isBetween(60.0, 100.0);
    }

    @Tag("experiments")
    @Test
    void keyOrderRequestsOneKeyOrSeveral() {
        Result result = result("key-order");
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "key, shuffled")).isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "IN of 16 keys, shuffled"))
                .isEqualTo(16);
    }

    @Tag("experiments")
    @Test
    void naiveVsTunedReadsOnlyPartOfTheRowsInTheSlowWays() {
        Result result = result("naive-vs-tuned");
        assertThat(figure(result, Figure.ROWS, "1 key at a time")).isEqualTo(50);
        assertThat(figure(result, Figure.ROWS, "Overdrive as it is")).isEqualTo(5000);
    }

    @Tag("experiments")
    @Test
    void sortFirstPutsRowsOfAPartitionNextToEachOther() {
        Result result = result("sort-first");
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "not at all")).isBetween(1.0, 1.5);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "in each task")).isBetween(5.0, 7.0);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "all rows")).isBetween(6.0, 7.0);
        assertThat(figure(result, Figure.SORTING, "all rows")).isPositive();
    }

    @Tag("experiments")
    @Test
    void batchOffConcurrencySendsSingleRows() {
        Result result = result("batch-off-concurrency");
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "in order", "one row", "2,000"))
                .isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "in order", "by partition", "2,000"))
                .isBetween(6.0, 7.0);
    }

    @Tag("experiments")
    @Test
    void foundLimitsKeepsTheSizesOfTheGrid() {
        Result result = result("found-limits");
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "write W1", "1 KiB", "4 requests"))
                .isBetween(5.0, 6.0);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "write W1", "64 KiB", "1,024 requests"))
                .isEqualTo(100);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "write 10 kB rows", "4 KiB", "4 requests"))
                .isEqualTo(1);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "write 10 kB rows", "256 KiB", "4 requests"))
                .isBetween(19.0, 20.0);
        assertThat(figure(result, Figure.ROWS_PER_REQUEST, "read W1", "100 rows", "1 split"))
                .isBetween(60.0, 100.0);
        assertThat(figure(result, Figure.ROWS, "read 10 kB rows", "found", "found"))
                .isEqualTo(2 * 625);
    }

    @Tag("experiments")
    @Test
    void throttleSustainRequestsSharesOfTheMaximumRate() {
        Result result = result("throttle-sustain");
        double most = figure(result, Figure.RATE_ASKED, "100 %");
        assertThat(figure(result, Figure.RATE_ASKED, "50 %")).isCloseTo(most / 2, withinPercentage(0.01));
        assertThat(figure(result, Figure.RATE_ASKED, "70 %")).isCloseTo(most * 0.7, withinPercentage(0.01));
    }

    @Test
    void dcIsolationRunsAForegroundLoadOfTheGivenRate() {
        Result result = result("dc-isolation");
        assertThat(figure(result, Figure.ROWS, "1 data centre", "50 %")).isEqualTo(10_000);
        double asked = figure(result, Figure.FOREGROUND_ASKED, "1 data centre", "50 %");
        assertThat(asked).isGreaterThanOrEqualTo(1);
        assertThat(figure(result, Figure.RATE_KEPT, "1 data centre", "50 %") * asked)
                .isCloseTo(figure(result, Figure.FOREGROUND_RATE, "1 data centre", "50 %"), withinPercentage(0.01));
        assertThat(result.measurements().stream()
                        .filter(run -> run.figures().containsKey(Figure.FOREGROUND_P95))
                        .map(run -> run.arm().level("foreground load")))
                .containsExactly("50 %");
        assertThat(result.checks()).allSatisfy(check -> {
            assertThat(check.verdict()).isEqualTo(Check.Verdict.CANNOT_BE_SHOWN);
            assertThat(check.evidence()).startsWith("there is one data centre here");
        });
    }

    @Test
    @Tag("nightly")
    void longRunReportsTheProgressOfEachRun() {
        assertThat(result("long-run").measurements()).allSatisfy(run -> {
            assertThat(run.timeline()).isNotEmpty();
            double rows = 0;
            double second = 0;
            for (Measurement.Moment moment : run.timeline()) {
                rows += moment.figures().getOrDefault(Figure.ROWS_PER_SECOND, 0.0) * (moment.second() - second);
                second = moment.second();
            }
            assertThat(rows).isCloseTo(run.figures().get(Figure.ROWS), withinPercentage(0.01));
        });
    }

    private static double figure(Result result, Figure figure, String... levels) {
        return result.measurements().stream()
                .filter(run -> List.copyOf(run.arm().levels().values()).equals(List.of(levels)))
                .map(run -> Objects.requireNonNull(run.figures().get(figure)))
                .findFirst()
                .orElseThrow();
    }
}
