package io.overdrive.bench.experiments;

import static io.overdrive.bench.experiments.kit.Layouts.LAYOUT;
import static io.overdrive.bench.experiments.kit.Layouts.ONE;
import static io.overdrive.bench.experiments.kit.Layouts.TWO;

import io.overdrive.Overdrive;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.KeyedRows;
import io.overdrive.bench.experiments.kit.Layouts;
import io.overdrive.bench.experiments.kit.UnderLoad;
import io.overdrive.bench.experiments.kit.Users;
import io.overdrive.bench.load.LoadOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * E16. A job reads a whole table while users write and read single rows at a given rate: all on the nodes of one data centre, or the job in one of
 * two data centres of half the nodes, and the users in the other. Each is run at several rates of the users.
 */
final class DcIsolation implements Experiment {
    private static final String LOAD = "foreground load";
    private static final String NONE = "0 %";

    /** The load has a separate table, smaller than the job's by this factor. */
    private static final int LOAD_SHARE = 4;

    /** The load counts as sustained if it reaches at least this share of its target rate. */
    private static final double KEPT = 0.9;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(5).datacenters(2);
            case DC2 -> Size.rows(2_000_000).repeat(5).datacenters(2).nodes(2).replicationFactor(2);
            case PAPER ->
                Size.rows(400_000_000).repeat(5).datacenters(2).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(LAYOUT, Layouts.levels(size)), Map.entry(LOAD, steps(size)));
    }

    private static List<String> steps(Size size) {
        return size.datacenters() == 1 && size.nodes() == 1
                ? List.of(NONE, "50 %")
                : size.nodes() == 1
                        ? List.of(NONE, "25 %", "50 %", "75 %")
                        : List.of(NONE, "20 %", "40 %", "60 %", "80 %", "95 %");
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        List<ExperimentContext> clusters = Layouts.clusters(context);
        for (ExperimentContext cluster : clusters) {
            users(cluster).populate();
            KeyedRows.write(cluster);
        }
        long maxRate = users(clusters.get(0)).maxRate(); // that one data centre sustains
        return arm -> work(context, arm, maxRate);
    }

    private static Users users(ExperimentContext cluster) {
        return new Users(cluster, Math.max(1, cluster.size().rows() / LOAD_SHARE));
    }

    private static Work work(ExperimentContext context, Arm arm, long maxRate) {
        ExperimentContext cluster = Layouts.cluster(context, arm.level(LAYOUT));
        long rate = Math.round(maxRate * arm.number(LOAD) / 100);
        return new Job(cluster, rate == 0 ? null : users(cluster).at(rate));
    }

    /** The job, beside a load or with none. */
    private static final class Job implements Work {
        private final Overdrive analysts;
        private final KeyedRows.Sums job;
        private final @Nullable UnderLoad underLoad;
        private final double before;

        Job(ExperimentContext cluster, @Nullable LoadOptions load) {
            analysts = cluster.connect(Layouts.ofOthers(cluster));
            job = new KeyedRows.Sums(cluster, analysts);
            underLoad = load == null ? null : new UnderLoad(cluster, load, job);
            before = underLoad == null
                    ? 0
                    : underLoad.alone(Layouts.trial(cluster.size())).p95();
        }

        @Override
        public RunOutcome run() {
            if (underLoad == null) {
                return job.run();
            }
            RunOutcome done = underLoad.run();
            return done.with(Map.of(
                    Figure.FOREGROUND_RISE,
                    Objects.requireNonNull(done.figures().get(Figure.FOREGROUND_P95)) / before));
        }

        @Override
        public long rowsFound() {
            return job.rowsFound();
        }

        @Override
        public void close() {
            if (underLoad == null) {
                job.close();
            } else {
                underLoad.close();
            }
            analysts.close();
        }
    }

    @Override
    public Figure mainFigure() {
        return Figure.SECONDS;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                Figure.SECONDS,
                Figure.FOREGROUND_ASKED,
                Figure.RATE_KEPT,
                Figure.FOREGROUND_P95,
                Figure.FOREGROUND_P99,
                Figure.FOREGROUND_RISE,
                Figure.CLIENT_LOAD);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How long the job takes", Chart.Kind.LINES, Figure.SECONDS, LOAD, LAYOUT),
                new Chart("How long users wait", Chart.Kind.LINES, Figure.FOREGROUND_P95, LOAD, LAYOUT),
                new Chart("How much the job slows users down", Chart.Kind.LINES, Figure.FOREGROUND_RISE, LOAD, LAYOUT));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings one = findings.where(LAYOUT, ONE);
        Findings two = findings.where(LAYOUT, TWO);
        Estimate crossOver = one.crossOver(two, Figure.SECONDS, LOAD);
        String notKept = notKept(findings);
        return Stream.of(
                        Check.atLeast(
                                1.3,
                                "Without other load, the job takes at least 1.3 times as long on two data centres as on one (published:"
                                        + " 1.93 times)",
                                two.where(LOAD, NONE).ratioTo(one.where(LOAD, NONE), Figure.SECONDS)),
                        Check.between(
                                Double.MIN_VALUE,
                                100,
                                "From some share of the maximum rate (in percent), the job takes longer on one data centre than on two"
                                        + " (published: from about 63 %)",
                                crossOver),
                        Check.atLeast(
                                1.3,
                                "With the job, the p95 latency of the users rises at least 1.3 times as much on one data centre as on two"
                                        + " (published: immediately on one, hardly on two)",
                                one.ratioTo(two, Figure.FOREGROUND_RISE)))
                .map(check -> new Check(check.claim(), check.verdict(), check.evidence() + notKept))
                .map(check -> Layouts.judge(findings, check))
                .toList();
    }

    /** Names the runs in which the load did not reach its target rate; empty if there are none. */
    private static String notKept(Findings findings) {
        Map<Arm, Long> arms = findings.measurements().stream()
                .filter(run -> run.figures().getOrDefault(Figure.RATE_KEPT, 1.0) < KEPT)
                .collect(Collectors.groupingBy(run -> run.arm(), Collectors.counting()));
        return arms.isEmpty()
                ? ""
                : "; the load did not achieve its target rate within 10 % in "
                        + arms.entrySet().stream()
                                .map(arm -> arm.getValue() + (arm.getValue() == 1 ? " run" : " runs") + " of "
                                        + arm.getKey())
                                .sorted()
                                .collect(Collectors.joining("; "));
    }
}
