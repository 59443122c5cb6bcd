package io.overdrive.jobs.sql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongSupplier;

/** The wait for the first rows of a query, which another thread may watch and end. Thread-safe. */
public final class FirstRows {
    @GuardedBy("this") private LongSupplier read = () -> 0;

    @GuardedBy("this") private Runnable end = () -> {};

    @GuardedBy("this") private boolean ended;

    /**
     * The query runs from now on.
     *
     * @param rowsRead rows that it has read until now
     * @param cancel ends it soon
     */
    public void await(LongSupplier rowsRead, Runnable cancel) {
        synchronized (this) {
            read = rowsRead;
            end = cancel;
            if (!ended) {
                return;
            }
        }
        cancel.run();
    }

    /** The number of rows that the query has read until now. */
    public long rowsRead() {
        LongSupplier from;
        synchronized (this) {
            from = read;
        }
        return from.getAsLong();
    }

    /** Ends the query soon, also one that begins later. */
    public void end() {
        Runnable how;
        synchronized (this) {
            ended = true;
            how = end;
        }
        how.run();
    }

    /** Whether it was ended by {@link #end}. */
    public synchronized boolean isEnded() {
        return ended;
    }
}
