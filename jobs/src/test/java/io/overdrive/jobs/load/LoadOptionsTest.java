package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadOptionsTest {
    private static final List<InputFile> FILES = List.of(InputFile.standardInput());

    @Test
    void toBuilderKeepsEverything() {
        LoadOptions options = LoadOptions.of(FILES)
                .format(InputFormat.builder().skipLines(2).build())
                .values(ValueFormat.builder().decimalSeparator(',').build())
                .mapping(Mapping.parse("0 = a, 1 = b"))
                .fieldNames(List.of("x", "y"))
                .nullWords(List.of("none"))
                .writeNulls(true)
                .allowMissingFields(true)
                .allowExtraFields(true)
                .maxRejects(RejectLimit.NONE)
                .rejects(Path.of("rejects"), "x.csv")
                .dryRun(true)
                .threads(3)
                .build();
        assertThat(options.toBuilder().build()).usingRecursiveComparison().isEqualTo(options);
        assertThat(options)
                .usingRecursiveComparison()
                .isNotEqualTo(LoadOptions.of(FILES).build());
    }

    @Test
    void refusesValuesOutOfRange() {
        assertThatThrownBy(() -> LoadOptions.of(List.of()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("files is empty, must name at least one");
        assertThatThrownBy(() -> LoadOptions.of(FILES).nullWords(List.of("")).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("nullWords contains the empty word, which means a missing value anyway: leave it out");
        assertThatThrownBy(() -> LoadOptions.of(FILES).threads(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("threads is 0, must be 1 to 2147483647");
    }
}
