package io.overdrive.internal.flow;

import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Finds the size at which most bytes are answered per second, on a grid of powers of two: of requests or pages in bytes, or the number
 * of splits that are read at once. The size in
 * use is compared with its neighbour in slots of time: in the order current, neighbour, neighbour, current, so that a steady
 * trend favours neither. Each pair of slots is a point for one of them, and a lead of four points decides (Wald's sequential test of
 * signs). The neighbour has to win by 3 %: of equals, the size in use stays. After a win the next size in the same direction is
 * compared; once both neighbours have lost, the search rests for a minute, then for twice as long each time.
 *
 * <p>A slot counts only if it was steady: requests had to wait for the limit, none failed, and the job was not held back for others.
 * Otherwise something else decides how fast the job is, and its rate says nothing about the size.
 *
 * <p>Pure: it knows only the slots that it is given, has no clock and no randomness. Confined to one thread at a time.
 */
public final class SizeSearch {
    /** First pause, until the limits have found their level. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long MIN_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(16);
    /** Requests of the size before end, and the limit of this size finds its level. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1000);

    private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final double MARGIN = 1.03;
    private static final int LEAD = 4;
    private static final int MAX_PAIRS = 20;

    private final int min;
    private final int max;
    private final String unit;
    private final boolean isFromEarlierRun;
    private int best;
    private int candidate;
    private boolean upwards = true;
    /** Neighbours of {@link #best} that have lost since it became the best. */
    private int lost;

    private boolean comparing;
    private boolean isTested;
    private boolean beginsRest;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private long waitedNanos;
    private int slots;
    private int lead;
    private boolean isPairSteady;
    private double bestRate;
    private double candidateRate;

    /**
     * Measurements of a slot after it had settled.
     *
     * @param nanos its length
     * @param bytes answered in it
     * @param isSteady whether it counts
     */
    record Slot(long nanos, long bytes, boolean isSteady) {
        double bytesPerNano() {
            return (double) bytes / Math.max(1, nanos);
        }
    }

    /**
     * The next slot.
     *
     * @param size in use in it
     * @param settleNanos time to pass before it is measured
     * @param nanos time to measure
     * @param reason in words, for the user
     */
    record Decision(int size, long settleNanos, long nanos, String reason) {}

    /**
     * @param start size to begin with
     * @param min at most the start
     * @param max at least the start
     * @param unit of the size, for the user
     * @param isFromEarlierRun whether an earlier run found the start
     */
    public SizeSearch(int start, int min, int max, String unit, boolean isFromEarlierRun) {
        if (min > start || start > max) {
            throw new IllegalArgumentException(start + " is not between " + min + " and " + max);
        }
        this.best = start;
        this.min = min;
        this.max = max;
        this.unit = unit;
        this.isFromEarlierRun = isFromEarlierRun;
    }

    /** The best size yet; empty unless a comparison was decided. */
    OptionalInt found() {
        return isTested ? OptionalInt.of(best) : OptionalInt.empty();
    }

    int best() {
        return best;
    }

    /** Whether a rest began with the last decision. */
    boolean beginsRest() {
        return beginsRest;
    }

    boolean isFromEarlierRun() {
        return isFromEarlierRun;
    }

    Decision first() {
        return decide(isFromEarlierRun ? "from an earlier run" : "first size");
    }

    /** Waits again for as long as it would have before the next comparison. */
    Decision resume() {
        waitedNanos = 0;
        return decide("stays");
    }

    Decision next(Slot slot) {
        beginsRest = false;
        if (!comparing) {
            waitedNanos = slot.isSteady ? waitedNanos + slot.nanos : 0;
            return waitedNanos < pauseNanos ? decide("stays") : compareNeighbour();
        }
        if (triesIn(slots)) {
            candidateRate = slot.bytesPerNano();
        } else {
            bestRate = slot.bytesPerNano();
        }
        isPairSteady = (slots % 2 == 0 || isPairSteady) && slot.isSteady;
        slots++;
        if (slots % 2 == 0 && isPairSteady) {
            lead += candidateRate > MARGIN * bestRate ? 1 : -1;
        }
        if (lead == LEAD) {
            return won();
        }
        return lead == -LEAD || slots == 2 * MAX_PAIRS ? lost() : decide(triesIn(slots) ? "compared" : "stays");
    }

    private static boolean triesIn(int slot) {
        return (slot & 3) == 1 || (slot & 3) == 2;
    }

    private Decision won() {
        String reason = String.format(Locale.ROOT, "faster than %d %s", best, unit);
        isTested = true;
        best = candidate;
        lost = 1; // the neighbour on the other side, which was the best
        pauseNanos = 0;
        Decision next = compareNeighbour();
        return new Decision(next.size, next.settleNanos, next.nanos, reason);
    }

    private Decision lost() {
        isTested = true;
        lost++;
        upwards = !upwards;
        comparing = false;
        waitedNanos = 0;
        String reason = String.format(Locale.ROOT, "not slower than %d %s", candidate, unit);
        if (lost < 2) {
            Decision next = compareNeighbour();
            return new Decision(next.size, next.settleNanos, next.nanos, reason);
        }
        return rest(reason);
    }

    private Decision rest(String reason) {
        comparing = false;
        beginsRest = true;
        lost = 0;
        waitedNanos = 0;
        pauseNanos = pauseNanos < MIN_PAUSE_NANOS ? MIN_PAUSE_NANOS : Math.min(MAX_PAUSE_NANOS, 2 * pauseNanos);
        return decide(reason);
    }

    /** Begins with the next neighbour that has not lost, if the bounds leave one. */
    private Decision compareNeighbour() {
        for (; lost < 2; lost++, upwards = !upwards) {
            long neighbour = upwards ? 2L * best : best / 2;
            if (neighbour >= min && neighbour <= max) {
                candidate = (int) neighbour;
                comparing = true;
                slots = 0;
                lead = 0;
                return decide("stays");
            }
        }
        return rest("both neighbours are slower, or out of bounds");
    }

    private Decision decide(String reason) {
        return new Decision(comparing && triesIn(slots) ? candidate : best, SETTLE_NANOS, SLOT_NANOS, reason);
    }
}
