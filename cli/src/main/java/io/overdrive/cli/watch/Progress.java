package io.overdrive.cli.watch;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
    /** Gets the lines in place of the user; null if they are shown. */
    private final @Nullable Consumer<String> reader;

    private final ScheduledExecutorService timer;
    private boolean lineIsOpen;

    private Progress(Supplier<String> lines, PrintWriter err, int columns, @Nullable Consumer<String> reader) {
        this.lines = lines;
        this.err = err;
        this.columns = columns;
        this.reader = reader;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "overdrive-progress");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param lines returns the current line; called by one thread */
    public static Progress start(Supplier<String> lines, PrintWriter err) {
        return new Progress(lines, err, Terminal.ERR_COLUMNS, /* reader */ null)
                .every((Terminal.ERR_COLUMNS > 0 ? LIVE : PLAIN).toMillis());
    }

    /** As {@link #start}, for a program that reads the lines. */
    static Progress pass(Supplier<String> lines, PrintWriter err, long everyMillis, Consumer<String> reader) {
        return new Progress(lines, err, /* columns */ 0, reader).every(everyMillis);
    }

    private Progress every(long millis) {
        var unused = timer.scheduleAtFixedRate(this::tick, millis, millis, TimeUnit.MILLISECONDS);
        return this;
    }

    private synchronized void tick() {
        String line = lines.get();
        if (reader != null) {
            reader.accept(line);
        } else if (columns > 0) {
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
