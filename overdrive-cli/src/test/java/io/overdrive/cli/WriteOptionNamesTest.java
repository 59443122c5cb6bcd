package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.WriteOptions;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** One name for a setting in Java, on the command line and in what is printed. */
class WriteOptionNamesTest {
    @Test
    void optionsOfTheCommandLineAreTheSettingsInKebabCase() {
        List<String> options = CommandSpec.forAnnotatedObject(new WriteMixin()).options().stream()
                .map(OptionSpec::longestName)
                .toList();
        List<String> settings = WriteOptions.into("ks", "t").build().settings().keySet().stream()
                .map(name -> "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
        assertThat(options).containsExactlyInAnyOrderElementsOf(settings);
    }
}
