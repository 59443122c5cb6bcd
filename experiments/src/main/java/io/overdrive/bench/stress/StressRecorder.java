package io.overdrive.bench.stress;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Counts operations and their latencies. Thread-safe: the sending thread and the driver's I/O threads record without a lock, any thread
 * takes intervals. On the path of each operation.
 */
final class StressRecorder {
    private static final int REASONS = 20;
    private static final String OTHER_REASONS = "other reasons";

    final LongAdder sent = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder held = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final ConcurrentHashMap<String, LongAdder> errors = new ConcurrentHashMap<>();
    private final EnumMap<OperationKind, Series> series = new EnumMap<>(OperationKind.class);
    /** The state at the end of the last interval. */
    private Counts counted = new Counts(0, 0, 0, 0, 0, 0, 0);

    private double lastSecond;

    /** Latencies of one kind of operation. */
    private static final class Series {
        final Recorder response = new Recorder(Latency.MIN_NANOS, Latency.MAX_NANOS, Latency.DIGITS);
        final Recorder service = new Recorder(Latency.MIN_NANOS, Latency.MAX_NANOS, Latency.DIGITS);
        final Histogram allResponse = Latency.histogram();
        final Histogram allService = Latency.histogram();

        @Nullable Histogram lastResponse;

        @Nullable Histogram lastService;
    }

    private record Counts(long due, long sent, long done, long failed, long missing, long late, long held) {
        Counts since(Counts before) {
            return new Counts(
                    due - before.due,
                    sent - before.sent,
                    done - before.done,
                    failed - before.failed,
                    missing - before.missing,
                    late - before.late,
                    held - before.held);
        }
    }

    /** @param kinds the kinds of the load */
    StressRecorder(Set<OperationKind> kinds) {
        for (OperationKind kind : kinds) {
            series.put(kind, new Series());
        }
    }

    private Series of(OperationKind kind) {
        return Objects.requireNonNull(series.get(kind));
    }

    void succeeded(OperationKind kind, long responseNanos, long serviceNanos) {
        Series of = of(kind);
        of.response.recordValue(Math.max(0, Math.min(responseNanos, Latency.MAX_NANOS)));
        of.service.recordValue(Math.max(0, Math.min(serviceNanos, Latency.MAX_NANOS)));
        done.increment();
    }

    void foundNothing() {
        missing.increment();
    }

    void failed(String reason) {
        LongAdder count = errors.get(reason);
        if (count == null) {
            String name = errors.size() < REASONS ? reason : OTHER_REASONS;
            count = errors.computeIfAbsent(name, n -> new LongAdder());
        }
        count.increment();
        failed.increment();
    }

    long answered() {
        return done.sum() + failed.sum();
    }

    /** Reasons in alphabetical order. */
    Map<String, Long> errors() {
        Map<String, Long> counts = new TreeMap<>();
        errors.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }

    /**
     * The figures since the last interval.
     *
     * @param second now, in seconds since the first operation was due
     * @param due operations due by now
     * @param log receives the histograms that are not empty, by name, and copies histograms that it keeps
     */
    synchronized Interval interval(double second, long due, BiConsumer<String, Histogram> log) {
        Histogram response = Latency.histogram();
        Histogram service = Latency.histogram();
        Map<OperationKind, Latency> responseOf = new EnumMap<>(OperationKind.class);
        Map<OperationKind, Latency> serviceOf = new EnumMap<>(OperationKind.class);
        Counts now = counts(due);
        for (OperationKind kind : series.keySet()) {
            Series of = of(kind);
            Histogram lastResponse = of.response.getIntervalHistogram(of.lastResponse);
            Histogram lastService = of.service.getIntervalHistogram(of.lastService);
            of.lastResponse = lastResponse;
            of.lastService = lastService;
            of.allResponse.add(lastResponse);
            of.allService.add(lastService);
            if (lastResponse.getTotalCount() > 0) {
                response.add(lastResponse);
                service.add(lastService);
                responseOf.put(kind, Latency.of(lastResponse));
                serviceOf.put(kind, Latency.of(lastService));
                log.accept(kind.word(), lastResponse);
                log.accept(kind.word() + "-service", lastService);
            }
        }
        Interval interval =
                interval(lastSecond, second, now.since(counted), now, response, service, responseOf, serviceOf);
        counted = now;
        lastSecond = second;
        return interval;
    }

    /** The figures from the beginning to the end of the last interval. */
    synchronized Interval all() {
        Histogram response = Latency.histogram();
        Histogram service = Latency.histogram();
        Map<OperationKind, Latency> responseOf = new EnumMap<>(OperationKind.class);
        Map<OperationKind, Latency> serviceOf = new EnumMap<>(OperationKind.class);
        for (OperationKind kind : series.keySet()) {
            Series of = of(kind);
            if (of.allResponse.getTotalCount() > 0) {
                response.add(of.allResponse);
                service.add(of.allService);
                responseOf.put(kind, Latency.of(of.allResponse));
                serviceOf.put(kind, Latency.of(of.allService));
            }
        }
        return interval(0, lastSecond, counted, counted, response, service, responseOf, serviceOf);
    }

    private Counts counts(long due) {
        // Completed operations are read first, so that they are never more than those sent.
        long doneNow = done.sum();
        long failedNow = failed.sum();
        return new Counts(due, sent.sum(), doneNow, failedNow, missing.sum(), late.sum(), held.sum());
    }

    private static Interval interval(
            double from,
            double to,
            Counts of,
            Counts all,
            Histogram response,
            Histogram service,
            Map<OperationKind, Latency> responseOf,
            Map<OperationKind, Latency> serviceOf) {
        return new Interval(
                from,
                to,
                of.due,
                of.sent,
                of.done,
                of.failed,
                of.missing,
                of.late,
                of.held,
                all.sent - all.done - all.failed,
                Math.max(0, all.due - all.sent),
                Latency.of(response),
                Latency.of(service),
                responseOf,
                serviceOf);
    }
}
