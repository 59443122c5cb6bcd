package io.overdrive.cli.options;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.GuardTotals;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The guard of a connection, its figures and decisions, in words and as JSON. Stateless. */
final class GuardReport {
    private GuardReport() {}

    /** Why bulk work is slow now; null if it is not held back. */
    static @Nullable String now(GuardTotals totals) {
        String reason = totals.reason();
        if (reason == null || totals.limit().isZero()) {
            return reason;
        }
        return "held back to " + percent(totals.share()) + " for others: " + reason;
    }

    static void text(GuardTotals totals, String name, PrintWriter out) {
        String limit = "limit " + Amount.duration(totals.limit())
                + (totals.baseline().isZero() ? "" : " (before the job " + Amount.duration(totals.baseline()) + ")")
                + (totals.meanLimit().isZero() ? "" : ", mean limit " + Amount.duration(totals.meanLimit()));
        if (totals.windows() == 0) {
            out.println("  guard     " + name + "the job ended before its effect could be measured"
                    + (totals.limit().isZero() ? "" : "; " + limit));
            return;
        }
        out.println("  guard     " + name + "p99 "
                + Amount.duration(totals.latency().p99()) + " of " + Amount.count(totals.probes()) + " reads of "
                + totals.probed() + ", " + limit);
        out.println("            "
                + (totals.heldBack().isZero()
                        ? "not held back"
                        : "held back for " + Amount.duration(totals.heldBack()) + ", to "
                                + percent(totals.lowestShare()) + " at the lowest")
                + "; above the limit in " + Amount.count(totals.windowsAbove()) + " of "
                + Amount.count(totals.windows()) + " windows of 2 s"
                + (totals.probesFailed() == 0 ? "" : ", " + Amount.count(totals.probesFailed()) + " reads failed"));
        if (totals.notTheCause()) {
            out.println(
                    "            latency stayed above the limit while this job was at its minimum: it was not the cause");
        }
    }

    private static String percent(double share) {
        return (share < 0.01 ? String.format(Locale.ROOT, "%.1f", 100 * share) : Math.round(100 * share)) + " %";
    }

    static void members(GuardTotals totals, JsonGenerator json) throws IOException {
        json.writeNumberField("limitMillis", millis(totals.limit()));
        if (!totals.baseline().isZero()) {
            json.writeNumberField("baselineMillis", millis(totals.baseline()));
        }
        if (!totals.meanLimit().isZero()) {
            json.writeNumberField("meanLimitMillis", millis(totals.meanLimit()));
        }
        json.writeNumberField("p50Millis", millis(totals.latency().p50()));
        json.writeNumberField("p99Millis", millis(totals.latency().p99()));
        json.writeNumberField("heldBackSeconds", seconds(totals.heldBack()));
        json.writeNumberField("lowestShare", round(totals.lowestShare()));
        json.writeNumberField("windows", totals.windows());
        json.writeNumberField("windowsAboveLimit", totals.windowsAbove());
        json.writeNumberField("probes", totals.probes());
        json.writeNumberField("probesFailed", totals.probesFailed());
        json.writeStringField("probed", totals.probed());
        json.writeBooleanField("notTheCause", totals.notTheCause());
    }

    /** The members of a line about one decision. */
    static void decision(GuardTotals totals, JsonGenerator json) throws IOException {
        json.writeNumberField("seconds", seconds(totals.elapsed()));
        json.writeStringField("job", "guard");
        json.writeNumberField("share", round(totals.share()));
        json.writeNumberField("p99Micros", totals.p99().toNanos() / 1000);
        json.writeNumberField("limitMicros", totals.limit().toNanos() / 1000);
        if (!totals.meanLimit().isZero()) {
            json.writeNumberField("meanMicros", totals.mean().toNanos() / 1000);
            json.writeNumberField("meanLimitMicros", totals.meanLimit().toNanos() / 1000);
        }
        String reason = totals.reason();
        json.writeStringField("reason", reason == null ? "within the limit" : reason);
    }

    private static double millis(Duration time) {
        return TimeUnit.NANOSECONDS.toMicros(time.toNanos()) / 1000.0;
    }

    private static double seconds(Duration time) {
        return round(time.toNanos() / 1e9);
    }

    private static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
