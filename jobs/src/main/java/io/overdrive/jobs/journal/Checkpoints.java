package io.overdrive.jobs.journal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Takes a checkpoint every two seconds, on its own thread, until it is closed or a checkpoint fails. The failure goes to the job,
 * which ends with it.
 */
public final class Checkpoints implements AutoCloseable {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Runnable checkpoint;
    private final Consumer<RuntimeException> onFailure;
    private final Thread thread = new Thread(this::run, "overdrive-journal");
    private volatile boolean closed;

    private Checkpoints(Runnable checkpoint, Consumer<RuntimeException> onFailure) {
        this.checkpoint = checkpoint;
        this.onFailure = onFailure;
    }

    /**
     * Starts the thread.
     *
     * @param checkpoint called on it, and waits for the disk
     */
    public static Checkpoints start(Runnable checkpoint, Consumer<RuntimeException> onFailure) {
        Checkpoints checkpoints = new Checkpoints(checkpoint, onFailure);
        checkpoints.thread.setDaemon(true);
        checkpoints.thread.start();
        return checkpoints;
    }

    private void run() {
        try {
            long next = System.nanoTime() + INTERVAL_NANOS;
            while (!closed) {
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    LockSupport.parkNanos(this, wait);
                } else {
                    checkpoint.run();
                    next = System.nanoTime() + INTERVAL_NANOS;
                }
            }
        } catch (RuntimeException e) {
            onFailure.accept(e);
        } catch (Error e) {
            onFailure.accept(new IllegalStateException("the thread of the journal ended: " + e, e));
        }
    }

    /** Ends the thread, and waits for a checkpoint that it takes at this moment. Takes no further one. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
