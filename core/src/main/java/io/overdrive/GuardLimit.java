package io.overdrive;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The latency of the cluster's other users that a guarded connection keeps to: the 99th percentile of small reads, either as a
 * time or relative to what it was before the job began. Immutable.
 *
 * @param p99 the limit; null if it is relative
 * @param factor of the latency before the job; 0 if the limit is a time
 */
public record GuardLimit(@Nullable Duration p99, double factor) {
    private static final Pattern TIME = Pattern.compile("p99=(\\d+(?:\\.\\d+)?)(ms|s)");
    private static final Pattern FACTOR = Pattern.compile("(\\d+(?:\\.\\d+)?)x");
    private static final Duration MIN = Duration.ofNanos(100_000);
    private static final Duration MAX = Duration.ofMinutes(1);
    private static final double MAX_FACTOR = 100;

    /** @throws IllegalArgumentException if both are given, or the limit is out of bounds */
    public GuardLimit {
        if (p99 != null && factor != 0) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.GUARD) + " is both a p99 and a factor: give one of them");
        }
        if (p99 != null && (p99.compareTo(MIN) < 0 || p99.compareTo(MAX) > 0)) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.GUARD) + " is p99=" + text(p99) + ", must be p99=0.1ms to p99=60s");
        }
        if (p99 == null && !(factor > 1 && factor <= MAX_FACTOR)) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.GUARD) + " is " + text(factor) + "x, must be more than 1x and at most 100x:"
                            + " 1.2x allows a latency of 1.2 times that before the job");
        }
    }

    /** A limit as a time, 0.1 ms to 1 minute. */
    public static GuardLimit p99(Duration limit) {
        return new GuardLimit(limit, 0);
    }

    /** A limit relative to the latency before the job, more than 1 and at most 100. */
    public static GuardLimit relative(double factor) {
        return new GuardLimit(null, factor);
    }

    /**
     * Reads {@code p99=20ms}, {@code p99=1.5s} or {@code 1.2x}.
     *
     * @throws IllegalArgumentException if the text is none of these, or the limit is out of bounds
     */
    public static GuardLimit parse(String text) {
        Matcher time = TIME.matcher(text);
        if (time.matches()) {
            double millis = Double.parseDouble(time.group(1)) * (time.group(2).equals("s") ? 1000 : 1);
            return p99(Duration.ofNanos(Math.round(millis * 1e6)));
        }
        Matcher times = FACTOR.matcher(text);
        if (times.matches()) {
            return relative(Double.parseDouble(times.group(1)));
        }
        throw new IllegalOptionException(words ->
                words.of(JobOption.GUARD) + " is \"" + text + "\", must be p99=20ms (the latency of the cluster's"
                        + " users to keep to) or 1.2x (times their latency before the job)");
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return p99 != null ? "p99=" + text(p99) : text(factor) + "x";
    }

    private static String text(Duration time) {
        return text(time.toNanos() / 1e6) + "ms";
    }

    private static String text(double number) {
        String text = String.format(Locale.ROOT, "%.6f", number);
        return text.replaceAll("\\.?0+$", "");
    }
}
