package io.overdrive.stores;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Limits the retries of a request by their number and by the time they wait. Used by one thread at a time. */
final class Retries {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

    /** Failures in a row: with pauses of 100 ms and more, a minute. */
    static final int MAX_FAILURES = 10;

    /** The time for pauses in a row: longer than the usual ones, shorter than a store may ask for. */
    static final Duration MAX_WAIT = Duration.ofMinutes(3);

    private static final double MILLIS_PER_SECOND = 1_000;

    private final String name;
    private final BackOff backOff;
    private int failures;
    private Duration waited = Duration.ZERO;

    /** A try of a request. */
    @FunctionalInterface
    interface Try<T> {
        T run() throws IOException;
    }

    Retries(String name, BackOff backOff) {
        this.name = name;
        this.backOff = backOff;
    }

    /** Runs what sends a request until it succeeds, or no other try can help. */
    static <T> T of(String name, BackOff backOff, Try<T> request) throws IOException {
        Retries retries = new Retries(name, backOff);
        while (true) {
            try {
                return request.run();
            } catch (IOException e) {
                retries.failed(e);
            }
        }
    }

    /** Something was read: failures before do not count. */
    void progressed() {
        failures = 0;
        waited = Duration.ZERO;
    }

    /**
     * Waits before the next try.
     *
     * @throws IOException this failure, if no other try can help, or if there were too many
     */
    void failed(IOException e) throws IOException {
        if (e instanceof FileSystemException) {
            throw e;
        } else if (++failures > MAX_FAILURES) {
            throw ended(e);
        }
        Duration pause =
                backOff.after(failures, e instanceof PassingException known ? known.retryAfter() : Duration.ZERO);
        waited = waited.plus(pause);
        if (waited.compareTo(MAX_WAIT) > 0) {
            throw ended(e);
        }
        // a server that ends a connection which nothing has used for a while is no trouble
        boolean isUsual = failures == 1 && !(e instanceof PassingException);
        LOG.atLevel(isUsual ? Level.DEBUG : Level.WARN)
                .log(
                        "{}: {}; retry {} of {} in {} s",
                        name,
                        e.getMessage(),
                        failures,
                        MAX_FAILURES,
                        pause.toMillis() / MILLIS_PER_SECOND);
        try {
            backOff.pause(pause);
        } catch (InterruptedIOException interrupted) {
            InterruptedIOException stopped = new InterruptedIOException(name + ": interrupted");
            stopped.initCause(e);
            throw stopped;
        }
    }

    /** The last failure, for which no other try is to be made. */
    private FileSystemException ended(IOException e) {
        FileSystemException last = new FileSystemException(
                name, null, e.getMessage() + " (" + failures + (failures == 1 ? " try)" : " tries)"));
        last.initCause(e);
        return last;
    }
}
