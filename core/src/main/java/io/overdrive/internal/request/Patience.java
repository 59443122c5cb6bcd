package io.overdrive.internal.request;

import io.overdrive.WriteSetting;
import io.overdrive.internal.names.MessageText;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * How long one request has been refused without having been applied: it is retried by time, not by attempts. Confined to
 * the thread that handles the request.
 */
public final class Patience {
    /** Short, so that a node that is back has work soon. */
    private static final Backoff BACKOFF = new Backoff(3_000);

    private int refusals;
    private long sinceNanos;
    private String reason = "";

    /**
     * Counts one refusal.
     *
     * @param maxNanos how long to continue in all
     * @return milliseconds to pause before the retry, or -1 if patience is used up
     */
    public long refused(String reason, long now, long maxNanos, RandomGenerator random) {
        if (refusals++ == 0) {
            sinceNanos = now;
        }
        this.reason = reason;
        long leftNanos = maxNanos - (now - sinceNanos);
        return leftNanos <= 0
                ? -1
                : Math.min(BACKOFF.pauseMillis(refusals, random), TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1);
    }

    /** The request was taken: the next refusal is the first one. */
    public void reset() {
        refusals = 0;
    }

    /** Time since the first refusal; 0 if the request was not refused. */
    public long waitedNanos(long now) {
        return refusals == 0 ? 0 : now - sinceNanos;
    }

    /** Reason of the last refusal. */
    public String reason() {
        return reason;
    }

    /** The message when patience is used up. */
    public MessageText usedUp(long maxNanos) {
        return usedUp(reason, maxNanos);
    }

    /** As {@link #usedUp(long)}, for any reason. */
    public static MessageText usedUp(String reason, long maxNanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(maxNanos);
        return words ->
                reason + "; gave up after " + seconds + " s, which is set by " + words.of(WriteSetting.PATIENCE);
    }
}
