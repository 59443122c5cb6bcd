package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.files.InputException;
import io.overdrive.files.LoadOptions;
import io.overdrive.files.ValueFormat;
import io.overdrive.files.ValueWriter;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive count}: the rows of a table. */
@Command(
        name = "count",
        sortOptions = false,
        customSynopsis = "overdrive count [OPTIONS] TABLE",
        description = "Counts the rows of a table; the servers count, no row comes here.",
        footer = {
            "",
            "Examples:",
            "  overdrive count demo.flights",
            "  overdrive count demo.flights --by partition --top 10",
            "  overdrive count demo.flights --where \"carrier = 'UA'\" --json",
        })
final class CountCommand implements Callable<Integer> {
    private enum By {
        RANGE,
        NODE,
        PARTITION
    }

    /** A line of the answer. */
    private record Group(String name, long rows) {}

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TABLE", hideParamSyntax = true, description = "keyspace.table, spelt as in CQL.")
    private String table = "";

    @Option(
            names = "--by",
            paramLabel = "range|node|partition",
            description = "Also count each token range, what each node holds a replica of, or the largest partitions.")
    private @Nullable By by;

    @Option(names = "--top", paramLabel = "N", description = "Largest partitions to show. Default: 10.")
    private int top = 10;

    @Option(names = "--json", description = "Write the answer as one JSON object.")
    private boolean json;

    @ArgGroup(validate = false, exclusive = false, heading = "%nReading:%n")
    private ScanMixin scan = new ScanMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nConnection:%n")
    private ConnectMixin connect = new ConnectMixin();

    private final LongAdder rows = new LongAdder();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if (top < 1) {
            throw new IllegalArgumentException("--top is " + top + ", must be 1 or more");
        }
        CqlIdentifier[] name = TableName.parse(table);
        ScanOptions.Builder options = ScanOptions.from(name[0].asInternal(), name[1].asInternal());
        if (by == By.PARTITION) {
            options.pageRows(1000); // of partitions, each of which may hold many rows
        }
        scan.apply(options);
        ScanOptions read = options.build();
        long start = System.nanoTime();
        try (Overdrive overdrive = Overdrive.connect(connect.options(err));
                Scan counts = by == By.PARTITION ? overdrive.countPartitions(read) : overdrive.count(read)) {
            List<Group> groups = Run.watch(
                    () -> by == By.PARTITION ? countPartitions(counts) : countSplits(counts),
                    () -> figures(counts, start),
                    counts::stop,
                    "stops",
                    err);
            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            PrintWriter out = spec.commandLine().getOut();
            new Answer(rows.sum(), by, groups, elapsed, counts.totals()).print(out, json);
            if (out.checkError()) {
                throw new InputException("the count cannot be written: standard output is closed, or its disk is full");
            }
            return Main.DONE;
        } catch (OverdriveException e) {
            if (e.kind() == OverdriveException.Kind.INTERRUPTED) {
                err.println("overdrive: stopped; " + Amount.count(rows.sum()) + " rows were counted until then");
                return Main.INTERRUPTED;
            }
            throw e;
        }
    }

    private Progress.Figures figures(Scan counts, long start) {
        ScanTotals totals = counts.totals();
        return new Progress.Figures(
                Duration.ofNanos(System.nanoTime() - start),
                rows.sum(),
                totals.bytesRead(),
                totals.inFlight(),
                totals.p99(),
                /* rejected */ -1,
                Progress.done(totals),
                totals.waiting());
    }

    private List<Group> countSplits(Scan counts) {
        Map<Split.Range, Long> ranges = new TreeMap<>(Comparator.comparingLong(Split.Range::start));
        Map<String, Long> nodes = new TreeMap<>();
        counts.forEachSplit(1, split -> page -> {
            while (page.next()) {
                long found = page.getLong(0);
                rows.add(found);
                ranges.merge(page.range(), found, Long::sum);
                split.replicas().forEach(node -> nodes.merge(node, found, Long::sum));
            }
        });
        List<Group> groups = new ArrayList<>();
        if (by == By.RANGE) {
            ranges.forEach((range, found) -> groups.add(new Group(range.toString(), found)));
        } else if (by == By.NODE) {
            nodes.forEach((node, found) -> groups.add(new Group(node, found)));
        }
        return groups;
    }

    private List<Group> countPartitions(Scan counts) {
        PriorityQueue<Group> largest = new PriorityQueue<>(Comparator.comparingLong(Group::rows));
        int last = counts.columns().size() - 1;
        List<ValueWriter> writers = counts.types().subList(0, last).stream()
                .map(type -> ValueWriter.of(type, ValueFormat.DEFAULT))
                .toList();
        counts.forEachSplit(LoadOptions.defaultThreads(), split -> page -> {
            synchronized (largest) {
                while (page.next()) {
                    long found = page.getLong(last);
                    rows.add(found);
                    if (largest.size() < top || found > largest.element().rows()) {
                        largest.add(new Group(key(page, writers), found));
                        if (largest.size() > top) {
                            largest.remove();
                        }
                    }
                }
            }
        });
        List<Group> groups = new ArrayList<>(largest);
        groups.sort(Comparator.comparingLong(Group::rows).reversed().thenComparing(Group::name));
        return groups;
    }

    private static String key(RowCursor page, List<ValueWriter> writers) {
        Bytes text = new Bytes(64);
        for (int i = 0; i < writers.size(); i++) {
            if (i > 0) {
                text.put(new byte[] {',', ' '});
            }
            writers.get(i).write(page.array(), page.offset(i), page.length(i), text);
        }
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }

    /** What was counted. */
    private record Answer(long rows, @Nullable By by, List<Group> groups, Duration elapsed, ScanTotals totals)
            implements Report {
        @Override
        public void text(PrintWriter out) {
            out.println(Amount.count(rows) + " rows");
            out.println(Report.time(elapsed, rows, "") + ", " + Amount.count(totals.pages()) + " requests, "
                    + Amount.count(totals.retries()) + " retries");
            int width = groups.stream()
                    .mapToInt(group -> Amount.count(group.rows).length())
                    .max()
                    .orElse(0);
            for (Group group : groups) {
                String count = Amount.count(group.rows);
                out.println("  " + " ".repeat(width - count.length()) + count + "  " + group.name);
            }
        }

        @Override
        public void members(JsonGenerator json) throws IOException {
            json.writeNumberField("rows", rows);
            Report.seconds(json, elapsed);
            json.writeNumberField("requests", totals.pages());
            json.writeNumberField("retries", totals.retries());
            if (by != null) {
                json.writeStringField("by", by.name().toLowerCase(Locale.ROOT));
                json.writeArrayFieldStart("groups");
                for (Group group : groups) {
                    json.writeStartObject();
                    json.writeStringField("name", group.name);
                    json.writeNumberField("rows", group.rows);
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
        }
    }
}
