package io.overdrive.internal.guard;

import java.util.concurrent.TimeUnit;

/**
 * Decides which share of its usual limits bulk work may use, so that the latency of foreground reads stays within a limit. Pure:
 * a window of probes goes in, a share comes out; there is no clock and no randomness. Confined to one thread.
 *
 * <p>The share is {@code exp(I)}, and {@code I} changes with each window by {@code e = ln(aim * limit / latency)}, where latency
 * and limit are those of the 99th percentile, or of the mean if it has one and is higher in proportion to it:
 *
 * <ul>
 *   <li>Within the aim: {@code I} rises by {@code RISE * e}, at most {@code RISE * MAX_RISE}. After {@code CALM} such
 *       windows in sequence, the maximum grows by {@code RISE * SPEED_UP} with each window, {@code MAX_SPEED_UPS} times: a share
 *       that was cut for others recovers within a minute once they are gone.
 *   <li>Between the aim and the limit: {@code I} stays.
 *   <li>Above the limit: {@code I} is cut by {@code e}, at most {@code MAX_CUT}, from the second such window in sequence on. A
 *       single one is often a pause of the node's garbage collector, which must not add up to ever lower shares. Windows after
 *       an immediate cut (below) do not count: they were measured at another share.
 *   <li>The aim makes room for noise, so that few windows are above the limit: each of these multiplies it by
 *       {@code 1 - AIM_STEP}, and each other one raises it a little, so that it stands still if {@code ABOVE} of the windows
 *       are above the limit. It does not fall below the latency without bulk work, if that is known: bulk work that aims at
 *       less is held back for nothing.
 *   <li>Above {@code IMMEDIATE * limit}: for the next window the share is also multiplied by {@code limit / latency}, at
 *       least {@code MIN_EMERGENCY}, even if it is a single window. Measurements at that share do not raise {@code I}.
 *   <li>The share starts at {@link #FIRST_SHARE} and doubles with each window until the first one above the limit.
 *   <li>{@code I} stays between {@code ln(FLOOR)} and 0, so the share moves with the first window after a long time at a bound
 *       (no windup). It does not rise while a gate is closed, as the rise would be unused.
 *   <li>If most probes fail, the share is half of the last one before they did, until they are answered.
 *   <li>Each closed gate halves the share.
 * </ul>
 *
 * <p>A window with a higher latency never leads to a higher share, then or later.
 */
public final class GuardController {
    /**
     * The smallest share: bulk work continues slowly, as a job that stands still would never end. A single small request in flight may
     * already have a sixth of the throughput, so this is much less than that.
     */
    public static final double FLOOR = 0.001;

    static final double FIRST_SHARE = 0.025;
    static final double IMMEDIATE = 3;
    private static final double FIRST_AIM = 0.8;
    private static final double MIN_AIM = 0.35;
    private static final double MAX_AIM = 0.9;
    private static final double AIM_STEP = 0.1;
    /** Share of windows that may be above the limit. */
    private static final double ABOVE = 0.03;

    private static final double RISE = 0.5;
    private static final double MAX_RISE = 0.08;
    private static final int CALM = 12;
    private static final double SPEED_UP = 0.15;
    private static final int MAX_SPEED_UPS = 8;
    private static final double MAX_CUT = 0.7;
    private static final double MIN_EMERGENCY = 0.2;
    private static final double LN_2 = Math.log(2);
    private static final double MIN_I = Math.log(FLOOR);
    /** How long latency must stay above the limit at the floor for bulk work not to be the cause. */
    private static final long NOT_BULK_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Why the share is what it is. */
    public enum Cause {
        /** The latency is within the limit, and bulk work is not held back. */
        NONE,
        /** The share is small because bulk work has just begun. */
        STARTING,
        /** The latency is within the limit, and the share rises or has found its place. */
        RECOVERING,
        /** The latency is above the limit. */
        LATENCY,
        /** The latency is above the limit although bulk work has been at its floor for long: something else is the cause. */
        NOT_BULK,
        /** The probes fail. */
        OUTAGE,
        /** The latency is within the limit, but a gate is closed. */
        GATE
    }

    /**
     * A decision.
     *
     * @param share of the usual limits, from {@link #FLOOR} to 1
     */
    public record Decision(double share, Cause cause) {}

    private final LatencyLimits limits;
    private final double minAim;
    private double i = Math.log(FIRST_SHARE);
    private double lastGoodI = i;
    private double aim = FIRST_AIM;
    private boolean doubles = true;
    private boolean isStarting = true;
    private boolean wasAbove;
    private boolean wasEmergency;
    private long aboveAtFloorNanos;
    /** Windows within the aim since the last one that was not, but for those that could not raise the share. */
    private int calm;

    GuardController(LatencyLimits limits) {
        this.limits = limits;
        this.minAim = Math.max(MIN_AIM, Math.min(limits.ratioBefore(), MAX_AIM));
    }

    /**
     * Decides on the share until the next window.
     *
     * @param closedGates signs of trouble on the servers other than latency
     */
    public Decision next(ProbeWindow window, int closedGates) {
        if (window.isOutage()) {
            isStarting = false;
            i = Math.max(MIN_I, Math.min(i, lastGoodI - LN_2));
            return new Decision(share(1, closedGates), Cause.OUTAGE);
        }
        double ratio = limits.ratio(window);
        boolean isAbove = ratio > 1;
        aboveAtFloorNanos = isAbove && i <= MIN_I ? aboveAtFloorNanos + window.nanos() : 0;
        aim = Math.max(minAim, Math.min(aim * (isAbove ? 1 - AIM_STEP : 1 + AIM_STEP * ABOVE), MAX_AIM));
        double e = Math.log(aim / ratio);
        if (e <= 0) {
            calm = 0;
        }
        if (isAbove) {
            doubles = false;
            if (wasAbove) {
                i = Math.max(MIN_I, i + Math.max(-MAX_CUT, e));
            }
        } else if (closedGates == 0 && !wasEmergency && e > 0) {
            calm = Math.min(CALM + MAX_SPEED_UPS, calm + 1);
            double maxRise = MAX_RISE + SPEED_UP * Math.max(0, calm - CALM);
            i = Math.min(0, i + (doubles ? LN_2 : RISE * Math.min(maxRise, e)));
        }
        wasAbove = isAbove || wasAbove && wasEmergency;
        wasEmergency = ratio > IMMEDIATE;
        lastGoodI = i;
        double share = share(wasEmergency ? Math.max(MIN_EMERGENCY, 1 / ratio) : 1, closedGates);
        isStarting &= !isAbove && i < 0;
        return new Decision(share, cause(isAbove, share, closedGates));
    }

    private Cause cause(boolean isAbove, double share, int closedGates) {
        if (isAbove) {
            return aboveAtFloorNanos >= NOT_BULK_NANOS ? Cause.NOT_BULK : Cause.LATENCY;
        }
        if (closedGates > 0) {
            return Cause.GATE;
        }
        return share == 1 ? Cause.NONE : isStarting ? Cause.STARTING : Cause.RECOVERING;
    }

    private double share(double emergency, int closedGates) {
        double logarithm = i - closedGates * LN_2;
        return logarithm <= MIN_I ? FLOOR : Math.max(FLOOR, Math.exp(logarithm) * emergency);
    }
}
