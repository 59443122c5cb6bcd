package io.overdrive.jobs;

import com.google.errorprone.annotations.CheckReturnValue;
import io.overdrive.internal.flow.JavaHeap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs the work of a job, so that whatever ends it early, an {@link Error} too, fails the job and is not lost with its thread. */
public final class Workers {
    private Workers() {}

    /**
     * Runs work.
     *
     * @param items the noun for the work's input, for the message if the heap is too small: "these rows"
     * @param failed receives the failure that ends the work early; an error as the cause of an exception that explains it
     */
    public static void guard(String items, Consumer<RuntimeException> failed, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        } catch (OutOfMemoryError e) {
            failed.accept(new IllegalStateException(JavaHeap.tooSmallFor(items), e));
        } catch (Error e) {
            failed.accept(new IllegalStateException("a worker ended: " + e, e));
        }
    }

    /**
     * Runs the same work on several threads, and returns when all have ended.
     *
     * @param name of the threads, to which their numbers are added
     * @param work throws nothing, as {@link #guard} does not
     * @param stop called if the calling thread is interrupted, which still waits for all
     * @return whether it was interrupted; its interrupt status is cleared then, for the last steps of the job
     */
    @CheckReturnValue
    public static boolean runAll(String name, int count, Runnable work, Runnable stop) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(work, name + "-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    stop.run();
                }
            }
        }
        return interrupted;
    }
}
