package io.overdrive.stores;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Uploads parts of large files, a few at once. Thread-safe. */
final class Parts {
    /** Smaller files are written by one request. */
    static final long BYTES = 16 << 20;

    private static final int AT_ONCE = 4;

    private final ExecutorService uploads = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "overdrive-parts");
        thread.setDaemon(true);
        return thread;
    });

    /** Uploads a part. */
    @FunctionalInterface
    interface Upload<T> {
        /** @param number from 1 */
        T run(int number, long from, long count) throws IOException;
    }

    /** The results of all parts; after the first failure, those that have not begun are left out. */
    <T> List<T> all(long size, int maxParts, Upload<T> upload) throws IOException {
        long partBytes = Math.max(BYTES, size / maxParts + 1);
        List<Future<T>> pending = new ArrayList<>();
        for (long at = 0; at < size; at += partBytes) {
            long from = at;
            int number = pending.size() + 1;
            Callable<T> part = () -> upload.run(number, from, Math.min(partBytes, size - from));
            pending.add(uploads.submit(part));
        }
        List<T> done = new ArrayList<>();
        try {
            for (Future<T> each : pending) {
                done.add(each.get());
            }
            return done;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            pending.forEach(each -> each.cancel(/* mayInterruptIfRunning */ true));
        }
    }
}
