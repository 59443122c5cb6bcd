package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import io.overdrive.WriteSetting;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.jobs.JobSetting;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Settings of the engine are options of commands, with one name in Java, on the command line and in what is printed. */
class OptionNamesTest {
    @Test
    void theNameOfAnOptionIsThatOfTheSettingInKebabCase() {
        assertThat(WriteSetting.BATCH_BYTES.optionName()).isEqualTo("--batch-bytes");
        assertThat(WriteSetting.TTL.optionName()).isEqualTo("--ttl");
    }

    @ParameterizedTest
    @ValueSource(strings = {"load", "copy"})
    void commandsThatWriteHaveAnOptionForEachSetting(String command) {
        assertOptions(command, WriteSetting.ALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unload", "count", "diff"})
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
    }

    private static CommandSpec command(String name) {
        return Objects.requireNonNull(Main.commandLine().getSubcommands().get(name))
                .getCommandSpec();
    }

    private static void assertOptions(String command, List<Setting<?>> settings) {
        CommandSpec spec = command(command);
        for (Setting<?> setting : settings) {
            OptionSpec option = spec.findOption(setting.optionName());
            assertThat(option).as(setting.optionName()).isNotNull();
            assertThat(String.join(" ", option.description()))
                    .startsWith(setting.help())
                    .satisfies(help -> {
                        if (setting.kind() != Setting.Kind.FLAG) {
                            assertThat(help).endsWith(" Default: " + setting.defaultText() + ".");
                        }
                    });
        }
    }
}
