package io.overdrive.local;

import org.jspecify.annotations.Nullable;

/** A local cluster cannot do what was asked; the message says what, where, and the way out. */
public final class LocalClusterException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LocalClusterException(String message) {
        this(message, null);
    }

    LocalClusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
