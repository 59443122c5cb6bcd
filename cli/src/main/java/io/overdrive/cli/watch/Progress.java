package io.overdrive.cli.watch;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Shows the progress of a run: one line that is overwritten on a terminal, a new line every few seconds elsewhere. Runs on a
 * separate thread.
 */
public final class Progress implements AutoCloseable {
    private static final Duration LIVE = Duration.ofMillis(250);
    private static final Duration PLAIN = Duration.ofSeconds(10);

    private final Supplier<String> lines;
    private final PrintWriter err;
    private final int columns;
    private final ScheduledExecutorService timer;
    private boolean lineIsOpen;

    private Progress(Supplier<String> lines, PrintWriter err, int columns) {
        this.lines = lines;
        this.err = err;
        this.columns = columns;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "overdrive-progress");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param lines returns the current line; called by one thread */
    public static Progress start(Supplier<String> lines, PrintWriter err) {
        Progress progress = new Progress(lines, err, Terminal.ERR_COLUMNS);
        long every = (Terminal.ERR_COLUMNS > 0 ? LIVE : PLAIN).toMillis();
        var unused = progress.timer.scheduleAtFixedRate(progress::tick, every, every, TimeUnit.MILLISECONDS);
        return progress;
    }

    private synchronized void tick() {
        String line = lines.get();
        if (columns > 0) {
            String cut = line.length() < columns ? line : line.substring(0, columns - 1);
            clearLine();
            err.print(cut);
            err.flush();
            lineIsOpen = true;
        } else {
            err.println(line);
        }
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        if (lineIsOpen) {
            clearLine();
        }
    }

    /** Past the writer of messages, which escapes control characters. */
    private void clearLine() {
        err.flush();
        System.err.print("\r\u001b[K");
        System.err.flush();
    }
}
