package io.overdrive.cli.config;

import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The value of an option that someone has given. Immutable.
 *
 * @param texts as on the command line; for a flag {@code true} or {@code false}
 * @param origin for the user: the name of the variable, or the line of the file and its section; empty for the command line
 */
public record Given(OptionSpec option, List<String> texts, Level level, String origin) {
    /** Where values come from; earlier ones take precedence. */
    public enum Level {
        OPTION,
        ENVIRONMENT,
        PROFILE,
        COMMAND,
        DEFAULT;

        boolean isFile() {
            return compareTo(ENVIRONMENT) > 0;
        }
    }

    /** Whether it is a flag that is off. */
    boolean isOff() {
        return OptionModel.isFlag(option) && texts.contains("false");
    }

    /** The value as it is shown: secrets are masked. */
    public String shown() {
        return Secrets.is(option) ? Secrets.MASK : String.join(",", texts);
    }

    /** The value as arguments of a command line. */
    List<String> arguments() {
        String name = option.longestName();
        if (OptionModel.isFlag(option)) {
            return isOff() ? List.of() : List.of(name);
        }
        return texts.stream().map(text -> name + "=" + text).toList();
    }
}
