package io.overdrive.bench.stress;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the maximum rate that a cluster sustains: doubles the rate until it is not sustained, then bisects (geometrically) until the
 * two ends are within 5 %. A rate counts as not sustained only if it fails twice, because a single garbage collection must not decide; the
 * rate found is tested again, and lowered by 5 % until it is sustained again. Confined to one thread.
 */
public final class RateSearch {
    private static final double NEAR_ENOUGH = 1.05;
    /** The share of the target rate that must be achieved: in a trial of 5 s, answers may lag by 0.15 s at its end. */
    private static final double SHARE_HELD = 0.97;

    private static final double SHARE_FAILED = 0.001;

    private final LongFunction<StressResult> trial;
    private final @Nullable Duration p99;
    private final Consumer<Step> onStep;
    private final List<Step> steps = new ArrayList<>();

    /**
     * A rate that was tried.
     *
     * @param whyNot why it was not sustained, with the figures; empty if it was
     */
    public record Step(long rate, StressResult result, String whyNot) {
        public boolean held() {
            return whyNot.isEmpty();
        }
    }

    /**
     * The maximum rate that was sustained.
     *
     * @param rate operations a second, 0 if not even one was sustained
     * @param steps all trials, in order
     */
    public record Found(long rate, List<Step> steps) {
        public Found {
            steps = List.copyOf(steps);
        }
    }

    private RateSearch(LongFunction<StressResult> trial, @Nullable Duration p99, Consumer<Step> onStep) {
        this.trial = trial;
        this.p99 = p99;
        this.onStep = onStep;
    }

    /**
     * Searches with loads on a table that contains all rows that are read.
     *
     * @param options of the loads; the search starts with their rate, and a trial takes their duration, or 5 s without one
     * @param p99 the maximum p99 of operations, from when they were due; null: any, as long as answers keep up with the rate
     * @param onStep receives each trial
     */
    public static Found search(
            Overdrive overdrive, StressOptions options, @Nullable Duration p99, Consumer<Step> onStep) {
        Duration duration = options.duration() == null ? Duration.ofSeconds(5) : options.duration();
        return search(
                rate -> {
                    StressOptions at = options.withRate(rate);
                    run(overdrive, at, duration.dividedBy(5)); // the rest of the previous trial is over then
                    return run(overdrive, at, duration);
                },
                options.rate(),
                p99,
                onStep);
    }

    /** Ends the trial at its duration: late operations of a rate that is far too high are not sent. */
    private static StressResult run(Overdrive overdrive, StressOptions options, Duration duration) {
        try (Stress load =
                Stress.start(overdrive, options.copy().duration(duration).build())) {
            Thread.sleep(duration.toMillis());
            return load.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(
                    OverdriveException.Kind.INTERRUPTED, "interrupted in the search for a rate", e);
        }
    }

    /** The same with other trials: {@code trial} runs a load at a rate. */
    public static Found search(
            LongFunction<StressResult> trial, long firstRate, @Nullable Duration p99, Consumer<Step> onStep) {
        return new RateSearch(trial, p99, onStep).search(firstRate);
    }

    private Found search(long firstRate) {
        long held = 0;
        long notHeld = StressOptions.MAX_RATE + 1;
        long rate = firstRate;
        while (rate >= 1 && (double) notHeld / Math.max(1, held) > NEAR_ENOUGH && notHeld - held > 1) {
            if (holdsOnceInTwo(rate)) {
                held = rate;
            } else {
                notHeld = rate;
            }
            rate = next(held, notHeld);
        }
        while (held > 0 && !holds(held)) {
            held = Math.min(held - 1, (long) (held / NEAR_ENOUGH));
        }
        return new Found(held, Collections.unmodifiableList(steps));
    }

    private static long next(long held, long notHeld) {
        if (held == 0) {
            return notHeld / 2;
        } else if (notHeld > StressOptions.MAX_RATE) {
            return Math.min(2 * held, StressOptions.MAX_RATE);
        }
        return Math.min(notHeld - 1, Math.max(held + 1, Math.round(Math.sqrt((double) held * notHeld))));
    }

    private boolean holdsOnceInTwo(long rate) {
        boolean first = holds(rate);
        return first || holds(rate);
    }

    private boolean holds(long rate) {
        StressResult result = trial.apply(rate);
        Step step = new Step(rate, result, whyNot(rate, result));
        steps.add(step);
        onStep.accept(step);
        return step.held();
    }

    private String whyNot(long rate, StressResult result) {
        Interval all = result.all();
        double most = p99 == null ? Double.POSITIVE_INFINITY : p99.toNanos() / 1e6;
        if (all.failed() + result.unanswered() > SHARE_FAILED * all.due()) {
            return all.failed() + result.unanswered() + " of " + all.due() + " operations failed";
        } else if (result.achieved() < SHARE_HELD * rate) {
            return String.format(Locale.ROOT, "answers came at only %.0f a second", result.achieved());
        } else if (all.response().p99() > most) {
            return String.format(
                    Locale.ROOT,
                    "p99 was %.1f ms, more than %.1f",
                    all.response().p99(),
                    most);
        }
        return "";
    }
}
