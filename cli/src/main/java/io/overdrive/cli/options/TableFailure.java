package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;

/** Why one of several tables failed, in the words of a command: options that its run does not take are explained. Stateless. */
public final class TableFailure {
    /** Options that a message may suggest, and that go with a single table. */
    private static final Set<NamedOption> OF_ONE =
            Set.of(JobOption.MAPPING, JobOption.COLUMNS, JobOption.SET, JobOption.WHERE);

    private TableFailure() {}

    /** The message about a table. */
    public static String in(CommandSpec command, CqlIdentifier table, RuntimeException failure) {
        MessageText.Words words = OptionNames.words(command);
        Set<String> ofOne = new TreeSet<>();
        String message = MessageText.of(failure).in(option -> {
            String name = words.of(option);
            if (OF_ONE.contains(option)) {
                ofOne.add(name);
            }
            return name;
        });
        return ofOne.isEmpty()
                ? message
                : message + " (" + String.join(" and ", ofOne) + (ofOne.size() == 1 ? " goes" : " go")
                        + " with a single table: leave this one out, "
                        + words.of(JobOption.EXCEPT) + " '" + table.asCql(true) + "', and " + command.name()
                        + " it by itself)";
    }
}
