package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.bench.report.HtmlReport;
import io.overdrive.bench.run.BenchCluster;
import io.overdrive.bench.tune.Answer;
import io.overdrive.bench.tune.Answer.Verdict;
import io.overdrive.bench.tune.RowSample;
import io.overdrive.bench.tune.TableTuner;
import io.overdrive.bench.tune.ToolWords;
import io.overdrive.bench.tune.TuneReport;
import io.overdrive.cli.config.Configuration;
import io.overdrive.cli.config.ProfileWriter;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.InputMixin;
import io.overdrive.cli.options.MappingMixin;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.report.TunePrinter;
import io.overdrive.cli.watch.Progress;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.internal.disk.Location;
import io.overdrive.jobs.create.ScratchTable;
import io.overdrive.jobs.load.LoadOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive tune}: the best settings for a cluster and a table. */
@Command(
        name = "tune",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive tune [OPTIONS] TABLE [INPUT…]",
        description = {
            "Finds the best write size, writes in flight, page size and splits in flight for a table on its cluster, by"
                    + " trying them, and shows the evidence. Prints the settings as options of Overdrive, the Spark"
                    + " Cassandra Connector and DSBulk.",
            "It creates a scratch copy of the table in the same keyspace, writes rows of the table (or of the input) to it,"
                    + " reads them, and drops it at the end, also after Ctrl-C. The table itself is only read. The cluster"
                    + " gets as much work as it can take, unless --guard, --rows-per-second or --bytes-per-second limits it."
        },
        footer = {
            "",
            "Exit codes: 0 there are answers, 1 there are none, 130 interrupted; the answers until then are shown.",
            "",
            "Examples:",
            "  overdrive tune demo.flights --local",
            "  overdrive tune shop.orders 'export/*.csv.gz' --host 10.0.0.1 --time 10m --report orders.html",
            "  overdrive tune shop.orders @prod --save prod",
        })
final class TuneCommand implements Callable<Integer>, SettingOptions.Command {
    /** The share of the time for reading rows of the table, at most. */
    private static final int SAMPLING_SHARE = 8;
    /** How much longer than planned a run may last: requests that fail are retried. */
    private static final Duration SLACK = Duration.ofMinutes(5);
    /** The share of a rate limit from which it decides how fast rows are written. */
    private static final double LIMIT_REACHED = 0.95;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TABLE", index = "0", description = "keyspace.table, as in CQL.")
    private String table = "";

    @Parameters(
            paramLabel = "INPUT",
            index = "1..*",
            arity = "0..*",
            description = "Rows to write: files, pipes, directories or globs, as for load. Default: rows of the table.")
    private List<String> inputs = new ArrayList<>();

    @Option(
            names = "--time",
            paramLabel = "TIME",
            converter = Amount.Time.class,
            description = "About how long it takes, 15s or more; more time shows smaller differences. Default: 4m.")
    private Duration time = Duration.ofMinutes(4);

    @Option(names = "--report", paramLabel = "FILE", description = "Write the results as a page of HTML, too.")
    private @Nullable Path page;

    @Option(
            names = "--save",
            paramLabel = "PROFILE",
            description =
                    "Write the settings that are better than the defaults to this profile of the configuration file, and"
                            + " remove from it those that are not. The profile is created if there is none; other commands take it with"
                            + " @PROFILE.")
    private @Nullable String save;

    @Option(names = "--json", description = "Write the results as one JSON object to standard output.")
    private boolean json;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the order of the runs. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--all-datacenters",
            description = "Accept that other data centres with replicas of the keyspace get the scratch rows, too.")
    private boolean allDatacenters;

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nFields of the input:%n")
    private MappingMixin fields = new MappingMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nReading the input:%n")
    private InputMixin input = new InputMixin();

    private final SettingOptions records = new SettingOptions("", ReadingSetting.ALL);
    private final ScanMixin reading = new ScanMixin(
            "Reading the table",
            List.of(ScanSetting.CONSISTENCY),
            Map.of(ScanSetting.CONSISTENCY, "--read-consistency"));
    private final SettingOptions write = new SettingOptions(
            "Writing and limits",
            List.of(WriteSetting.CONSISTENCY, WriteSetting.ROWS_PER_SECOND, WriteSetting.BYTES_PER_SECOND));

    private final ConnectMixin connect = new ConnectMixin();

    private volatile boolean stopped;
    private volatile @Nullable TableTuner tuner;
    private boolean isDropped;

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(records, reading.options(), write, connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if (time.compareTo(TableTuner.MIN_TIME) < 0) {
            throw new IllegalArgumentException("--time is " + Amount.duration(time) + ", must be "
                    + TableTuner.MIN_TIME.toSeconds() + "s or more");
        }
        CqlIdentifier[] name = TableName.parse(table);
        String keyspace = name[0].asInternal();
        LoadOptions files = loadOptions(err);
        writeOptions(keyspace, name[1].asInternal()).build(); // reports a wrong value before anything else happens
        sampleOptions(keyspace, name[1].asInternal()).build();
        checkPage();
        ProfileWriter profile = profile();
        ConnectOptions connection = connect.options(err);
        try (Flow flow = flowOptions.open(err);
                BenchCluster cluster = BenchCluster.of(connection, flow.connectWithDefaults(connection))) {
            TableSchema schema = cluster.overdrive().table(keyspace, name[1].asInternal());
            TunePlan plan = TunePlan.of(cluster, schema);
            plan.check(allDatacenters);
            TuneReport report;
            try (Interrupts interrupts = Interrupts.handle(
                    Interrupts.always(this::stop),
                    new Interrupts.Effect("ends the run, and drops the scratch table"),
                    err)) {
                report = tune(cluster, flow, schema, plan, files, err);
            }
            if (report == null) {
                return Main.INTERRUPTED;
            }
            new TunePrinter(report, flow).print(spec.commandLine().getOut(), json);
            if (page != null) {
                HtmlReport.write(HtmlReport.of(report.page()), page);
                err.println("report: " + page);
            }
            int code = code(report);
            if (profile != null && code == Main.DONE) {
                save(report, profile, err);
            }
            return code;
        }
    }

    /** Null unless settings are to be saved. */
    private @Nullable ProfileWriter profile() {
        if (save == null) {
            return null;
        }
        try {
            return new ProfileWriter(configFile(), save);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--save " + save + ": " + e.getMessage(), e);
        }
    }

    private Path configFile() {
        return Objects.requireNonNull(Configuration.of(spec)).file();
    }

    private void save(TuneReport report, ProfileWriter profile, PrintWriter err) {
        Map<String, Optional<String>> options = new LinkedHashMap<>();
        ToolWords.ofOverdrive(report.answers()).forEach((name, value) -> options.put(name.substring(2), value));
        List<String> changes = profile.set(options);
        err.println("profile " + save + " in " + configFile() + (changes.isEmpty() ? ": nothing to change" : ":"));
        changes.forEach(line -> err.println("  " + line));
    }

    private int code(TuneReport report) {
        if (stopped) {
            return Main.INTERRUPTED;
        }
        boolean isAnswered = report.answers().stream().anyMatch(answer -> answer.verdict() != Verdict.NO_RESULT);
        return isAnswered && isDropped ? Main.DONE : Main.FAILED;
    }

    private void stop() {
        stopped = true;
        TableTuner current = tuner;
        if (current != null) {
            current.stop();
        }
    }

    /** Null if there are no options for files. */
    private @Nullable LoadOptions loadOptions(PrintWriter err) {
        if (inputs.isEmpty()) {
            return null;
        }
        List<InputFile> files = InputFiles.expand(inputs, leftOut -> err.println("overdrive: " + leftOut));
        LoadOptions options = fields.apply(LoadOptions.of(files))
                .format(input.format(records))
                .values(input.values())
                .build();
        input.check(spec.commandLine().getParseResult(), options.format(), files);
        return options;
    }

    private WriteOptions.Builder writeOptions(String keyspace, String name) {
        WriteOptions.Builder builder = WriteOptions.into(keyspace, name);
        write.apply(builder::set);
        return builder;
    }

    private ScanOptions.Builder limited(ScanOptions.Builder builder) {
        Long rows = write.find(WriteSetting.ROWS_PER_SECOND);
        if (rows != null) {
            builder.rowsPerSecond(rows);
        }
        Long bytes = write.find(WriteSetting.BYTES_PER_SECOND);
        return bytes == null ? builder : builder.bytesPerSecond(bytes);
    }

    /** Options of the scan of the table's rows. */
    private ScanOptions.Builder sampleOptions(String keyspace, String name) {
        ScanOptions.Builder builder = ScanOptions.from(keyspace, name);
        reading.apply(builder);
        return limited(builder);
    }

    /** Options of the scan of the scratch table. */
    private ScanOptions.Builder scanOptions(String keyspace, String name) {
        ScanOptions.Builder builder = ScanOptions.from(keyspace, name);
        var consistency = reading.options().find(ScanSetting.CONSISTENCY);
        return limited(consistency == null ? builder : builder.consistency(consistency));
    }

    private void checkPage() {
        Path directory = page == null ? null : page.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException("--report " + page + ": there is no directory " + directory);
        }
        if (page != null && Files.isDirectory(page)) {
            throw new IllegalArgumentException("--report " + page + " is a directory: give the name of a file");
        }
    }

    /** Null if it was stopped before the first run. */
    private @Nullable TuneReport tune(
            BenchCluster cluster,
            Flow flow,
            TableSchema schema,
            TunePlan plan,
            @Nullable LoadOptions files,
            PrintWriter err) {
        Instant started = Instant.now();
        Overdrive overdrive = cluster.overdrive();
        RowSample sample = sample(overdrive, schema, files, err);
        if (stopped) {
            return null;
        }
        requireRows(sample, schema, files != null);
        Duration left = time.minus(Duration.between(started, Instant.now()));
        Map<String, String> planned = plan.words(sample, files != null, pace(), left);
        planned.forEach((what, words) -> err.println(String.format(Locale.ROOT, "  %-8s %s", what, words)));
        List<String> warnings = new ArrayList<>();
        List<Answer> answers;
        ScratchTable scratch =
                ScratchTable.create(overdrive, schema, left.plus(SLACK), Clock.systemUTC(), err::println);
        try (scratch) {
            if (!scratch.leftOut().isEmpty()) {
                warnings.add("the scratch table lacks " + String.join(", ", scratch.leftOut())
                        + ": writes to the table itself may cost more");
            }
            TableTuner made = tuner(cluster, schema, sample, scratch, left);
            try (Progress progress = Progress.start(() -> line(made, flow, started.plus(time)), err)) {
                answers = made.run();
            }
        } finally {
            isDropped = scratch.isDropped();
        }
        rateLimitWarning(answers).ifPresent(warnings::add);
        if (flowOptions.isGuarded()) {
            warnings.add("with --guard, rates also depend on what it left to the runs");
        }
        return new TuneReport(
                schema.cqlName(),
                started,
                Duration.between(started, Instant.now()).toNanos() / 1e9,
                !stopped,
                typed(),
                planned,
                cluster.environment(),
                answers,
                ToolWords.of(answers, plan.nodes(), plan.tableBytes()),
                warnings);
    }

    private void requireRows(RowSample sample, TableSchema schema, boolean areOfFiles) {
        if (sample.rows() < TableTuner.MIN_ROWS) {
            throw new OverdriveException(
                    Kind.INPUT,
                    String.format(
                            Locale.ROOT,
                            "too few rows for a result: %s has %,d, and %,d or more are needed%s",
                            areOfFiles ? "the input" : schema.cqlName(),
                            sample.rows(),
                            TableTuner.MIN_ROWS,
                            areOfFiles
                                    ? " that fit the table"
                                    : "; give a file with rows for it: overdrive tune " + table + " FILE"));
        }
    }

    private TableTuner tuner(
            BenchCluster cluster, TableSchema schema, RowSample sample, ScratchTable scratch, Duration left) {
        TableTuner made = new TableTuner(
                cluster,
                schema,
                sample,
                () -> writeOptions(scratch.keyspace(), scratch.table()),
                () -> scanOptions(scratch.keyspace(), scratch.table()),
                left,
                seed);
        tuner = made;
        if (stopped) {
            made.stop();
        }
        return made;
    }

    private static String line(TableTuner runs, Flow flow, Instant end) {
        String heldBack = flow.heldBack();
        Duration left = Duration.between(Instant.now(), end);
        return (heldBack == null ? "" : heldBack + "  ")
                + runs.progress()
                + (left.isNegative() ? "" : "  at most " + Amount.duration(left) + " left");
    }

    private RowSample sample(Overdrive overdrive, TableSchema schema, @Nullable LoadOptions files, PrintWriter err) {
        try (Progress progress = Progress.start(() -> "reads rows", err)) {
            return files != null
                    ? TuneRows.ofFiles(overdrive, schema, files, () -> stopped)
                    : TuneRows.ofTable(
                            overdrive,
                            schema,
                            sampleOptions(schema.keyspace(), schema.table()).build(),
                            time.dividedBy(SAMPLING_SHARE),
                            () -> stopped);
        }
    }

    /** The limits of the load on the cluster, in a few words. */
    private String pace() {
        String limits = Stream.of(
                        limit(WriteSetting.ROWS_PER_SECOND, n -> Amount.count(n) + " rows/s"),
                        limit(WriteSetting.BYTES_PER_SECOND, n -> Amount.bytes(n) + "/s"))
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining(" and "));
        return flowOptions.isGuarded()
                ? "held back by the guard" + (limits.isEmpty() ? "" : ", at most " + limits)
                : limits.isEmpty()
                        ? "as fast as the cluster allows: others who use it will notice"
                        : "at most " + limits;
    }

    private String limit(Setting<Long> setting, LongFunction<String> words) {
        Long limit = write.find(setting);
        return limit == null ? "" : words.apply(limit);
    }

    private Optional<String> rateLimitWarning(List<Answer> answers) {
        Long limit = write.find(WriteSetting.ROWS_PER_SECOND);
        return limit != null
                        && answers.stream().anyMatch(answer -> answer.median(answer.standard()) > LIMIT_REACHED * limit)
                ? Optional.of("the default reaches the limit of " + Amount.count(limit)
                        + " rows/s, so no setting can be shown to be faster")
                : Optional.empty();
    }

    /** The command line, as a shell takes it. */
    private String typed() {
        return "overdrive "
                + spec.commandLine().getParseResult().originalArgs().stream()
                        .map(Location::withoutSecrets)
                        .map(OptionValues::shellWord)
                        .collect(Collectors.joining(" "));
    }
}
