package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Overdrive;
import io.overdrive.bench.stress.Distribution;
import io.overdrive.bench.stress.Interval;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.StressOptions;
import io.overdrive.bench.stress.StressResult;
import io.overdrive.bench.stress.Workload;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.report.StressPrinter;
import io.overdrive.jobs.TargetTable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive bench stress}: an open-loop load on a table. */
@Command(
        name = "stress",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive bench stress [OPTIONS] TABLE",
        description = {
            "Writes and reads single rows at a given rate, whether or not the cluster answers in time, as users do. Latency"
                    + " is measured from when an operation was due. Reports progress every second.",
            "Rows are generated from their numbers, for any table whose primary key has no collections, tuples, vectors"
                    + " or user-defined types. Existing rows with the same keys are overwritten."
        },
        footer = {
            "",
            "Exit codes: 0 the rate was within 10 %% of --rate, 3 it was, but operations failed, 1 it was not.",
            "",
            "Examples:",
            "  overdrive bench stress demo.t --local --create --rate 4000 --for 60s",
            "  overdrive bench stress shop.carts --workload 'write 0.5 read 0.5' --populate --distribution zipf --rate 20k --for 5m",
        })
final class StressCommand implements Callable<Integer>, SettingOptions.Command {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TABLE", hideParamSyntax = true, description = "keyspace.table, as in CQL.")
    private String table = "";

    @Option(
            names = "--workload",
            paramLabel = "SHARES",
            description = "Share of each operation: write a row, read a row by its primary key, or read a partition"
                    + " (its first 5000 rows): \"write 0.5 read 0.5\". Default: \"write 1\".")
    private String workload = "write 1";

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Operations per second. Default: 1000.")
    private long rate = 1000;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Amount.Time.class,
            description = "Duration: 500ms, 60s, 5m, 1h. Default: until Ctrl-C.")
    private @Nullable Duration duration;

    @Option(
            names = "--keys",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Number of different rows to write and read. Default: 1M.")
    private long keys = 1_000_000;

    @Option(
            names = "--distribution",
            paramLabel = "uniform|zipf|sequential",
            description =
                    "Which rows are chosen: all equally often, a few much more often than others, or each in turn."
                            + " Default: uniform.")
    private Distribution distribution = Distribution.UNIFORM;

    @Option(
            names = "--rows-per-partition",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Number of rows in a partition, for tables with a clustering column. Default: 1.")
    private long rowsPerPartition = 1;

    @Option(
            names = "--value-bytes",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description =
                    "Length of each text and blob outside the primary key. The values are random, so they hardly compress."
                            + " Default: 100.")
    private long valueBytes = 100;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the values and their order. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "Consistency level of writes and reads. Default: LOCAL_QUORUM.")
    private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_QUORUM;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            converter = Amount.Count.class,
            description =
                    "Maximum number of operations in flight; further ones wait, which is counted and included in their"
                            + " latency. Default: 16384, or fewer if they need more than an eighth of the heap.")
    private long inFlight = 16_384;

    @Option(
            names = "--create",
            description = "Create the keyspace and the table if they are missing: a bigint as the key, and a blob.")
    private boolean create;

    @Option(names = "--populate", description = "Write all rows first, as fast as possible.")
    private boolean populate;

    @Option(
            names = "--histogram",
            paramLabel = "FILE",
            description = "Log latencies every second in the format of HdrHistogram, in nanoseconds, with the tags"
                    + " write and read (from when an operation was due) and write-service and read-service (from when it"
                    + " was sent).")
    private @Nullable Path histogram;

    @Option(names = "--json", description = "Write the summary as one JSON object to standard output.")
    private boolean json;

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        StressOptions options = options();
        try (Overdrive overdrive = Overdrive.connect(connect.options(err))) {
            if (create) {
                Stress.createIfMissing(overdrive, options).forEach(cql -> err.println(cql + ";"));
            } else {
                TargetTable.of(overdrive, options.keyspace(), options.table()); // or says what there is
            }
            if (populate) {
                err.println("writing " + Amount.count(options.keys()) + " rows");
                Stress.populate(overdrive, options);
            }
            StressResult result = run(overdrive, options, err);
            new StressPrinter(result, populate).print(spec.commandLine().getOut(), json);
            return end(result, err);
        }
    }

    private StressOptions options() {
        CqlIdentifier[] name = TableName.parse(table);
        StressOptions.Builder builder = StressOptions.on(name[0].asInternal(), name[1].asInternal())
                .workload(Workload.parse(workload))
                .rate(rate)
                .keys(keys)
                .distribution(distribution)
                .rowsPerPartition(rowsPerPartition)
                .valueBytes(valueBytes)
                .seed(seed)
                .consistency(consistency)
                .inFlight(inFlight);
        if (duration != null) {
            builder.duration(duration);
        }
        if (histogram != null) {
            builder.histogram(histogram);
        }
        return builder.build();
    }

    private static StressResult run(Overdrive overdrive, StressOptions options, PrintWriter err) {
        try (Stress load = Stress.start(overdrive, options, second -> {
                    err.println(line(second));
                    err.flush();
                });
                Interrupts interrupts = Interrupts.handle(
                        Interrupts.always(load::end),
                        new Interrupts.Effect("sends no more, and waits for answers"),
                        err)) {
            return load.await();
        }
    }

    /** One second as a line. */
    static String line(Interval second) {
        return String.format(
                Locale.ROOT,
                "%5.0f s  %s op/s  p50 %s  p95 %s  p99 %s  %s failed  %s late%s",
                second.to(),
                Amount.count(Math.round(second.rate())),
                StressPrinter.millis(second.response().p50()),
                StressPrinter.millis(second.response().p95()),
                StressPrinter.millis(second.response().p99()),
                Amount.count(second.failed()),
                Amount.count(second.late()),
                second.behind() == 0 ? "" : "  " + Amount.count(second.behind()) + " behind");
    }

    private static int end(StressResult result, PrintWriter err) {
        if (!result.complete()) {
            return Main.INTERRUPTED;
        }
        if (!result.reached()) {
            err.println("overdrive: the rate was not reached: " + Amount.count(result.asked()) + " op/s asked, "
                    + Amount.count(Math.round(result.achieved()))
                    + " achieved; the cluster, or this machine, takes no more");
            return Main.FAILED;
        }
        return result.all().failed() + result.unanswered() > 0 ? Main.DONE_WITH_REJECTS : Main.DONE;
    }
}
