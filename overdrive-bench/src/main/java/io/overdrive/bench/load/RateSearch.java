package io.overdrive.bench.load;

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
 * Looks for the highest rate that a cluster holds: doubles it until it is not held, then halves the distance in ratio between the two
 * until they are within 5 %. A rate counts as not held only if it fails twice, because one pause of a garbage collector must not decide; what is
 * found is tried once more, and lowered by 5 % until it is held again. Confined to one thread.
 */
public final class RateSearch {
    private static final double NEAR_ENOUGH = 1.05;
    /** Of the asked rate, that must be achieved: in a trial of 5 s, answers may lag by 0.15 s at its end. */
    private static final double SHARE_HELD = 0.97;

    private static final double SHARE_FAILED = 0.001;

    private final LongFunction<LoadResult> trial;
    private final @Nullable Duration p99;
    private final Consumer<Step> onStep;
    private final List<Step> steps = new ArrayList<>();

    /**
     * A rate that was tried.
     *
     * @param whyNot why it was not held, with the figures; empty where it was
     */
    public record Step(long rate, LoadResult result, String whyNot) {
        public boolean held() {
            return whyNot.isEmpty();
        }
    }

    /**
     * The highest rate that was held.
     *
     * @param rate operations a second, 0 where not even one was
     * @param steps all that were tried, in this order
     */
    public record Found(long rate, List<Step> steps) {
        public Found {
            steps = List.copyOf(steps);
        }
    }

    private RateSearch(LongFunction<LoadResult> trial, @Nullable Duration p99, Consumer<Step> onStep) {
        this.trial = trial;
        this.p99 = p99;
        this.onStep = onStep;
    }

    /**
     * Searches with loads on a table that has all rows which are read.
     *
     * @param options of the loads; their rate is the one to begin with, their duration that of a trial, 5 s where there is none
     * @param p99 that operations may have, from when they were due; null: any, as long as answers keep up with the rate
     * @param onStep is told each trial
     */
    public static Found search(
            Overdrive overdrive, LoadOptions options, @Nullable Duration p99, Consumer<Step> onStep) {
        Duration duration = options.duration() == null ? Duration.ofSeconds(5) : options.duration();
        return search(
                rate -> {
                    LoadOptions at = options.withRate(rate);
                    run(overdrive, at, duration.dividedBy(5)); // what was left of the trial before it is over then
                    return run(overdrive, at, duration);
                },
                options.rate(),
                p99,
                onStep);
    }

    /** Cuts it off at the end of the duration: a rate that is far too high is not caught up with. */
    private static LoadResult run(Overdrive overdrive, LoadOptions options, Duration duration) {
        try (Load load = Load.start(overdrive, options.copy().duration(duration).build())) {
            Thread.sleep(duration.toMillis());
            return load.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(
                    OverdriveException.Kind.INTERRUPTED, "interrupted in the search for a rate", e);
        }
    }

    /** The same with trials of one's own: {@code trial} runs a load at a rate. */
    public static Found search(
            LongFunction<LoadResult> trial, long firstRate, @Nullable Duration p99, Consumer<Step> onStep) {
        return new RateSearch(trial, p99, onStep).search(firstRate);
    }

    private Found search(long firstRate) {
        long held = 0;
        long notHeld = LoadOptions.MAX_RATE + 1;
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
        } else if (notHeld > LoadOptions.MAX_RATE) {
            return Math.min(2 * held, LoadOptions.MAX_RATE);
        }
        return Math.min(notHeld - 1, Math.max(held + 1, Math.round(Math.sqrt((double) held * notHeld))));
    }

    private boolean holdsOnceInTwo(long rate) {
        boolean first = holds(rate);
        return first || holds(rate);
    }

    private boolean holds(long rate) {
        LoadResult result = trial.apply(rate);
        Step step = new Step(rate, result, whyNot(rate, result));
        steps.add(step);
        onStep.accept(step);
        return step.held();
    }

    private String whyNot(long rate, LoadResult result) {
        Interval all = result.all();
        double most = p99 == null ? Double.POSITIVE_INFINITY : p99.toNanos() / 1e6;
        if (all.failed() + result.unanswered() > SHARE_FAILED * all.due()) {
            return all.failed() + result.unanswered() + " of " + all.due() + " operations failed";
        } else if (result.achieved() < SHARE_HELD * rate) {
            return String.format(Locale.ROOT, "answers came at %.0f a second only", result.achieved());
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
