package io.overdrive.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Results of numbered tasks in sequence. Tasks that wait for a server are run by other threads before their results are taken: as many
 * of them as there were before, up to a limit, so that a caller that takes only the first few causes few requests. Used by one thread at a time.
 */
public final class Ahead<T> implements AutoCloseable {
    /** Tasks that run ahead, or whose results wait, of all sequences of the process: several tables are read at once. */
    public static final int MAX = 16;

    private static final Semaphore FREE = new Semaphore(MAX);
    private static final int IDLE_SECONDS = 10;
    private static final ThreadPoolExecutor THREADS = threads();

    private final int count;
    private final IntPredicate waits;
    private final Task<T> task;
    private final Map<Integer, Future<T>> begun = new HashMap<>();
    private int next;

    /** Runs the task with a number from 0. */
    @FunctionalInterface
    public interface Task<T> {
        T run(int number) throws IOException;
    }

    /** @param waits whether a task is run ahead; the caller runs the others itself */
    public Ahead(int count, IntPredicate waits, Task<T> task) {
        this.count = count;
        this.waits = waits;
        this.task = task;
    }

    private static ThreadPoolExecutor threads() {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(MAX, MAX, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "overdrive-ahead");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /**
     * The result of a task, or its failure.
     *
     * @param number greater than the one before
     */
    public T take(int number) throws IOException {
        Future<T> known = begun.remove(number);
        if (known != null) {
            FREE.release();
        }
        next = Math.max(next, number + 1);
        int end = Math.min(count, number + 1 + Math.min(MAX, number));
        for (; next < end; next++) {
            if (waits.test(next)) {
                if (!FREE.tryAcquire()) {
                    break;
                }
                int ahead = next;
                begun.put(ahead, THREADS.submit(() -> task.run(ahead)));
            }
        }
        return known == null ? task.run(number) : result(known);
    }

    private T result(Future<T> of) throws IOException {
        try {
            return of.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException known) {
                throw known;
            } else if (cause instanceof Error known) {
                throw known;
            }
            throw cause instanceof IOException known ? known : new IOException(cause);
        } catch (InterruptedException e) {
            of.cancel(/* mayInterruptIfRunning */ true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Ends tasks whose results were not taken, and closes those results that are there. */
    @Override
    public void close() {
        next = count;
        FREE.release(begun.size());
        for (Future<T> each : begun.values()) {
            if (!each.cancel(/* mayInterruptIfRunning */ true)) {
                closeResult(each);
            }
        }
        begun.clear();
    }

    private void closeResult(Future<T> ended) {
        try {
            if (result(ended) instanceof Closeable open) {
                open.close();
            }
        } catch (IOException | RuntimeException e) {
            // a failure of what nobody wants
        }
    }
}
