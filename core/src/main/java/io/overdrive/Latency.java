package io.overdrive;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How long requests took, retries included: percentiles with a precision of 1 %. All are zero if there were no requests; more
 * than an hour counts as an hour. Immutable.
 *
 * @param p50 median
 * @param p99 99 % of the requests took at most this
 * @param p999 99.9 % of the requests took at most this
 * @param max the slowest request
 */
public record Latency(Duration p50, Duration p99, Duration p999, Duration max) {
    /** The latency of no requests: all values are zero. */
    public static final Latency NONE = new Latency(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** An upper bound for the requests of both: the larger of each percentile. */
    public Latency upperBound(Latency other) {
        return new Latency(
                larger(p50, other.p50), larger(p99, other.p99), larger(p999, other.p999), larger(max, other.max));
    }

    private static Duration larger(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /**
     * How long requests took, in buckets whose bounds double from one to the next. Immutable.
     *
     * @param counts requests in each bucket: those up to the bound of the same index in {@link #BOUNDS} and above the bound before,
     *     then, as the last count, those above all bounds
     * @param sum of all latencies
     */
    public record Histogram(List<Long> counts, Duration sum) {
        /** The inclusive upper bounds of all buckets but the last: 0.25 ms, 0.5 ms and so on up to about half a minute. */
        public static final List<Duration> BOUNDS = IntStream.range(0, 18)
                .mapToObj(i -> Duration.ofNanos(250_000L << i))
                .toList();

        /** The histogram of no requests: all counts are zero. */
        public static final Histogram NONE = new Histogram(Collections.nCopies(BOUNDS.size() + 1, 0L), Duration.ZERO);

        public Histogram {
            if (counts.size() != BOUNDS.size() + 1) {
                throw new IllegalArgumentException(
                        "counts has " + counts.size() + " elements, must have " + (BOUNDS.size() + 1));
            }
            counts = List.copyOf(counts);
        }

        /** Requests in all buckets. */
        public long count() {
            return counts.stream().mapToLong(Long::longValue).sum();
        }

        /** Both together. */
        public Histogram plus(Histogram other) {
            List<Long> sums = new ArrayList<>();
            for (int i = 0; i < counts.size(); i++) {
                sums.add(counts.get(i) + other.counts.get(i));
            }
            return new Histogram(sums, sum.plus(other.sum));
        }

        /**
         * An estimate of a quantile: requests are assumed to be spread evenly over their bucket, and requests of the last bucket to have
         * taken as long as its lower bound. Zero if there was none.
         *
         * @param quantile 0 to 1, such as 0.99
         */
        public Duration quantile(double quantile) {
            double rank = quantile * count();
            long before = 0;
            for (int i = 0; i < BOUNDS.size(); i++) {
                long in = counts.get(i);
                if (in > 0 && before + in >= rank) {
                    double lower = i == 0 ? 0 : BOUNDS.get(i - 1).toNanos();
                    double share = Math.max(0, rank - before) / in;
                    return Duration.ofNanos(
                            (long) (lower + share * (BOUNDS.get(i).toNanos() - lower)));
                }
                before += in;
            }
            return count() == 0 ? Duration.ZERO : BOUNDS.get(BOUNDS.size() - 1);
        }
    }
}
