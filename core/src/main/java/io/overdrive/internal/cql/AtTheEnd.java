package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks the nodes at the end of a job, when they may still be busy with it. Stateless. */
public final class AtTheEnd {
    private static final int TRIES = 5;
    private static final long RETRY_MILLIS = 1_000;

    private AtTheEnd() {}

    /**
     * Asks until there is an answer.
     *
     * @param unknown the fact that is unknown without one, for messages
     * @throws OverdriveException of the kind if there is none; of kind INTERRUPTED if the thread is interrupted
     */
    public static <T extends @Nullable Object> T ask(Kind kind, String unknown, Supplier<T> question) {
        for (int tries = 1; ; tries++) {
            try {
                return question.get();
            } catch (AllNodesFailedException | DriverTimeoutException e) {
                pause(kind, unknown, tries, e);
            } catch (IllegalStateException e) { // the user has closed the session
                throw new OverdriveException(kind, unknown + ": " + e.getMessage(), e);
            }
        }
    }

    private static void pause(Kind kind, String unknown, int tries, DriverException failure) {
        if (tries == TRIES) {
            throw new OverdriveException(kind, unknown + ": " + failure.getMessage(), failure);
        }
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, unknown + ", as the thread was interrupted", e);
        }
    }
}
