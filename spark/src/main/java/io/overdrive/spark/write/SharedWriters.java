package io.overdrive.spark.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.RowWriter;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.spark.metric.UnreportedWaits;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writers from which tasks separate theirs, so that all tasks of one write in this JVM share the limits of requests in
 * flight and the rate limits. Executes (on the executors). Thread-safe.
 */
final class SharedWriters {
    private static final Map<UUID, Shared> OPEN = new ConcurrentHashMap<>();

    private static final class Shared {
        private final Supplier<RowWriter> opener;
        private final UnreportedWaits unreported = new UnreportedWaits();
        /** Guarded by its entry in {@link #OPEN}. */
        int tasks;

        @GuardedBy("this") private @Nullable RowWriter writer;

        Shared(Supplier<RowWriter> opener) {
            this.opener = opener;
        }

        /** Opens it if necessary: while the server prepares the statement, only tasks of the same write wait. */
        synchronized RowWriter writer() {
            RowWriter known = writer;
            if (known == null) {
                known = opener.get();
                writer = known;
            }
            return known;
        }
    }

    private SharedWriters() {}

    /**
     * A writer for a task, which must {@link #release} it once.
     *
     * @param id of the write
     * @param opener makes a closed writer, for the first task
     */
    static RowWriter separate(UUID id, Supplier<RowWriter> opener) {
        Shared shared = OPEN.compute(id, (key, open) -> {
            Shared joined = open != null ? open : new Shared(opener);
            joined.tasks++;
            return joined;
        });
        try {
            return shared.writer().separate();
        } catch (Throwable e) {
            release(id);
            throw e;
        }
    }

    /** How long threads of all tasks have waited, as far as no other task has reported it. */
    static ThreadWaits unreportedWaits(UUID id) {
        Shared shared = OPEN.get(id);
        return shared == null
                ? ThreadWaits.NONE
                : shared.unreported.take(shared.writer().threadWaits());
    }

    static void release(UUID id) {
        OPEN.computeIfPresent(id, (key, shared) -> --shared.tasks == 0 ? null : shared);
    }
}
