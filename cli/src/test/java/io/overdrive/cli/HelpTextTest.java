package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

/** Examples in the help of each command can be copied and run. */
class HelpTextTest {
    static Map<String, CommandLine> commands() {
        CommandLine root = Main.commandLine();
        Map<String, CommandLine> all = new TreeMap<>();
        collect("", root, all);
        return all;
    }

    private static void collect(String name, CommandLine command, Map<String, CommandLine> all) {
        all.put(name, command);
        command.getSubcommands().forEach((sub, each) -> collect((name + " " + sub).strip(), each, all));
    }

    private static CommandLine command(String name) {
        return Objects.requireNonNull(commands().get(name), name);
    }

    static Stream<String> names() {
        return commands().keySet().stream().filter(name -> !name.isEmpty());
    }

    /** The examples in the footer of a command, each on one line. */
    private static List<String> examples(CommandLine command) {
        List<String> examples = new ArrayList<>();
        String begun = "";
        for (String line : command.getCommandSpec().usageMessage().footer()) {
            if (line.startsWith("  ")) {
                String text = begun + String.format(line).strip();
                begun = text.endsWith("\\") ? text.substring(0, text.length() - 1) : "";
                if (begun.isEmpty()) {
                    examples.add(text);
                }
            }
        }
        return examples;
    }

    @ParameterizedTest
    @MethodSource("names")
    void aCommandThatIsMadeAloneHasTheHelpThatItHasAmongAll(String name) {
        assertThat(Cli.run((name + " --help").split(" ")).out())
                .isEqualTo(command(name).getUsageMessage(CommandLine.Help.Ansi.OFF));
    }

    @ParameterizedTest
    @MethodSource("names")
    void noExampleIsWrappedAndEachIsAValidCommand(String name) {
        CommandLine command = command(name);
        String help = Cli.run((name + " --help").split(" ")).out();
        for (String line : command.getCommandSpec().usageMessage().footer()) {
            assertThat(help).contains(line.startsWith("  ") ? String.format(line) + "\n" : "");
        }
        for (String example : examples(command)) {
            ShellLine.parse(ShellLine.arguments(example));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void descriptionsAreWrappedAtSpacesOnly(String name) {
        String help = Cli.run((name + " --help").split(" ")).out().replaceAll("\\s+", " ");
        for (ArgSpec arg : command(name).getCommandSpec().args()) {
            for (String line : arg.description()) {
                assertThat(help).contains(String.format(line).replaceAll("\\s+", " "));
            }
        }
    }

    @Test
    void connectionsComeLast() {
        String help = Cli.run("load", "--help").out();
        List<String> headings =
                help.lines().filter(line -> line.matches("[A-Z][^.]*:")).toList();
        assertThat(headings).endsWith("Connection:", "Examples:");
        assertThat(help.indexOf("--create")).isLessThan(help.indexOf("--batch-bytes"));
    }
}
