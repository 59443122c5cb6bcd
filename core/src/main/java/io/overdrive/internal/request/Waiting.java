package io.overdrive.internal.request;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The request that has waited longest, for the progress line; only waits of more than 5 s count. Confined to one thread. */
public final class Waiting {
    private long maxNanos = TimeUnit.SECONDS.toNanos(5);
    private @Nullable Supplier<String> reason;

    public void add(long nanos, Supplier<String> itsReason) {
        if (nanos > maxNanos) {
            maxNanos = nanos;
            reason = itsReason;
        }
    }

    /** The reason why the request waits, and for how long; null if none has waited that long. */
    public @Nullable String text() {
        return reason == null ? null : reason.get() + ", waiting " + TimeUnit.NANOSECONDS.toSeconds(maxNanos) + " s";
    }
}
