package io.overdrive.bench.experiments.kit;

import io.overdrive.Overdrive;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.stress.Latency;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.StressResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Work beside a foreground load of the cluster's users, whose latency counts from when operations were due. The load has its own
 * connection. Confined to one thread.
 */
public final class UnderLoad implements Work {
    private final Overdrive users;
    private final StressOptions load;
    private final Work work;
    private final List<Double> p99OfSeconds = new CopyOnWriteArrayList<>();

    /** @param work is closed with this */
    public UnderLoad(ExperimentContext cluster, StressOptions load, Work work) {
        this.users = cluster.connect(Layouts.ofUsers(cluster));
        this.load = load;
        this.work = work;
    }

    /** Starts the load without the work; the caller ends it. */
    public Stress startLoad() {
        return Stress.start(users, load);
    }

    /** The latency of the load without the work, over this time. */
    public Latency alone(Duration duration) {
        try (Stress alone = Stress.start(users, load.copy().duration(duration).build())) {
            return alone.await().all().response();
        }
    }

    @Override
    public RunOutcome run() {
        p99OfSeconds.clear();
        try (Stress beside = Stress.start(
                users, load, second -> p99OfSeconds.add(second.response().p99()))) {
            long start = System.nanoTime();
            RunOutcome done = work.run();
            double seconds = (System.nanoTime() - start) / 1e9;
            StressResult result = beside.stop();
            Latency response = result.all().response();
            return done.with(Map.of(
                    Figure.SECONDS,
                    seconds,
                    Figure.ROWS_PER_SECOND,
                    done.rows() / seconds,
                    Figure.FOREGROUND_ASKED,
                    (double) result.asked(),
                    Figure.FOREGROUND_RATE,
                    result.achieved(),
                    Figure.RATE_KEPT,
                    result.achieved() / result.asked(),
                    Figure.FOREGROUND_P50,
                    response.p50(),
                    Figure.FOREGROUND_P95,
                    response.p95(),
                    Figure.FOREGROUND_P99,
                    response.p99(),
                    Figure.ERRORS,
                    (double) result.all().failed() + result.unanswered()));
        }
    }

    /** The share of the seconds of the last run in which the p99 latency of the load was at most this many milliseconds. */
    public double shareOfSecondsWithin(double millis) {
        return p99OfSeconds.stream()
                .mapToInt(p99 -> p99 <= millis ? 1 : 0)
                .average()
                .orElse(1);
    }

    @Override
    public long rowsFound() {
        return work.rowsFound();
    }

    @Override
    public void close() {
        work.close();
        users.close();
    }
}
