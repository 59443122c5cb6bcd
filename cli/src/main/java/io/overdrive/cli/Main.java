package io.overdrive.cli;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import io.overdrive.OverdriveException;
import io.overdrive.cli.config.Configuration;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.Choices;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.UnreadableText;
import io.overdrive.cli.report.HelpText;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.watch.Logging;
import io.overdrive.cli.watch.MemoryWatch;
import io.overdrive.cli.watch.VisibleWriter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.internal.disk.Ahead;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.local.LocalClusterException;
import io.overdrive.local.LocalOptions;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point. {@link #run} returns the exit code, so tests need no separate process. */
@Command(
        name = "overdrive",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        description = "Moves data in and out of Apache Cassandra as fast as the cluster safely allows.",
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but records were rejected, differences were found,"
                    + " or values were left out, 130 interrupted, 141 the reader of standard output ended.",
            "Help for a command: overdrive COMMAND --help",
            "Options may also be in a file or in the environment: overdrive config --help"
        })
public final class Main implements Runnable {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int DONE_WITH_REJECTS = 3;
    static final int DIFFERENT = 3;
    static final int INTERRUPTED = 130;
    /** Exit code that shells report for a program that SIGPIPE has ended. */
    static final int READER_GONE = 141;

    /** The property of Java for idle connections to a server. */
    static final String IDLE_CONNECTIONS = "http.maxConnections";

    /** All commands, in the order of the help. */
    private static final List<Class<?>> COMMANDS = List.of(
            LoadCommand.class,
            UnloadCommand.class,
            CountCommand.class,
            SplitsCommand.class,
            ProfileCommand.class,
            CopyCommand.class,
            DiffCommand.class,
            VerifyCommand.class,
            ResumeCommand.class,
            RunsCommand.class,
            ConfigCommand.class,
            CqlCommand.class,
            TuneCommand.class,
            BenchCommand.class,
            LocalCommand.class,
            DemoCommand.class,
            CallsCommand.class);

    /** Commands that run others, or show their options. */
    private static final Set<Class<?>> NEED_OTHERS = Set.of(ConfigCommand.class, DemoCommand.class);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Log more, and show stack traces of failures.")
    void verbose(boolean on) {
        Logging.verbose();
    }

    @SuppressWarnings("UnusedVariable") // Configuration reads it before it is parsed
    @Option(
            names = "--config",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "The configuration file. Default: ~/.config/overdrive/config.toml.")
    private @Nullable Path configuration;

    @SuppressWarnings("UnusedVariable") // as above
    @Option(
            names = "--profile",
            scope = ScopeType.INHERIT,
            paramLabel = "NAME",
            description = "The profile of the configuration file, usually a cluster; @NAME is the same.")
    private @Nullable String profile;

    public static void main(String[] args) {
        MemoryWatch.start(FAILED);
        StandardOutput.install();
        Interrupts.announceEnds();
        keepConnections();
        int code = run(args);
        System.out.flush();
        System.exit(StandardOutput.isReaderGone() ? READER_GONE : code);
    }

    /** Objects are read ahead by more threads than Java keeps connections for. This counts for the process, so it is not for programs that call us. */
    static void keepConnections() {
        if (System.getProperty(IDLE_CONNECTIONS) == null) {
            System.setProperty(IDLE_CONNECTIONS, String.valueOf(Ahead.MAX));
        }
    }

    /** Runs a command line and returns its exit code. */
    public static int run(String... args) {
        return run(System.getenv(), /* isResumed */ false, args);
    }

    /** Runs the command line of a resumed run, with the settings that the run began with. */
    static int resume(String... args) {
        return run(System.getenv(), /* isResumed */ true, args);
    }

    /** As {@link #run(String...)}, with another environment. */
    static int run(Map<String, String> environment, boolean isResumed, String... args) {
        return run(environment, isResumed, Main::commandLineFor, args);
    }

    /** Runs a command line that a function makes. It is used once, so that no call sees the options of another. */
    static int run(
            Map<String, String> environment,
            boolean isResumed,
            Function<String[], CommandLine> commandLines,
            String... args) {
        PrintWriter out = new PrintWriter(System.out, /* autoFlush */ true, StandardCharsets.UTF_8);
        PrintWriter err = VisibleWriter.on(new OutputStreamWriter(System.err, StandardCharsets.UTF_8));
        Logging.quiet();
        Optional<String> unreadable =
                isResumed || Caller.current() != null ? Optional.empty() : UnreadableText.find(environment, args);
        if (unreadable.isPresent()) {
            Caller.fail(err, unreadable.get(), /* cause */ null);
            return USAGE;
        }
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        String[] words = withHelpBehind(args);
        CommandLine command = commandLines.apply(words);
        Configuration.register(command, () -> commandLine().getCommandSpec(), environment, isResumed);
        command.setOut(out)
                .setErr(err)
                .setExecutionStrategy(new RunLast()) // the strategy remembers the System.out of its making
                .setExpandAtFiles(false) // @NAME is a profile
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler((e, arguments) -> wrongUsage(e.getCommandLine(), e))
                .setExecutionExceptionHandler((e, failed, result) -> {
                    failure.set(e);
                    return failed(e, failed);
                });
        int code;
        try {
            code = command.execute(words);
        } catch (OutOfMemoryError e) { // picocli handles exceptions only
            code = failedForWantOfMemory(e, e, err);
        } finally {
            Logging.closeFile();
        }
        code = reported(command, code, failure.get());
        boolean isDone = code == DONE || code == DONE_WITH_REJECTS;
        if (isDone && out.checkError() && !StandardOutput.isReaderGone()) {
            Caller.fail(
                    err,
                    "standard output is closed, or its disk is full: what it has is not complete",
                    /* cause */ null);
            code = FAILED;
        }
        if (code == FAILED && EndedNode.mayBeWhy(failure.get())) {
            EndedNode.explain(command.getParseResult(), LocalOptions.defaultDirectory())
                    .ifPresent(text -> err.println("overdrive: " + text));
        }
        return code;
    }

    /** Writes the report of the command, if there is one; returns the exit code. */
    private static int reported(CommandLine command, int code, @Nullable Exception failure) {
        ParseResult parsed = command.getParseResult();
        if (parsed == null || !parsed.hasSubcommand()) {
            return code;
        }
        CommandSpec ran = parsed.subcommand().commandSpec();
        boolean isWritten = ReportMixin.end(ran, code, failure == null ? null : message(ran.commandLine(), failure));
        return isWritten || code != DONE ? code : FAILED;
    }

    /** {@code help load} means {@code load --help}, as in many programs. */
    private static String[] withHelpBehind(String... args) {
        if (args.length == 0 || !args[0].equals("help")) {
            return args;
        }
        String[] changed = Arrays.copyOfRange(args, 1, args.length + 1);
        changed[args.length - 1] = "--help";
        return changed;
    }

    /**
     * The commands that may be needed: the one that the first word names, as reading the options of all takes a third of a second of
     * processor time, or all of them.
     */
    static List<Class<?>> commandsFor(String... words) {
        return COMMANDS.stream()
                .filter(type -> words.length > 0 && isNamed(type, words[0]) && !NEED_OTHERS.contains(type))
                .findFirst()
                .<List<Class<?>>>map(List::of)
                .orElse(COMMANDS);
    }

    /** The commands that may be needed for these words, and their options. */
    static CommandLine commandLineFor(String... words) {
        return commandLine(commandsFor(words));
    }

    /**
     * Command lines for a process that runs many. Reading the options of a command takes a fourth of the time of a small call, so after each
     * call, the command line for the next one of the same command is made. Confined to one thread.
     */
    static final class CommandLines {
        /** The next command line by its commands; null if it is not made yet. */
        private final Map<List<Class<?>>, @Nullable CommandLine> next = new HashMap<>();

        /** A new one for these words. */
        CommandLine take(String... words) {
            List<Class<?>> commands = commandsFor(words);
            CommandLine made = next.put(commands, null);
            return made == null ? commandLine(commands) : made;
        }

        /** Makes command lines in place of those that were taken. */
        void refill() {
            next.replaceAll((commands, made) -> made == null ? commandLine(commands) : made);
        }
    }

    private static boolean isNamed(Class<?> type, String name) {
        return type.getAnnotation(Command.class).name().equals(name);
    }

    /** All commands and their options, for making documents of them. */
    public static CommandLine commandLine() {
        return commandLine(COMMANDS);
    }

    private static CommandLine commandLine(List<Class<?>> commands) {
        CommandLine command = new CommandLine(new Main());
        commands.forEach(type -> command.addSubcommand(new CommandLine(type)));
        Choices.register(command);
        HelpText.register(command);
        return command.setUsageHelpLongOptionsMaxWidth(28);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Mistakes of the user and failures of the cluster are reported by their message, without a stack trace. */
    static int failed(Exception e, CommandLine command) throws Exception {
        if (StandardOutput.isReaderGone()) {
            return READER_GONE;
        }
        PrintWriter err = command.getErr();
        if (Logging.isVerbose()) {
            e.printStackTrace(err);
        }
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError noMemory) {
                return failedForWantOfMemory(e, noMemory, err);
            }
        }
        if (e instanceof OverdriveException || e instanceof LocalClusterException) {
            String message = message(command, e);
            Caller.fail(err, message, e);
            Watch.failed(message, e);
            printOrigins(command, message, err);
            return e instanceof OverdriveException known && known.kind() == OverdriveException.Kind.INTERRUPTED
                    ? INTERRUPTED
                    : FAILED;
        }
        if (e instanceof IllegalArgumentException) {
            Watch.failed(message(command, e), e);
            return wrongUsage(command, e);
        }
        if (e instanceof DriverException) {
            String message = e instanceof AllNodesFailedException || e instanceof DriverTimeoutException
                    ? "no node has answered: " + e.getMessage() + "; are the nodes up?"
                    : ServerMessage.of(e);
            Caller.fail(err, message, e);
            Watch.failed(message, e);
            return FAILED;
        }
        Watch.failed("unexpected", e);
        if (Caller.current() != null) {
            Caller.fail(err, "unexpected: " + e, e);
        }
        throw e;
    }

    /** Prints advice, which the message of the failure may lack. */
    private static int failedForWantOfMemory(Throwable e, OutOfMemoryError noMemory, PrintWriter err) {
        String says = e == noMemory ? "" : String.valueOf(e.getMessage());
        String message = says.contains(" is too small")
                ? says
                : (says.isEmpty() ? "" : says + "; ") + JavaHeap.tooSmall(noMemory);
        Caller.fail(err, message, e);
        Watch.failed(message, e);
        return FAILED;
    }

    /** Prints the message without the whole help, which would scroll it away. */
    private static int wrongUsage(CommandLine command, Exception e) {
        PrintWriter err = command.getErr();
        List<String> near = e instanceof UnmatchedArgumentException wrong ? near(command, wrong) : List.of();
        String hint = near.isEmpty() ? "" : "Did you mean: " + String.join(" or ", near) + "?";
        if (e instanceof UnmatchedArgumentException wrong && isCommand(command, wrong)) {
            Caller.fail(
                    err,
                    "there is no command \"" + wrong.getUnmatched().get(0) + "\": choose one of "
                            + String.join(", ", visible(command)),
                    e);
        } else {
            String message = message(command, e);
            boolean isOneSentence = Caller.current() != null && !hint.isEmpty();
            Caller.fail(err, isOneSentence ? message + ". " + hint : message, e);
            printOrigins(command, message, err);
        }
        if (!hint.isEmpty()) {
            err.println(hint);
        } else if (e instanceof UnmatchedArgumentException wrong && wrong.isUnknownOption()) {
            UnmatchedArgumentException.printSuggestions(wrong, err);
        }
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return USAGE;
    }

    private static List<String> near(CommandLine command, UnmatchedArgumentException wrong) {
        if (wrong.isUnknownOption()) {
            return nearOptions(command.getCommandSpec(), wrong.getUnmatched());
        }
        return isCommand(command, wrong)
                ? nearCommands(command, wrong.getUnmatched().get(0))
                : List.of();
    }

    /** The commands that resemble a mistyped one most, and options that were typed as a command. */
    private static List<String> nearCommands(CommandLine command, String typed) {
        Map<String, String> known = new HashMap<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                known.put(option.longestName().replaceFirst("^-+", ""), option.longestName());
            }
        }
        visible(command).forEach(name -> known.put(name, name));
        return DidYouMean.closest(typed, known.keySet(), Math.max(1, typed.length() / 3)).stream()
                .map(known::get)
                .toList();
    }

    private static List<String> visible(CommandLine command) {
        return command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The options that resemble mistyped ones most. */
    private static List<String> nearOptions(CommandSpec command, List<String> unmatched) {
        List<String> known = command.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
        return unmatched.stream()
                .filter(argument -> argument.startsWith("-"))
                .map(argument -> argument.replaceFirst("=.*", ""))
                .flatMap(name -> DidYouMean.closest(name, known, Math.max(1, (name.length() - 2) / 3)).stream())
                .distinct()
                .toList();
    }

    /** Options that a message names may be in the configuration file, or in the environment. */
    private static void printOrigins(CommandLine command, String message, PrintWriter err) {
        Configuration.origins(command.getCommandSpec(), message).forEach(origin -> err.println("overdrive: " + origin));
    }

    private static String message(CommandLine command, Exception e) {
        return OptionNames.in(command.getCommandSpec(), e);
    }

    /** Whether the unknown word is in the place of a command. */
    private static boolean isCommand(CommandLine command, UnmatchedArgumentException wrong) {
        return !wrong.isUnknownOption()
                && !command.getSubcommands().isEmpty()
                && command.getCommandSpec().positionalParameters().isEmpty();
    }
}
