package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.profile.Forecast;
import io.overdrive.jobs.profile.Profile;
import io.overdrive.jobs.profile.Profile.Bucket;
import io.overdrive.jobs.profile.Profile.Column;
import io.overdrive.jobs.profile.Profile.KeyCandidate;
import io.overdrive.jobs.profile.Profile.Large;
import io.overdrive.jobs.profile.Profile.Partitions;
import io.overdrive.jobs.profile.ProfileSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Prints a profile.
 *
 * @param words for options that advice names
 */
public record ProfilePrinter(ProfileSummary summary, Profile profile, MessageText.Words words) implements Report {
    private static final int MAX_NAME = 32;
    private static final int MAX_TYPE = 20;
    private static final int BAR = 20;
    /** A load takes that long to start. */
    private static final Duration MIN_TIME = Duration.ofSeconds(1);

    @Override
    public void text(PrintWriter out) {
        out.println(Amount.count(profile.rows(), "row") + ", " + Amount.bytes(profile.bytes()) + " of values in "
                + Amount.count(profile.columns().size(), "column")
                + (summary.rowsRejected() == 0
                        ? ""
                        : "; " + Amount.count(summary.rowsRejected(), "record") + " rejected"));
        out.println("  time      " + Amount.duration(summary.elapsed()) + ", "
                + Amount.count(Math.round(Amount.perSecond(summary.rowsRead(), summary.elapsed()))) + " rows/s, "
                + Amount.rate(summary.bytesRead(), summary.elapsed()) + " read");
        summary.reasons().forEach(reason -> out.println("  rejected  " + reason));
        columns(out);
        Partitions partitions = profile.partitions();
        Key key = profile.key();
        if (partitions != null && key != null) {
            partitions(partitions, key, out);
        }
        keys(out);
        advice(out);
    }

    private void columns(PrintWriter out) {
        out.println();
        int name = width(
                profile.columns().stream().map(c -> Mapping.spelt(c.name())).toList(), "column", MAX_NAME);
        int type = width(profile.columns().stream().map(Column::type).toList(), "type", MAX_TYPE);
        String shape = "  %-" + name + "s  %-" + type + "s  %11s  %15s  %9s  %9s";
        out.println(String.format(Locale.ROOT, shape, "column", "type", "nulls", "distinct", "mean", "largest"));
        for (Column column : profile.columns()) {
            long values = profile.rows() - column.nulls();
            out.println(String.format(
                    Locale.ROOT,
                    shape,
                    Mapping.spelt(column.name()),
                    column.type(),
                    Amount.count(column.nulls()),
                    (column.isExact() ? "" : "~") + Amount.count(column.distinct()),
                    values == 0 ? "" : Amount.bytes((double) column.bytes() / values),
                    values == 0 ? "" : Amount.bytes(column.maxBytes())));
        }
    }

    private static int width(List<String> texts, String title, int max) {
        int longest = texts.stream().mapToInt(String::length).max().orElse(0);
        return Math.max(title.length(), Math.min(max, longest));
    }

    private static void partitions(Partitions partitions, Key key, PrintWriter out) {
        String about = partitions.isExact() ? "" : "~";
        out.println();
        out.println(about + Amount.count(Math.round(partitions.count()), "partition") + " of PRIMARY KEY (" + key.cql()
                + ")"
                + (partitions.isExact() ? "" : ", estimated from " + Amount.count(partitions.sampled()) + " of them"));
        buckets(partitions.byRows(), "rows each", Amount::count, about, out);
        buckets(partitions.byBytes(), "bytes each", n -> n == 0 ? "0" : Amount.bytes(n), about, out);
        out.println("  one row   " + percent(partitions.oneRowShare()) + " of the partitions, with "
                + percent(partitions.singleRowsShare()) + " of the rows");
        out.println("  order     " + percent(partitions.outOfOrderShare())
                + " of the rows return to a partition that another one has followed");
        largest(partitions, out);
    }

    private static void buckets(
            List<Bucket> buckets, String title, LongFunction<String> size, String about, PrintWriter out) {
        if (buckets.isEmpty()) {
            return;
        }
        double all = buckets.stream().mapToDouble(Bucket::partitions).sum();
        out.println(String.format(Locale.ROOT, "  %-24s  %15s  %15s", title, "partitions", "rows"));
        for (Bucket bucket : buckets) {
            out.println(String.format(
                            Locale.ROOT,
                            "  %-24s  %15s  %15s  %s",
                            range(bucket, size),
                            about + Amount.count(Math.round(bucket.partitions())),
                            about + Amount.count(Math.round(bucket.rows())),
                            "#".repeat((int) Math.ceil(BAR * bucket.partitions() / all)))
                    .stripTrailing());
        }
    }

    private static String range(Bucket bucket, LongFunction<String> size) {
        return bucket.to() == Long.MAX_VALUE
                ? size.apply(bucket.from()) + " or more"
                : bucket.to() == bucket.from() + 1
                        ? size.apply(bucket.from())
                        : size.apply(bucket.from()) + " to below " + size.apply(bucket.to());
    }

    private static void largest(Partitions partitions, PrintWriter out) {
        String error = partitions.largestError() == 0
                ? ""
                : "; each may have up to " + Amount.count(partitions.largestError(), "row") + " more";
        if (partitions.largest().isEmpty()) {
            out.println("  largest   none has more than " + Amount.count(partitions.largestError(), "row"));
            return;
        }
        if (partitions.largestError() == 0 && partitions.largest().stream().allMatch(large -> large.rows() == 1)) {
            out.println("  largest   none has more than 1 row");
            return;
        }
        out.println("  largest   rows, bytes and key" + error);
        for (Large large : partitions.largest()) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %15s  %9s  %s",
                    Amount.count(large.rows()),
                    Amount.bytes(large.bytes()),
                    large.key()));
        }
    }

    private void keys(PrintWriter out) {
        if (!profile.keys().isEmpty()) {
            out.println();
            out.println("Possible keys");
            profile.keys().forEach(each -> out.println("  " + spelt(each) + ": " + each.reason()));
        }
    }

    private static String spelt(KeyCandidate candidate) {
        return candidate.columns().stream().map(Mapping::spelt).collect(Collectors.joining(", "));
    }

    private void advice(PrintWriter out) {
        out.println();
        Forecast forecast = profile.forecast();
        if (forecast != null) {
            out.println("  load      takes about " + time(forecast.cql()) + " over CQL, or about "
                    + time(forecast.sstables()) + " by SSTables, on two cores that also run one node");
        }
        profile.advice().forEach(each -> out.println("  advice    " + each.in(words)));
    }

    private static String time(Duration expected) {
        return expected.compareTo(MIN_TIME) < 0 ? "a second" : Amount.duration(expected);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Report.outcome(json, summary);
        json.writeNumberField("rows", profile.rows());
        json.writeNumberField("rejected", summary.rowsRejected());
        strings(json, "reasons", summary.reasons());
        json.writeNumberField("bytes", profile.bytes());
        Report.secondsAndRate(json, summary.elapsed(), summary.rowsRead());
        json.writeNumberField("bytesRead", summary.bytesRead());
        json.writeArrayFieldStart("columns");
        for (Column column : profile.columns()) {
            column(json, column);
        }
        json.writeEndArray();
        Key key = profile.key();
        if (key != null) {
            strings(json, "partitionKey", key.partition());
            strings(json, "clusteringColumns", key.clustering());
        }
        Partitions partitions = profile.partitions();
        if (partitions != null) {
            json.writeObjectFieldStart("partitions");
            partitions(json, partitions);
            json.writeEndObject();
        }
        json.writeArrayFieldStart("possibleKeys");
        for (KeyCandidate candidate : profile.keys()) {
            json.writeStartObject();
            strings(json, "columns", candidate.columns());
            json.writeStringField("reason", candidate.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        Forecast forecast = profile.forecast();
        if (forecast != null) {
            json.writeNumberField("expectedSecondsOverCql", forecast.cql().toMillis() / 1000.0);
            json.writeNumberField(
                    "expectedSecondsBySstables", forecast.sstables().toMillis() / 1000.0);
        }
        strings(
                json,
                "advice",
                profile.advice().stream().map(each -> each.in(words)).toList());
    }

    private static void column(JsonGenerator json, Column column) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", column.name());
        json.writeStringField("type", column.type());
        json.writeNumberField("nulls", column.nulls());
        json.writeNumberField("distinct", column.distinct());
        json.writeNumberField("distinctMin", column.distinctMin());
        json.writeNumberField("distinctMax", column.distinctMax());
        json.writeNumberField("bytes", column.bytes());
        json.writeNumberField("maxBytes", column.maxBytes());
        json.writeEndObject();
    }

    private static void partitions(JsonGenerator json, Partitions partitions) throws IOException {
        json.writeNumberField("count", Math.round(partitions.count()));
        json.writeBooleanField("exact", partitions.isExact());
        json.writeNumberField("sampled", partitions.sampled());
        json.writeNumberField("oneRowShare", partitions.oneRowShare());
        json.writeNumberField("singleRowsShare", partitions.singleRowsShare());
        json.writeNumberField("outOfOrderShare", partitions.outOfOrderShare());
        json.writeNumberField("repeatedKeys", partitions.repeatedKeys());
        json.writeBooleanField("repeatedKeysExact", partitions.isRepeatedExact());
        buckets(json, "byRows", partitions.byRows());
        buckets(json, "byBytes", partitions.byBytes());
        json.writeNumberField("largestError", partitions.largestError());
        json.writeArrayFieldStart("largest");
        for (Large large : partitions.largest()) {
            json.writeStartObject();
            json.writeFieldName("key");
            json.writeRawValue(large.key());
            json.writeNumberField("rows", large.rows());
            json.writeNumberField("bytes", large.bytes());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void buckets(JsonGenerator json, String name, List<Bucket> buckets) throws IOException {
        json.writeArrayFieldStart(name);
        for (Bucket bucket : buckets) {
            json.writeStartObject();
            json.writeNumberField("from", bucket.from());
            if (bucket.to() != Long.MAX_VALUE) {
                json.writeNumberField("below", bucket.to());
            }
            json.writeNumberField("partitions", Math.round(bucket.partitions()));
            json.writeNumberField("rows", Math.round(bucket.rows()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void strings(JsonGenerator json, String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
