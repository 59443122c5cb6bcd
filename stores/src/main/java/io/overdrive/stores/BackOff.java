package io.overdrive.stores;

import java.io.InterruptedIOException;
import java.time.Duration;

/**
 * The pauses before retries of a request, each twice as long as the one before, or as long as the store asks for. Immutable.
 *
 * @param first pause
 * @param sleep waits
 */
record BackOff(Duration first, Sleep sleep) {
    static final BackOff USUAL = new BackOff(Duration.ofMillis(100), pause -> Thread.sleep(pause.toMillis()));

    /** The longest pause, as a multiple of the first one. */
    private static final int MAX_PAUSES = 200;

    /** The longest pause that a store may ask for. */
    static final Duration MAX_ASKED = Duration.ofMinutes(1);

    /** Waits; with a fake, in virtual time. */
    @FunctionalInterface
    interface Sleep {
        void pause(Duration pause) throws InterruptedException;
    }

    /**
     * The pause after a failure.
     *
     * @param failures in a row
     * @param asked by the store; zero if it has not asked for one
     */
    Duration after(int failures, Duration asked) {
        Duration usual = first.multipliedBy(Math.min(MAX_PAUSES, 1 << (failures - 1)));
        Duration wanted = asked.compareTo(MAX_ASKED) > 0 ? MAX_ASKED : asked;
        return wanted.compareTo(usual) > 0 ? wanted : usual;
    }

    void pause(Duration pause) throws InterruptedIOException {
        try {
            sleep.pause(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
