package io.overdrive.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileWriterTest {
    private static final Map<String, Optional<String>> OPTIONS = Map.of(
            "batch-bytes", Optional.of("256KB"), "splits-in-flight", Optional.of("8"), "page-bytes", Optional.empty());

    private final Path file;

    ProfileWriterTest(@TempDir Path directory) {
        this.file = directory.resolve("of user/config.toml");
    }

    private void write(String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<String> set(String profile) {
        return new ProfileWriter(file, profile).set(OPTIONS);
    }

    private String text() throws IOException {
        return Files.readString(file);
    }

    @Test
    void createsTheFile() throws IOException {
        assertThat(set("prod")).containsExactly("+ batch-bytes = \"256KB\"", "+ splits-in-flight = 8");
        assertThat(text()).isEqualTo("[profiles.prod]\nbatch-bytes = \"256KB\"\nsplits-in-flight = 8\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(set("prod")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[default]\npatience = 60\n", "[default]\npatience = 60", "[profiles.dev]\nlocal = true\n"})
    void createsTheProfileBelowTheOthers(String before) throws IOException {
        write(before);
        set("prod");
        assertThat(text())
                .startsWith(before + "\n")
                .endsWith("\n\n[profiles.prod]\nbatch-bytes = \"256KB\"\nsplits-in-flight = 8\n".substring(1));
    }

    @Test
    void changesOnlyTheLinesOfTheOptions() throws IOException {
        write("# mine\n"
                + "[profiles.prod] # the cluster\n"
                + "host = [\"10.0.0.1\",\n  \"10.0.0.2\"]\n"
                + "page-bytes = \"1MB\"\n"
                + "  batch-bytes='64KB'  # since March\n"
                + "\n"
                + "[profiles.dev]\n"
                + "page-bytes = \"1MB\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(set("prod"))
                .containsExactly(
                        "- batch-bytes='64KB'  # since March",
                        "+ batch-bytes=\"256KB\"  # since March",
                        "- page-bytes = \"1MB\"",
                        "+ splits-in-flight = 8");
        assertThat(text())
                .isEqualTo("# mine\n"
                        + "[profiles.prod] # the cluster\n"
                        + "splits-in-flight = 8\n"
                        + "host = [\"10.0.0.1\",\n  \"10.0.0.2\"]\n"
                        + "  batch-bytes=\"256KB\"  # since March\n"
                        + "\n"
                        + "[profiles.dev]\n"
                        + "page-bytes = \"1MB\"\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "profiles = {prod = {host = \"a\"}}\n",
                "[profiles]\nprod = {page-bytes = \"1MB\"}\n",
                "[profiles]\nprod.page-bytes = \"1MB\"\n",
                "[profiles.prod]\npage-bytes = \"\"\"\n1MB\"\"\"\n",
                "[profiles.prod]\nbatch-bytes = \"64KB\" \"\n",
            })
    void leavesAFileAloneThatItCannotChangeSafely(String before) throws IOException {
        write(before);
        assertThatThrownBy(() -> set("prod"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be changed")
                .hasMessageEndingWith("write by hand: [profiles.prod] batch-bytes = \"256KB\"; splits-in-flight = 8");
        assertThat(text()).isEqualTo(before);
    }

    @Test
    void followsALink() throws IOException {
        Path real = file.resolveSibling("real.toml");
        write("");
        Files.move(file, real);
        Files.createSymbolicLink(file, real);
        set("prod");
        assertThat(file).isSymbolicLink();
        assertThat(Files.readString(real)).startsWith("[profiles.prod]\n");
    }

    @Test
    void refusesANameThatNoCommandWouldTake() {
        assertThatThrownBy(() -> new ProfileWriter(file, "a b"))
                .hasMessage("\"a b\" cannot be the name of a profile: use letters, digits, _ and -");
    }
}
