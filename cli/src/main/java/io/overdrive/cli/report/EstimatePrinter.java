package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Estimate.Origin;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Estimate.Size;
import io.overdrive.internal.estimate.Road;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Prints what a job would take, in place of the summary of a run. */
public record EstimatePrinter(Estimate estimate, PlanPrinter plan) implements Report {
    private static final String PAGE = "docs/concepts/large-clusters.md";
    /** The maximum time to start Java and connect, which an estimate leaves out. */
    private static final Duration START = Duration.ofSeconds(2);
    /** Any network takes fewer bytes within seconds. */
    private static final long SMALL_BYTES = 10_000_000;
    /** Jobs that take less are as short as their start. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    @Override
    public void text(PrintWriter out) {
        out.println("estimate of what the run would take; " + PAGE + " has the formulas");
        for (Share share : estimate.shares()) {
            line(out, share.label(), bytes(share));
            String requests = requests(share);
            if (!requests.isEmpty()) {
                line(out, "requests", requests);
            }
        }
        line(out, "client", client());
        line(out, "time", time());
    }

    private static void line(PrintWriter out, String label, String text) {
        out.println(String.format(Locale.ROOT, "  %-9s %s", label, text));
    }

    private static String bytes(Share share) {
        Size size = share.size();
        if (!size.isKnown()) {
            return isReading(share)
                    ? "an unknown number of bytes: the nodes have no size estimates of the table yet, which they renew every"
                            + " five minutes, or with nodetool refreshsizeestimates"
                    : "an unknown number of bytes";
        }
        if (share.copies() == 0) {
            return Amount.bytes(size.bytes()) + origin(size)
                    + ", at an unknown number of replicas: the keyspace does not exist, or has none in this data centre";
        }
        return Amount.bytes(size.bytes()) + origin(size)
                + (share.copies() == 1 ? "" : ", at " + share.copies() + " replicas")
                + ": " + Amount.bytes(share.bytesANode()) + " on each of "
                + Amount.count(share.nodes(), "node");
    }

    private static String origin(Size size) {
        return switch (size.origin()) {
            case NODES -> " (as the nodes estimate the table)";
            case SSTABLES -> " (as stored in the SSTables)";
            case ENCODED -> " in " + Amount.count(size.rows(), "row") + " (known, as they were encoded)";
        };
    }

    private static boolean isReading(Share share) {
        return switch (share.road()) {
            case READ, COUNT, VERIFY -> true;
            case WRITE, WRITE_SSTABLES -> false;
        };
    }

    private static String requests(Share share) {
        long min = share.requests().min();
        long expected = share.requests().expected();
        if (min == 0) {
            return "";
        }
        if (share.size().origin() == Origin.ENCODED) {
            return min == share.size().rows()
                    ? Amount.count(min) + ", one for each row (known)"
                    : "about " + range(Amount.count(min), Amount.count(expected))
                            + ", by the rows and how they are grouped (estimated)"
                            + (min < expected ? "; the fewer, the more rows in a request prove to be faster" : "");
        }
        if (!isReading(share)) {
            return "at least " + Amount.count(min) + ", with full batches; single rows take one each";
        }
        return Amount.count(min) + ", one for each range of tokens (known)"
                + (expected > min ? "; with further pages about " + Amount.count(expected) + " (by the bytes)" : "");
    }

    private String client() {
        Client client = estimate.client();
        return Amount.count(client.connections(), "connection") + " (known); heap of about "
                + Amount.bytes(client.bytesOfClusters()) + " for these and "
                + Amount.count(client.tokens(), "token") + " (measured elsewhere)"
                + (estimate.memory() == 0
                        ? ""
                        : " and at most " + Amount.bytes(estimate.memory()) + " for rows (known)")
                + ", of " + Amount.bytes(client.heapBytes());
    }

    private String time() {
        if (!estimate.hasTime()) {
            return estimate.shares().isEmpty()
                    ? "unknown, as no rows are read by a scan of the cluster"
                    : "unknown, as the number of bytes or replicas is not known";
        }
        if (estimate.slowest().compareTo(SHORT) < 0) {
            return "less than " + Amount.duration(SHORT.plus(START)) + ", by rows measured elsewhere and with the start"
                    + notMeasured();
        }
        return seconds()
                + ", by the kind of rows (measured elsewhere), with "
                + Amount.count(estimate.client().processors(), "processor")
                + " of this machine (known) and one of each node (a guess)"
                + (estimate.inputTime().isZero()
                        ? ""
                        : "; this machine took " + Amount.duration(estimate.inputTime())
                                + " to read and check the input (known)")
                + "; limited by "
                + (estimate.isLimitedByClient() ? "this machine" : "the nodes")
                + (estimate.clientBytes() < SMALL_BYTES
                        ? ""
                        : ", unless the network takes less than "
                                + range(rate(estimate.slowest()), rate(estimate.fastest())) + " (not known)")
                + notMeasured();
    }

    private String notMeasured() {
        boolean readsFiles =
                estimate.shares().stream().anyMatch(each -> each.size().origin() == Origin.SSTABLES);
        return readsFiles ? "; without the time to read the SSTables (not measured)" : "";
    }

    /** The bounds of the time; the lower one is left out if it is less than the start, which is not in it. */
    private String seconds() {
        String slowest = Amount.duration(estimate.slowest());
        return estimate.fastest().compareTo(START) < 0
                ? "up to " + slowest
                : range(Amount.duration(estimate.fastest()), slowest);
    }

    private static String range(String min, String max) {
        return min.equals(max) ? min : min + " to " + max;
    }

    private String rate(Duration time) {
        return Amount.rate(estimate.clientBytes(), time);
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        json.writeBooleanField("dryRun", true);
        object(json);
        plan.members(json);
    }

    /** Adds the object {@code estimate}. */
    private void object(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("estimate");
        json.writeObjectFieldStart("parts");
        for (Share share : estimate.shares()) {
            json.writeObjectFieldStart(share.label());
            json.writeStringField("road", word(share.road()));
            json.writeNumberField("nodes", share.nodes());
            json.writeNumberField("copies", share.copies());
            json.writeNumberField("bytes", share.size().bytes());
            if (share.size().rows() > 0) {
                json.writeNumberField("rows", share.size().rows());
            }
            json.writeNumberField("bytesANode", share.bytesANode());
            json.writeNumberField("minRequests", share.requests().min());
            json.writeNumberField("requests", share.requests().expected());
            json.writeNumberField("memory", share.memory());
            json.writeEndObject();
        }
        json.writeEndObject();
        Client client = estimate.client();
        json.writeNumberField("processors", client.processors());
        json.writeNumberField("connections", client.connections());
        json.writeNumberField("tokens", client.tokens());
        json.writeNumberField("heapOfClusters", client.bytesOfClusters());
        json.writeNumberField("heap", client.heapBytes());
        if (estimate.hasTime()) {
            json.writeNumberField("minSeconds", estimate.fastest().toMillis() / 1000.0);
            json.writeNumberField("maxSeconds", estimate.slowest().toMillis() / 1000.0);
            json.writeStringField("limitedBy", estimate.isLimitedByClient() ? "client" : "nodes");
        }
        json.writeEndObject();
    }

    /** The estimate after the summary of a dry run that has read its input. */
    public Report after(Report summary) {
        EstimatePrinter estimated = this;
        return new Report() {
            @Override
            public void text(PrintWriter out) {
                summary.text(out);
                estimated.text(out);
            }

            @Override
            public void members(JsonGenerator json) throws IOException {
                summary.members(json);
                estimated.object(json);
            }
        };
    }

    private static String word(Road road) {
        return road.name().toLowerCase(Locale.ROOT);
    }
}
