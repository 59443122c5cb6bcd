package io.overdrive.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This JVM's promise to end the nodes of a cluster: a shutdown hook for a regular end, and the {@link Watchdog} for any other.
 * Thread-safe.
 */
final class Owner {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Thread hook;
    private final @Nullable Watchdog watchdog;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Owner(Thread hook, @Nullable Watchdog watchdog) {
        this.hook = hook;
        this.watchdog = watchdog;
    }

    static Owner of(Path directory, Consumer<String> progress) {
        Watchdog watchdog = Watchdog.watch(directory, progress);
        Thread hook = new Thread(() -> end(directory, watchdog), "overdrive-local-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Owner(hook, watchdog);
    }

    /** Run by the hook, which so holds the watchdog: were that garbage, its pipe would close and it would end the nodes. */
    private static void end(Path directory, @Nullable Watchdog watchdog) {
        NodeProcess.stop(NodeProcess.under(directory), PATIENCE);
        if (watchdog != null) {
            watchdog.close();
        }
    }

    boolean isHeld() {
        return held.get();
    }

    /** Called when no node is left, or another shall look after them. */
    void release() {
        if (!held.compareAndSet(true, false)) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook does its work.
        }
        if (watchdog != null) {
            watchdog.close();
        }
    }
}
