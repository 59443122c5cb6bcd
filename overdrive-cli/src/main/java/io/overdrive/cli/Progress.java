package io.overdrive.cli;

import io.overdrive.ScanTotals;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells how a run goes: one line that is written over and over on a terminal, a plain line now and then elsewhere. The
 * launcher says whether standard error is a terminal, and how wide. Runs on a thread of its own.
 */
final class Progress implements AutoCloseable {
    private static final int COLUMNS = Integer.getInteger("overdrive.columns", 0);
    private static final Duration LIVE = Duration.ofMillis(250);
    private static final Duration PLAIN = Duration.ofSeconds(10);

    /**
     * What a line tells.
     *
     * @param rows that are done
     * @param bytes sent or received
     * @param inFlight requests under way
     * @param rejected rows, or -1 where none can be
     * @param done share of the work, 0 to 1, or -1 where it is not known
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

    /** Makes lines of figures. Confined to one thread. */
    static final class RateLine {
        private long lastRows;
        private Duration lastElapsed = Duration.ZERO;
        private double rate;

        /** One line of figures; the rate of now is that since the last line, a little smoothed. */
        String of(Figures now) {
            double seconds = now.elapsed().minus(lastElapsed).toNanos() / 1e9;
            double current = seconds <= 0 ? 0 : (now.rows() - lastRows) / seconds;
            rate = lastElapsed.isZero() ? current : 0.6 * rate + 0.4 * current;
            lastRows = now.rows();
            lastElapsed = now.elapsed();
            StringBuilder line = new StringBuilder();
            if (now.waiting() != null) {
                line.append(now.waiting()).append("  "); // first, as a narrow terminal cuts the line
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

    /** @param lines asked for the line of the moment, by one thread */
    static Progress start(Supplier<String> lines, PrintWriter err) {
        Progress progress = new Progress(lines, err, COLUMNS);
        long every = (COLUMNS > 0 ? LIVE : PLAIN).toMillis();
        var unused = progress.timer.scheduleAtFixedRate(progress::tick, every, every, TimeUnit.MILLISECONDS);
        return progress;
    }

    /** How much of a scan is done, as {@link Figures} has it. */
    static double done(ScanTotals reads) {
        return reads.splits() < 2 ? -1 : (double) reads.splitsRead() / reads.splits();
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
