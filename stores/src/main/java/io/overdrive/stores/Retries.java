package io.overdrive.stores;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits the retries of a read, each after twice the pause of the one before. Used by one thread at a time. */
final class Retries {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

    /** Failures in a row: with pauses of 100 ms and more, a minute. */
    static final int MAX_FAILURES = 10;

    /** The pause before the first retry. */
    static final Duration PAUSE = Duration.ofMillis(100);

    /** The longest pause, as a multiple of the first one. */
    private static final int MAX_PAUSES = 200;

    private final String name;
    private final Duration pause;
    private int failures;

    /** @param pause before the second try */
    Retries(String name, Duration pause) {
        this.name = name;
        this.pause = pause;
    }

    /** Something was read: failures before do not count. */
    void progressed() {
        failures = 0;
    }

    /**
     * Waits before the next try.
     *
     * @throws IOException this failure, if no other try can help, or if there were too many
     */
    void failed(IOException e) throws IOException {
        if (e instanceof FileSystemException || e instanceof ChangedObjectException || ++failures > MAX_FAILURES) {
            throw e;
        }
        LOG.warn("{}: {}; retry {} of {}", name, e.getMessage(), failures, MAX_FAILURES);
        try {
            Thread.sleep(pause.toMillis() * Math.min(MAX_PAUSES, 1 << (failures - 1)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            InterruptedIOException stopped = new InterruptedIOException(name + ": interrupted");
            stopped.initCause(e);
            throw stopped;
        }
    }
}
