package io.overdrive.bench.run;

import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.Workload;
import java.util.Locale;

/**
 * The load of the cluster's users during each run of an experiment, on a separate table: an open-loop {@link
 * io.overdrive.bench.stress.Stress}.
 *
 * @param rate operations a second
 */
public record ForegroundOptions(Workload workload, long rate) {
    /** @throws IllegalArgumentException if the rate is not 1 to {@link StressOptions#MAX_RATE} */
    public ForegroundOptions {
        if (rate < 1 || rate > StressOptions.MAX_RATE) {
            throw new IllegalArgumentException(
                    "--foreground-rate is " + rate + ", must be 1 to " + StressOptions.MAX_RATE);
        }
    }

    /** Not with experiments that have their own load. */
    static boolean isPossible(Experiment experiment) {
        return experiment.tableFigures().stream()
                .noneMatch(figure -> figure == Figure.OPERATIONS_PER_SECOND || ForegroundLoad.FIGURES.contains(figure));
    }

    /** @throws IllegalArgumentException if the experiment has its own load */
    static void requirePossible(Experiment experiment) {
        if (!isPossible(experiment)) {
            throw new IllegalArgumentException(
                    experiment.description().name() + " has its own load: leave --foreground out");
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s at %,d operations a second", workload, rate);
    }
}
