package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Result;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.report.TextReport;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How the runner handles runs that succeed, fail, lose rows, or are stopped. */
class RunnerIT {
    private static final Size SIZE = Size.rows(10).repeat(2).replicationFactor(3);
    private static final String COMMAND = "overdrive bench few-rows";

    /** Writes ten rows in each run, after recording the arm. */
    private static class FewRows implements Experiment {
        final List<String> ran = new ArrayList<>();
        private final Consumer<FewRows> beforeEach;

        FewRows(Consumer<FewRows> beforeEach) {
            this.beforeEach = beforeEach;
        }

        /** The arm that runs, and how many runs began before this one, warm-up included. */
        String arm() {
            return ran.get(ran.size() - 1);
        }

        @Override
        public Description description() {
            return new Description("few-rows", "Few rows", "Does it run?", "It runs", "this test", List.of());
        }

        @Override
        public Size size(Preset preset) {
            return SIZE;
        }

        @Override
        public List<Arm> arms(Size size) {
            return List.of(arm("a"), arm("b"), arm("c"));
        }

        private static Arm arm(String level) {
            return new Arm(Map.of("factor", level));
        }

        @Override
        public Prepared prepare(ExperimentContext context) {
            return arm -> work(context, arm);
        }

        private Work work(ExperimentContext context, Arm arm) {
            ran.add(arm.toString());
            context.createTable("few", "(id int PRIMARY KEY, v text)");
            PreparedStatement insert =
                    context.session().prepare("INSERT INTO " + context.keyspace() + ".few (id, v) VALUES (?, ?)");
            return new Work() {
                @Override
                public RunOutcome run() {
                    beforeEach.accept(FewRows.this);
                    for (int id = 0; id < rowsToWrite(); id++) {
                        context.session().execute(insert.bind(id, "x"));
                    }
                    return new RunOutcome(10, 1000, 10, null, Map.of(), List.of());
                }

                @Override
                public long rowsFound() {
                    return context.countRows("few", DefaultConsistencyLevel.ALL);
                }
            };
        }

        int rowsToWrite() {
            return 10;
        }

        @Override
        public Figure mainFigure() {
            return Figure.ROWS_PER_SECOND;
        }

        @Override
        public List<Figure> tableFigures() {
            return List.of(Figure.ROWS_PER_SECOND);
        }

        @Override
        public List<Chart> charts() {
            return List.of();
        }

        @Override
        public List<Check> check(Findings findings) {
            return List.of(
                    Check.cannotBeShown("something", findings.measurements().size() + " runs"));
        }
    }

    private static Runner runner(Experiment experiment, long seed) {
        return new Runner(experiment, SIZE, seed, BenchNode.cluster(), COMMAND, Selection.ALL, null);
    }

    @Test
    void allArmsRunOnceInEachBlockAndAreMeasured() {
        FewRows experiment = new FewRows(run -> {});
        Runner runner = runner(experiment, 1);
        Result result = runner.run();
        assertThat(result.complete()).isTrue();
        assertThat(result.warnings()).isEmpty();
        assertThat(result.command()).isEqualTo(COMMAND);
        assertThat(result.measurements()).hasSize(6);
        for (int block = 1; block <= 2; block++) {
            int number = block;
            assertThat(result.measurements().stream()
                            .filter(run -> run.block() == number)
                            .map(run -> run.arm().toString()))
                    .containsExactlyInAnyOrder("a", "b", "c");
        }
        assertThat(result.measurements()).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.figures())
                    .containsEntry(Figure.ROWS, 10.0)
                    .containsEntry(Figure.REQUESTS, 10.0)
                    .containsEntry(Figure.BYTES_PER_REQUEST, 100.0)
                    .containsKeys(
                            Figure.SECONDS,
                            Figure.CLIENT_CPU,
                            Figure.SERVER_CPU,
                            Figure.NODE_LOAD,
                            Figure.PENDING_COMPACTIONS,
                            Figure.COMPACTED_MEGABYTES)
                    .doesNotContainKey(Figure.P99);
            assertThat(figure(run, Figure.ROWS_PER_SECOND) * figure(run, Figure.SECONDS))
                    .isBetween(9.99, 10.01);
        });
        assertThat(experiment.ran).as("warm-up, and two blocks").hasSize(3 + 6);
        assertThat(runner.progress().all()).isEqualTo(9);
        assertThat(result.settings())
                .containsEntry("copies in each data centre", "1") // of three, as there is one node
                .containsEntry("runs to warm up, not counted", "3");
        assertThat(result.environment())
                .containsEntry(
                        "nodes",
                        "1 in dc1, on the client's machine, 512 MiB of heap each, serial collector, first compiler only")
                .containsEntry("concurrent_writes", "32")
                .containsKeys("Cassandra", "Java of the client", "batch_size_fail_threshold", "write_request_timeout");
        assertThat(BenchNode.cluster()
                        .overdrive()
                        .session()
                        .refreshSchema()
                        .getKeyspace(CqlIdentifier.fromInternal(Runner.KEYSPACE)))
                .as("the keyspace afterwards")
                .isEmpty();
    }

    private static double figure(Measurement run, Figure figure) {
        return Objects.requireNonNull(run.figures().get(figure));
    }

    @Test
    @Tag("nightly")
    void keepsRunsThatFailOrLoseRowsWithTheReasonAndContinues() {
        FewRows experiment =
                new FewRows(run -> {
                    if (run.arm().equals("b")) {
                        throw new IllegalStateException("b is broken");
                    }
                }) {
                    @Override
                    int rowsToWrite() {
                        return arm().equals("c") ? 9 : 10;
                    }
                };
        Result result = runner(experiment, 1).run();
        assertThat(result.complete()).isTrue();
        assertThat(result.measurements()).hasSize(6);
        String lost = "10 rows were acknowledged, and the cluster has 9";
        assertThat(result.measurements()).allSatisfy(run -> {
            assertThat(run.figures()).containsKey(Figure.SECONDS);
            assertThat(run.failure())
                    .isEqualTo(
                            switch (run.arm().toString()) {
                                case "b" -> "b is broken";
                                case "c" -> lost;
                                default -> null;
                            });
        });
        assertThat(result.warnings()).containsExactly("c: " + lost);
        assertThat(TextReport.of(result)).contains("failed: b, run 1: b is broken", "warning: c: " + lost);
    }

    @Test
    @Tag("nightly")
    void keepsMeasurementsIfItIsStopped() {
        CompletableFuture<Runner> runner = new CompletableFuture<>();
        FewRows experiment = new FewRows(run -> {
            if (run.ran.size() == 3 + 4) {
                runner.join().stop();
            }
        });
        runner.complete(runner(experiment, 1));
        Result result = runner.join().run();
        assertThat(result.complete()).isFalse();
        assertThat(result.measurements()).hasSize(3);
        assertThat(result.checks()).extracting(Check::evidence).containsExactly("3 runs");
        assertThat(TextReport.of(result)).contains("not complete: 3 runs are complete");
    }

    @Test
    @Tag("nightly")
    void eachRunHasAForegroundLoadAndReportsItsLatency() {
        FewRows experiment = new FewRows(run -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500))) {
            @Override
            public List<Chart> charts() {
                return List.of(new Chart("Rows", Chart.Kind.BARS, Figure.ROWS_PER_SECOND, "factor", null));
            }
        };
        ForegroundOptions foreground = new ForegroundOptions(Workload.parse("write 0.5 read 0.5"), 50);
        Result result = new Runner(experiment, SIZE, 1, BenchNode.cluster(), COMMAND, Selection.ALL, foreground).run();
        assertThat(result.measurements()).hasSize(6).allSatisfy(run -> {
            assertThat(run.failure()).isNull();
            assertThat(run.figures())
                    .containsEntry(Figure.ROWS, 10.0)
                    .containsEntry(Figure.FOREGROUND_ASKED, 50.0)
                    .containsKeys(Figure.FOREGROUND_P50, Figure.FOREGROUND_P95);
            assertThat(figure(run, Figure.FOREGROUND_RATE)).isPositive();
            assertThat(figure(run, Figure.FOREGROUND_P99)).isPositive();
        });
        assertThat(result.tableFigures()).contains(Figure.ROWS_PER_SECOND, Figure.FOREGROUND_P99);
        assertThat(result.charts())
                .last()
                .isEqualTo(new Chart("Foreground latency", Chart.Kind.BARS, Figure.FOREGROUND_P99, "factor", null));
        assertThat(result.settings().get("foreground load")).startsWith("write 0.5 read 0.5 at 50 operations a second");
    }

    @Test
    @Tag("nightly")
    void aForegroundLoadThatTheClusterDoesNotSustainIsReported() {
        ForegroundOptions foreground = new ForegroundOptions(Workload.WRITES, StressOptions.MAX_RATE);
        FewRows experiment = new FewRows(run -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100)));
        Runner runner =
                new Runner(experiment, SIZE.repeat(1), 1, BenchNode.cluster(), COMMAND, Selection.ALL, foreground);
        assertThat(runner.run().warnings())
                .anySatisfy(
                        warning -> assertThat(warning)
                                .startsWith(
                                        "in 3 of 3 runs, warm-up included, the foreground load did not achieve its target rate within 10 %"));
    }

    @Test
    void refusesAForegroundLoadForExperimentsWithTheirOwnLoad() {
        FewRows experiment = new FewRows(run -> {}) {
            @Override
            public List<Figure> tableFigures() {
                return List.of(Figure.ROWS_PER_SECOND, Figure.FOREGROUND_P95);
            }
        };
        assertThatThrownBy(() -> new Runner(
                        experiment,
                        SIZE,
                        1,
                        BenchNode.cluster(),
                        COMMAND,
                        Selection.ALL,
                        new ForegroundOptions(Workload.WRITES, 100)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("few-rows has its own load: leave --foreground out");
    }

    @Test
    void aPreparationThatFailsEndsTheExperiment() {
        Runner runner = runner(
                new FewRows(run -> {}) {
                    @Override
                    public Prepared prepare(ExperimentContext context) {
                        throw new IllegalStateException("no rows to read");
                    }
                },
                1);
        assertThatThrownBy(runner::run).hasMessage("no rows to read");
    }
}
