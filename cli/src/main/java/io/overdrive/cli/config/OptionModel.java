package io.overdrive.cli.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Facts about options from the model of a command line, in the words of files, variables and messages. Stateless. */
public final class OptionModel {
    private static final String DASHES = "--";
    private static final String VARIABLE = "OVERDRIVE_";
    /** Options that are about one call, or about the configuration itself. */
    private static final Set<String> COMMAND_LINE_ONLY = Set.of(
            "--help",
            "--version",
            Configuration.FILE,
            Configuration.PROFILE,
            "--resume",
            "--resume-if-any",
            "--resume-run");

    private static final Pattern DEFAULT = Pattern.compile("Default: (.+?)\\.(?: |$)", Pattern.DOTALL);

    private OptionModel() {}

    /** The key of an option in the file. */
    public static String key(OptionSpec option) {
        return option.longestName().substring(DASHES.length());
    }

    /** The environment variable of an option. */
    public static String variable(OptionSpec option) {
        return variable(option.longestName());
    }

    /** The environment variable of an option, by its name with dashes. */
    public static String variable(String option) {
        return VARIABLE + option.substring(DASHES.length()).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The name in options and files that follows from one in Java: {@code batch-bytes}. */
    public static String kebab(String javaName) {
        // without a pattern: each command has dozens of options
        StringBuilder name = new StringBuilder(javaName.length() + 4);
        for (int i = 0; i < javaName.length(); i++) {
            char letter = javaName.charAt(i);
            if (letter >= 'A' && letter <= 'Z') {
                name.append('-').append((char) (letter - 'A' + 'a'));
            } else {
                name.append(letter);
            }
        }
        return name.toString();
    }

    static boolean isVariable(String name) {
        return name.startsWith(VARIABLE);
    }

    /** Whether an option has no value: it is on or off. */
    public static boolean isFlag(OptionSpec option) {
        return option.arity().max() == 0;
    }

    /** Whether an option can be elsewhere than on the command line. */
    public static boolean isConfigurable(OptionSpec option) {
        return !COMMAND_LINE_ONLY.contains(option.longestName());
    }

    static boolean isOfConfiguration(OptionSpec option) {
        return option.longestName().equals(Configuration.FILE)
                || option.longestName().equals(Configuration.PROFILE);
    }

    /** The default as the help of the option gives it; empty if there is none. */
    public static String defaultText(OptionSpec option) {
        Matcher text = DEFAULT.matcher(description(option));
        return text.find() ? text.group(1) : isFlag(option) ? "false" : "";
    }

    /** The help of an option, on one line. */
    public static String description(OptionSpec option) {
        return String.join(" ", option.description());
    }

    /** The name of a command as a section of the file: {@code load}, {@code bench.stress}; empty for the root. */
    public static String section(CommandSpec command) {
        CommandSpec parent = command.parent();
        if (parent == null) {
            return "";
        }
        String above = section(parent);
        return above.isEmpty() ? command.name() : above + "." + command.name();
    }

    /** All commands that do something, by their sections; those with subcommands are among them. */
    public static Map<String, CommandSpec> commands(CommandSpec root) {
        Map<String, CommandSpec> all = new TreeMap<>();
        for (CommandLine each : root.subcommands().values()) {
            all.put(section(each.getCommandSpec()), each.getCommandSpec());
            all.putAll(commands(each.getCommandSpec()));
        }
        return all;
    }

    /** All options of all commands that may be configured, by key; options of one name are alike. */
    public static Map<String, OptionSpec> options(CommandSpec root) {
        Map<String, OptionSpec> all = new TreeMap<>();
        commands(root).values().forEach(command -> configurable(command).forEach(all::putIfAbsent));
        return all;
    }

    /** The options of a command that may be in the file, by key, in the order of its help. */
    static Map<String, OptionSpec> configurable(CommandSpec command) {
        Map<String, OptionSpec> all = new LinkedHashMap<>();
        for (OptionSpec option : command.options()) {
            if (isConfigurable(option)) {
                all.put(key(option), option);
            }
        }
        return all;
    }

    /** The commands in the help that have an option, by their names on the command line. */
    public static List<String> commandsWith(CommandSpec root, String option) {
        List<String> names = new ArrayList<>();
        commands(root).forEach((section, command) -> {
            if (command.findOption(option) != null && !command.usageMessage().hidden()) {
                names.add(section.replace('.', ' '));
            }
        });
        return names;
    }
}
