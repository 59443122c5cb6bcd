package io.overdrive.cli.watch;

import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Figures;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats figures as lines. Confined to one thread. */
public final class RateLine {
    private long lastRows;
    private Duration lastElapsed = Duration.ZERO;
    private double rate;

    /**
     * One line; the current rate is that since the last line, smoothed.
     *
     * @param heldBack why the run is held back; null if it is not
     */
    public String of(Figures now, @Nullable String heldBack) {
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
        line.append(Amount.brief(Amount.perSecond(now.rows(), now.elapsed()))).append(" mean  ");
        line.append(Amount.rate(now.bytes(), now.elapsed())).append("  ");
        line.append(Amount.brief(now.inFlight())).append(" in flight");
        if (!now.p99().isZero()) {
            line.append("  p99 ").append(Amount.duration(now.p99()));
        }
        if (now.rejected() >= 0) {
            line.append("  ").append(Amount.count(now.rejected())).append(" rejected");
        }
        if (now.done() >= 0) {
            line.append(String.format(Locale.ROOT, "  %.0f%%", Math.floor(100 * now.done())));
        }
        Duration left = now.left();
        if (left != null) {
            line.append("  ").append(Amount.duration(left)).append(" left");
        }
        return line.toString();
    }
}
