package io.overdrive.jobs.bottleneck;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows what limits a run, by a span for each {@link #sample}: over the last ten of them, and over all. Each span is judged by itself, as
 * a run may be limited by one partition after another, and counts by its length, as the last thread of a run may wait for long. Thread-safe.
 */
final class BottleneckMeter {
    private static final int RECENT_SPANS = 10;
    /** The recent cause is kept until another one has this much more: it would change too often to be read. */
    private static final double LEAD = 0.1;
    /** Minimum length of a run for a verdict: a shorter one has hardly begun to run compiled code. */
    private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Shorter spans are judged with the next one. */
    private static final long MIN_SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Supplier<Span> measure;
    private final Span first;

    @GuardedBy("this") private Span last;

    @GuardedBy("this") private final Deque<Recent> recent = new ArrayDeque<>();

    @GuardedBy("this") private CauseTimes all = CauseTimes.NONE;

    @GuardedBy("this") private @Nullable Cause shown;

    /** @param before measurements when the span began */
    private record Recent(Span before, CauseTimes times) {}

    /** @param measure returns all that was measured since any fixed time */
    BottleneckMeter(Supplier<Span> measure) {
        this.measure = measure;
        this.first = measure.get();
        this.last = first;
    }

    /** Whether there can be no verdict yet, so that a measurement would be of no use. */
    boolean isTooEarly(long nanos) {
        return nanos - first.nanos() < MIN_NANOS;
    }

    /** Ends a span; to be called about once a second. */
    void sample() {
        Span now = measure.get();
        synchronized (this) {
            if (now.nanos() - last.nanos() < MIN_SPAN_NANOS) {
                return;
            }
            Span span = now.since(last);
            CauseTimes times = Attribution.of(span).ofSum(span.nanos());
            all = all.plus(times);
            recent.add(new Recent(last, times));
            if (recent.size() > RECENT_SPANS) {
                recent.remove();
            }
            last = now;
        }
    }

    /** The bottleneck since the run began; null if that was too short a time to say. */
    synchronized @Nullable Bottleneck overall() {
        Span span = last.since(first);
        return span.nanos() < MIN_NANOS ? null : Bottleneck.of(all, span);
    }

    /** The bottleneck of the last seconds; null if the run has just begun. */
    synchronized @Nullable Bottleneck recent() {
        Recent oldest = recent.peek();
        if (oldest == null || last.nanos() - first.nanos() < MIN_NANOS) {
            return null;
        }
        CauseTimes sum = recent.stream().map(Recent::times).reduce(CauseTimes.NONE, CauseTimes::plus);
        Span span = last.since(oldest.before);
        Bottleneck found = Bottleneck.of(sum, span);
        if (found == null) {
            return null;
        }
        Cause before = shown;
        if (before != null && found.share() < found.shares().getOrDefault(before, 0.0) + LEAD) {
            return Bottleneck.of(before, sum, span);
        }
        shown = found.cause();
        return found;
    }
}
