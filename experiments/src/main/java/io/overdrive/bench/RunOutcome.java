package io.overdrive.bench;

import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures that a run reports itself. Time, CPU and counters of the servers are measured around it.
 *
 * @param rows rows that were acknowledged, or read
 * @param bytes of their values, without the overhead of the protocol, or 0 if unknown
 * @param requests number of requests, or 0 if unknown
 * @param latency of requests, in microseconds, or null
 * @param figures further figures, such as {@link Figure#RETRIES}
 * @param timeline figures second by second, if the experiment needs them; else empty
 */
public record RunOutcome(
        long rows,
        long bytes,
        long requests,
        @Nullable Histogram latency,
        Map<Figure, Double> figures,
        List<Measurement.Moment> timeline) {
    public RunOutcome {
        EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
        copy.putAll(figures);
        figures = Collections.unmodifiableMap(copy);
        timeline = List.copyOf(timeline);
    }

    /**
     * The outcome of a writer, once it is closed.
     *
     * @param bytes of the rows' values, the same however rows are sent
     */
    public static RunOutcome of(Totals totals, long bytes) {
        Map<Figure, Double> figures = Map.of(
                Figure.P50, millis(totals.latency().p50()),
                Figure.P99, millis(totals.latency().p99()),
                Figure.MAX, millis(totals.latency().max()),
                Figure.RETRIES, (double) totals.retries(),
                Figure.ERRORS, (double) totals.rowsRejected());
        return new RunOutcome(totals.rowsWritten(), bytes, totals.requests(), null, figures, List.of());
    }

    /**
     * The outcome of a scan or a lookup.
     *
     * @param bytes of the values that were read
     */
    public static RunOutcome of(ScanTotals totals, long bytes) {
        Map<Figure, Double> figures = Map.of(
                Figure.P50, millis(totals.latency().p50()),
                Figure.P99, millis(totals.latency().p99()),
                Figure.MAX, millis(totals.latency().max()),
                Figure.RETRIES, (double) totals.retries());
        return new RunOutcome(totals.rowsRead(), bytes, totals.pages(), null, figures, List.of());
    }

    /** The same, with more figures. */
    public RunOutcome with(Map<Figure, Double> more) {
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        all.putAll(figures);
        all.putAll(more);
        return new RunOutcome(rows, bytes, requests, latency, all, timeline);
    }

    /** The same, with a timeline. */
    public RunOutcome with(List<Measurement.Moment> moments) {
        return new RunOutcome(rows, bytes, requests, latency, figures, moments);
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
