package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WheelTest {
    private static final Instant TIME = Instant.parse("2026-01-31T12:00:00Z");

    private final Path directory;

    WheelTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @ParameterizedTest
    @CsvSource({"1.2.3, 1.2.3", "0.1.0-SNAPSHOT, 0.1.0.dev0", "1.0.0-rc.2, 1.0.0rc2", "1.0.0-beta1, 1.0.0b1"})
    void writesVersionsAsPythonDoes(String version, String expected) {
        assertThat(Wheel.pythonVersion(version)).isEqualTo(expected);
    }

    @Test
    void refusesVersionsThatPythonCannotSort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Wheel.pythonVersion("1.0-final"))
                .withMessageContaining("version 1.0-final has no counterpart in Python: use 1.2.3");
    }

    private Path make(String name) throws IOException {
        Path files = Files.createDirectories(directory.resolve(name).resolve("files"));
        Files.writeString(files.resolve("run"), "#!/bin/sh\n");
        Files.writeString(files.resolve("compiled.cpython-311.pyc"), name);
        try (Wheel wheel = new Wheel(directory.resolve(name), "1.2.3", TIME)) {
            wheel.addAll("overdrive_cassandra/", files);
            wheel.describe(List.of("Summary: s"), "text");
        }
        return directory.resolve(name).resolve("overdrive_cassandra-1.2.3-py3-none-any.whl");
    }

    @Test
    void listsItsFilesWithTheirDigests() throws IOException {
        try (ZipFile zip = new ZipFile(make("a").toFile())) {
            String dist = "overdrive_cassandra-1.2.3.dist-info/";
            String list = new String(
                    zip.getInputStream(zip.getEntry(dist + "RECORD")).readAllBytes(), StandardCharsets.UTF_8);
            assertThat(list.lines())
                    .hasSize(zip.size())
                    .contains("overdrive_cassandra/run,sha256=qAdtPSjSHgIBKyDq99v3VAmmJ3E0Q5Al8oLjaOMwWr8,10")
                    .endsWith(dist + "RECORD,,");
        }
    }

    @Test
    void hasTheSameBytesEachTime() throws IOException {
        assertThat(make("a")).hasSameBinaryContentAs(make("b"));
    }
}
