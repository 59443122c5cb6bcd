package io.overdrive.cli.config;

import io.overdrive.cli.config.Given.Level;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.jobs.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Adds to the arguments of a command the options that its user has set elsewhere: in the environment, in a profile, or in the section
 * of the command or the default section of the configuration file. Before they are parsed, so that no other class has to know where a
 * value comes from. For one run of one command line; confined to one thread.
 */
public final class Configuration implements IParameterPreprocessor {
    static final String FILE = "--config";
    static final String PROFILE = "--profile";

    /** Variables that are not options. */
    private static final Set<String> OTHER_VARIABLES = Set.of(
            "OVERDRIVE_HOME",
            "OVERDRIVE_STATE",
            "OVERDRIVE_JAVA_OPTIONS",
            "OVERDRIVE_CHROMIUM",
            "OVERDRIVE_S3_PATH_STYLE");

    private final CommandSpec root;
    /** Makes the root with all commands, which files and variables are checked against. */
    private final Supplier<CommandSpec> all;

    private final Map<String, String> environment;
    /** Variables of the environment that look like options. */
    private final Set<String> variables = new TreeSet<>();

    private final boolean isResumed;
    private final Map<CommandSpec, Map<String, Given>> configured = new IdentityHashMap<>();
    private @Nullable Path givenFile;
    private @Nullable String givenProfile;

    private Configuration(
            CommandSpec root, Supplier<CommandSpec> all, Map<String, String> environment, boolean isResumed) {
        this.root = root;
        this.all = all;
        this.environment = environment;
        for (String name : environment.keySet()) {
            if (OptionModel.isVariable(name) && !OTHER_VARIABLES.contains(name)) {
                variables.add(name);
            }
        }
        this.isResumed = isResumed;
    }

    /**
     * Adds the configuration to a command and its subcommands.
     *
     * @param root with the commands that may be run
     * @param all makes the root with all commands; called only if there is a configuration file, or a variable that may be an option's
     * @param isResumed whether the arguments belong to a run, which has the settings that it began with: then only secrets, which
     *     a run does not keep, are looked up
     */
    public static void register(
            CommandLine root, Supplier<CommandSpec> all, Map<String, String> environment, boolean isResumed) {
        Configuration configuration = new Configuration(root.getCommandSpec(), all, environment, isResumed);
        configuration.addTo(root);
    }

    private void addTo(CommandLine command) {
        command.getCommandSpec().preprocessor(this);
        command.getSubcommands().values().forEach(this::addTo);
    }

    /** The configuration that was registered for a command; null if none was. */
    public static @Nullable Configuration of(CommandSpec command) {
        return command.preprocessor() instanceof Configuration configuration ? configuration : null;
    }

    /**
     * Whether an option of the command may have its value from elsewhere than the command line, as any option of a run that is
     * resumed may.
     */
    public static boolean isConfigured(CommandSpec command, String option) {
        Configuration configuration = of(command);
        return configuration != null
                && (configuration.isResumed || !origin(command, option).isEmpty());
    }

    /** Where the value of an option of the command comes from; empty for the command line and the default. */
    public static String origin(CommandSpec command, String option) {
        Configuration configuration = of(command);
        if (configuration == null) {
            return "";
        }
        Given given = configuration.configured.getOrDefault(command, Map.of()).get(option);
        return given == null ? "" : given.origin();
    }

    static boolean isProfileName(String name) {
        return Words.isProfileName(name);
    }

    @Override
    public boolean preprocess(
            Stack<String> arguments, CommandSpec command, ArgSpec parameter, Map<String, Object> info) {
        List<String> given = new ArrayList<>();
        while (!arguments.isEmpty()) {
            given.add(arguments.pop());
        }
        try {
            List<String> complete = complete(command, given);
            for (int i = complete.size() - 1; i >= 0; i--) {
                arguments.push(complete.get(i));
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        return false; // they are yet to be parsed
    }

    private List<String> complete(CommandSpec command, List<String> arguments) {
        Words words = Words.of(command, arguments);
        take(words);
        boolean needsNone = command == root || OptionModel.section(command).equals("config.path");
        if (words.hasSubcommand() || words.wantsHelp() || needsNone) {
            return words.rest();
        }
        if (!isResumed) {
            warn(command);
        }
        Map<String, Given> values = resolve(command, words);
        values.values().removeIf(value -> value.level() == Level.OPTION);
        configured.put(command, values);
        List<String> complete = new ArrayList<>();
        values.values().forEach(value -> complete.addAll(value.arguments()));
        if (isResume(command)) {
            keep(command, words, PROFILE, givenProfile, complete);
            keep(command, words, FILE, givenFile, complete);
        } else if (command.findOption("--resume-run") != null) {
            keep(command, words, PROFILE, profile(), complete);
            keep(command, words, FILE, namedFile(), complete);
        }
        complete.addAll(words.rest());
        return complete;
    }

    /** Adds where the run finds its secrets when it is resumed. */
    private static void keep(
            CommandSpec command, Words words, String name, @Nullable Object value, List<String> complete) {
        OptionSpec option = command.findOption(name);
        if (value != null && option != null && !words.values().containsKey(option)) {
            complete.add(name + "=" + value);
        }
    }

    /** Whether it is the command that resumes a run, which has its settings already. */
    private static boolean isResume(CommandSpec command) {
        return command.name().equals("resume");
    }

    private void take(Words words) {
        if (words.profile() != null) {
            givenProfile = words.profile();
        }
        words.values().forEach((option, values) -> {
            if (option.longestName().equals(FILE) && !values.isEmpty()) {
                givenFile = Path.of(values.get(values.size() - 1));
            }
        });
    }

    /** The name of the profile; null if there is none. */
    public @Nullable String profile() {
        return givenProfile != null || isResumed ? givenProfile : variable("OVERDRIVE_PROFILE");
    }

    /** The configuration file, which need not exist. */
    public Path file() {
        Path named = namedFile();
        if (named != null) {
            return named;
        }
        String shared = variable("XDG_CONFIG_HOME");
        // By its definition, a relative path in this variable is to be ignored.
        Path base = shared != null && Path.of(shared).isAbsolute() ? Path.of(shared) : home().resolve(".config");
        return base.resolve("overdrive").resolve("config.toml");
    }

    private Path home() {
        return StateDirectory.home(environment);
    }

    private @Nullable Path namedFile() {
        String named = variable("OVERDRIVE_CONFIG");
        return givenFile != null || named == null ? givenFile : Path.of(named);
    }

    private @Nullable String variable(String name) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** The file, checked; null if there is none. */
    private @Nullable ConfigFile read() {
        Path path = file();
        if (!Files.exists(path)) {
            if (namedFile() != null) {
                throw new IllegalArgumentException(
                        (givenFile != null ? FILE : "OVERDRIVE_CONFIG") + " " + path + ": there is no such file");
            }
            if (profile() != null) {
                throw new IllegalArgumentException("profile \"" + profile() + "\": there is no configuration file "
                        + path + "; create it, with a section [" + ConfigFile.profileSection(String.valueOf(profile()))
                        + "]");
            }
            return null;
        }
        ConfigFile file = ConfigFile.read(path, all.get(), home());
        if (profile() != null) {
            file.requireProfile(profile());
        }
        return file;
    }

    /**
     * The values of the options of a command that were given anywhere, in the order of its help.
     *
     * @param arguments of the command
     * @throws IllegalArgumentException if the file or a variable is wrong
     */
    public Map<String, Given> resolve(CommandSpec command, List<String> arguments) {
        Words words = Words.of(command, arguments);
        take(words);
        return resolve(command, words);
    }

    private Map<String, Given> resolve(CommandSpec command, Words words) {
        ConfigFile file = read();
        Map<String, Given> values = new LinkedHashMap<>();
        if (file == null && variables.isEmpty() && words.values().isEmpty()) {
            return values;
        }
        for (OptionSpec option : command.options()) {
            Given value = find(command, option, words, file);
            if (value != null) {
                values.put(option.longestName(), value);
            }
        }
        Replacements.apply(values, isResumed);
        return values;
    }

    /** As {@link #resolve}, of all commands, as far as values do not depend on the command. */
    public Map<String, Given> resolveForAll() {
        ConfigFile file = read();
        Map<String, Given> values = new LinkedHashMap<>();
        Words none = Words.of(root, List.of());
        OptionModel.options(root).values().forEach(option -> {
            Given value = find(root, option, none, file);
            if (value != null) {
                values.put(option.longestName(), value);
            }
        });
        Replacements.apply(values, isResumed);
        return values;
    }

    private @Nullable Given find(CommandSpec command, OptionSpec option, Words words, @Nullable ConfigFile file) {
        List<String> texts = words.values().get(option);
        if (texts != null) {
            return new Given(option, texts, Level.OPTION, "");
        }
        if (words.isOff(option)) {
            return new Given(option, List.of("false"), Level.OPTION, "");
        }
        if (!OptionModel.isConfigurable(option)) {
            return null;
        }
        if (isResume(command)) {
            return givenProfile == null || file == null
                    ? null
                    : inFile(option, Level.PROFILE, ConfigFile.profileSection(givenProfile), file);
        }
        if (isResumed && !Secrets.is(option)) {
            return null;
        }
        Given found = inEnvironment(option);
        if (found == null && file != null) {
            String profile = profile();
            found = profile == null ? null : inFile(option, Level.PROFILE, ConfigFile.profileSection(profile), file);
            found = found != null ? found : inFile(option, Level.COMMAND, OptionModel.section(command), file);
            found = found != null ? found : inFile(option, Level.DEFAULT, ConfigFile.DEFAULT, file);
        }
        return found;
    }

    private @Nullable Given inEnvironment(OptionSpec option) {
        String name = OptionModel.variable(option);
        String value = variable(name);
        if (value == null) {
            return null;
        }
        if (OptionModel.isFlag(option) && !value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(name + " is \"" + value + "\", must be true or false");
        }
        return new Given(option, List.of(value), Level.ENVIRONMENT, name);
    }

    private static @Nullable Given inFile(OptionSpec option, Level level, String section, ConfigFile file) {
        ConfigFile.Value value = file.find(section, OptionModel.key(option));
        return value == null
                ? null
                : new Given(option, value.texts(), level, file.path() + ":" + value.line() + " [" + section + "]");
    }

    /** Warns of variables that look like ours. */
    private void warn(CommandSpec command) {
        Set<String> ofCommand = variablesOf(OptionModel.configurable(command).values());
        if (ofCommand.containsAll(variables)) {
            return;
        }
        Set<String> known = new TreeSet<>(OTHER_VARIABLES);
        known.addAll(variablesOf(OptionModel.options(all.get()).values()));
        root.options().stream()
                .filter(OptionModel::isOfConfiguration)
                .forEach(option -> known.add(OptionModel.variable(option)));
        for (String name : variables) {
            if (!known.contains(name)) {
                command.commandLine()
                        .getErr()
                        .println("overdrive: the environment variable " + name + " is the variable of no option"
                                + DidYouMean.suggestion(name, known));
            }
        }
    }

    private static Set<String> variablesOf(Collection<OptionSpec> options) {
        return options.stream().map(OptionModel::variable).collect(Collectors.toSet());
    }

    /** Says of the options in a message which of them are not on the command line, and where they are; may be empty. */
    public static List<String> origins(CommandSpec command, String message) {
        Configuration configuration = of(command);
        if (configuration == null) {
            return List.of();
        }
        return configuration.configured.getOrDefault(command, Map.of()).values().stream()
                .filter(given -> message.matches("(?s).*" + given.option().longestName() + "(?![\\w-]).*"))
                .map(given -> given.option().longestName() + " comes from " + given.origin())
                .collect(Collectors.toList());
    }
}
