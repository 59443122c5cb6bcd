package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.FieldsMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.InputMixin;
import io.overdrive.cli.options.MappingMixin;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.report.ProfilePrinter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFiles.LeftOut;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.create.TableDefinition;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.profile.FileProfiler;
import io.overdrive.jobs.profile.ProfileSummary;
import io.overdrive.jobs.profile.TableProfiler;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive profile}: figures about files or a table. */
@Command(
        name = "profile",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = {"overdrive profile [OPTIONS] INPUT…", "       overdrive profile [OPTIONS] TABLE"},
        description =
                "Describes the rows of files, or of a table, before they are moved: columns, distinct values, sizes of"
                        + " partitions, possible keys, and what follows for a load. Files need no cluster. (Profiles of the"
                        + " configuration, which --profile and @NAME choose, are something else.)",
        footer = {
            "",
            "Exit codes: 0 done, 3 done but a load would reject records, 1 failed.",
            "",
            "Examples:",
            "  overdrive profile trips.csv",
            "  overdrive profile 'trips-*.csv.gz' --key \"(city, day), at\"",
            "  overdrive profile demo.flights --local --json",
        })
final class ProfileCommand implements Callable<Integer>, SettingOptions.Command {
    private static final String FIELDS = "%nFields, as for load:%n";
    private static final String FILES = "%nReading of files, as for load:%n";
    private static final String TABLE = "Reading of the table";

    /** Options that are not in a group, and are for one kind of input. */
    private static final Set<String> ONLY_FILES = Set.of("--key", "--types");

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "INPUT…|TABLE",
            hideParamSyntax = true,
            arity = "1..*",
            description =
                    "Files, pipes, directories or globs, or - for standard input; or keyspace.table, as in CQL. A file of that"
                            + " name comes first.")
    private List<String> arguments = new ArrayList<>();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description =
                    "Primary key of the rows of files, as in CQL: \"(city, day), at\". Default: search for columns that may"
                            + " be one, and say nothing about partitions.")
    private @Nullable String key;

    @Option(
            names = "--types",
            paramLabel = "TYPES",
            description =
                    "Types of columns of files, instead of those inferred from the sample: \"zip text, seen date\".")
    private String types = "";

    @Mixin
    private final FromSstablesMixin sstables = new FromSstablesMixin();

    @Option(names = "--json", description = "Write the profile as one JSON object.")
    private boolean json;

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = FIELDS)
    private MappingMixin fields = new MappingMixin();

    @ArgGroup(validate = false, exclusive = false, heading = FILES)
    private InputMixin input = new InputMixin();

    private final SettingOptions numbers =
            new SettingOptions(null, List.of(JobSetting.TOP, JobSetting.PROFILE_THREADS));
    private final SettingOptions reading = new SettingOptions("", ReadingSetting.ALL);
    private final ScanMixin scan = new ScanMixin(TABLE);

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(numbers, reading, scan.options(), connect.group());
    }

    @Override
    public Integer call() {
        return isTable() ? profileTable() : profileFiles();
    }

    private boolean isTable() {
        String first = arguments.get(0);
        if (arguments.size() > 1 || first.equals("-") || InputFiles.isNameOfFile(first) || Files.exists(path(first))) {
            return false;
        }
        return first.matches("(\\w+|\"[^\"]+\")\\.(\\w+|\"[^\"]+\")");
    }

    private static Path path(String name) {
        return Path.of(name.replace('*', '_').replace('?', '_').replace('"', '_'));
    }

    private int profileFiles() {
        PrintWriter err = spec.commandLine().getErr();
        refuse(option -> isOfTable(option), "files, only a table");
        List<LeftOut> leftOut = new ArrayList<>();
        List<InputFile> files = InputFiles.expand(arguments, leftOut::add);
        leftOut.forEach(each -> err.println("overdrive: " + each));
        Map<String, String> given = TableDefinition.parseTypes(types);
        LoadOptions options = fields.apply(LoadOptions.of(files))
                .words(OptionNames.words(spec))
                .rejectLosses(given.keySet())
                .format(input.format(reading))
                .values(input.values())
                .threads(numbers.getInt(JobSetting.PROFILE_THREADS))
                .build();
        input.check(spec.commandLine().getParseResult(), options.format(), files);
        Key parsed = key == null ? null : Key.parse(key);
        try (Watch watch = watchOptions.open(spec, /* named */ null);
                Flow flow = flowOptions.open(err);
                FileProfiler profiler = FileProfiler.open(options, given, parsed, numbers.getInt(JobSetting.TOP))) {
            return run(new JobRun(spec, flow, watch, json), profiler);
        }
    }

    private int profileTable() {
        PrintWriter err = spec.commandLine().getErr();
        refuse(option -> isOfFiles(option), "a table, only files");
        CqlIdentifier[] name = TableName.parse(arguments.get(0));
        sstables.check(spec.commandLine().getParseResult(), scan, FlowMixin.options());
        ScanOptions.Builder options = ScanOptions.from(name[0].asInternal(), name[1].asInternal());
        scan.apply(options);
        options.build(); // reports a wrong value before anything else happens
        try (Watch watch = watchOptions.open(spec, name);
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), name);
                FromSstablesMixin from = sstables.open(overdrive, options, err);
                TableProfiler profiler = TableProfiler.open(
                        overdrive,
                        options,
                        numbers.getInt(JobSetting.PROFILE_THREADS),
                        numbers.getInt(JobSetting.TOP))) {
            int code = run(new JobRun(spec, flow, watch, json), profiler);
            return from.end(code, err);
        }
    }

    private int run(JobRun run, Job<ProfileSummary> job) {
        PrintWriter err = spec.commandLine().getErr();
        return run.run(job, (summary, plan) -> {
            if (summary.profile() != null) {
                run.print(
                        new ProfilePrinter(summary, summary.profile(), OptionNames.words(spec)),
                        plan,
                        spec.commandLine().getOut(),
                        sstables::members);
                if (summary.reads() == null) {
                    FieldsMixin.warnOfNoInput(summary, summary.rowsRead(), summary.bytesRead(), err);
                }
            } else if (summary.outcome() == Outcome.STOPPED) {
                err.println("overdrive: stopped after reading " + Amount.count(summary.rowsRead(), "row"));
            }
            return Run.end(summary, summary.rowsRejected() > 0 ? Main.DONE_WITH_REJECTS : Main.DONE, spec);
        });
    }

    private void refuse(Predicate<OptionSpec> isRefused, String isFor) {
        spec.commandLine().getParseResult().matchedOptions().stream()
                .filter(isRefused)
                .map(OptionSpec::longestName)
                .filter(name -> OptionValues.isTyped(spec.commandLine().getParseResult(), name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException(name + " does not go with " + isFor);
                });
    }

    private static boolean isOfFiles(OptionSpec option) {
        String heading = heading(option);
        return ONLY_FILES.contains(option.longestName())
                || FIELDS.equals(heading)
                || FILES.equals(heading)
                || "".equals(heading);
    }

    private static boolean isOfTable(OptionSpec option) {
        String heading = heading(option);
        return List.of(FlowMixin.options()).contains(option.longestName())
                || option.longestName().equals("--from-sstables")
                || (heading != null && (heading.contains(TABLE) || heading.contains("Connection")));
    }

    private static @Nullable String heading(OptionSpec option) {
        return option.group() == null ? null : option.group().heading();
    }
}
