package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Prints what a copy or unload that keeps times leaves to the next one, and when the next copy is short enough to switch over.
 *
 * @param skew as {@link CatchUp#nextMicros} has it
 * @param isFound whether the next copy finds this one by itself
 * @param rejected rows that were not copied, and may never be
 * @param elapsed the time that it took; null if that says nothing about the next one, as only a part was left to do, or it is an unload
 * @param isUnload whether it writes files
 */
public record CatchUpPrinter(
        CatchUp copy,
        Duration skew,
        boolean isFound,
        Outcome outcome,
        long rejected,
        @Nullable Duration elapsed,
        boolean isUnload)
        implements Report {
    /** A window of this share of the last one is not called smaller. */
    private static final double SMALLER = 0.8;

    /**
     * The printer of a copy.
     *
     * @param copy null if no other one can follow it
     * @param isWhole whether it was not resumed
     */
    public static Report of(@Nullable CatchUp copy, Duration skew, boolean isFound, Summary summary, boolean isWhole) {
        return copy == null
                ? Report.NONE
                : new CatchUpPrinter(
                        copy,
                        skew,
                        isFound,
                        summary.outcome(),
                        summary.figures().rejected(),
                        isWhole ? summary.elapsed() : null,
                        /* isUnload */ false);
    }

    /**
     * The printer of an unload.
     *
     * @param unload null if cells do not keep their times
     */
    public static Report ofUnload(@Nullable CatchUp unload, Duration skew, boolean isFound, Summary summary) {
        return unload == null
                ? Report.NONE
                : new CatchUpPrinter(
                        unload,
                        skew,
                        isFound,
                        summary.outcome(),
                        /* rejected */ 0,
                        /* elapsed */ null,
                        /* isUnload */ true);
    }

    @Override
    public void text(PrintWriter out) {
        if (copy.after() != null && isUnload) {
            out.println(
                    "  deletions are not in the files: what was deleted since the unload before is there again when both are"
                            + " loaded");
        } else if (copy.after() != null) {
            out.println(
                    "  deletions are not copied: when nothing writes to the source any more, overdrive diff --repair"
                            + " missing,different,extra finds and repeats them");
        }
        if (outcome != Outcome.DONE) {
            return;
        }
        String since = since().toString();
        String verb = isUnload ? "writes" : "copies";
        out.println("  next      --written-after "
                + (isFound
                        ? "last " + verb + " what was written since " + since
                        : since + " " + verb + " what was written since then")
                + (elapsed == null ? "" : estimate(elapsed)));
        if (rejected > 0) {
            out.println("            and no row that was rejected now, unless it is written again");
        }
    }

    private String estimate(Duration took) {
        WrittenAfter after = copy.after();
        if (after == null) {
            return ", in at most " + Amount.duration(took) + ", as it reads all rows again";
        }
        String about = ", in about " + Amount.duration(took);
        return isSmallest(took)
                ? about
                        + ", and no run is shorter: to switch over, stop all writers, run it, and compare with overdrive diff"
                : about + "; begun at once, it has the writes of " + Amount.duration(nextWindow(took))
                        + " to copy, and this one had those of " + Amount.duration(window(after));
    }

    private Instant since() {
        return Instant.EPOCH.plus(copy.nextMicros(skew), ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS);
    }

    /** The time in which the cells of this copy were written. */
    private Duration window(WrittenAfter after) {
        return Duration.between(after.time(), copy.began());
    }

    /** The time in which the cells of the next copy are written if it begins at once. */
    private Duration nextWindow(Duration took) {
        return took.plus(skew);
    }

    /** Whether the next copy has no fewer cells to write than this one, so that nothing is won by another one before the writers stop. */
    private boolean isSmallest(Duration took) {
        WrittenAfter after = copy.after();
        return after != null
                && nextWindow(took).toMillis() >= SMALLER * window(after).toMillis();
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        json.writeBooleanField(isUnload ? "hasDeletions" : "copiesDeletions", false);
        if (outcome == Outcome.DONE) {
            json.writeObjectFieldStart("next");
            json.writeStringField("writtenAfter", since().toString());
            if (elapsed != null) {
                json.writeNumberField("seconds", elapsed.toMillis() / 1000.0);
                json.writeNumberField("windowSeconds", nextWindow(elapsed).toMillis() / 1000.0);
                json.writeBooleanField("isSmallest", isSmallest(elapsed));
            }
            json.writeEndObject();
        }
    }
}
