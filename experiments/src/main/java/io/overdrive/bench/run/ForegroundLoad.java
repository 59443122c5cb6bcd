package io.overdrive.bench.run;

import io.overdrive.Overdrive;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Figure;
import io.overdrive.bench.stress.Latency;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.StressResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@link ForegroundOptions} of an experiment's runs: a table, and connections that the measured work does not use. Confined to the runner's
 * thread.
 */
final class ForegroundLoad implements AutoCloseable {
    /** The figures that are reported for each run. */
    static final List<Figure> FIGURES = List.of(
            Figure.FOREGROUND_RATE,
            Figure.FOREGROUND_ASKED,
            Figure.FOREGROUND_P50,
            Figure.FOREGROUND_P95,
            Figure.FOREGROUND_P99);

    private static final String TABLE = "foreground";
    private static final long MAX_KEYS = 100_000;

    private final Overdrive overdrive;
    private final StressOptions options;
    private int runs;
    private int slow;
    private long failed;

    private ForegroundLoad(Overdrive overdrive, StressOptions options) {
        this.overdrive = overdrive;
        this.options = options;
    }

    /** Makes the table and fills it with as many rows as the experiment has, up to 100,000. */
    static ForegroundLoad open(BenchCluster cluster, ForegroundOptions foreground, long rows, long seed) {
        StressOptions options = StressOptions.on(Runner.KEYSPACE, TABLE)
                .workload(foreground.workload())
                .rate(foreground.rate())
                .keys(Math.min(MAX_KEYS, rows))
                .seed(seed)
                .build();
        Overdrive overdrive =
                cluster.connect(cluster.datacenters().keySet().iterator().next(), /* guard */ null);
        try {
            Stress.createIfMissing(overdrive, options);
            Stress.populate(overdrive, options);
        } catch (RuntimeException e) {
            overdrive.close();
            throw e;
        }
        return new ForegroundLoad(overdrive, options);
    }

    Stress start() {
        return Stress.start(overdrive, options);
    }

    /** Ends it, and returns its figures. */
    Map<Figure, Double> stop(Stress load) {
        StressResult result = load.stop();
        runs++;
        slow += result.reached() ? 0 : 1;
        failed += result.all().failed() + result.unanswered();
        Latency response = result.all().response();
        return Map.of(
                Figure.FOREGROUND_RATE, result.achieved(),
                Figure.FOREGROUND_ASKED, (double) result.asked(),
                Figure.FOREGROUND_P50, response.p50(),
                Figure.FOREGROUND_P95, response.p95(),
                Figure.FOREGROUND_P99, response.p99());
    }

    /** Why the figures of the foreground load are doubtful, if they are. */
    Optional<String> warning() {
        if (slow == 0 && failed == 0) {
            return Optional.empty();
        }
        return Optional.of("in " + slow + " of " + runs
                + " runs, warm-up included, the foreground load did not achieve its target rate within 10 %; "
                + failed + " of its operations failed or were not answered");
    }

    /** The columns of a table, and those about the foreground load. */
    static List<Figure> figures(List<Figure> ofExperiment) {
        List<Figure> figures = new ArrayList<>(ofExperiment);
        figures.addAll(FIGURES);
        return figures;
    }

    /** The charts, and one more that shows the foreground p99 in the form of the first chart. */
    static List<Chart> charts(List<Chart> ofExperiment) {
        List<Chart> charts = new ArrayList<>(ofExperiment);
        ofExperiment.stream()
                .filter(chart -> chart.kind() != Chart.Kind.TIMELINE)
                .findFirst()
                .ifPresent(chart -> charts.add(new Chart(
                        "Foreground latency", chart.kind(), Figure.FOREGROUND_P99, chart.x(), chart.series())));
        return charts;
    }

    @Override
    public void close() {
        overdrive.close();
    }
}
