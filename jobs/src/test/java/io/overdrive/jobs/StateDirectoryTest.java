package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {
    @Test
    void isBelowTheHomeDirectory() {
        assertThat(path(Map.of())).isEqualTo(Path.of("/home/ann/.local/state/overdrive"));
    }

    @Test
    void followsXdgStateHome() {
        assertThat(path(Map.of("XDG_STATE_HOME", "/var/state"))).isEqualTo(Path.of("/var/state/overdrive"));
    }

    @Test
    void ignoresARelativeXdgStateHome() {
        assertThat(path(Map.of("XDG_STATE_HOME", "state"))).isEqualTo(Path.of("/home/ann/.local/state/overdrive"));
    }

    @Test
    void ownVariableIsTheDirectoryItself() {
        assertThat(path(Map.of("OVERDRIVE_STATE", "/srv/od", "XDG_STATE_HOME", "/var/state")))
                .isEqualTo(Path.of("/srv/od"));
    }

    @Test
    void emptyVariablesAreNotSet() {
        assertThat(path(Map.of("OVERDRIVE_STATE", "", "XDG_STATE_HOME", " ")))
                .isEqualTo(Path.of("/home/ann/.local/state/overdrive"));
    }

    @Test
    void onlyTheOwnVariableNamesIt() {
        assertThat(StateDirectory.of(Map.of("OVERDRIVE_STATE", "/srv/od")).isNamed())
                .isTrue();
        assertThat(StateDirectory.of(Map.of("OVERDRIVE_STATE", "", "XDG_STATE_HOME", "/var/state"))
                        .isNamed())
                .isFalse();
    }

    @Test
    void homeIsThatOfTheUserDatabaseUnlessTheVariableIsAnAbsolutePath() {
        Path home = Path.of(System.getProperty("user.home"));
        assertThat(StateDirectory.home(Map.of())).isEqualTo(home);
        assertThat(StateDirectory.home(Map.of("HOME", ""))).isEqualTo(home);
        assertThat(StateDirectory.home(Map.of("HOME", "ann"))).isEqualTo(home);
        assertThat(StateDirectory.home(Map.of("HOME", "/home/ann"))).isEqualTo(Path.of("/home/ann"));
    }

    @Test
    void replacesAFileAndLeavesNothingElse(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("runs/one.json");

        StateDirectory.replace(file, new byte[] {1});
        StateDirectory.replace(file, new byte[] {2, 3});

        assertThat(file).hasBinaryContent(new byte[] {2, 3});
        try (var files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void leavesNothingBehindIfAFileCannotBeReplaced(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("runs");
        Files.createDirectories(file.resolve("not empty"));

        assertThatThrownBy(() -> StateDirectory.replace(file, new byte[] {1})).isInstanceOf(IOException.class);

        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    private static Path path(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("HOME", "/home/ann");
        return StateDirectory.of(all).path();
    }
}
