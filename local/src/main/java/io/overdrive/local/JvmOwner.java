package io.overdrive.local;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * This JVM's duty to end the nodes of a cluster, and perhaps to delete its directory: a shutdown hook for a regular end, and the {@link
 * Watchdog} for any other. Thread-safe.
 */
final class JvmOwner {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Thread hook;
    private final @Nullable Watchdog watchdog;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private JvmOwner(Thread hook, @Nullable Watchdog watchdog) {
        this.hook = hook;
        this.watchdog = watchdog;
    }

    static JvmOwner of(Path directory, boolean delete, Consumer<String> progress) {
        Watchdog watchdog = Watchdog.watch(directory, delete, progress);
        Thread hook = new Thread(() -> end(directory, delete, watchdog), "overdrive-local-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        return new JvmOwner(hook, watchdog);
    }

    /**
     * Run by the hook, which thereby keeps the watchdog reachable: if that were collected, its pipe would close and it would end the nodes.
     */
    private static void end(Path directory, boolean delete, @Nullable Watchdog watchdog) {
        NodeProcess.stop(NodeProcess.under(directory), delete ? Duration.ZERO : TIMEOUT);
        boolean done = !delete || isDeleted(directory);
        if (watchdog != null && done) {
            watchdog.close();
        }
    }

    /** If it fails, the watchdog retries. */
    private static boolean isDeleted(Path directory) {
        try {
            Server.deleteTree(directory);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    boolean isHeld() {
        return held.get();
    }

    /** Called when no node is left, or another owner takes over. */
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
