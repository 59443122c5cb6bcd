package io.overdrive.cli;

import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Result;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.load.Workload;
import io.overdrive.bench.report.HtmlReport;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.report.TextReport;
import io.overdrive.bench.run.Background;
import io.overdrive.bench.run.BenchCluster;
import io.overdrive.bench.run.Runner;
import io.overdrive.files.InputException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
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
        subcommands = {StressCommand.class, CompareCommand.class},
        customSynopsis = {
            "overdrive bench [OPTIONS] NAME…",
            "       overdrive bench list",
            "       overdrive bench compare BEFORE.json AFTER.json",
            "       overdrive bench pages [DIR]",
            "       overdrive bench stress [OPTIONS] TABLE"
        },
        description =
                "Runs experiments on what makes Cassandra fast or slow, and says whether published claims hold here."
                        + " Unless --host names a cluster, one is started on this machine, and deleted afterwards. On a"
                        + " cluster of your own the keyspace overdrive_bench is made, and dropped; where auto_snapshot is on, the"
                        + " nodes keep snapshots of its tables, which nodetool clearsnapshot --all -- overdrive_bench deletes.",
        footer = {
            "",
            "Examples:",
            "  overdrive bench list",
            "  overdrive bench grouping-order sort-first --preset tiny",
            "  overdrive bench throttle-sustain --background 'write 0.5 read 0.5' --background-rate 2000",
            "  overdrive bench all --host 10.0.0.1 --jmx-port 7199 --out reports",
        })
final class BenchCommand implements Callable<Integer> {
    private static final String ALL = "all";
    private static final long DEFAULT_BACKGROUND_RATE = 1000;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "Experiments of overdrive bench list, or all for each of them.")
    private List<String> names = List.of();

    @Option(
            names = "--preset",
            paramLabel = "tiny|laptop|dc2|paper",
            description =
                    "How large: a smoke test, minutes on one machine, the same with two data centres, or the numbers"
                            + " of the original. Default: laptop.")
    private Preset preset = Preset.LAPTOP;

    @Option(
            names = "--rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Rows of each run. Default: that of the preset.")
    private @Nullable Long rows;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Number of runs of each variant. Default: that of the preset.")
    private @Nullable Integer repeat;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the rows and of the order of the runs. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--background",
            paramLabel = "SHARES",
            description = "What other users do during each run, on a separate table: \"write 0.5 read 0.5\", as in"
                    + " overdrive bench stress. Their latency is then reported as foreground latency. Default: nothing.")
    private @Nullable String background;

    @Option(
            names = "--background-rate",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Operations a second of the other users. Default: 1000.")
    private @Nullable Long backgroundRate;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where NAME.html and NAME.json go, the report and its figures, and index.html, which links all reports"
                            + " there. Default: bench-reports.")
    private Path directory = Path.of("bench-reports");

    @Option(names = "--json", description = "Print the figures as JSON, not as a table.")
    private boolean json;

    /** How to ask the nodes of the user's own cluster. */
    private static final class Jmx {
        @Option(
                names = "--jmx-port",
                paramLabel = "PORT",
                description =
                        "Port for JMX of each node, for the CPU, compactions and batches of the nodes; usually 7199."
                                + " Without it these are not measured on a cluster of your own.")
        private @Nullable Integer port;

        @Option(names = "--jmx-user", paramLabel = "NAME", description = "User name for JMX.")
        private @Nullable String user;

        @Option(
                names = "--jmx-password-file",
                paramLabel = "FILE",
                description = "File whose first line is the password for JMX. Without it: OVERDRIVE_JMX_PASSWORD.")
        private @Nullable Path passwordFile;

        BenchCluster.@Nullable Jmx access() {
            if (port == null) {
                if (user != null || passwordFile != null) {
                    throw new IllegalArgumentException("--jmx-user and --jmx-password-file need --jmx-port");
                }
                return null;
            }
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("--jmx-port is " + port + ", must be 1 to 65535");
            }
            String password = user == null
                    ? null
                    : ConnectMixin.password(user, "--jmx-password-file", passwordFile, "OVERDRIVE_JMX_PASSWORD");
            return new BenchCluster.Jmx(port, user, password);
        }
    }

    @ArgGroup(validate = false, exclusive = false, heading = "%nConnection, to a cluster of your own:%n")
    private ConnectMixin connect = new ConnectMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nFigures of its nodes:%n")
    private Jmx jmx = new Jmx();

    private volatile boolean stopped;
    private volatile @Nullable Runner runner;
    private volatile String doing = "";
    private volatile @Nullable Thread starting;

    @Override
    public Integer call() {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("say which experiment; overdrive bench list has them");
        }
        Background load = background(); // a wrong number is told before anything else happens
        List<Experiment> experiments = experiments(load);
        experiments.forEach(this::size);
        jmx.access();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new IllegalArgumentException("--out " + directory + " can't be made (" + e.getMessage() + ")", e);
        }
        PrintWriter err = spec.commandLine().getErr();
        try (Interrupts interrupts = Interrupts.handle(this::stop, "ends here, and keeps what was measured", err)) {
            return runAll(experiments, load, err);
        }
    }

    private @Nullable Background background() {
        if (background == null) {
            if (backgroundRate != null) {
                throw new IllegalArgumentException(
                        "--background-rate needs --background, such as 'write 0.5 read 0.5'");
            }
            return null;
        }
        return new Background(
                Workload.parse(background), backgroundRate == null ? DEFAULT_BACKGROUND_RATE : backgroundRate);
    }

    /** In an order in which as few clusters are started as can be. */
    private List<Experiment> experiments(@Nullable Background load) {
        return names.stream()
                .flatMap(name -> name.equals(ALL)
                        ? Experiments.all().stream()
                                .filter(experiment -> load == null || Background.isPossible(experiment))
                        : Stream.of(experiment(name, load)))
                .distinct()
                .sorted(Comparator.comparingInt(
                                (Experiment experiment) -> size(experiment).datacenters())
                        .thenComparing(
                                experiment -> !experiment.serverSettings().isEmpty()))
                .toList();
    }

    private static Experiment experiment(String name, @Nullable Background load) {
        Experiment experiment = Experiments.named(name);
        if (load != null && !Background.isPossible(experiment)) {
            throw new IllegalArgumentException(name + " makes a load of its own: leave --background out");
        }
        return experiment;
    }

    private Size size(Experiment experiment) {
        Size size = experiment.size(preset);
        size = rows == null ? size : size.withRows(rows);
        return repeat == null ? size : size.withRepeat(repeat);
    }

    /** The first Ctrl-C. A cluster that is being started is not waited for. */
    private void stop() {
        stopped = true;
        Runner now = runner;
        if (now != null) {
            now.stop();
        }
        Thread thread = starting;
        if (thread != null) {
            thread.interrupt();
        }
    }

    private int runAll(List<Experiment> experiments, @Nullable Background load, PrintWriter err) {
        PrintWriter out = spec.commandLine().getOut();
        boolean failed = false;
        BenchCluster cluster = null;
        try {
            for (int i = 0; i < experiments.size() && !stopped; i++) {
                Experiment experiment = experiments.get(i);
                String number = experiments.size() == 1 ? "" : (i + 1) + " of " + experiments.size() + ": ";
                try {
                    Result result;
                    try (Progress progress = Progress.start(() -> number + line(experiment), err)) {
                        if (cluster != null && !cluster.fits(size(experiment), experiment.serverSettings())) {
                            cluster.close();
                            cluster = null;
                        }
                        cluster = cluster == null ? open(experiment, err) : cluster;
                        result = run(experiment, load, cluster);
                    }
                    failed |= !hasFigures(result);
                    out.println(json ? Results.toJson(result) : TextReport.of(result));
                    out.flush();
                    err.println("report: " + write(result));
                } catch (RuntimeException e) {
                    if (experiments.size() == 1 && !stopped) {
                        throw e;
                    }
                    failed = true;
                    if (!stopped) {
                        err.println("overdrive: " + experiment.description().name() + ": " + e.getMessage());
                    }
                }
            }
        } finally {
            if (cluster != null) {
                cluster.close();
            }
        }
        if (out.checkError()) {
            throw new InputException("the result cannot be written: standard output is closed, or its disk is full");
        }
        return stopped ? Main.INTERRUPTED : failed ? Main.FAILED : Main.DONE;
    }

    private static boolean hasFigures(Result result) {
        return result.measurements().stream().anyMatch(run -> run.failure() == null);
    }

    private BenchCluster open(Experiment experiment, PrintWriter err) {
        if (connect.isGiven()) {
            doing = "connects";
            return BenchCluster.connect(connect.options(err), jmx.access());
        }
        starting = Thread.currentThread();
        try {
            return BenchCluster.start(size(experiment), experiment.serverSettings(), line -> doing = line);
        } finally {
            starting = null;
            Thread.interrupted(); // has done its work, if it came
        }
    }

    private Result run(Experiment experiment, @Nullable Background load, BenchCluster cluster) {
        Runner made = new Runner(experiment, size(experiment), seed, cluster, command(experiment), load);
        runner = made;
        if (stopped) {
            made.stop();
        }
        try {
            return made.run();
        } finally {
            runner = null;
        }
    }

    /** As it was typed, for this one of the experiments. */
    private String command(Experiment experiment) {
        List<String> typed = spec.commandLine().getParseResult().originalArgs();
        List<String> words = new ArrayList<>(List.of("overdrive"));
        boolean named = false;
        for (int i = 0; i < typed.size(); i++) {
            String word = typed.get(i);
            if (!names.contains(word) || takesValue(typed.get(i - 1))) {
                words.add(word.matches("[\\w./:=,-]+") ? word : "'" + word.replace("'", "'\\''") + "'");
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

    private String line(Experiment experiment) {
        Runner now = runner;
        String words = experiment.description().name() + "  ";
        if (now == null) {
            return words + doing;
        }
        Runner.Progress progress = now.progress();
        return words + progress.done() + " of " + progress.all() + " runs  " + progress.doing()
                + (progress.left() == null
                        ? ""
                        : progress.left().toSeconds() == 0
                                ? "  nearly done"
                                : "  " + Amount.duration(progress.left()) + " left");
    }

    private Path write(Result result) {
        Path page = directory.resolve(result.description().name() + ".html");
        Results.write(result, directory.resolve(result.description().name() + ".json"));
        writePage(HtmlReport.of(result), page);
        writePage(HtmlReport.suite(results(directory)), directory.resolve("index.html"));
        return page;
    }

    /** What is in the directory, in the order of the list. */
    private static List<Result> results(Path directory) {
        return Experiments.all().stream()
                .map(experiment -> directory.resolve(experiment.description().name() + ".json"))
                .filter(Files::exists)
                .map(Results::read)
                .toList();
    }

    static void writePage(String page, Path file) {
        try {
            Files.writeString(file, page);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be written (" + e.getMessage() + ")", e);
        }
    }

    @Command(
            name = "pages",
            sortOptions = false,
            description =
                    "Renders the pages of a directory again from its JSON files, which hold all figures: after files"
                            + " were brought together, or with a newer Overdrive.")
    int pages(
            @Parameters(
                            paramLabel = "DIR",
                            arity = "0..1",
                            defaultValue = "bench-reports",
                            description = "Where the NAME.json are. Default: bench-reports.")
                    Path reports) {
        List<Result> results = results(reports);
        if (results.isEmpty()) {
            throw new IllegalArgumentException(
                    reports + " has no result of an experiment, such as " + reports.resolve("grouping-order.json"));
        }
        results.forEach(result -> writePage(
                HtmlReport.of(result), reports.resolve(result.description().name() + ".html")));
        writePage(HtmlReport.suite(results), reports.resolve("index.html"));
        spec.commandLine()
                .getOut()
                .println("reports of " + results.size() + " experiments: " + reports.resolve("index.html"));
        return Main.DONE;
    }

    @Command(name = "list", description = "Lists the experiments: what each asks, and what it needs.")
    int list() {
        PrintWriter out = spec.commandLine().getOut();
        for (Experiment experiment : Experiments.all()) {
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
