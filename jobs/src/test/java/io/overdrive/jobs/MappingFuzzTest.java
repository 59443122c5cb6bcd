package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.overdrive.OverdriveException;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Mappings of arbitrary text. The build runs the stored inputs; scripts/fuzz.sh searches for others. */
class MappingFuzzTest {
    private static final List<String> FIELDS = List.of("id", "Name", "a b", "x\"y", "", "id");
    private static final List<String> COLUMNS = List.of("id", "name", "Name", "a b", "x\"y", "column_5");

    /** A mapping is refused, or leads each column from one source. */
    @FuzzTest
    void mapping(byte[] data) {
        Mapping mapping;
        try {
            mapping = Mapping.parse(new String(data, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return;
        }
        try {
            Set<Target> targets = new HashSet<>(mapping.constants().keySet());
            for (List<Target> ofField :
                    mapping.resolve(MappingTest.line("file", FIELDS), COLUMNS, /* allowExtra */ true)) {
                ofField.forEach(target -> {
                    assertThat(targets.add(target)).as(target.toString()).isTrue();
                    assertThat(target.special() != Special.NONE || COLUMNS.contains(target.column()))
                            .isTrue();
                });
            }
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
        }
        try {
            assertThat(mapping.resolveNew(MappingTest.line("file", FIELDS), Set.of("Name")))
                    .hasSize(FIELDS.size());
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
        }
    }
}
