package io.overdrive.bench.experiments.kit;

import io.overdrive.Overdrive;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.load.Latency;
import io.overdrive.bench.load.Load;
import io.overdrive.bench.load.LoadOptions;
import io.overdrive.bench.load.LoadResult;
import java.util.Map;

/** Work beside a foreground load, whose latency counts from when operations were due. Closes the work, but not the load's connection. */
public final class UnderLoad implements Work {
    private final Overdrive users;
    private final LoadOptions load;
    private final Work work;

    /** @param users a connection that the work does not use */
    public UnderLoad(Overdrive users, LoadOptions load, Work work) {
        this.users = users;
        this.load = load;
        this.work = work;
    }

    @Override
    public RunOutcome run() {
        try (Load beside = Load.start(users, load)) {
            long start = System.nanoTime();
            RunOutcome done = work.run();
            double seconds = (System.nanoTime() - start) / 1e9;
            LoadResult result = beside.stop();
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

    @Override
    public long rowsFound() {
        return work.rowsFound();
    }

    @Override
    public void close() {
        work.close();
    }
}
