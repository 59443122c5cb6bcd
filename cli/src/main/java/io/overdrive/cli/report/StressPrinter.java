package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.bench.stress.Interval;
import io.overdrive.bench.stress.Latency;
import io.overdrive.bench.stress.OperationKind;
import io.overdrive.bench.stress.StressResult;
import io.overdrive.cli.options.Amount;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Prints the result of a load. */
public record StressPrinter(StressResult result, boolean populated) implements Report {
    @Override
    public void text(PrintWriter out) {
        Interval all = result.all();
        out.println(Amount.count(all.due()) + " operations due = " + Amount.count(all.done()) + " done + "
                + Amount.count(all.failed()) + " failed"
                + (result.unsent() == 0 ? "" : " + " + Amount.count(result.unsent()) + " NOT SENT")
                + (result.unanswered() == 0 ? "" : " + " + Amount.count(result.unanswered()) + " NOT ANSWERED"));
        out.println("  rate      " + Amount.count(result.asked()) + " op/s asked, "
                + Amount.count(Math.round(result.achieved())) + " achieved in " + seconds(all) + ": "
                + (result.reached() ? "within 10 %" : "NOT REACHED"));
        out.println("  response  " + text(all.response()) + ", from when they were due");
        out.println("  service   " + text(all.service()) + ", from when they were sent");
        if (all.responseOf().size() > 1) {
            new TreeMap<>(all.responseOf())
                    .forEach((kind, latency) -> out.println(String.format(
                            Locale.ROOT,
                            "  %-9s %s, response of %s",
                            kind.word(),
                            text(latency),
                            Amount.count(latency.count()))));
        }
        out.println("  late      " + Amount.count(all.late()) + " sent more than 5 ms after they were due"
                + (all.held() == 0 ? "" : ", " + Amount.count(all.held()) + " waited because too many were in flight"));
        if (all.missing() > 0) {
            out.println("  missing   " + Amount.count(all.missing()) + " reads found no row"
                    + (populated ? "" : "; --populate writes all rows first"));
        }
        result.errors().forEach((reason, count) -> out.println("  failed    " + Amount.count(count) + " x " + reason));
        out.println(String.format(Locale.ROOT, "  client    %.1f us of CPU an operation", result.clientCpuMicros()));
    }

    private static String seconds(Interval all) {
        return Amount.duration(Duration.ofMillis(Math.round(1000 * (all.to() - all.from()))));
    }

    private static String text(Latency latency) {
        return "p50 " + millis(latency.p50()) + ", p95 " + millis(latency.p95()) + ", p99 " + millis(latency.p99())
                + ", p99.9 " + millis(latency.p999()) + ", max " + millis(latency.max());
    }

    public static String millis(double millis) {
        return Amount.duration(Duration.ofNanos(Math.round(1e6 * millis)));
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Interval all = result.all();
        json.writeStringField("outcome", result.complete() ? "done" : "stopped");
        json.writeNumberField("askedPerSecond", result.asked());
        json.writeNumberField("achievedPerSecond", Math.round(10 * result.achieved()) / 10.0);
        json.writeBooleanField("reached", result.reached());
        json.writeNumberField("seconds", Math.round(1000 * (all.to() - all.from())) / 1000.0);
        json.writeNumberField("due", all.due());
        json.writeNumberField("done", all.done());
        json.writeNumberField("failed", all.failed());
        json.writeNumberField("unsent", result.unsent());
        json.writeNumberField("unanswered", result.unanswered());
        json.writeNumberField("late", all.late());
        json.writeNumberField("held", all.held());
        json.writeNumberField("missing", all.missing());
        json.writeNumberField("clientCpuMicrosPerOperation", Math.round(10 * result.clientCpuMicros()) / 10.0);
        latency(json, "responseMillis", all.response());
        latency(json, "serviceMillis", all.service());
        json.writeObjectFieldStart("kinds");
        for (Map.Entry<OperationKind, Latency> kind : new TreeMap<>(all.responseOf()).entrySet()) {
            json.writeObjectFieldStart(kind.getKey().word());
            latency(json, "responseMillis", kind.getValue());
            Latency service = all.serviceOf().get(kind.getKey());
            if (service != null) {
                latency(json, "serviceMillis", service);
            }
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeObjectFieldStart("errors");
        for (Map.Entry<String, Long> error : result.errors().entrySet()) {
            json.writeNumberField(error.getKey(), error.getValue());
        }
        json.writeEndObject();
    }

    private static void latency(JsonGenerator json, String name, Latency latency) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("count", latency.count());
        json.writeNumberField("mean", rounded(latency.mean()));
        json.writeNumberField("p50", rounded(latency.p50()));
        json.writeNumberField("p95", rounded(latency.p95()));
        json.writeNumberField("p99", rounded(latency.p99()));
        json.writeNumberField("p999", rounded(latency.p999()));
        json.writeNumberField("max", rounded(latency.max()));
        json.writeEndObject();
    }

    private static double rounded(double millis) {
        return Math.round(1000 * millis) / 1000.0;
    }
}
