package io.overdrive.internal.write;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether single rows are written faster if they share requests: compares slots of time with and without, in the order
 * without, with, with, without, so that a steady trend favours neither. Each pair of slots is a point for the faster side, and a
 * lead of four points decides (Wald's sequential test of signs). Sharing has to win by 15 %, so that in doubt rows are sent singly
 * and wait for nothing. A side that loses by far is left after five pairs, about two seconds; if the difference is small, so is
 * the cost of comparing on. The first pair does not count, as the code of one side has never run before.
 *
 * <p>The comparison begins when rows come fast enough to fill requests, and is repeated after a minute, then after twice as long
 * each time, if it decides as before. If rows come slowly, they are not gathered.
 *
 * <p>Pure: it knows only the slots that it is given, has no clock and no randomness. Confined to one thread at a time.
 */
final class GatheringTrial {
    private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long MAX_SLOT_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Requests from before the slot have ended by then. */
    private static final int ROUND_TRIPS_TO_SETTLE = 2;

    private static final int ROUND_TRIPS = 6;
    /** A slot that took this many times as long as planned was disturbed: nothing was acknowledged for a while. */
    private static final int DISTURBED = 3;

    private static final double MARGIN = 1.15;
    private static final int LEAD = 4;
    private static final int MAX_PAIRS = 50;
    private static final long MIN_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(16);

    /**
     * Measurements of a slot after it had settled.
     *
     * @param nanos its length
     * @param rows acknowledged rows
     * @param singles those that were single or gathered
     * @param enough as many singles fill all requests several times
     * @param roundTripNanos mean round trip of a request; 0 if there was none
     */
    record Slot(long nanos, long rows, long singles, long enough, long roundTripNanos) {
        boolean isFast() {
            return singles >= enough;
        }

        private double rowsPerNano() {
            return (double) rows / Math.max(1, nanos);
        }
    }

    /**
     * The next slot.
     *
     * @param gathers whether single rows share requests in it
     * @param settleNanos time to pass before it is measured
     * @param nanos time to measure
     * @param outcome what was decided for longer; null if the comparison continues, or none has ended
     */
    record Decision(boolean gathers, long settleNanos, long nanos, @Nullable Outcome outcome) {}

    /**
     * The outcome of a comparison.
     *
     * @param pairs of slots that counted
     * @param lead of gathering
     * @param singleRate rows per nanosecond of the slots without; 0 if there was none
     * @param gatheredRate likewise, with
     */
    record Outcome(
            boolean gathersBefore,
            boolean gathers,
            int pairs,
            int lead,
            double singleRate,
            double gatheredRate,
            String reason) {}

    /** The slots of one side that count. Confined to one thread at a time. */
    private static final class Side {
        private long nanos;
        private long rows;
        /** The slot of the current pair. */
        private Slot last = new Slot(0, 0, 0, 0, 0);

        void count() {
            nanos += last.nanos;
            rows += last.rows;
        }

        double rate() {
            return nanos == 0 ? 0 : (double) rows / nanos;
        }
    }

    /** The decision of the last comparison. */
    private boolean gathers;

    private long pauseNanos = MIN_PAUSE_NANOS;
    private long untilTrialNanos;

    private boolean comparing;
    /** Slots of this comparison that have ended. */
    private int slots;

    private int lead;
    private int pairs;
    private Side single = new Side();
    private Side gathered = new Side();
    private @Nullable Outcome outcome;
    private boolean disturbed;
    private long plannedNanos = SLOT_NANOS;

    static Decision first() {
        return new Decision(false, 0, SLOT_NANOS, /* outcome */ null);
    }

    Decision next(Slot slot) {
        outcome = null;
        boolean gathering = comparing ? gathersIn(slots) : gathers;
        if (!slot.isFast() && !(comparing && gathering)) {
            if (comparing || gathers) {
                decide(false, "rows come too slowly to fill requests");
            }
            pauseNanos = MIN_PAUSE_NANOS;
            untilTrialNanos = 0;
        } else if (comparing) {
            compare(slot, gathering ? gathered : single);
        } else {
            untilTrialNanos -= slot.nanos;
            if (untilTrialNanos <= 0) {
                comparing = true;
                slots = 0;
                pairs = 0;
                lead = 0;
                single = new Side();
                gathered = new Side();
            }
        }
        long settleNanos = ROUND_TRIPS_TO_SETTLE * slot.roundTripNanos;
        plannedNanos = Math.min(MAX_SLOT_NANOS, Math.max(SLOT_NANOS, ROUND_TRIPS * slot.roundTripNanos));
        return new Decision(
                comparing ? gathersIn(slots) : gathers,
                Math.min(MAX_SLOT_NANOS, Math.max(SLOT_NANOS / 3, settleNanos)),
                plannedNanos,
                outcome);
    }

    private static boolean gathersIn(int slot) {
        return (slot & 3) == 1 || (slot & 3) == 2;
    }

    private void compare(Slot slot, Side side) {
        side.last = slot;
        disturbed |= slot.nanos > DISTURBED * plannedNanos;
        slots++;
        if (slots % 2 == 1) {
            return;
        }
        if (slots > 2 && !disturbed) {
            single.count();
            gathered.count();
            pairs++;
            lead += gathered.last.rowsPerNano() > MARGIN * single.last.rowsPerNano() ? 1 : -1;
        }
        disturbed = false;
        if (lead == LEAD) {
            decide(true, "gathered rows are written faster");
        } else if (lead == -LEAD) {
            decide(false, "gathered rows are not written faster");
        } else if (slots == 2 * MAX_PAIRS) {
            decide(gathers, "no clear difference");
        }
    }

    private void decide(boolean gathersFromNow, String reason) {
        outcome = new Outcome(gathers, gathersFromNow, pairs, lead, single.rate(), gathered.rate(), reason);
        pauseNanos = gathersFromNow == gathers ? Math.min(2 * pauseNanos, MAX_PAUSE_NANOS) : MIN_PAUSE_NANOS;
        untilTrialNanos = pauseNanos;
        gathers = gathersFromNow;
        comparing = false;
    }
}
