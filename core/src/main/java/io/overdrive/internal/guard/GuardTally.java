package io.overdrive.internal.guard;

import io.overdrive.GuardTotals;
import io.overdrive.internal.guard.GuardController.Cause;
import io.overdrive.internal.guard.GuardController.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The decisions of a {@link Guard}, and for how long it has held bulk work back. Guarded by the lock of the guard. */
final class GuardTally {
    private double lowestShare = 1;
    private long heldBackNanos;
    /** When the share was decided that is in effect. */
    private long decidedNanos;

    private boolean holdsBack;
    private long windows;
    private long windowsAbove;
    /** The last window during bulk work; null if there was none. */
    private @Nullable ProbeWindow last;

    private @Nullable String reason;
    private boolean notTheCause;

    /** Number of decisions. */
    long windows() {
        return windows;
    }

    boolean holdsBack() {
        return holdsBack;
    }

    void reason(String why) {
        reason = why;
    }

    /**
     * Adds a decision.
     *
     * @param why null if bulk work is not held back at all
     * @return whether bulk work is held back now and was not before, or the other way round
     */
    boolean decided(Decision decision, ProbeWindow window, @Nullable String why, long now) {
        last = window;
        windows++;
        windowsAbove += decision.cause() == Cause.LATENCY || decision.cause() == Cause.NOT_BULK ? 1 : 0;
        notTheCause |= decision.cause() == Cause.NOT_BULK;
        heldBackNanos = heldBackNanos(now);
        decidedNanos = now;
        reason = why;
        boolean held = holdsBack;
        holdsBack = decision.share() < 1 && decision.cause() != Cause.STARTING;
        if (holdsBack) {
            lowestShare = Math.min(lowestShare, decision.share());
        }
        return holdsBack != held;
    }

    /** Ends holding back, as there is no bulk work. */
    void rest(long now) {
        reason = null;
        heldBackNanos = heldBackNanos(now);
        holdsBack = false;
    }

    private long heldBackNanos(long now) {
        return heldBackNanos + (holdsBack ? now - decidedNanos : 0);
    }

    /**
     * The reason of a decision, for users.
     *
     * @param closed nodes that take no bulk work now, and why
     */
    static String why(Cause cause, ProbeWindow window, LatencyLimits limits, Probes sender, List<String> closed) {
        List<String> reasons = new ArrayList<>();
        if (cause == Cause.OUTAGE) {
            reasons.add("probes fail" + (sender.lastError() == null ? "" : " (" + sender.lastError() + ")"));
        } else {
            boolean isMean = limits.isMean(window);
            reasons.add((cause == Cause.STARTING ? "at the start, " : "")
                    + (isMean ? "mean " + millis(window.meanNanos()) : "p99 " + millis(window.p99Nanos()))
                    + ", limit " + millis(isMean ? limits.meanNanos() : limits.p99Nanos())
                    + (cause == Cause.NOT_BULK ? "; bulk work is at its minimum, so it is not the cause" : ""));
        }
        reasons.addAll(closed);
        return String.join("; ", reasons);
    }

    private static String millis(long nanos) {
        double millis = nanos / 1e6;
        return millis < 10_000
                ? String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis)
                : String.format(Locale.ROOT, "%.0f s", millis / 1000);
    }

    /**
     * A snapshot.
     *
     * @param limits null until they are known
     * @param tables that are probed
     * @param measuring why nothing is decided yet; null if that is not so
     */
    GuardTotals totals(
            long now,
            long nanos,
            double share,
            @Nullable LatencyLimits limits,
            Probes sender,
            String tables,
            @Nullable String measuring) {
        return new GuardTotals(
                Duration.ofNanos(nanos),
                share,
                lowestShare,
                Duration.ofNanos(heldBackNanos(now)),
                Duration.ofNanos(last == null ? 0 : last.p99Nanos()),
                Duration.ofNanos(limits == null ? 0 : limits.p99Nanos()),
                Duration.ofNanos(limits == null ? 0 : limits.p99Before()),
                Duration.ofNanos(last == null ? 0 : last.meanNanos()),
                Duration.ofNanos(limits == null ? 0 : limits.meanNanos()),
                sender.latency(),
                windows,
                windowsAbove,
                sender.sent(),
                sender.failed(),
                tables,
                measuring != null ? measuring : reason,
                notTheCause);
    }
}
