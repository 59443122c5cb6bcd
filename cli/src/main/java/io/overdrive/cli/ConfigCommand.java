package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.config.Configuration;
import io.overdrive.cli.config.Given;
import io.overdrive.cli.config.OptionModel;
import io.overdrive.cli.report.Report;
import io.overdrive.internal.names.DidYouMean;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive config}: the values of options, and where they come from. */
@Command(
        name = "config",
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        description =
                "Shows the values of options, and where they come from. An option that is not on the command line can be in"
                        + " the environment (--page-bytes as OVERDRIVE_PAGE_BYTES) or in the configuration file, which"
                        + " overdrive config path names. The first of these counts: the command line, where --no-tls switches off what"
                        + " tls switches on; the environment; the section [profiles.prod] of the file, with @prod; the section of the"
                        + " command, such as [load]; the section [default].",
        footer = {
            "",
            "Examples:",
            "  overdrive config show load @prod",
            "  overdrive config path",
        },
        subcommands = {ConfigCommand.Show.class, ConfigCommand.Where.class})
final class ConfigCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: show or path");
    }

    private static Configuration configuration(CommandSpec spec) {
        return Objects.requireNonNull(Configuration.of(spec));
    }

    /** {@code overdrive config path}. */
    @Command(
            name = "path",
            sortOptions = false,
            customSynopsis = "overdrive config path [OPTIONS]",
            description = "Shows the path of the configuration file, and whether it exists.",
            footer = {"", "Examples:", "  overdrive config path"})
    static final class Where implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            Configuration configuration = configuration(spec);
            spec.commandLine().getOut().println(configuration.file());
            if (!Files.exists(configuration.file())) {
                spec.commandLine().getErr().println("overdrive: there is no such file");
            }
            return Main.DONE;
        }
    }

    /** {@code overdrive config show}. */
    @Command(
            name = "show",
            sortOptions = false,
            modelTransformer = Show.OfOtherCommands.class,
            customSynopsis = "overdrive config show [OPTIONS] [COMMAND [ITS OPTIONS]]",
            description =
                    "Shows the value of each option of a command, and where it comes from; without a command, what is"
                            + " configured for all commands. Secrets are masked.",
            footer = {
                "",
                "Examples:",
                "  overdrive config show",
                "  overdrive config show load @prod",
                "  overdrive config show load --threads 4 --json",
            })
    static final class Show implements Callable<Integer>, Report {
        @Spec
        private CommandSpec spec;

        @Parameters(
                paramLabel = "COMMAND",
                hideParamSyntax = true,
                arity = "0..*",
                description = "The command, with options as it would get them.")
        private List<String> words = new ArrayList<>();

        @Option(names = "--json", description = "Write the values as one JSON object.")
        private boolean json;

        private final List<Line> lines = new ArrayList<>();
        private String command = "";

        /** Leaves options of the command that is shown to {@link #words}. Stateless. */
        static final class OfOtherCommands implements IModelTransformer {
            @Override
            public CommandSpec transform(CommandSpec show) {
                show.parser().unmatchedOptionsArePositionalParams(true);
                return show;
            }
        }

        /**
         * A line of the output.
         *
         * @param value null if there is none
         * @param origin such as {@code profile}
         * @param where the variable, or the line in the file; empty for the others
         */
        private record Line(String option, @Nullable String value, String origin, String where) {}

        @Override
        public Integer call() {
            Configuration configuration = configuration(spec);
            CommandSpec root = spec.root();
            CommandSpec of = root;
            List<String> arguments = new ArrayList<>(words);
            while (!arguments.isEmpty() && of.subcommands().containsKey(arguments.get(0))) {
                of = Objects.requireNonNull(of.subcommands().get(arguments.remove(0)))
                        .getCommandSpec();
            }
            if (of == root && !arguments.isEmpty()) {
                throw new IllegalArgumentException("there is no command \"" + arguments.get(0) + "\""
                        + DidYouMean.suggestion(
                                arguments.get(0), root.subcommands().keySet()));
            }
            command = of == root ? "" : of.qualifiedName().substring(root.name().length() + 1);
            if (of == root) {
                configuration.resolveForAll().values().forEach(this::add);
            } else {
                checkOptions(of, arguments);
                Map<String, Given> given = configuration.resolve(of, arguments);
                for (OptionSpec option : of.options()) {
                    Given value = given.get(option.longestName());
                    if (value != null) {
                        add(value);
                    } else if (!option.hidden() && OptionModel.isConfigurable(option)) {
                        String text = OptionModel.defaultText(option);
                        lines.add(new Line(OptionModel.key(option), text.isEmpty() ? null : text, "default", ""));
                    }
                }
            }
            print(spec.commandLine().getOut(), json);
            return Main.DONE;
        }

        private static void checkOptions(CommandSpec of, List<String> arguments) {
            for (String each : arguments) {
                String name = each.replaceFirst("=.*", "");
                if (name.startsWith("--")
                        && of.findOption(name.replaceFirst("^--no-", "--")) == null
                        && of.findOption(name) == null) {
                    throw new IllegalArgumentException("overdrive " + of.name() + " has no option " + name
                            + DidYouMean.suggestion(name, of.optionsMap().keySet()));
                }
            }
        }

        private void add(Given value) {
            String origin =
                    switch (value.level()) {
                        case OPTION -> "option";
                        case ENVIRONMENT -> "environment";
                        case PROFILE -> "profile";
                        case COMMAND, DEFAULT -> "file";
                    };
            lines.add(new Line(OptionModel.key(value.option()), value.shown(), origin, value.origin()));
        }

        @Override
        public void text(PrintWriter out) {
            if (lines.isEmpty()) {
                out.println("Nothing is configured for all commands.");
                return;
            }
            int names = lines.stream()
                    .mapToInt(line -> line.option().length())
                    .max()
                    .orElse(0);
            int values = lines.stream()
                    .mapToInt(line -> text(line).length())
                    .filter(length -> length <= 40)
                    .max()
                    .orElse(1);
            String format = "%-" + names + "s  %-" + Math.max(1, values) + "s  %s";
            for (Line line : lines) {
                String origin = line.where().isEmpty() ? line.origin() : line.where();
                out.println(String.format(Locale.ROOT, format, line.option(), text(line), origin)
                        .stripTrailing());
            }
        }

        private static String text(Line line) {
            return line.value() == null ? "-" : line.value();
        }

        @Override
        public void members(JsonGenerator to) throws IOException {
            Configuration configuration = configuration(spec);
            to.writeStringField("file", configuration.file().toString());
            to.writeStringField("profile", configuration.profile());
            to.writeStringField("command", command.isEmpty() ? null : command);
            to.writeArrayFieldStart("options");
            for (Line line : lines) {
                to.writeStartObject();
                to.writeStringField("option", line.option());
                to.writeStringField("value", line.value());
                to.writeStringField("origin", line.origin());
                to.writeStringField("where", line.where().isEmpty() ? null : line.where());
                to.writeEndObject();
            }
            to.writeEndArray();
        }
    }
}
