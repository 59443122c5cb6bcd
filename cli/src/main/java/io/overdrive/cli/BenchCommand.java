package io.overdrive.cli;

import static io.overdrive.internal.connect.ConnectSetting.PASSWORD;
import static io.overdrive.internal.connect.ConnectSetting.PASSWORD_COMMAND;
import static io.overdrive.internal.connect.ConnectSetting.PASSWORD_FILE;
import static io.overdrive.internal.connect.ConnectSetting.USERNAME;

import io.overdrive.Setting;
import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.ledger.LedgerFiles;
import io.overdrive.bench.report.ReportDirectory;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.report.TextReport;
import io.overdrive.bench.run.BenchCluster;
import io.overdrive.bench.run.ForegroundOptions;
import io.overdrive.bench.run.Runner;
import io.overdrive.bench.run.Selection;
import io.overdrive.bench.run.Suite;
import io.overdrive.bench.spark.SparkExperiment;
import io.overdrive.bench.spark.SparkOptions;
import io.overdrive.bench.stress.Workload;
import io.overdrive.cli.config.Server;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.ServerOptions;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.watch.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive bench}: experiments on a cluster's throughput. */
@Command(
        name = "bench",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        subcommands = {StressCommand.class, CompareCommand.class},
        customSynopsis = {
            "overdrive bench [OPTIONS] NAME…",
            "       overdrive bench list",
            "       overdrive bench compare BEFORE.json AFTER.json",
            "       overdrive bench pages [DIR]",
            "       overdrive bench ledger [DIR]",
            "       overdrive bench stress [OPTIONS] TABLE"
        },
        description =
                "Runs experiments on what makes Cassandra fast or slow, and says whether published claims hold here."
                        + " Unless --host names a cluster, one is started on this machine, and deleted afterwards. On your"
                        + " own cluster, the keyspace overdrive_bench is created, and dropped; if auto_snapshot is on, the"
                        + " nodes keep snapshots of its tables, which nodetool clearsnapshot --all -- overdrive_bench"
                        + " deletes.",
        footer = {
            "",
            "Examples:",
            "  overdrive bench list",
            "  overdrive bench grouping-order sort-first --preset tiny",
            "  overdrive bench found-limits --only 'job=write W1' --nodes 3",
            "  overdrive bench throttle-sustain --foreground 'write 0.5 read 0.5' --foreground-rate 2000",
            "  overdrive bench spark-grouping-order spark-read --spark-home spark-4.0 --peer spark-3.5",
            "  overdrive bench all --host 10.0.0.1 --jmx-port 7199 --out reports",
        })
final class BenchCommand implements Callable<Integer>, SettingOptions.Command {
    private static final long DEFAULT_FOREGROUND_RATE = 1000;
    private static final Setting<Integer> JMX_PORT = Setting.<Integer>unset(
                    "port",
                    Setting.Kind.PORT,
                    "",
                    "Port of each node, for the CPU, compactions and batches of the nodes; usually 7199. Without it"
                            + " these are not measured on an existing cluster.")
            .within(1, 65535);

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "Names from \"overdrive bench list\", or \"all\"; experiments of Spark jobs are among all if"
                    + " --spark-home or SPARK_HOME is given.")
    private List<String> names = List.of();

    @Option(
            names = "--preset",
            paramLabel = "tiny|laptop|dc2|paper",
            description =
                    "Size of the experiments: a smoke test, minutes on one machine, the same with two data centres, or the numbers"
                            + " of the original. Default: laptop.")
    private Preset preset = Preset.LAPTOP;

    @Option(
            names = "--rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Rows of each run. Default: the preset's.")
    private @Nullable Long rows;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Number of runs of each variant. Default: the preset's.")
    private @Nullable Integer repeat;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Nodes of the cluster that is started, in each data centre, 1 to 20. Default: the preset's.")
    private @Nullable Integer nodes;

    @Option(
            names = "--lab",
            description =
                    "Give the nodes that are started and this process separate processors, and each node separate memory,"
                            + " as far as this machine permits: on Linux, memory only as root. The report says what was"
                            + " separate. Default: all share the machine.")
    private boolean lab;

    @Option(
            names = "--only",
            paramLabel = "FACTOR=LEVEL",
            description = "Run only the variants with this level of a factor, as the table of results names them:"
                    + " \"writer=linger 5 ms\". May be given several times. Default: all variants.")
    private List<String> only = List.of();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the rows and of the order of the runs. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--foreground",
            paramLabel = "SHARES",
            description =
                    "Operations of the cluster's users during each run, on a separate table: \"write 0.5 read 0.5\","
                            + " as in overdrive bench stress. Their latency is reported, too. Default: none.")
    private @Nullable String foreground;

    @Option(
            names = "--foreground-rate",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Operations a second of the foreground load. Default: 1000.")
    private @Nullable Long foregroundRate;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where NAME.html and NAME.json go, the report and its figures, and index.html, which links all"
                            + " reports there. Default: bench-reports.")
    private Path directory = Path.of("bench-reports");

    @Option(names = "--json", description = "Print the figures as JSON, not as a table.")
    private boolean json;

    /** The Sparks of experiments that run jobs there. */
    private static final class Sparks {
        @Option(
                names = "--spark-home",
                paramLabel = "DIR",
                description =
                        "Directory of a Spark 4, or of a Python environment with pyspark, for experiments whose names"
                                + " begin with spark-. Default: SPARK_HOME, or else the spark-submit on the PATH.")
        private @Nullable Path home;

        @Option(
                names = "--spark-jar",
                paramLabel = "FILE",
                description = "Overdrive's connector for Spark 4, overdrive-spark-bundle.jar, or the jar of"
                        + " overdrive-spark-scala, which has RDDs, too. Default: the one that was installed with this"
                        + " program, if there is one.")
        private @Nullable Path jar;

        @Option(
                names = "--peer",
                paramLabel = "DIR",
                description =
                        "Directory of a Spark 3.5, where the same jobs run with the connector for Spark 3, which Spark"
                                + " fetches from Maven Central. Default: only Overdrive's connector is measured.")
        private @Nullable Path peer;

        @Option(
                names = "--spark-conf",
                paramLabel = "NAME=VALUE",
                description = "Setting of both Sparks, such as spark.cassandra.auth.username=app. May be given several"
                        + " times.")
        private Map<String, String> settings = Map.of();

        /** One of the options that are given; null if none is. */
        @Nullable String given() {
            if (home != null) {
                return "--spark-home";
            }
            if (jar != null) {
                return "--spark-jar";
            }
            if (peer != null) {
                return "--peer";
            }
            return settings.isEmpty() ? null : "--spark-conf";
        }

        SparkOptions options() {
            String byEnvironment = System.getenv("SPARK_HOME");
            return new SparkOptions(
                    home == null && byEnvironment != null && !byEnvironment.isBlank() ? Path.of(byEnvironment) : home,
                    jar == null ? installed() : jar,
                    peer,
                    settings);
        }

        /** The bundle next to the command line, in the wheel, or in a checkout. */
        private static @Nullable Path installed() {
            Path home = Path.of(System.getProperty("overdrive.home", "."));
            return Stream.of(
                            "../spark/overdrive-spark-bundle.jar",
                            "../../../spark-scala/target/overdrive-spark-scala-bundle.jar",
                            "../../../spark/target/overdrive-spark-bundle.jar")
                    .map(path -> home.resolve(path).normalize())
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .orElse(null);
        }
    }

    @ArgGroup(validate = false, exclusive = false, heading = "%nSpark jobs:%n")
    private Sparks sparks = new Sparks();

    private final ConnectMixin connect = new ConnectMixin("Connection to an existing cluster");

    private final ServerOptions jmx = new ServerOptions(
            "Figures of its nodes",
            SettingOptions.LAST,
            Server.JMX,
            "For JMX",
            List.of(JMX_PORT, USERNAME, PASSWORD_FILE, PASSWORD_COMMAND, PASSWORD));

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(connect.group(), jmx.group());
    }

    @Override
    public Integer call() {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("say which experiment; overdrive bench list has them");
        }
        if (nodes != null && connect.isGiven()) {
            throw new IllegalArgumentException("--nodes is " + nodes
                    + ", and your own cluster has the nodes that it has: give --nodes or a connection, not both");
        }
        if (lab && connect.isGiven()) {
            throw new IllegalArgumentException(
                    "--lab separates nodes that are started on this machine, and your own cluster runs elsewhere: give --lab or a"
                            + " connection, not both");
        }
        ForegroundOptions load = foreground();
        Selection selection = Selection.parse(only);
        List<Experiment> experiments = Suite.select(names, load, sparks.options());
        if (sparks.given() != null && experiments.stream().noneMatch(SparkExperiment.class::isInstance)) {
            throw new IllegalArgumentException(
                    sparks.given() + " is for experiments that run Spark jobs, whose names begin with spark-");
        }
        List<Suite.Entry> entries = experiments.stream()
                .map(experiment -> entry(experiment, selection))
                .toList();
        BenchCluster.Jmx access = access();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new IllegalArgumentException("--out " + directory + " can't be made (" + e.getMessage() + ")", e);
        }
        PrintWriter err = spec.commandLine().getErr();
        ReportDirectory reports = reports(directory);
        Suite suite = connect.isGiven()
                ? Suite.onCluster(entries, seed, load, reports, () -> connect.options(err), access)
                : Suite.onLocalNodes(entries, seed, load, reports, lab);
        try (Interrupts interrupts = Interrupts.handle(
                        Interrupts.always(suite::stop),
                        new Interrupts.Effect("ends here, and keeps what was measured"),
                        err);
                suite) {
            return run(suite, err);
        }
    }

    /** How to ask the nodes of the user's own cluster; null if they are not to be asked. */
    private BenchCluster.@Nullable Jmx access() {
        Integer port = jmx.find(JMX_PORT);
        String given = jmx.firstGiven();
        if (port == null && given != null) {
            throw new IllegalArgumentException(given + " needs " + jmx.name(JMX_PORT));
        }
        return port == null ? null : new BenchCluster.Jmx(port, jmx.find(USERNAME), jmx.secret(PASSWORD));
    }

    private Suite.Entry entry(Experiment experiment, Selection selection) {
        Size size = size(experiment);
        selection.of(experiment.arms(size)); // so that nothing is started for a name that is wrong
        return new Suite.Entry(experiment, size, command(experiment), selection);
    }

    private static ReportDirectory reports(Path directory) {
        return new ReportDirectory(
                directory,
                Experiments.all(SparkOptions.NONE).stream()
                        .map(experiment -> experiment.description().name())
                        .toList());
    }

    private @Nullable ForegroundOptions foreground() {
        if (foreground == null) {
            if (foregroundRate != null) {
                throw new IllegalArgumentException(
                        "--foreground-rate needs --foreground, such as 'write 0.5 read 0.5'");
            }
            return null;
        }
        return new ForegroundOptions(
                Workload.parse(foreground), foregroundRate == null ? DEFAULT_FOREGROUND_RATE : foregroundRate);
    }

    private Size size(Experiment experiment) {
        Size size = experiment.size(preset);
        size = rows == null ? size : size.withRows(rows);
        size = nodes == null ? size : size.nodes(nodes);
        return repeat == null ? size : size.repeat(repeat);
    }

    private int run(Suite suite, PrintWriter err) {
        PrintWriter out = spec.commandLine().getOut();
        while (suite.hasNext()) {
            Suite.Outcome outcome;
            try (Progress progress = Progress.start(() -> line(suite.progress()), err)) {
                outcome = suite.runNext();
            }
            if (outcome.result() != null) {
                out.println(json ? Results.toJson(outcome.result()) : TextReport.of(outcome.result()));
                out.flush();
            }
            if (outcome.page() != null) {
                err.println("report: " + outcome.page());
            }
            if (outcome.failure() != null) {
                if (suite.size() == 1) {
                    throw outcome.failure();
                }
                err.println("overdrive: "
                        + outcome.entry().experiment().description().name() + ": "
                        + OptionNames.in(spec, outcome.failure()));
            }
        }
        return suite.stopped() ? Main.INTERRUPTED : suite.failed() ? Main.FAILED : Main.DONE;
    }

    /** The command as typed, for this one of the experiments. */
    private String command(Experiment experiment) {
        List<String> typed = spec.commandLine().getParseResult().originalArgs();
        List<String> words = new ArrayList<>(List.of("overdrive"));
        boolean named = false;
        for (int i = 0; i < typed.size(); i++) {
            String word = typed.get(i);
            if (!names.contains(word) || takesValue(typed.get(i - 1))) {
                words.add(OptionValues.shellWord(word));
            } else if (!named) {
                words.add(experiment.description().name());
                named = true;
            }
        }
        return String.join(" ", words);
    }

    private boolean takesValue(String word) {
        OptionSpec option = spec.findOption(word);
        return option != null && option.arity().max() > 0;
    }

    private static String line(Suite.Progress suite) {
        String words = (suite.all() == 1 ? "" : suite.number() + " of " + suite.all() + ": ") + suite.name() + "  ";
        Runner.Progress runs = suite.runs();
        if (runs == null) {
            return words + suite.doing();
        }
        return words + runs.done() + " of " + runs.all() + " runs  " + runs.doing()
                + (runs.left() == null
                        ? ""
                        : runs.left().toSeconds() == 0
                                ? "  nearly done"
                                : "  " + Amount.duration(runs.left()) + " left");
    }

    @Command(
            name = "pages",
            sortOptions = false,
            description =
                    "Renders the pages of a directory again from its JSON files, which hold all figures: after files"
                            + " were copied together, or with a newer Overdrive.")
    int pages(
            @Parameters(
                            paramLabel = "DIR",
                            arity = "0..1",
                            defaultValue = "bench-reports",
                            description = "Where the NAME.json are. Default: bench-reports.")
                    Path reports) {
        ReportDirectory rendered = reports(reports);
        int results = rendered.render();
        spec.commandLine().getOut().println("reports of " + results + " experiments: " + rendered.index());
        return Main.DONE;
    }

    @Command(
            name = "ledger",
            sortOptions = false,
            description =
                    "Writes ledger.html and ledger.json: the claims of two talks and three articles, each with its"
                            + " published figures and what stored results say about it.")
    int ledger(
            @Parameters(
                            paramLabel = "DIR",
                            arity = "0..1",
                            description =
                                    "Where the NAME.json of the results are. Default: the results that come with this"
                                            + " program.")
                    @Nullable Path results,
            @Option(
                            names = "--out",
                            paramLabel = "DIR",
                            defaultValue = "bench-reports",
                            description = "Where the two files go. Default: bench-reports.")
                    Path out) {
        LedgerFiles files = LedgerFiles.of(results == null ? shipped() : results, Experiments.all(SparkOptions.NONE));
        spec.commandLine().getOut().println(files.write(out));
        return Main.DONE;
    }

    /** The results in an archive, in a package of Debian, or in a checkout. */
    private static Path shipped() {
        Path home = Path.of(System.getProperty("overdrive.home", "."));
        return Stream.of("docs/experiments", "../doc/overdrive/docs/experiments", "../../../docs/experiments")
                .map(path -> home.resolve(path).normalize())
                .filter(Files::isDirectory)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no results come with this program: name your directory of results, such as bench-reports"));
    }

    @Command(name = "list", description = "Lists the experiments: what each asks, and what it needs.")
    int list() {
        PrintWriter out = spec.commandLine().getOut();
        for (Experiment experiment : Experiments.all(SparkOptions.NONE)) {
            Description description = experiment.description();
            out.println(description.name());
            out.println("    " + description.question());
            for (Preset each : List.of(Preset.LAPTOP, Preset.PAPER)) {
                Size size = experiment.size(each);
                out.println(String.format(
                        Locale.ROOT,
                        "    %-6s  %s, replication factor %d; %,d rows, %d variants, each %d times",
                        each.name().toLowerCase(Locale.ROOT),
                        nodes(size),
                        size.replicationFactor(),
                        size.rows(),
                        experiment.arms(size).size(),
                        size.repeat()));
            }
        }
        return Main.DONE;
    }

    private static String nodes(Size size) {
        String nodes = size.nodes() == 1 ? "1 node" : size.nodes() + " nodes";
        return size.datacenters() == 1 ? nodes : nodes + " in each of " + size.datacenters() + " data centres";
    }
}
