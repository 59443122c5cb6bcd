package io.overdrive.stores;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A server answers that it cannot answer now: the same request may succeed later. */
final class PassingException extends IOException {
    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    /** @param retryAfter how long the server wants no request; zero if it does not say */
    PassingException(String message, Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
    }

    Duration retryAfter() {
        return retryAfter;
    }
}
