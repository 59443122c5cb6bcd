package io.overdrive.spark.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ScanTotals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all tasks of one scan read by in this JVM: one scan or lookup of the engine, so that its ceilings hold for all of
 * them, and sizes of pages are learned once. A few that no task uses just now are kept for tasks to come. Thread-safe.
 */
public final class SharedRead<T extends AutoCloseable> implements AutoCloseable {
    private static final int MAX_IDLE = 4;

    /** In the order of their last use. */
    @GuardedBy("SharedRead.class") private static final Map<Object, SharedRead<?>> OPEN = new LinkedHashMap<>();

    private final Object id;
    private final Supplier<T> opener;
    private final Function<T, ScanTotals> totals;

    @GuardedBy("SharedRead.class") private int users;

    @GuardedBy("SharedRead.class") private boolean forgotten;

    @GuardedBy("this") private @Nullable T read;

    /** Told by some task already. */
    @GuardedBy("this") private long toldPages;

    @GuardedBy("this") private long toldRetries;

    private SharedRead(Object id, Supplier<T> opener, Function<T, ScanTotals> totals) {
        this.id = id;
        this.opener = opener;
        this.totals = totals;
    }

    /**
     * The read of this id, opened by the first who asks for {@link #get}. To be closed once by each who opened it.
     *
     * @param id with the same opener each time
     */
    @SuppressWarnings("unchecked") // the same id has the same type
    static <T extends AutoCloseable> SharedRead<T> open(Object id, Supplier<T> opener, Function<T, ScanTotals> totals) {
        synchronized (SharedRead.class) {
            SharedRead<T> known = (SharedRead<T>) OPEN.remove(id);
            SharedRead<T> shared = known != null ? known : new SharedRead<>(id, opener, totals);
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

    /** What happened since any task asked, so that all tasks together tell of everything once. */
    record News(long pages, long retries, long p50Micros, long p99Micros) {}

    synchronized News news() {
        if (read == null) {
            return new News(0, 0, 0, 0);
        }
        ScanTotals now = totals.apply(read);
        News news = new News(
                now.pages() - toldPages,
                now.retries() - toldRetries,
                now.p50().toNanos() / 1000,
                now.p99().toNanos() / 1000);
        toldPages = now.pages();
        toldRetries = now.retries();
        return news;
    }

    /** Where it failed, nobody else is to have it: the table may have been made again. */
    public void forget() {
        synchronized (SharedRead.class) {
            OPEN.remove(id, this);
            forgotten = true;
        }
    }

    @Override
    public void close() {
        SharedRead<?> over;
        synchronized (SharedRead.class) {
            users--;
            over = forgotten ? (users == 0 ? this : null) : oldestIdle();
            if (over != null) {
                OPEN.remove(over.id, over);
            }
        }
        if (over != null) {
            over.end();
        }
    }

    /** The one to be closed, where too many are idle. */
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
                throw new IllegalStateException("a read does not close", e);
            }
        }
    }
}
