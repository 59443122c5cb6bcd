package io.overdrive.local;

import org.jspecify.annotations.Nullable;

/**
 * A local cluster cannot do what was requested; the message says what, where, and the way out.
 *
 * <p>All other errors of Overdrive for users are {@code OverdriveException}. This module keeps a separate type because it does not depend
 * on core, and core's own tests depend on it: nodes are started and stopped without the engine.
 */
public final class LocalClusterException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LocalClusterException(String message) {
        this(message, null);
    }

    LocalClusterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
