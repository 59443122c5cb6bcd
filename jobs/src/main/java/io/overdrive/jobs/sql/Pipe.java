package io.overdrive.jobs.sql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes from threads that write to one that reads, of which each waits for the other. What one call writes stays together. Unlike a pipe
 * of the JDK, either side can end it at any time, with its reason, and it does not care which threads are alive. Thread-safe.
 */
final class Pipe {
    /** The reader has closed its side, and wants no more. */
    static final class ReaderGone extends IOException {
        private static final long serialVersionUID = 1;

        ReaderGone() {
            super("the reader has ended");
        }
    }

    private final int maxBytes;
    private final Object lock = new Object();

    @GuardedBy("lock") private final Deque<byte[]> chunks = new ArrayDeque<>();

    @GuardedBy("lock") private int bytes;

    @GuardedBy("lock") private boolean ended;

    @GuardedBy("lock") private boolean readerGone;

    @GuardedBy("lock") private @Nullable RuntimeException failure;

    /** @param maxBytes that wait for the reader, unless a single call writes more */
    Pipe(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Ends the input of the reader, once it has read what was written. */
    void end() {
        synchronized (lock) {
            ended = true;
            lock.notifyAll();
        }
    }

    /** The reader fails with this, once it has read what was written. Without effect when it has ended. */
    void fail(RuntimeException e) {
        synchronized (lock) {
            failure = failure == null && !readerGone ? e : failure;
            ended = true;
            lock.notifyAll();
        }
    }

    /** The failure of the writers; null if they have not failed. */
    @Nullable RuntimeException failure() {
        synchronized (lock) {
            return failure;
        }
    }

    /** Writers fail from now on with {@link ReaderGone}. */
    void leave() {
        synchronized (lock) {
            readerGone = true;
            chunks.clear();
            bytes = 0;
            lock.notifyAll();
        }
    }

    private void put(byte[] from, int offset, int length) throws IOException {
        byte[] copy = new byte[length];
        System.arraycopy(from, offset, copy, 0, length);
        synchronized (lock) {
            while (!readerGone && bytes > 0 && bytes + (long) length > maxBytes) {
                await();
            }
            if (readerGone) {
                throw new ReaderGone();
            }
            chunks.add(copy);
            bytes += length;
            lock.notifyAll();
        }
    }

    @GuardedBy("lock") private void await() throws IOException {
        try {
            lock.wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** The next chunk; null at the end. */
    private byte @Nullable [] take() throws IOException {
        synchronized (lock) {
            while (!readerGone && !ended && chunks.isEmpty()) {
                await();
            }
            byte[] next = chunks.poll();
            if (next != null) {
                bytes -= next.length;
                lock.notifyAll();
                return next;
            }
            RuntimeException why = failure;
            if (why != null) {
                throw why;
            }
            if (readerGone) {
                throw new ReaderGone();
            }
            return null;
        }
    }

    /** The side of the writers, for any threads. Closing it has no effect, as {@link #end} says that all is written. */
    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                put(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                if (length > 0) {
                    put(from, offset, length);
                }
            }
        };
    }

    /** The side of the reader, for one thread at a time. It fails as the writers have failed. */
    InputStream input() {
        return new InputStream() {
            private byte[] chunk = {};
            private int at;

            private boolean fill() throws IOException {
                if (at < chunk.length) {
                    return true;
                }
                byte[] next = take();
                at = 0;
                chunk = next == null ? new byte[0] : next;
                return next != null;
            }

            @Override
            public int read() throws IOException {
                return fill() ? chunk[at++] & 0xFF : -1;
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                if (length == 0) {
                    return 0;
                }
                if (!fill()) {
                    return -1;
                }
                int count = Math.min(length, chunk.length - at);
                System.arraycopy(chunk, at, to, offset, count);
                at += count;
                return count;
            }

            @Override
            public void close() {
                leave();
            }
        };
    }
}
