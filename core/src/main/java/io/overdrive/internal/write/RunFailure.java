package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.names.MessageText;
import org.jspecify.annotations.Nullable;

/** Why the writes of a job have failed; the first reason counts. Thread-safe. */
final class RunFailure {
    /** Made beforehand, for when there is no memory to make another. */
    private static final OverdriveException NO_MEMORY =
            new OverdriveException(Kind.WRITE, "cannot write: " + JavaHeap.tooSmall());

    private final String tableName;
    private volatile @Nullable OverdriveException first;

    RunFailure(String tableName) {
        this.tableName = tableName;
    }

    boolean isSet() {
        return first != null;
    }

    @Nullable OverdriveException get() {
        return first;
    }

    synchronized void set(OverdriveException failure) {
        if (first == null) {
            first = failure;
        }
    }

    void throwIfSet() {
        OverdriveException failure = first;
        if (failure != null) {
            throw new OverdriveException(failure.kind(), MessageText.of(failure), failure);
        }
    }

    /** The job's failure for an unexpected exception. */
    OverdriveException of(Throwable cause) {
        try {
            return cause instanceof OverdriveException known
                    ? known
                    : new OverdriveException(
                            Kind.WRITE,
                            "[" + tableName + "] cannot write: "
                                    + (cause instanceof OutOfMemoryError
                                            ? JavaHeap.tooSmall()
                                            : "internal error: " + cause),
                            cause);
        } catch (Throwable again) {
            return NO_MEMORY;
        }
    }
}
