package io.overdrive.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a run says of itself. Time, CPU and what the servers count is measured around it.
 *
 * @param rows rows that were acknowledged, or read
 * @param bytes their bytes as the client counts, or 0 where it does not
 * @param requests requests that they took, or 0 where that is not known
 * @param latency of requests, in microseconds, or null
 * @param figures what else it knows, such as {@link Figure#RETRIES}
 * @param timeline how it went, second by second, where the experiment is about that; else empty
 */
public record Done(
        long rows,
        long bytes,
        long requests,
        @Nullable Histogram latency,
        Map<Figure, Double> figures,
        List<Measurement.Moment> timeline) {
    public Done {
        EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
        copy.putAll(figures);
        figures = Collections.unmodifiableMap(copy);
        timeline = List.copyOf(timeline);
    }
}
