package io.overdrive.internal.write;

import io.overdrive.RowCallback;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the callbacks of requests that have ended, on a separate thread, as the user's code must not run on an I/O thread.
 * Thread-safe.
 */
final class Acknowledgements {
    /** Calls the callback of one row; does not throw. */
    interface Caller {
        void call(RowCallback callback, WriteRequest write, int row);
    }

    private final Executor thread;
    private final Caller caller;
    private final Consumer<WriteRequest> onCalled;
    private final Queue<WriteRequest> ended = new ConcurrentLinkedQueue<>();
    /** Whether the thread will look into the queue, so that it is woken once for many requests. */
    private final AtomicBoolean planned = new AtomicBoolean();
    /** The thread that calls callbacks at this moment. */
    private volatile @Nullable Thread calling;

    /** @param onCalled takes each request when its callbacks have been called */
    Acknowledgements(Executor thread, Caller caller, Consumer<WriteRequest> onCalled) {
        this.thread = thread;
        this.caller = caller;
        this.onCalled = onCalled;
    }

    /** Takes a request with callbacks that has ended. */
    void add(WriteRequest write) {
        ended.add(write);
        if (planned.get() || !planned.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(this::callAll);
        } catch (Throwable e) { // no memory for the thread: this one is better than none
            callAll();
        }
    }

    /** Whether a callback has called this. */
    boolean isCalling() {
        return Thread.currentThread() == calling;
    }

    private void callAll() {
        planned.set(false); // what comes from now on may be missed below
        calling = Thread.currentThread();
        for (WriteRequest write = ended.poll(); write != null; write = ended.poll()) {
            @Nullable RowCallback[] callbacks = write.callbacks;
            for (int row = 0; callbacks != null && row < callbacks.length; row++) {
                RowCallback callback = callbacks[row];
                if (callback != null) {
                    caller.call(callback, write, row);
                }
            }
            onCalled.accept(write);
        }
        calling = null;
    }
}
