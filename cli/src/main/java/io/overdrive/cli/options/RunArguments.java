package io.overdrive.cli.options;

import io.overdrive.cli.config.Secrets;
import io.overdrive.internal.disk.Location;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * The arguments of a command in the form in which the run keeps them: options as {@code --name=value}, wherever they come from, then
 * {@code --} and the others. Secrets are not among them. Stateless.
 */
public final class RunArguments {
    private static final String END_OF_OPTIONS = "--";
    /** Options about journals, which are not kept. */
    private static final Set<String> OF_JOURNAL =
            Set.of(JournalMixin.RESUME, JournalMixin.RESUME_IF_ANY, JournalMixin.RESUME_RUN, JournalMixin.NO_JOURNAL);
    /** Options that change the course of a run or its output, and not its result: a run is resumed with other ones, too. */
    private static final Set<String> NOT_COMPARED = Set.of(
            "--verbose",
            "--json",
            "--settings",
            "--explain-flow",
            "--progress",
            "--log-file",
            "--metrics-port",
            "--metrics-address",
            "--metrics-file",
            "--report",
            "--guard",
            "--max-rejects",
            "--rows-per-second",
            "--bytes-per-second",
            "--threads",
            "--patience",
            "--max-attempts",
            "--request-timeout",
            "--in-flight-control",
            "--in-flight-requests",
            "--in-flight-bytes",
            "--batch-bytes",
            "--batch-rows",
            "--grouping",
            "--grouping-memory",
            "--spill-directory",
            "--keys-spill-directory",
            "--splits-in-flight",
            "--split-bytes",
            "--page-bytes",
            "--page-rows",
            "--page-memory");

    /** Where the options of the connection were found, or are to be found. */
    private static final Set<String> CONFIGURATION = Set.of("--config", "--profile");

    private RunArguments() {}

    /** The arguments of the command that was parsed. */
    public static List<String> of(ParseResult parsed) {
        List<String> arguments = new ArrayList<>();
        // an option or parameter is listed as often as it was given, and each time has all of its values
        for (OptionSpec option : new LinkedHashSet<>(parsed.matchedOptions())) {
            String name = option.longestName();
            if (OF_JOURNAL.contains(name) || Secrets.is(option)) {
                continue;
            }
            if (option.arity().max() == 0) {
                arguments.add(name);
            } else {
                option.originalStringValues().forEach(value -> arguments.add(name + "=" + value));
            }
        }
        arguments.sort(null);
        arguments.add(END_OF_OPTIONS);
        for (PositionalParamSpec each : new LinkedHashSet<>(parsed.matchedPositionals())) {
            arguments.addAll(each.originalStringValues());
        }
        arguments.replaceAll(Location::withoutSecrets);
        return arguments;
    }

    /**
     * Arguments that decide what a run does; options of the connection are not among them, as the run knows its
     * cluster.
     */
    static List<String> compared(List<String> arguments) {
        List<String> compared = new ArrayList<>(arguments);
        int end = compared.indexOf(END_OF_OPTIONS);
        Set<String> connection = connectionOptions();
        compared.subList(0, Math.max(0, end)).removeIf(each -> {
            String name = name(each);
            return NOT_COMPARED.contains(name) || connection.contains(name);
        });
        return compared;
    }

    private static String name(String argument) {
        int equals = argument.indexOf('=');
        return equals < 0 ? argument : argument.substring(0, equals);
    }

    private static Set<String> connectionOptions() {
        Set<String> names = ConnectMixin.names();
        names.addAll(CONFIGURATION);
        return names;
    }

    /** The arguments, with these options instead; options of the connection replace all of the connection's. */
    public static List<String> withConnection(List<String> arguments, List<String> connection) {
        List<String> result = new ArrayList<>(arguments);
        Set<String> ofConnection = connectionOptions();
        Set<String> replaced = new HashSet<>();
        for (String each : connection) {
            replaced.add(name(each));
            if (ofConnection.contains(name(each))) {
                replaced.addAll(ofConnection);
            }
        }
        int end = result.indexOf(END_OF_OPTIONS);
        result.subList(0, Math.max(0, end)).removeIf(each -> replaced.contains(name(each)));
        result.addAll(0, connection);
        return result;
    }

    /** The options among the arguments that have these names. */
    static List<String> of(List<String> arguments, Set<String> names) {
        return arguments.subList(0, Math.max(0, arguments.indexOf(END_OF_OPTIONS))).stream()
                .filter(each -> names.contains(name(each)))
                .toList();
    }

    /** Arguments of one run that the other does not have, for a message; empty if they do the same. */
    static List<String> without(List<String> arguments, List<String> others) {
        Set<String> known = new HashSet<>(compared(others));
        return compared(arguments).stream()
                .filter(each -> !known.contains(each))
                .toList();
    }
}
