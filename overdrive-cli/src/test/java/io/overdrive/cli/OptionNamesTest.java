package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** One name for a setting in Java, on the command line and in what is printed. */
class OptionNamesTest {
    @Test
    void optionsOfWritingAreTheSettingsInKebabCase() {
        assertThat(options(new WriteMixin()))
                .containsExactlyInAnyOrderElementsOf(
                        kebab(WriteOptions.into("ks", "t").build().settings()));
    }

    @Test
    void optionsOfReadingAreTheSettingsInKebabCase() {
        assertThat(options(new ScanMixin()))
                .contains("--where") // which selects rows, as columns do
                .filteredOn(name -> !name.equals("--where"))
                .containsExactlyInAnyOrderElementsOf(
                        kebab(ScanOptions.from("ks", "t").build().settings()));
    }

    private static List<String> options(Object mixin) {
        return CommandSpec.forAnnotatedObject(mixin).options().stream()
                .map(OptionSpec::longestName)
                .toList();
    }

    private static List<String> kebab(Map<String, String> settings) {
        return settings.keySet().stream()
                .map(name -> "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
    }
}
