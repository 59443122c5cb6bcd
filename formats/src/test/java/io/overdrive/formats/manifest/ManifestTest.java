package io.overdrive.formats.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.formats.manifest.Manifest.Content;
import io.overdrive.formats.manifest.Manifest.Listed;
import io.overdrive.formats.records.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {
    private final Path directory;
    private final Path unload;

    ManifestTest(@TempDir Path directory) {
        this.directory = directory;
        unload = directory.resolve("monday");
    }

    @BeforeEach
    void unload() throws IOException {
        Files.createDirectories(unload.resolve("day=1"));
        Files.writeString(unload.resolve("day=1/a.csv"), "12345");
        Files.write(
                unload.resolve(Manifest.NAME),
                new Manifest(1, Map.of("day=1/a.csv", new Content(5, 0x0123ABCD))).toJson());
    }

    private Map<Path, Listed> check(Path from) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            List<Path> files = all.filter(Files::isRegularFile).toList();
            return Manifest.check(
                    from,
                    files.stream().filter(ManifestTest::isRead).toList(),
                    files.stream().filter(file -> !isRead(file)).toList());
        }
    }

    private static boolean isRead(Path file) {
        return file.toString().endsWith(".csv");
    }

    @Test
    void refusesFilesThatTheUnloadDidNotWrite() throws Exception {
        Files.writeString(directory.resolve("of-no-unload.csv"), "1");
        Files.writeString(unload.resolve("README"), "about it");
        check(directory);
        Path other = Files.writeString(unload.resolve("day=1/b.csv"), "12345");
        assertThatThrownBy(() -> check(directory))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(other + ": is no file of the unload in " + unload + ", by _overdrive_manifest.json: move it"
                        + " to another directory, or name the files to read by a glob");
        Files.delete(other);
        Path below = Files.createDirectory(unload.resolve("tuesday"));
        Files.writeString(below.resolve("c.csv"), "123");
        Files.write(below.resolve(Manifest.NAME), new Manifest(1, Map.of("c.csv", new Content(3, null))).toJson());
        check(unload);
    }

    @Test
    void saysAfterWhichTimeCellsWereWritten() throws IOException {
        String time = "2026-11-26T18:00:00Z";
        Files.write(
                unload.resolve(Manifest.NAME),
                new Manifest(1, Map.of("day=1/a.csv", new Content(5, 7)), time).toJson());
        assertThat(check(unload)).isEqualTo(Map.of(unload.resolve("day=1/a.csv"), new Listed(7, time)));
        assertThat(InputFiles.expand(List.of(unload.toString())).get(0).writtenAfter())
                .isEqualTo(time);
    }

    @Test
    void hasTheChecksumsOfFilesUnlessItIsOld() throws IOException {
        Path file = unload.resolve("day=1/a.csv");
        assertThat(check(unload)).isEqualTo(Map.of(file, new Listed(0x0123ABCD, "")));
        assertThat(unload.resolve(Manifest.NAME)).content().contains("\"crc32c\" : \"0123abcd\"");
        Files.write(
                unload.resolve(Manifest.NAME), new Manifest(1, Map.of("day=1/a.csv", new Content(5, null))).toJson());
        assertThat(check(unload)).isEqualTo(Map.of(file, new Listed(null, "")));
        Files.writeString(
                unload.resolve(Manifest.NAME),
                "{\"rows\": 1, \"files\": [{\"path\": \"day=1/a.csv\", \"bytes\": 5, \"crc32c\": \"x\"}]}");
        assertThatThrownBy(() -> check(unload)).hasMessageContaining("it has a checksum that is none");
        Files.writeString(file, "123456789");
        assertThat(Manifest.sum(file)).isEqualTo(0xE3069283); // the check value of CRC-32C
    }

    @Test
    void findsAllFilesOfAnUnload() {
        assertThatCode(() -> check(unload)).doesNotThrowAnyException();
        assertThatCode(() -> check(directory)).doesNotThrowAnyException();
    }

    @Test
    void refusesUnloadsBelowTheDirectory() throws Exception {
        Files.writeString(unload.resolve("day=1/a.csv"), "1234");
        assertThatThrownBy(() -> check(directory))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("a.csv: the file has 4 bytes, and _overdrive_manifest.json says 5");
        Files.delete(unload.resolve("day=1/a.csv"));
        assertThatThrownBy(() -> check(directory))
                .hasMessageContaining(unload + ": 1 of 1 files of the unload are missing")
                .hasMessageContaining("day=1/a.csv");
        Files.writeString(unload.resolve(Manifest.UNFINISHED), "run");
        assertThatThrownBy(() -> check(directory))
                .hasMessageContaining(unload + ": the unload that wrote these files has not ended");
    }

    @Test
    void refusesWhatIsNoManifest() throws Exception {
        for (String each : new String[] {"", "[]", "{}", "{\"rows\": 1}", "<html>"}) {
            Files.writeString(unload.resolve(Manifest.NAME), each);
            assertThatThrownBy(() -> check(unload))
                    .as(each)
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("_overdrive_manifest.json: cannot be read: it ")
                    .hasMessageNotContaining("Source");
        }
        byte[] whole = new Manifest(1, Map.of("day=1/a.csv", new Content(5, 0x0123ABCD))).toJson();
        Files.write(unload.resolve(Manifest.NAME), Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> check(unload)).hasMessageEndingWith(": cannot be read: it is no JSON, or was cut");
    }
}
