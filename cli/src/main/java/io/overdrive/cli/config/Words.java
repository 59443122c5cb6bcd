package io.overdrive.cli.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The arguments of one command before they are parsed: which options are among them, the profile ({@code @prod}), and the flags that
 * are switched off ({@code --no-tls}); the latter two are not passed on. Immutable after {@link #of}.
 */
final class Words {
    private static final String NO = "--no-";
    private static final Pattern PROFILE = Pattern.compile("@(\\w[\\w-]*)");

    private static final Pattern SHORT_WITH_VALUE = Pattern.compile("-\\w.+");

    private final List<String> rest = new ArrayList<>();
    private final Map<OptionSpec, List<String>> values = new LinkedHashMap<>();
    private final Set<String> off = new HashSet<>();
    private @Nullable String profile;
    private boolean hasSubcommand;

    private Words() {}

    static boolean isProfileName(String name) {
        return PROFILE.matcher("@" + name).matches();
    }

    /**
     * Reads the arguments of a command, up to the name of a subcommand.
     *
     * @throws IllegalArgumentException if they contradict each other, or contain a secret
     */
    static Words of(CommandSpec command, List<String> arguments) {
        Words words = new Words();
        int i = 0;
        while (i < arguments.size() && !arguments.get(i).equals("--") && !words.hasSubcommand) {
            if (command.subcommands().containsKey(arguments.get(i))) {
                words.hasSubcommand = true;
            } else {
                i += words.add(command, arguments.get(i), i + 1 < arguments.size() ? arguments.get(i + 1) : null);
            }
        }
        words.rest.addAll(arguments.subList(i, arguments.size()));
        words.check();
        return words;
    }

    /** Takes a word, and the next one if that is its value; returns how many it took. */
    private int add(CommandSpec command, String word, @Nullable String next) {
        Matcher named = PROFILE.matcher(word);
        if (named.matches()) {
            profile(named.group(1));
            return 1;
        }
        boolean isShort = SHORT_WITH_VALUE.matcher(word).matches();
        int equals = isShort ? 1 : word.startsWith("--") ? word.indexOf('=') : -1;
        String name = isShort ? word.substring(0, 2) : equals < 0 ? word : word.substring(0, equals);
        OptionSpec option = word.startsWith("-") ? command.findOption(name) : null;
        if (option == null) {
            OptionSpec flag = word.startsWith(NO) ? command.findOption("--" + word.substring(NO.length())) : null;
            if (flag != null && OptionModel.isFlag(flag)) {
                off.add(flag.longestName());
            } else {
                rest.add(word);
            }
            return 1;
        }
        rest.add(word);
        List<String> given = values.computeIfAbsent(option, each -> new ArrayList<>());
        if (OptionModel.isFlag(option)) {
            given.add("true");
            return 1;
        }
        if (equals < 0 && next == null) {
            return 1; // reported when it is parsed
        }
        given.add(equals < 0 ? String.valueOf(next) : word.substring(equals + 1));
        if (option.longestName().equals(Configuration.PROFILE)) {
            profile(given.get(given.size() - 1));
        }
        if (equals < 0) {
            rest.add(String.valueOf(next));
        }
        return equals < 0 ? 2 : 1;
    }

    private void profile(String name) {
        if (profile != null && !profile.equals(name)) {
            throw new IllegalArgumentException(
                    "@" + profile + " and @" + name + " are two profiles: a command has one");
        }
        profile = name;
    }

    private void check() {
        for (OptionSpec option : values.keySet()) {
            String name = option.longestName();
            if (Secrets.is(option)) {
                throw new IllegalArgumentException(
                        name + " is not for the command line, which all users of a machine can" + " read: set "
                                + OptionModel.variable(option) + ", or put it into the configuration file");
            }
            if (off.contains(name)) {
                throw new IllegalArgumentException(
                        name + " and " + NO + name.substring(2) + " exclude each other: choose one");
            }
        }
    }

    /** The arguments to parse. */
    List<String> rest() {
        return rest;
    }

    /** The options among them, with their values; for a flag {@code true}. */
    Map<OptionSpec, List<String>> values() {
        return values;
    }

    boolean isOff(OptionSpec option) {
        return off.contains(option.longestName());
    }

    /** The name of the profile; null if there is none. */
    @Nullable String profile() {
        return profile;
    }

    boolean hasSubcommand() {
        return hasSubcommand;
    }

    boolean wantsHelp() {
        return values.keySet().stream().anyMatch(option -> option.usageHelp() || option.versionHelp());
    }
}
