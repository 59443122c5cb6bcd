package io.overdrive.bench.experiments;

import static io.overdrive.bench.experiments.kit.Layouts.LAYOUT;
import static io.overdrive.bench.experiments.kit.Layouts.ONE;
import static io.overdrive.bench.experiments.kit.Layouts.TWO;

import io.overdrive.Overdrive;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Layouts;
import io.overdrive.bench.stress.Latency;
import io.overdrive.bench.stress.RateSearch;
import io.overdrive.bench.stress.RateSearch.Found;
import io.overdrive.bench.stress.RateSearch.Step;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.Workload;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * E17. The maximum rate of single writes and reads that one data centre sustains, and two with half the nodes each, where users go to one.
 */
final class EqualCostCapacity implements Experiment {
    private static final String OPERATIONS = "operations";

    /** The operations of the users. */
    private enum Operations {
        WRITES("writes"),
        READS("reads"),
        MIXED("half of each");

        private final String words;

        Operations(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final long FIRST_RATE = 1_000;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(5_000);
            case LAPTOP -> Size.rows(200_000).repeat(5).datacenters(2);
            case DC2 -> Size.rows(1_000_000).repeat(5).datacenters(2).nodes(2).replicationFactor(2);
            case PAPER ->
                Size.rows(400_000_000).repeat(5).datacenters(2).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(LAYOUT, Layouts.levels(size)), Map.entry(OPERATIONS, List.of(Operations.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        for (ExperimentContext cluster : Layouts.clusters(context)) {
            Layouts.populate(
                    cluster, Layouts.load(cluster, cluster.size().rows()).build());
        }
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        ExperimentContext cluster = Layouts.cluster(context, arm.level(LAYOUT));
        StressOptions load = Layouts.load(cluster, cluster.size().rows())
                .workload(workload(arm.level(OPERATIONS, Operations.class)))
                .rate(FIRST_RATE)
                .duration(Layouts.trial(cluster.size()))
                .build();
        return new Search(cluster, load);
    }

    private static Workload workload(Operations operations) {
        return switch (operations) {
            case WRITES -> Workload.WRITES;
            case READS -> Workload.parse("read 1");
            case MIXED -> Workload.parse("write 0.5 read 0.5");
        };
    }

    /** Searches for the maximum rate. */
    private static final class Search implements Work {
        private final ExperimentContext cluster;
        private final StressOptions load;
        private final Overdrive users;
        private long done;
        private long missing;

        Search(ExperimentContext cluster, StressOptions load) {
            this.cluster = cluster;
            this.load = load;
            this.users = cluster.connect(Layouts.ofUsers(cluster));
        }

        @Override
        public RunOutcome run() {
            Found found = RateSearch.search(users, load, null, this::tried);
            Step last = found.steps().get(found.steps().size() - 1);
            if (!last.held()) {
                throw new IllegalStateException("not even one operation a second was sustained: " + last.whyNot());
            }
            Latency latency = last.result().all().response();
            return new RunOutcome(
                    done,
                    0,
                    0,
                    null,
                    Map.of(
                            Figure.OPERATIONS_PER_SECOND, (double) found.rate(),
                            Figure.P50, latency.p50(),
                            Figure.P95, latency.p95(),
                            Figure.P99, latency.p99()),
                    List.of());
        }

        private void tried(Step step) {
            if (cluster.stopped()) {
                throw new IllegalStateException("stopped");
            }
            done += step.result().all().done();
            missing += step.result().all().missing();
        }

        @Override
        public long rowsFound() {
            long rows = Layouts.countRows(cluster);
            if (rows != load.keys() || missing > 0) {
                throw new IllegalStateException("the table has " + rows + " rows instead of " + load.keys()
                        + "; reads that found none: " + missing);
            }
            return done;
        }

        @Override
        public void close() {
            users.close();
        }
    }

    @Override
    public Figure mainFigure() {
        return Figure.OPERATIONS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(Figure.OPERATIONS_PER_SECOND, Figure.P50, Figure.P95, Figure.P99, Figure.CLIENT_LOAD);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("The maximum rate", Chart.Kind.BARS, Figure.OPERATIONS_PER_SECOND, OPERATIONS, LAYOUT),
                new Chart("How long users wait at that rate", Chart.Kind.BARS, Figure.P95, OPERATIONS, LAYOUT));
    }

    @Override
    public List<Check> check(Findings findings) {
        return Stream.of(Operations.values())
                .map(operations -> {
                    Findings these = findings.where(OPERATIONS, operations);
                    return Check.atLeast(
                                    1.5,
                                    "One data centre sustains at least 1.5 times the rate of two (" + operations
                                            + "; published: about twice)",
                                    these.where(LAYOUT, ONE)
                                            .ratioTo(these.where(LAYOUT, TWO), Figure.OPERATIONS_PER_SECOND))
                            .named(operations.toString());
                })
                .map(check -> Layouts.judge(findings, check))
                .toList();
    }
}
