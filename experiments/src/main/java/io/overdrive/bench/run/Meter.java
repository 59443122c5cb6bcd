package io.overdrive.bench.run;

import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import java.util.Map;

/** Measures around a run. Stateless. */
public final class Meter {
    private Meter() {}

    /** Garbage of other runs must not be collected in the next one. */
    public static void clean() {
        System.gc();
    }

    /**
     * Runs the work.
     *
     * @param figures receives the measurements, also if the work fails
     */
    public static RunOutcome run(Work work, BenchCluster cluster, Map<Figure, Double> figures) {
        Snapshot before = Snapshot.before(cluster);
        RunOutcome done;
        try {
            done = work.run();
        } catch (RuntimeException e) {
            before.until(Snapshot.after(cluster)).putInto(figures);
            throw e;
        }
        before.until(Snapshot.after(cluster)).putInto(figures, done);
        return done;
    }

    /** Why a run failed, as a measurement keeps it. */
    public static String reason(RuntimeException e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.toString() : message;
    }
}
