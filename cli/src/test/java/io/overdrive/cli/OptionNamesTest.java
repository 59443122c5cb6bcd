package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import io.overdrive.WriteSetting;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.jobs.JobSetting;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Settings of the engine are options of commands, with one name in Java, on the command line and in what is printed. */
class OptionNamesTest {
    private static final List<CommandSpec> COMMANDS = Main.commandLine().getSubcommands().values().stream()
            .map(CommandLine::getCommandSpec)
            .toList();

    /** Options that messages can name: a new one needs a word here, too. */
    static Stream<NamedOption> named() {
        return Stream.<List<? extends NamedOption>>of(
                        List.of(JobOption.values()),
                        WriteSetting.ALL,
                        ScanSetting.ALL,
                        ReadingSetting.ALL,
                        ConnectSetting.ALL,
                        List.of(
                                JobSetting.LOAD_THREADS,
                                JobSetting.SORT_MEMORY,
                                JobSetting.MAX_DIFFERENCES,
                                JobSetting.TOP))
                .flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("named")
    void eachOptionThatAMessageCanNameIsOneOfACommand(NamedOption option) {
        if (option instanceof Setting<?> setting && setting.kind() == Setting.Kind.SECRET) {
            return; // it is read from the environment
        }
        assertThat(COMMANDS).as(OptionNames.of(option)).anySatisfy(command -> assertThat(command.options())
                .anyMatch(each -> each.longestName().equals(nameIn(command, option))));
    }

    /** A word may be a phrase with the beginning of a name. */
    private static String nameIn(CommandSpec command, NamedOption option) {
        String word = OptionNames.words(command).of(option);
        return word.replaceFirst("^the options that begin with (--[a-z-]+)$", "$1-ca");
    }

    @Test
    void messagesNameTheOptionsOfTheCommand() {
        MessageText text = words -> words.of(ScanSetting.CONSISTENCY) + " TWO, " + words.of(WriteSetting.CONSISTENCY)
                + " ONE, " + words.of(JobOption.MAPPING);
        assertThat(text.in(OptionNames.words(command("copy"))))
                .isEqualTo("--read-consistency TWO, --consistency ONE, --map");
        assertThat(text.in(OptionNames.words(command("diff"))))
                .isEqualTo("--consistency TWO, --write-consistency ONE, --map");
        assertThat(text.in(OptionNames.words(command("count"))))
                .isEqualTo("--consistency TWO, --consistency ONE, --map");
    }

    @ParameterizedTest
    @ValueSource(strings = {"load", "copy"})
    void commandsThatWriteHaveAnOptionForEachSetting(String command) {
        assertOptions(command, WriteSetting.ALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unload", "count", "diff", "profile"})
    void commandsThatReadHaveAnOptionForEachSetting(String command) {
        assertOptions(command, ScanSetting.ALL);
        assertThat(command(command).findOption("--where")).isNotNull();
    }

    @Test
    void commandsHaveAnOptionForEachSettingOfFiles() {
        assertOptions("load", ReadingSetting.ALL);
        assertOptions("load", List.of(JobSetting.LOAD_THREADS));
        assertOptions("unload", List.of(JobSetting.UNLOAD_THREADS));
        assertOptions("copy", List.of(JobSetting.COPY_THREADS, ScanSetting.SPLITS_IN_FLIGHT, ScanSetting.PAGE_BYTES));
        assertOptions("diff", List.of(JobSetting.DIFF_THREADS, JobSetting.MAX_DIFFERENCES));
        assertOptions("verify", ReadingSetting.ALL);
        assertOptions("verify", ScanSetting.ALL);
        assertOptions("verify", List.of(JobSetting.VERIFY_THREADS, JobSetting.SORT_MEMORY, JobSetting.MAX_DIFFERENCES));
        assertOptions("count", List.of(JobSetting.TOP));
        assertOptions("profile", List.of(JobSetting.TOP, JobSetting.PROFILE_THREADS));
        assertOptions("profile", ReadingSetting.ALL);
    }

    private static CommandSpec command(String name) {
        return Objects.requireNonNull(Main.commandLine().getSubcommands().get(name))
                .getCommandSpec();
    }

    private static void assertOptions(String command, List<Setting<?>> settings) {
        CommandSpec spec = command(command);
        for (Setting<?> setting : settings) {
            OptionSpec option = spec.findOption(OptionNames.of(setting));
            assertThat(option).as(OptionNames.of(setting)).isNotNull();
            assertThat(String.join(" ", option.description()))
                    .startsWith(setting.help(settings, OptionNames::of))
                    .satisfies(help -> {
                        if (setting.kind() != Setting.Kind.FLAG) {
                            assertThat(help).endsWith(" Default: " + setting.defaultText() + ".");
                        }
                    });
        }
    }
}
