package io.overdrive.internal.flow;

import io.overdrive.Latency;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** How the requests of a connection to one node ended. Thread-safe; on the hot path (write step 7). */
public final class NodeCounts {
    private static final long FIRST_BOUND = Latency.Histogram.BOUNDS.get(0).toNanos();
    private static final int BUCKETS = Latency.Histogram.BOUNDS.size() + 1;

    private final LongAdder[] latencies = adders(BUCKETS);
    private final LongAdder latencySum = new LongAdder();
    private final LongAdder answeredBytes = new LongAdder();
    private final LongAdder[] failures = adders(Outcome.values().length);
    private final LongAdder retries = new LongAdder();

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        Arrays.setAll(adders, i -> new LongAdder());
        return adders;
    }

    /** Counts a request of this many bytes that ended after this time. */
    public void ended(long bytes, long nanos, Outcome outcome) {
        if (outcome == Outcome.ANSWERED) {
            latencies[bucket(nanos)].increment();
            latencySum.add(nanos);
            answeredBytes.add(bytes);
        } else {
            failures[outcome.ordinal()].increment();
        }
    }

    /** Counts a request that repeats one that failed. */
    public void retried() {
        retries.increment();
    }

    /** The bounds double, so this is a logarithm, rounded up. */
    static int bucket(long nanos) {
        return Math.min(Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, nanos - 1) / FIRST_BOUND), BUCKETS - 1);
    }

    Latency.Histogram latency() {
        return new Latency.Histogram(
                Arrays.stream(latencies).map(LongAdder::sum).toList(), Duration.ofNanos(latencySum.sum()));
    }

    long answeredBytes() {
        return answeredBytes.sum();
    }

    long failures(Outcome outcome) {
        return failures[outcome.ordinal()].sum();
    }

    long retries() {
        return retries.sum();
    }
}
