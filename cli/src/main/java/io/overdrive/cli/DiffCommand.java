package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.options.ToMixin;
import io.overdrive.cli.report.DiffPrinter;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.diff.DiffOptions;
import io.overdrive.jobs.diff.DiffSummary;
import io.overdrive.jobs.diff.Differ;
import io.overdrive.jobs.diff.EarlierDiff;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TableSizes;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesSummary;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code overdrive diff}: the differences between two tables. */
@Command(
        name = "diff",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive diff [OPTIONS] LEFT [RIGHT]",
        description =
                "Compares two tables value by value, or the tables of two keyspaces. Prints each difference as a line of JSON on standard output, and"
                        + " a summary on standard error. Columns of different types are compared as a copy would convert them.",
        footer = {
            "",
            "Exit codes: 0 the tables are equal, 3 they differ (even if repaired), 1 failed.",
            "",
            "Examples:",
            "  overdrive diff demo.flights other.flights",
            "  overdrive diff shop.orders shop.orders --from-sstables snapshot/   # what has changed since",
            "  overdrive diff shop.orders shop.orders --host 10.0.0.1 --to-host 10.1.0.1",
            "  overdrive diff shop.orders backup.orders --columns status,total --repair missing,different > differences.jsonl",
            "  overdrive diff shop --to-host 10.1.0.1   # all tables of a keyspace",
            "  overdrive diff shop --to-host 10.1.0.1 --repair missing --keep-times   # and copies what is missing",
            "  overdrive diff shop.orders --to-host 10.1.0.1 --sample 1%% --compare-times",
        })
final class DiffCommand implements Callable<Integer>, SettingOptions.Command {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "LEFT",
            index = "0",
            description = "keyspace.table, as in CQL; or keyspace for all of its tables, or a pattern such as"
                    + " \"keyspace.order*\".")
    private String leftName = "";

    @Parameters(
            paramLabel = "RIGHT",
            index = "1",
            arity = "0..1",
            description =
                    "keyspace.table with the same primary key; of several tables their keyspace. Default: the name"
                            + " of LEFT, in the cluster of --to-host.")
    private String rightName = "";

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    /** Options that say what is a difference. */
    private static final class Comparing {
        @Option(
                names = "--map",
                paramLabel = "MAPPING",
                description =
                        "Mapping of left columns to right columns: \"id = user_id, * = *, * = -note\". The columns of the"
                                + " primary keys must have the same types. Default: \"* = *\", by name.")
        private String map = "* = *";

        @Option(
                names = "--tolerance",
                paramLabel = "SHARE",
                description =
                        "Columns of type float and double may differ by this share of the greater value, such as 1e-9."
                                + " Default: 0, their bytes must be the same.")
        private double tolerance;

        @Option(
                names = "--compare-times",
                description =
                        "Compare the write times and times to live of the values, too: a difference then names the columns"
                                + " in \"times\". Of collections and UDTs that are not frozen only with Cassandra 5. Default: values only.")
        private boolean times;

        @Option(
                names = "--ttl-tolerance",
                paramLabel = "TIME",
                converter = Amount.Time.class,
                description =
                        "With --compare-times: times to live may differ by this much. Default: 1m, as they are counted from"
                                + " when a value is copied and when it is read.")
        private @Nullable Duration ttlTolerance;
    }

    /** Options that say what to do with differences. */
    private static final class Repairing {
        @Option(
                names = "--repair",
                paramLabel = "KINDS",
                split = ",",
                description =
                        "Repair differences in the right table: missing writes rows that only the left table has, different"
                                + " writes values that differ, and extra deletes rows that only the right table has (not with --where)."
                                + " Several with commas: missing,different. They get the write time of this run, and the default time to"
                                + " live of the right table, or none; values there with a later write time stay. Default: none.")
        private List<String> repair = List.of();

        @Option(
                names = "--keep-times",
                description =
                        "With --repair: values get the write time and the remaining time to live that they have in the left"
                                + " table, so that newer values stay. Collections and UDTs that are not frozen are not repaired if their elements have different"
                                + " times, and lists that are not frozen are refused. Values that only the right table has stay. Default: the time of this run.")
        private boolean keepTimes;

        @Option(
                names = "--write-consistency",
                paramLabel = "LEVEL",
                description = "Consistency level of repair writes. Default: LOCAL_QUORUM.")
        private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_QUORUM;
    }

    @Option(
            names = "--columns",
            paramLabel = "NAMES",
            description = "Columns to compare besides the primary key: a,b,\"C\". Default: all columns.")
    private @Nullable String columns;

    @Option(
            names = "--recheck",
            paramLabel = "RUN",
            description =
                    "Compare again only the parts of the tables in which this run of diff found differences; the others are taken to"
                            + " be as it found them. overdrive runs lists runs. Default: whole tables.")
    private @Nullable String recheck;

    @Mixin
    private final FromSstablesMixin files = new FromSstablesMixin();

    @Option(names = "--json", description = "Write the summary as one JSON object, to standard error.")
    private boolean json;

    @Mixin
    private final ReportMixin report = new ReportMixin();

    @Option(names = "--settings", description = "Show the settings for reading, and their origin, before the run.")
    private boolean settings;

    @Mixin
    private final JournalMixin journal = new JournalMixin();

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nWhat is compared:%n")
    private Comparing comparing = new Comparing();

    @ArgGroup(validate = false, exclusive = false, heading = "%nRepair:%n")
    private Repairing repairing = new Repairing();

    private final SettingOptions numbers =
            new SettingOptions(null, List.of(JobSetting.MAX_DIFFERENCES, JobSetting.DIFF_THREADS));
    private final ScanMixin scan = ScanMixin.withTokens("Reading, of each table");

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    private final ToMixin to = new ToMixin("Connection of the right table");

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(numbers, scan.options(), connect.group(), to.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = report.begin(spec);
        rightName = to.nameOfSecond(leftName, rightName, "RIGHT");
        TableSelection selection = tables.selection(leftName);
        if (selection != null) {
            return diff(selection);
        }
        ScanOptions.Builder left = table(TableName.parse(leftName));
        ScanOptions.Builder right = table(TableName.parse(rightName));
        if (columns != null) {
            left.columns(ScanMixin.columns("--columns", columns));
        }
        files.check(spec.commandLine().getParseResult(), /* scan */ null);
        EarlierDiff earlier = earlier();
        DiffOptions options = options();
        Map<String, String> checked = left.build().settings(); // reports a wrong value before anything else happens
        if (settings) {
            checked.forEach((name, value) -> err.println(name + " = " + value));
        }
        RunRequest request = journal.request(spec, /* canHaveJournal */ !files.isGiven());
        CqlIdentifier[] leftTable = TableName.parse(leftName);
        try (Watch watch = watchOptions.open(spec, leftTable);
                Flow flow = flowOptions.open(err);
                ToMixin.Pair clusters = to.connect(connect, leftTable, TableName.parse(rightName), flow, err)) {
            if (earlier != null && !again(earlier, clusters, left, right)) {
                err.println(
                        "overdrive: run " + recheck + " found no differences, so there is nothing to compare again");
                if (json) {
                    new DiffPrinter(DiffSummary.NOTHING, /* run */ null).json(err);
                }
                return Main.DONE;
            }
            return run(watch, flow, clusters, left, right, options, request);
        }
    }

    private int run(
            Watch watch,
            Flow flow,
            ToMixin.Pair clusters,
            ScanOptions.Builder left,
            ScanOptions.Builder right,
            DiffOptions options,
            @Nullable RunRequest request) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (FromSstablesMixin from = files.open(clusters.first(), left, err);
                Differ differ = Differ.open(
                        clusters.first(),
                        left,
                        clusters.second(),
                        right,
                        options,
                        request,
                        difference -> report.found("", difference.toJson(), out))) {
            return run(new JobRun(spec, flow, watch, json), differ, err);
        }
    }

    private @Nullable EarlierDiff earlier() {
        if (recheck == null) {
            return null;
        }
        ParseResult given = spec.commandLine().getParseResult();
        for (String other : List.of("--from-sstables", "--token-range", "--sample")) {
            if (given.hasMatchedOption(other)) {
                throw new IllegalArgumentException("--recheck and " + other + " both choose rows: leave out one");
            }
        }
        return EarlierDiff.of(JournalMixin.store(), recheck);
    }

    /** Has both scans read only where an earlier run found differences; false if there is nothing to read. */
    private static boolean again(
            EarlierDiff earlier, ToMixin.Pair clusters, ScanOptions.Builder left, ScanOptions.Builder right) {
        List<Split.Range> ranges = earlier.ranges(List.of(
                RunTarget.of(clusters.first(), schema(clusters.first(), left.build())),
                RunTarget.of(clusters.second(), schema(clusters.second(), right.build()))));
        if (ranges.isEmpty()) {
            return false;
        }
        left.tokenRanges(ranges);
        right.tokenRanges(ranges);
        return true;
    }

    /** The same for one of several tables: those that the earlier run did not compare, or that have changed since, are read as a whole. */
    private static boolean isAgain(
            EarlierDiff earlier, ToMixin.Pair clusters, ScanOptions.Builder left, ScanOptions.Builder right) {
        try {
            return again(earlier, clusters, left, right);
        } catch (OverdriveException e) {
            return true;
        }
    }

    private static TableSchema schema(Overdrive cluster, ScanOptions read) {
        return cluster.table(Objects.requireNonNull(read.keyspace()), Objects.requireNonNull(read.table()));
    }

    private DiffOptions options() {
        Set<DiffOptions.Repaired> repairs = EnumSet.noneOf(DiffOptions.Repaired.class);
        for (String each : repairing.repair) {
            repairs.add(Arrays.stream(DiffOptions.Repaired.values())
                    .filter(kind -> kind.name().equalsIgnoreCase(each.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("--repair is \"" + each
                            + "\", must be missing, different or extra, or several of them with commas: the right table is made"
                            + " equal to the left one; to repair the left one, swap the two tables")));
        }
        OptionValues.checkNeeds(spec.commandLine().getParseResult(), "--write-consistency", "--repair");
        OptionValues.checkNeeds(spec.commandLine().getParseResult(), "--ttl-tolerance", "--compare-times");
        if (repairing.keepTimes
                && !repairs.contains(DiffOptions.Repaired.MISSING)
                && !repairs.contains(DiffOptions.Repaired.DIFFERENT)) {
            throw new IllegalArgumentException("--keep-times needs --repair missing, different or both");
        }
        return new DiffOptions(
                new DiffOptions.Comparison(
                        Mapping.parse(comparing.map),
                        comparing.tolerance,
                        comparing.times
                                ? Objects.requireNonNullElse(comparing.ttlTolerance, Duration.ofMinutes(1))
                                : null),
                repairs,
                repairing.keepTimes,
                repairing.consistency,
                numbers.get(JobSetting.MAX_DIFFERENCES),
                numbers.getInt(JobSetting.DIFF_THREADS));
    }

    private ScanOptions.Builder table(CqlIdentifier... table) {
        ScanOptions.Builder builder = ScanOptions.from(table[0].asInternal(), table[1].asInternal());
        scan.apply(builder);
        return builder;
    }

    private int run(JobRun run, Differ differ, PrintWriter err) {
        return run.run(differ, (summary, plan) -> {
            run.print(new DiffPrinter(summary, differ.runId()), plan, err, files::members);
            report.leftOut(files.leftOut());
            return files.end(Run.end(summary, summary.differences() > 0 ? Main.DIFFERENT : Main.DONE, spec), err);
        });
    }

    /** Compares several tables of two keyspaces. */
    private int diff(TableSelection selection) {
        TablesMixin.refuse(spec.commandLine().getParseResult(), "--columns", "--map", "--where", "--from-sstables");
        DiffOptions options = options();
        EarlierDiff earlier = earlier();
        CqlIdentifier left = selection.keyspace();
        CqlIdentifier right = rightName.equals(leftName) ? left : TablesMixin.keyspace(rightName);
        ScanOptions read = table(left, left).build(); // reports a wrong value before anything else happens
        if (settings) {
            read.settings().forEach((name, value) -> spec.commandLine().getErr().println(name + " = " + value));
        }
        PrintWriter err = spec.commandLine().getErr();
        RunRequest request = journal.request(spec, /* canHaveJournal */ true);
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(left));
                Flow flow = flowOptions.open(err);
                ToMixin.Pair clusters = to.connect(connect, TablesMixin.all(left), TablesMixin.all(right), flow, err)) {
            List<CqlIdentifier> names = selection.select(clusters.first());
            List<String> onlyRight = selection.others(clusters.second(), right, names);
            if (earlier != null) {
                List<CqlIdentifier> differing = names.stream()
                        .filter(name -> isAgain(earlier, clusters, table(left, name), table(right, name)))
                        .toList();
                if (differing.size() < names.size()) {
                    int same = names.size() - differing.size();
                    err.println("overdrive: " + Amount.count(same, "table") + " had no differences in run " + recheck
                            + ", and " + (same == 1 ? "was" : "were") + " not compared again");
                }
                if (differing.isEmpty()) {
                    return onlyRight(onlyRight, Main.DONE);
                }
                names = differing;
            }
            List<TablesJob.Table> sized = TableSizes.of(clusters.first(), left, names);
            TablesRun<DiffSummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    err,
                    selection,
                    compared(onlyRight),
                    (table, summary) -> summary.differences() > 0 ? Main.DIFFERENT : Main.DONE,
                    "stops comparing");
            int exit = run.run(
                    sized,
                    plan(clusters, selection, right, sized),
                    (one, ofTable) -> open(clusters, one, right, options, earlier, ofTable),
                    request,
                    List.of(
                            RunTarget.of(clusters.first(), selection.text()),
                            RunTarget.of(clusters.second(), right.asCql(true))),
                    one -> List.of(
                            RunTarget.of(clusters.first(), schema(clusters.first(), left, one)),
                            RunTarget.of(clusters.second(), schema(clusters.second(), right, one))),
                    /* last */ results -> List.of(),
                    TablesRun.atOnce(read.rowsPerSecond(), read.bytesPerSecond()));
            return onlyRight(onlyRight, exit);
        }
    }

    private static TablesPrinter.Kind<DiffSummary> compared(List<String> onlyRight) {
        return new TablesPrinter.Kind<>(
                all -> DiffPrinter.rows(
                        sum(all, DiffSummary::rowsLeft),
                        sum(all, DiffSummary::rowsRight),
                        sum(all, DiffSummary::rowsSame),
                        sum(all, DiffSummary::different),
                        sum(all, DiffSummary::missingLeft),
                        sum(all, DiffSummary::missingRight)),
                DiffPrinter::rows,
                DiffPrinter::notRepaired,
                one -> new DiffPrinter(one, /* run */ null),
                (all, run) -> DiffPrinter.ofTables(all, run, onlyRight));
    }

    private int onlyRight(List<String> tables, int exit) {
        report.onlyRight(tables);
        tables.forEach(table -> spec.commandLine().getErr().println("overdrive: ONLY ON THE RIGHT: table " + table));
        return exit == Main.DONE && !tables.isEmpty() ? Main.DIFFERENT : exit;
    }

    private static TableSchema schema(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier name) {
        return overdrive.table(keyspace.asInternal(), name.asInternal());
    }

    private Plan plan(
            ToMixin.Pair clusters, TableSelection selection, CqlIdentifier right, List<TablesJob.Table> sized) {
        CqlIdentifier one = sized.get(0).name();
        ScanOptions read = table(selection.keyspace(), one).build();
        Reach ofLeft = clusters.first().reach(selection.keyspace().asInternal(), one.asInternal(), read.consistency());
        Reach ofRight = clusters.second().reach(right.asInternal(), one.asInternal(), read.consistency());
        long bytes = sized.stream().mapToLong(TablesJob.Table::bytes).sum();
        return new Plan(
                new Plan.ReadsTables("left", selection.text(), ofLeft, sized.size(), bytes, Plan.Extent.UNKNOWN),
                new Plan.ReadsTables(
                        "right", right.asCql(true), ofRight, sized.size(), /* bytes */ 0, Plan.Extent.UNKNOWN));
    }

    private Differ open(
            ToMixin.Pair clusters,
            TablesJob.Table one,
            CqlIdentifier right,
            DiffOptions options,
            @Nullable EarlierDiff earlier,
            @Nullable RunRequest request) {
        TablesRun.requireKept(clusters.first(), one.keyspace(), one.name());
        TablesRun.require(clusters.second(), right, one.name(), "does not exist");
        ScanOptions.Builder ofLeft = table(one.keyspace(), one.name());
        ScanOptions.Builder ofRight = table(right, one.name());
        if (earlier != null) {
            isAgain(earlier, clusters, ofLeft, ofRight);
        }
        if (one.isSmall()) {
            ofLeft.pageMemory(TablesRun.MEMORY_OF_SMALL);
            ofRight.pageMemory(TablesRun.MEMORY_OF_SMALL);
        }
        PrintWriter out = spec.commandLine().getOut();
        String name = one.name().asCql(true);
        return Differ.open(
                clusters.first(),
                ofLeft,
                clusters.second(),
                ofRight,
                options,
                request,
                difference -> report.found(name, difference.toJson(name), out));
    }

    private static long sum(TablesSummary<DiffSummary> all, ToLongFunction<DiffSummary> figure) {
        return all.summaries().stream().mapToLong(figure).sum();
    }
}
