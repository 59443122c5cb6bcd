package io.overdrive.cli;

import io.overdrive.ScanTotals;
import io.overdrive.cli.options.Amount;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a run: one line that is overwritten on a terminal, a new line every few seconds elsewhere. The
 * launcher passes the width of the terminal, if standard error is one. Runs on a separate thread.
 */
final class Progress implements AutoCloseable {
    private static final int COLUMNS = Integer.getInteger("overdrive.columns", 0);
    private static final Duration LIVE = Duration.ofMillis(250);
    private static final Duration PLAIN = Duration.ofSeconds(10);

    /**
     * The figures of a line.
     *
     * @param rows that are done
     * @param bytes sent or received
     * @param inFlight requests in flight
     * @param rejected rows, or -1 if rows cannot be rejected
     * @param done share of the work, 0 to 1, or -1 if unknown
     * @param waiting what the run is waiting for, and how long; null if it makes progress
     */
    record Figures(
            Duration elapsed,
            long rows,
            long bytes,
            long inFlight,
            Duration p99,
            long rejected,
            double done,
            @Nullable String waiting) {}

    /** Formats figures as lines. Confined to one thread. */
    static final class RateLine {
        private long lastRows;
        private Duration lastElapsed = Duration.ZERO;
        private double rate;

        /**
         * One line; the current rate is that since the last line, smoothed.
         *
         * @param heldBack why the run is held back; null if it is not
         */
        String of(Figures now, @Nullable String heldBack) {
            double seconds = now.elapsed().minus(lastElapsed).toNanos() / 1e9;
            double current = seconds <= 0 ? 0 : (now.rows() - lastRows) / seconds;
            rate = lastElapsed.isZero() ? current : 0.6 * rate + 0.4 * current;
            lastRows = now.rows();
            lastElapsed = now.elapsed();
            StringBuilder line = new StringBuilder();
            if (now.waiting() != null) {
                line.append(now.waiting()).append("  "); // first, as a narrow terminal cuts the line
            }
            if (heldBack != null) {
                line.append(heldBack).append("  ");
            }
            line.append(Amount.count(now.rows())).append(" rows  ");
            line.append(Amount.brief(rate)).append(" rows/s now  ");
            line.append(Amount.brief(Amount.perSecond(now.rows(), now.elapsed())))
                    .append(" mean  ");
            line.append(Amount.rate(now.bytes(), now.elapsed())).append("  ");
            line.append(Amount.brief(now.inFlight())).append(" in flight  ");
            line.append("p99 ").append(Amount.duration(now.p99()));
            if (now.rejected() >= 0) {
                line.append("  ").append(Amount.count(now.rejected())).append(" rejected");
            }
            if (now.done() >= 0) {
                line.append(String.format(Locale.ROOT, "  %.0f%%", Math.floor(100 * now.done())));
            }
            if (now.done() > 0.01 && now.done() < 1 && now.waiting() == null) {
                Duration left = Duration.ofMillis((long) (now.elapsed().toMillis() * (1 - now.done()) / now.done()));
                line.append("  ").append(Amount.duration(left)).append(" left");
            }
            return line.toString();
        }
    }

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
    static Progress start(Supplier<String> lines, PrintWriter err) {
        Progress progress = new Progress(lines, err, COLUMNS);
        long every = (COLUMNS > 0 ? LIVE : PLAIN).toMillis();
        var unused = progress.timer.scheduleAtFixedRate(progress::tick, every, every, TimeUnit.MILLISECONDS);
        return progress;
    }

    /**
     * The share of a scan that is done, for {@link Figures}.
     *
     * @param splitsBefore number of splits that earlier processes of a resumed run have finished
     */
    static double done(ScanTotals reads, int splitsBefore) {
        int splits = splitsBefore + reads.splits();
        return splits < 2 ? -1 : (double) (splitsBefore + reads.splitsRead()) / splits;
    }

    private synchronized void tick() {
        String line = lines.get();
        if (columns > 0) {
            String cut = line.length() < columns ? line : line.substring(0, columns - 1);
            err.print("\r\u001b[K" + cut);
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
            err.print("\r\u001b[K");
            err.flush();
        }
    }
}
