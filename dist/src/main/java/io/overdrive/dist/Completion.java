package io.overdrive.dist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion for bash: picocli's, with the values of options as in the help, and with names that only the machine knows, such as
 * the ids of runs. Stateless.
 */
final class Completion {
    private static final Pattern FUNCTION = Pattern.compile("function (_picocli_\\w+)\\(\\) \\{");
    private static final Pattern VALUES =
            Pattern.compile("(\\s*local \\w+_option_args=\\().*(\\) # (--[a-z0-9-]+) values)");

    /**
     * Functions that complete names found on the machine. A word that begins with @ is a separate word for bash, which
     * breaks words there.
     */
    private static final String OWN =
            """

            # Prints the names of the profiles of the configuration file.
            function _%1$s_profiles() {
              sed -n 's/^ *\\[ *profiles\\.["]\\{0,1\\}\\([A-Za-z0-9_-]*\\)["]\\{0,1\\} *\\].*/\\1/p' \\
                "${OVERDRIVE_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/overdrive/config.toml}" 2>/dev/null
            }

            # Prints the ids of the runs that have a journal.
            function _%1$s_runs() {
              ls "${OVERDRIVE_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/overdrive}/runs" 2>/dev/null
            }

            # Generates completions for profiles, runs, and the commands of `config show`, and leaves all others to picocli.
            function _%1$s() {
              local curr_word=${COMP_WORDS[COMP_CWORD]}
              local prev_word=${COMP_WORDS[COMP_CWORD-1]}
              local words=""
              if [[ "${curr_word}" == "@" ]]; then
                curr_word=""
                words=$(_%1$s_profiles)
              elif [[ "${prev_word}" == "@" || "${prev_word}" == "--profile" ]]; then
                words=$(_%1$s_profiles)
              elif [[ "${COMP_WORDS[1]}" == "resume" && "${prev_word}" == "resume" && "${curr_word}" != -* ]]; then
                words=$(_%1$s_runs)
              elif [[ "${COMP_WORDS[*]:1:2}" == "config show" && "${prev_word}" == "show" && "${curr_word}" != -* ]]; then
                words="%2$s"
              else
                _complete_%1$s
                return $?
              fi
              COMPREPLY=( $(compgen -W "${words}" -- "${curr_word}") )
            }
            complete -F _%1$s -o default %1$s
            """;

    private Completion() {}

    /** The script for a command and all of its subcommands. */
    static String bash(String name, CommandLine command) {
        Map<String, CommandLine> functions = new HashMap<>();
        collect("_picocli_" + name, command, functions);
        StringBuilder script = new StringBuilder();
        CommandLine current = command;
        for (String line : AutoComplete.bash(name, command).lines().toList()) {
            Matcher function = FUNCTION.matcher(line);
            if (function.matches()) {
                current = functions.getOrDefault(function.group(1), command);
            }
            script.append(withWords(line, current)).append('\n');
        }
        return script.append(OWN.formatted(
                        name, String.join(" ", command.getSubcommands().keySet())))
                .toString();
    }

    private static void collect(String function, CommandLine command, Map<String, CommandLine> functions) {
        functions.put(function, command);
        command.getSubcommands().forEach((name, each) -> collect(function + "_" + name, each, functions));
    }

    /** The line itself, unless it has the values of an option, which picocli shows as the constants of Java. */
    private static String withWords(String line, CommandLine command) {
        Matcher values = VALUES.matcher(line);
        if (!values.matches()) {
            return line;
        }
        OptionSpec option = Objects.requireNonNull(command.getCommandSpec().findOption(values.group(3)), line);
        return values.group(1)
                + words(option).stream().map(each -> '"' + each + '"').collect(Collectors.joining(" "))
                + values.group(2);
    }

    /** Values to complete, in lower case; consistency levels are as in CQL. */
    private static List<String> words(OptionSpec option) {
        if (option.paramLabel().contains("|")) {
            return Arrays.asList(option.paramLabel().split("\\|"));
        }
        if (!option.type().isEnum()) {
            List<String> candidates = new ArrayList<>();
            option.completionCandidates().forEach(candidates::add);
            return candidates;
        }
        boolean isLevel = option.longestName().endsWith("consistency");
        return Arrays.stream(option.type().getEnumConstants())
                .map(each -> ((Enum<?>) each).name())
                .map(each -> isLevel ? each : each.toLowerCase(Locale.ROOT))
                .toList();
    }
}
