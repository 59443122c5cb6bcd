package io.overdrive.bench.experiments.kit;

import static io.overdrive.bench.experiments.kit.Layouts.LAYOUT;
import static io.overdrive.bench.experiments.kit.Layouts.ONE;
import static io.overdrive.bench.experiments.kit.Layouts.TWO;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A job that reads all {@link KeyedRows} while users write and read single rows at a given rate: all on the nodes of one data centre, or the
 * job in one of two data centres of half the nodes, and the users in the other. Immutable.
 *
 * @param context the cluster with as many data centres as it has
 * @param maxRate operations a second of the users that one data centre sustains without the job
 */
public record Isolation(ExperimentContext context, long maxRate) {
    /** The factor whose levels are shares of the maximum rate. */
    public static final String LOAD = "foreground load";

    private static final String NONE = "0 %";

    /** The load has a separate table, smaller than the job's by this factor. */
    private static final int LOAD_SHARE = 4;

    /** The load counts as sustained if it reaches at least this share of its target rate. */
    private static final double KEPT = 0.9;

    /** The layouts and the loads. */
    public static List<Map.Entry<String, List<String>>> factors(Size size) {
        return List.of(Map.entry(LAYOUT, Layouts.levels(size)), Map.entry(LOAD, steps(size)));
    }

    private static List<String> steps(Size size) {
        return size.datacenters() == 1 && size.nodes() == 1
                ? List.of(NONE, "50 %")
                : size.nodes() == 1
                        ? List.of(NONE, "25 %", "50 %", "75 %")
                        : List.of(NONE, "20 %", "40 %", "60 %", "80 %", "95 %");
    }

    /** Makes the tables of the job and of the users, and searches for the maximum rate. */
    public static Isolation prepare(ExperimentContext context) {
        List<ExperimentContext> clusters = Layouts.clusters(context);
        for (ExperimentContext cluster : clusters) {
            users(cluster).populate();
            KeyedRows.write(cluster);
        }
        return new Isolation(context, users(clusters.get(0)).maxRate());
    }

    private static Users users(ExperimentContext cluster) {
        return new Users(cluster, Math.max(1, cluster.size().rows() / LOAD_SHARE));
    }

    /** The cluster of an arm. */
    public ExperimentContext cluster(Arm arm) {
        return Layouts.cluster(context, arm.level(LAYOUT));
    }

    /**
     * The job beside the users of an arm, or alone.
     *
     * @param job closed together with the returned work
     */
    public Work beside(Arm arm, Work job) {
        ExperimentContext cluster = cluster(arm);
        long rate = Math.round(maxRate * arm.number(LOAD) / 100);
        return rate == 0
                ? job
                : new Beside(new UnderLoad(cluster, users(cluster).at(rate), job), cluster.size());
    }

    /** The job beside users. Confined to one thread. */
    private static final class Beside implements Work {
        private final UnderLoad underLoad;
        private final double before;

        Beside(UnderLoad underLoad, Size size) {
            this.underLoad = underLoad;
            this.before = underLoad.alone(Layouts.trial(size)).p95();
        }

        @Override
        public RunOutcome run() {
            RunOutcome done = underLoad.run();
            return done.with(Map.of(
                    Figure.FOREGROUND_RISE,
                    Objects.requireNonNull(done.figures().get(Figure.FOREGROUND_P95)) / before));
        }

        @Override
        public long rowsFound() {
            return underLoad.rowsFound();
        }

        @Override
        public void close() {
            underLoad.close();
        }
    }

    public static List<Figure> tableFigures() {
        return List.of(
                Figure.SECONDS,
                Figure.FOREGROUND_ASKED,
                Figure.RATE_KEPT,
                Figure.FOREGROUND_P95,
                Figure.FOREGROUND_P99,
                Figure.FOREGROUND_RISE,
                Figure.CLIENT_LOAD);
    }

    public static List<Chart> charts() {
        return List.of(
                new Chart("How long the job takes", Chart.Kind.LINES, Figure.SECONDS, LOAD, LAYOUT),
                new Chart("How long users wait", Chart.Kind.LINES, Figure.FOREGROUND_P95, LOAD, LAYOUT),
                new Chart("How much the job slows users down", Chart.Kind.LINES, Figure.FOREGROUND_RISE, LOAD, LAYOUT));
    }

    /**
     * @param findings of one reader
     */
    public static List<Check> check(Findings findings) {
        Findings one = findings.where(LAYOUT, ONE);
        Findings two = findings.where(LAYOUT, TWO);
        Estimate crossOver = one.crossOver(two, Figure.SECONDS, LOAD);
        String notKept = notKept(findings);
        return Stream.of(
                        Check.atLeast(
                                        1.3,
                                        "Without other load, the job takes at least 1.3 times as long on two data centres as on one"
                                                + " (published: 1.93 times)",
                                        two.where(LOAD, NONE).ratioTo(one.where(LOAD, NONE), Figure.SECONDS))
                                .named("alone"),
                        Check.between(
                                        Double.MIN_VALUE,
                                        100,
                                        "From some share of the maximum rate (in percent), the job takes longer on one data centre than on"
                                                + " two (published: from about 63 %)",
                                        crossOver)
                                .named("cross-over"),
                        Check.atLeast(
                                        1.3,
                                        "With the job, the p95 latency of the users rises at least 1.3 times as much on one data centre as"
                                                + " on two (published: immediately on one, hardly on two)",
                                        one.ratioTo(two, Figure.FOREGROUND_RISE))
                                .named("latency"))
                .map(check -> check.with(check.verdict(), check.evidence() + notKept))
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
