package io.overdrive.bench.experiments.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Work that is divided into numbered tasks, several of which run at once, as in Spark. Stateless. */
public final class Tasks {
    private Tasks() {}

    /**
     * Runs tasks from 0 on, each on one thread, and returns when all have ended. None starts after one has failed, or the user wants to
     * stop.
     *
     * @param atOnce how many threads
     * @param stopped whether the user wants to stop
     * @throws RuntimeException the first that a task threw
     */
    public static void run(int tasks, int atOnce, BooleanSupplier stopped, IntConsumer task) {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        Runnable worker = () -> {
            try {
                while (!stopped.getAsBoolean() && failure.get() == null) {
                    int number = next.getAndIncrement();
                    if (number >= tasks) {
                        return;
                    }
                    task.accept(number);
                }
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            }
        };
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Math.min(atOnce, tasks); i++) {
            Thread thread = new Thread(worker, "bench-task-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            boolean ended = false;
            while (!ended) {
                try {
                    thread.join();
                    ended = true;
                } catch (InterruptedException e) {
                    failure.compareAndSet(null, new IllegalStateException("interrupted", e));
                }
            }
        }
        RuntimeException first = failure.get();
        if (first != null) {
            throw first;
        }
    }
}
