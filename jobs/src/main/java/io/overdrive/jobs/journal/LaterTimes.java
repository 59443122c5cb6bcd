package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Resumed runs that write rows again, with later write times than before. */
public final class LaterTimes {
    private static final Duration MAX_WAIT = Duration.ofMinutes(10);

    private LaterTimes() {}

    /**
     * Waits until the clock is beyond all write times of the run, which takes a few seconds at most unless the clock was set back.
     *
     * @param lastMicros the last of them, in microseconds since 1970
     * @throws OverdriveException of kind INPUT if that would take more than ten minutes; of kind INTERRUPTED if the thread is
     */
    public static void await(long lastMicros) {
        long wait = lastMicros - ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        if (wait > TimeUnit.MICROSECONDS.convert(MAX_WAIT)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "the run cannot be resumed yet: its last write times are " + wait / 1_000_000
                            + " s in the future; wait until they have passed");
        }
        try {
            TimeUnit.MICROSECONDS.sleep(wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "interrupted while the last write times pass", e);
        }
    }
}
