package io.overdrive.cli;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * Turns messages of the library, which name settings as Java does, into the words of the command line: {@code batchBytes}
 * becomes {@code --batch-bytes}. Stateless.
 */
final class OptionNames {
    /** A name of more than one word, not part of a longer text such as a path, perhaps with its option behind it. */
    private static final Pattern NAME =
            Pattern.compile("(?<![\\w./\"-])([a-z]+(?:[A-Z][a-z]*)+)(?:\\(\\))?(?: \\((--[a-z-]+)\\))?(?![\\w./\"])");
    /** A name of one word is only one where a message about a wrong value starts. */
    private static final Pattern START = Pattern.compile("^([a-z]+) is (?=\\S+(?:: |, must be)|given with )");

    private static final Supplier<Set<String>> OPTIONS = memoized();

    private OptionNames() {}

    /** The message with the options of all commands by their names. */
    static String in(String message) {
        Matcher start = START.matcher(message);
        String named = start.find() && OPTIONS.get().contains("--" + start.group(1)) ? "--" + message : message;
        return NAME.matcher(named).replaceAll(found -> {
            String option = found.group(2) != null ? found.group(2) : kebab(found.group(1));
            return OPTIONS.get().contains(option) ? option : Matcher.quoteReplacement(found.group());
        });
    }

    static String kebab(String name) {
        return "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static Supplier<Set<String>> memoized() {
        return new Supplier<>() {
            private final Set<String> names = new HashSet<>();

            @Override
            public synchronized Set<String> get() {
                if (names.isEmpty()) {
                    collect(new CommandLine(new Main()), names);
                }
                return names;
            }
        };
    }

    private static void collect(CommandLine command, Set<String> names) {
        names.addAll(command.getCommandSpec().optionsMap().keySet());
        command.getSubcommands().values().forEach(sub -> collect(sub, names));
    }
}
