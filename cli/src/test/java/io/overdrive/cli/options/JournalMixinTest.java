package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunInfo;
import io.overdrive.jobs.journal.RunStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

class JournalMixinTest {
    private static final List<String> ARGUMENTS = List.of("--skip=3", "--", "in", "to");

    private final Path directory;
    private final RunStore store;

    JournalMixinTest(@TempDir Path directory) {
        this.directory = directory;
        this.store = new RunStore(directory);
    }

    private RunDirectory begin(List<String> arguments) {
        return store.create(
                new RunInfo("move", arguments, directory, Instant.now(), "1.0", List.of(), List.of(), Map.of()));
    }

    private @Nullable String find(List<String> arguments) {
        return JournalMixin.findIfAny(store, CommandSpec.create().name("move"), arguments, directory);
    }

    @Test
    void aCommandThatIsRepeatedResumesItsKilledRun() {
        assertThat(find(ARGUMENTS)).isNull();
        RunDirectory run = begin(ARGUMENTS);
        run.close();
        assertThat(find(ARGUMENTS)).isEqualTo(run.id());
        assertThat(find(List.of("--skip=4", "--", "in", "to"))).isNull();
    }

    @Test
    void aCommandWhoseRunStillRunsIsRefused() {
        try (RunDirectory run = begin(ARGUMENTS)) {
            assertThatThrownBy(() -> find(ARGUMENTS))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage("run " + run.id()
                            + " of this command is still running: stop it, or wait until it has ended");
        }
    }
}
