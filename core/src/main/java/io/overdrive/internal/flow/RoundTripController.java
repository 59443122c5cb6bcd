package io.overdrive.internal.flow;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the queue at the node short: the median round trip is held at a target of {@code max(2, 1 + 6 / sqrt(n))} times the
 * baseline, the round trip without a queue, where n is the limit in requests. The more are in flight, the less they
 * vary, so the shorter a queue keeps the node busy; and of two jobs the one with the lower limit gains. The limit doubles
 * from a small one until the target is reached; from then on, each window changes it by {@code exp(0.6 * ln(target /
 * inflation))}, cut off at -30 % and +13 %. It grows only if requests had to wait for it, and long round trips do not lower it
 * below four requests.
 *
 * <p>At times the limit is lowered to a quarter for a moment (a drain), which measures two things:
 *
 * <ul>
 *   <li>The baseline, as it is now. Round trips that stay long while little is in flight are not the queue of this job: the client
 *       or the node is busy with other work, and a lower limit would only cost throughput. So the limit falls far only by a baseline of
 *       the last seconds. A drain that finds longer round trips than the one before is repeated at once, since it may have met a pause, and
 *       the lower one of the two counts.
 *   <li>Whether throughput follows the limit. If a quarter of it has less than 0.8 of the throughput, baselines below the slack count
 *       as the slack, 2.5 ms at most: a node that handles together what arrives together needs more in flight than its
 *       fastest round trip suggests. If not, the slack is halved.
 * </ul>
 *
 * <p>If at least one in a thousand requests fails for overload or a timeout, the limit becomes 0.7 times what was really in flight, the
 * next windows do not cut again, and for a minute it returns only slowly to what failed. After lost connections it doubles again from
 * there, as at the start. A node that answers nothing in three windows gets one request at a time until it answers.
 *
 * <p>The law is that of TCP Vegas (Brakmo and Peterson, 1995), a target of delay, with the drains of BBR (Cardwell et al.,
 * 2016), whose minimum would otherwise drift upwards under permanent load. Twice the largest slack is the target of CoDel (RFC 8289),
 * a queue that is harmless. To compare the throughput of two limits is the idea of PCC (Dong et al., 2015).
 */
final class RoundTripController implements LimitController {
    private static final double MIN_TARGET = 2;
    private static final double QUEUE = 6;
    private static final double GAIN = 0.6;
    private static final double MAX_CUT = -0.35;
    private static final double MAX_RISE = 0.12;
    /** Maximum rise below the limit that led to failures, for a minute after them. */
    private static final double MAX_RISE_TO_FAILURES = 0.03;

    private static final int WINDOWS_TO_FORGET_FAILURES = 60;
    private static final double AFTER_FAILURES = 0.7;
    private static final double DRAINED = 0.25;
    /** Share of the limit at the last drain: below it, long round trips lower the limit only soon after a drain. */
    private static final double MIN_UNPROVEN = 0.8;

    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How much a baseline may differ from what was known before, in both directions. */
    private static final double DOUBTFUL = 1.5;

    private static final int MIN_REQUESTS = 4;
    /** Share of the throughput that is left with a quarter of the limit: if it is more, throughput does not follow the limit. */
    private static final double FOLLOWS = 0.8;

    private static final double MAX_SLACK_NANOS = 2_500_000;
    private static final double MIN_SLACK_NANOS = 50_000;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int WINDOW_REQUESTS = 50;
    /** While the limit doubles, and in a drain. */
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int SHORT_REQUESTS = 10;
    private static final long[] SECONDS_TO_DRAIN = {18, 22, 16, 24, 20};

    private final double min;
    private final double max;
    private final Baseline baseline = new Baseline();
    private double limit;
    private Phase phase = Phase.START;
    private long sinceDrainNanos;
    private int drains;
    private double limitBeforeDrain;
    private double costPerNanoBeforeDrain;
    private double limitAtLastDrain;
    /** Whether the drain is for a baseline to cut by, and not to compare throughput. */
    private boolean isForProof;
    /** Whether the last drain found longer round trips than the one before. */
    private boolean isDoubtful;

    private double slackNanos = MAX_SLACK_NANOS;
    private int coolDown;
    private double limitThatFailed;
    private int windowsSinceFailure;
    private int failedWindows;
    private long baselineNanos;

    private enum Phase {
        /** The limit doubles. */
        START,
        STEADY,
        /** Requests from before the drain end. */
        DRAIN_BEGINS,
        DRAIN,
        /** The queue builds up again. */
        DRAIN_ENDS,
        /** The node answers nothing. */
        SILENT
    }

    /**
     * @param start first limit
     * @param min lower bound of the limit
     * @param max upper bound
     */
    RoundTripController(double start, double min, double max) {
        this.limit = start;
        this.limitAtLastDrain = start;
        this.min = min;
        this.max = max;
    }

    @Override
    public Decision first() {
        return decide("first limit");
    }

    @Override
    public Decision next(Window window, boolean mayDrain) {
        sinceDrainNanos += window.nanos();
        if (window.failed() > 0 && window.failed() >= window.requests() / 1000) {
            return afterFailures(window);
        }
        failedWindows = 0;
        windowsSinceFailure++;
        coolDown = Math.max(0, coolDown - 1);
        if (window.answered() == 0) {
            return decide("nothing was answered yet");
        }
        baselineNanos = phase == Phase.START ? baseline.observe(window) : baseline.of(window);
        double inflation = window.medianNanos() / Math.max(baselineNanos, slackNanos);
        return switch (phase) {
            case START -> start(window, inflation);
            case STEADY -> steady(window, inflation, mayDrain);
            case DRAIN_BEGINS -> {
                phase = Phase.DRAIN;
                yield decide("measures the round trip without a queue");
            }
            case DRAIN -> drained(window);
            case DRAIN_ENDS -> {
                phase = Phase.STEADY;
                yield decide("after measuring");
            }
            case SILENT -> {
                phase = Phase.START;
                yield decide("the node answers again");
            }
        };
    }

    private Decision start(Window window, double inflation) {
        if (inflation >= target(window)) {
            phase = Phase.STEADY;
            return steady(window, inflation, /* mayDrain */ false);
        }
        if (!window.isLimited()) {
            return decide("the limit is not reached");
        }
        set(2 * limit, window);
        return decide("grows: round trips are short");
    }

    private Decision steady(Window window, double inflation, boolean mayDrain) {
        if (isDoubtful) {
            return drain(window, /* forProof */ true, "drains again: round trips were longer than before");
        }
        if (mayDrain && isTimeToDrain() && window.isLimited()) {
            drains++;
            return drain(window, /* forProof */ false, "drains the queue to measure");
        }
        double change = Math.max(MAX_CUT, Math.min(maxRise(), GAIN * Math.log(target(window) / inflation)));
        if (sinceDrainNanos > PROOF_NANOS) {
            if (change < 0 && limit * Math.exp(change) < MIN_UNPROVEN * limitAtLastDrain) {
                return drain(
                        window, /* forProof */ true, "drains to see whether round trips are long because of this job");
            }
            if (mayDrain && DOUBTFUL * window.medianNanos() < baselineNanos) {
                return drain(
                        window, /* forProof */ true, "drains: round trips are shorter than without a queue before");
            }
        }
        if (change > 0 && !window.isLimited()) {
            return decide("the limit is not reached");
        }
        if (change > 0 && coolDown > 0) {
            return decide("waits after a cut");
        }
        double wanted = limit * Math.exp(change);
        set(change < 0 ? Math.max(wanted, Math.min(limit, MIN_REQUESTS * window.requestCost())) : wanted, window);
        return decide(change < 0 ? "shrinks: round trips are long" : "grows: round trips are short");
    }

    private Decision drain(Window window, boolean forProof, String reason) {
        phase = Phase.DRAIN_BEGINS;
        isForProof = forProof;
        costPerNanoBeforeDrain = costPerNano(window);
        limitBeforeDrain = limit;
        limit = Math.max(min, DRAINED * Math.min(limit, window.peakCost()));
        return decide(reason);
    }

    private Decision drained(Window window) {
        baseline.measured(window);
        isDoubtful = !isDoubtful && window.medianNanos() > DOUBTFUL * baselineNanos;
        baselineNanos = baseline.of(window);
        if (!isForProof) {
            boolean follows = costPerNano(window) < FOLLOWS * costPerNanoBeforeDrain;
            slackNanos =
                    Math.max(MIN_SLACK_NANOS, Math.min(MAX_SLACK_NANOS, follows ? 2 * slackNanos : slackNanos / 2));
        }
        phase = Phase.DRAIN_ENDS;
        limit = limitBeforeDrain;
        limitAtLastDrain = limit;
        sinceDrainNanos = 0;
        return decide("the round trip without a queue is known again");
    }

    private static double costPerNano(Window window) {
        return (double) window.cost() / Math.max(1, window.nanos());
    }

    private double target(Window window) {
        return Math.max(MIN_TARGET, 1 + QUEUE / Math.sqrt(Math.max(1, limit / window.requestCost())));
    }

    private double maxRise() {
        return windowsSinceFailure < WINDOWS_TO_FORGET_FAILURES && limit < limitThatFailed
                ? MAX_RISE_TO_FAILURES
                : MAX_RISE;
    }

    private boolean isTimeToDrain() {
        return sinceDrainNanos > TimeUnit.SECONDS.toNanos(SECONDS_TO_DRAIN[drains % SECONDS_TO_DRAIN.length]);
    }

    private Decision afterFailures(Window window) {
        if (window.answered() == 0 && ++failedWindows >= 3) {
            phase = Phase.SILENT;
            limit = min;
            return decide("the node does not answer: one request at a time");
        }
        if (coolDown > 0) {
            coolDown--;
            return decide("more failures after a cut");
        }
        coolDown = 3;
        limit = isDraining() ? limitBeforeDrain : limit;
        if (window.lost() == window.failed()) { // which says little about the load that the node can take
            phase = Phase.START;
        } else {
            phase = Phase.STEADY;
            windowsSinceFailure = 0;
            limitThatFailed = Math.min(limit, window.peakCost());
        }
        set(AFTER_FAILURES * Math.min(limit, window.peakCost()), window);
        limitAtLastDrain = limit; // failures need no drain to be believed
        return decide("shrinks: " + failures(window));
    }

    private boolean isDraining() {
        return phase == Phase.DRAIN || phase == Phase.DRAIN_BEGINS;
    }

    private static String failures(Window window) {
        return String.format(
                Locale.ROOT,
                "%d overloaded, %d timed out, %d lost of %d",
                window.overloaded(),
                window.timedOut(),
                window.lost(),
                window.requests());
    }

    /** Less than one request makes no difference. */
    private void set(double wanted, Window window) {
        limit = Math.min(max, Math.max(Math.max(min, window.requestCost()), wanted));
    }

    private Decision decide(String reason) {
        boolean isShort = phase != Phase.STEADY && phase != Phase.SILENT;
        return new Decision(
                limit,
                isShort ? SHORT_NANOS : WINDOW_NANOS,
                isShort ? SHORT_REQUESTS : WINDOW_REQUESTS,
                isDraining(),
                baselineNanos,
                reason);
    }
}
