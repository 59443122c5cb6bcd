package io.overdrive.jobs.profile;

import io.overdrive.jobs.profile.Profile.Partitions;
import java.time.Duration;

/**
 * How long a load of the rows would take on a machine of two cores that runs the client and one node, from the rates that PERFORMANCE.md
 * has for it. Immutable. Rows of partitions with others are loaded at one rate, single rows at another, and neither faster than bytes are.
 *
 * @param cql over CQL
 * @param sstables by SSTables
 */
public record Forecast(Duration cql, Duration sstables) {
    /** The rates of a way of loading. */
    private record Rates(double rows, double singleRows, double bytes) {
        Duration time(Partitions partitions, long rowCount, long byteCount) {
            double single = rowCount * partitions.singleRowsShare();
            double seconds = Math.max((rowCount - single) / rows + single / singleRows, byteCount / bytes);
            return Duration.ofMillis(Math.round(seconds * 1000));
        }
    }

    private static final Rates CQL = new Rates(/* rows */ 235_000, /* singleRows */ 50_000, /* bytes */ 280e6);
    private static final Rates SSTABLES = new Rates(/* rows */ 455_000, /* singleRows */ 200_000, /* bytes */ 110e6);

    static Forecast of(Partitions partitions, long rows, long bytes) {
        return new Forecast(CQL.time(partitions, rows, bytes), SSTABLES.time(partitions, rows, bytes));
    }
}
