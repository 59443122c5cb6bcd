package io.overdrive.bench.experiments.kit;

import io.overdrive.Overdrive;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.stress.RateSearch;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.Workload;
import java.util.Locale;

/**
 * The users of a cluster: an open-loop load of single rows on a separate table, half writes and half reads. Immutable.
 *
 * @param keys rows of their table
 */
public record Users(ExperimentContext cluster, long keys) {
    private static final Workload MIXED = Workload.parse("write 0.5 read 0.5");
    private static final long FIRST_RATE = 500;

    /** Creates their table and writes all of its rows. */
    public void populate() {
        Layouts.populate(cluster, load().build());
    }

    /**
     * Searches for the maximum rate that the cluster sustains without other work.
     *
     * @return operations a second
     * @throws IllegalStateException if the user wants to stop
     */
    public long maxRate() {
        StressOptions load =
                load().rate(FIRST_RATE).duration(Layouts.trial(cluster.size())).build();
        try (Overdrive connection = cluster.connect(Layouts.ofUsers(cluster))) {
            return RateSearch.search(connection, load, null, step -> {
                        if (cluster.stopped()) {
                            throw new IllegalStateException("stopped");
                        }
                        cluster.progress(String.format(
                                Locale.ROOT, "searches for the maximum rate: tried %,d op/s", step.rate()));
                    })
                    .rate();
        }
    }

    /** Their load, at this many operations a second. */
    public StressOptions at(long rate) {
        return load().rate(rate).build();
    }

    private StressOptions.Builder load() {
        return Layouts.load(cluster, keys).workload(MIXED);
    }
}
