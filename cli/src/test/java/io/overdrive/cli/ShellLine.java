package io.overdrive.cli;

import io.overdrive.cli.options.Choices;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The words of a command line as it stands in help and pages; without a shell's variables and substitutions. */
final class ShellLine {
    /** A word of a shell: quoted or not. */
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|(\\S+)");

    private static final Set<String> ENDS = Set.of("|", ">", "2>", "<", "&&", "||", ";");

    /** Shared by all lines, as it takes far longer to make than to parse a line, which sets all options again. */
    private static final CommandLine ROOT = Main.commandLine();

    static {
        Choices.register(ROOT);
    }

    private ShellLine() {}

    /** The words behind the first {@code overdrive}, up to a comment, a redirection or the next command. */
    static List<String> arguments(String line) {
        List<String> words = new ArrayList<>();
        boolean isCommand = false;
        for (Matcher m = WORD.matcher(line); m.find(); ) {
            boolean isQuoted = m.group(3) == null;
            String word = isQuoted ? (m.group(1) != null ? m.group(1) : m.group(2)) : m.group(3);
            if (!isCommand) {
                isCommand = word.matches("(?:\\./)?overdrive(?::.*)?");
            } else if (!isQuoted && (ENDS.contains(word) || word.startsWith("#"))) {
                return words;
            } else {
                words.add(word);
            }
        }
        return words;
    }

    /** Fails with picocli's exception unless these are the arguments of a command; {@code @NAME} is a profile. */
    static void parse(List<String> arguments) {
        ROOT.parseArgs(arguments.stream().filter(word -> !word.startsWith("@")).toArray(String[]::new));
    }
}
