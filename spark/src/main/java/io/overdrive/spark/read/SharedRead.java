package io.overdrive.spark.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ScanTotals;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.spark.metric.RddLimit;
import io.overdrive.spark.metric.TaskTime;
import io.overdrive.spark.metric.UnreportedWaits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A scan or lookup of the engine, shared by all tasks of one Spark scan in this JVM, so that rate limits hold for all
 * tasks together and page sizes are learned once. A few idle ones are kept for later tasks. Executes (on the
 * executors). Thread-safe.
 */
public final class SharedRead<T extends AutoCloseable> implements AutoCloseable {
    private static final int MAX_IDLE = 4;

    /** Ordered by last use. */
    @GuardedBy("SharedRead.class") private static final Map<Object, SharedRead<?>> OPEN = new LinkedHashMap<>();

    private final Object id;
    private final Supplier<T> opener;
    private final Function<T, ScanTotals> totals;
    private final @Nullable Function<T, ThreadWaits> waits;

    @GuardedBy("SharedRead.class") private int users;

    @GuardedBy("SharedRead.class") private boolean forgotten;

    @GuardedBy("this") private @Nullable T read;

    /** Already reported by some task. */
    @GuardedBy("this") private long reportedPages;

    @GuardedBy("this") private long reportedRetries;

    private final UnreportedWaits unreported = new UnreportedWaits();

    private SharedRead(
            Object id, Supplier<T> opener, Function<T, ScanTotals> totals, @Nullable Function<T, ThreadWaits> waits) {
        this.id = id;
        this.opener = opener;
        this.totals = totals;
        this.waits = waits;
    }

    /**
     * The shared read with this id; the first call of {@link #get} opens the scan or lookup. Every caller must close it
     * once.
     *
     * @param id always used with the same opener
     */
    static <T extends AutoCloseable> SharedRead<T> open(Object id, Supplier<T> opener, Function<T, ScanTotals> totals) {
        return open(id, opener, totals, /* waits */ null);
    }

    /**
     * As {@link #open(Object, Supplier, Function)}.
     *
     * @param waits of all threads; null if they are not measured
     */
    @SuppressWarnings("unchecked") // equal ids have equal types
    static <T extends AutoCloseable> SharedRead<T> open(
            Object id, Supplier<T> opener, Function<T, ScanTotals> totals, @Nullable Function<T, ThreadWaits> waits) {
        synchronized (SharedRead.class) {
            SharedRead<T> known = (SharedRead<T>) OPEN.remove(id);
            SharedRead<T> shared = known != null ? known : new SharedRead<>(id, opener, totals, waits);
            shared.users++;
            OPEN.put(id, shared);
            return shared;
        }
    }

    public synchronized T get() {
        T known = read;
        if (known == null) {
            known = opener.get();
            read = known;
        }
        return known;
    }

    /**
     * Makes what a task needs of the scan or lookup. If that fails, closes this one, as the task has no object yet that would.
     */
    public <R> R start(Function<T, R> start) {
        try {
            return start.apply(get());
        } catch (RuntimeException | Error e) {
            forget();
            try {
                close();
            } catch (IllegalStateException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
    }

    /** Totals since the previous call by any task, so that all tasks together report each page once. */
    record Delta(long pages, long retries, long p50Micros, long p99Micros) {}

    synchronized Delta delta() {
        if (read == null) {
            return new Delta(0, 0, 0, 0);
        }
        ScanTotals now = totals.apply(read);
        Delta delta = new Delta(
                now.pages() - reportedPages,
                now.retries() - reportedRetries,
                now.latency().p50().toNanos() / 1000,
                now.latency().p99().toNanos() / 1000);
        reportedPages = now.pages();
        reportedRetries = now.retries();
        return delta;
    }

    /** Ends the time of a task that reads an RDD. */
    void addTo(@Nullable RddLimit limit, TaskTime time) {
        ThreadWaits waits = waits();
        if (limit != null && waits != null) {
            time.add(waits);
            limit.add(time.packed(System.nanoTime()));
        }
    }

    /** How long threads have waited since the previous call by any task; null if that is not measured. */
    public synchronized @Nullable ThreadWaits waits() {
        if (read == null || waits == null) {
            return null;
        }
        return unreported.take(waits.apply(read));
    }

    /** Prevents reuse after a failure: the table may have been recreated. */
    public void forget() {
        synchronized (SharedRead.class) {
            OPEN.remove(id, this);
            forgotten = true;
        }
    }

    @Override
    public void close() {
        SharedRead<?> toClose;
        synchronized (SharedRead.class) {
            users--;
            toClose = forgotten ? (users == 0 ? this : null) : oldestIdle();
            if (toClose != null) {
                OPEN.remove(toClose.id, toClose);
            }
        }
        if (toClose != null) {
            toClose.end();
        }
    }

    /** The read to close if too many are idle. */
    @GuardedBy("SharedRead.class") private static @Nullable SharedRead<?> oldestIdle() {
        List<SharedRead<?>> idle = new ArrayList<>();
        for (SharedRead<?> each : OPEN.values()) {
            if (each.users == 0) {
                idle.add(each);
            }
        }
        return idle.size() > MAX_IDLE ? idle.get(0) : null;
    }

    private synchronized void end() {
        if (read != null) {
            try {
                read.close();
            } catch (Exception e) {
                throw new IllegalStateException("a scan or lookup could not be closed", e);
            }
        }
    }
}
