package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import io.overdrive.formats.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of backups that were damaged without a change of their size. */
@Timeout(300)
class ChecksumIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_checksum");
    private static final String TARGET = TestCluster.keyspace("cli_checksum_restored");

    private final Path directory;

    ChecksumIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createTable() {
        for (String keyspace : List.of(KEYSPACE, TARGET)) {
            TestCluster.execute("CREATE TABLE " + keyspace + ".t (id int PRIMARY KEY, v text)");
        }
        for (int i = 0; i < 500; i++) {
            TestCluster.execute("INSERT INTO " + KEYSPACE + ".t (id, v) VALUES (" + i + ", 'value " + i + "')");
        }
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Arrays.stream(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "csv, none",
        "csv, gzip",
        "csv, zstd",
        "json, none",
        "json, lz4",
        "arrow, none",
        "arrow, zstd",
        "parquet, none",
        "parquet, zstd"
    })
    void noticesAByteThatHasChanged(String format, String compression) throws IOException {
        Path backup = directory.resolve("backup");
        Cli unloaded = run("unload", KEYSPACE, backup.toString(), "--format", format, "--compress", compression);
        assertThat(unloaded.code()).as(unloaded.err()).isZero();
        Path files = backup.resolve("t");
        assertThat(files.resolve(Manifest.NAME)).content().contains("crc32c");
        for (String[] each : List.of(
                new String[] {"load", backup.toString(), TARGET},
                new String[] {"load", backup.toString(), TARGET, "--dry-run"},
                new String[] {"verify", backup.toString(), TARGET})) {
            Cli whole = run(each);
            assertThat(whole.code()).as(whole.err()).isZero();
        }
        // other sums stand for other bytes, which compression and formats would notice in their own words
        Path manifest = files.resolve(Manifest.NAME);
        String text = Files.readString(manifest);
        Files.writeString(manifest, text.replaceAll("\"crc32c\" : \"[0-9a-f]{8}\"", "\"crc32c\" : \"00000000\""));
        for (String[] each : List.of(
                new String[] {"load", backup.toString(), TARGET},
                new String[] {"load", backup.toString(), TARGET, "--no-journal"},
                new String[] {"load", backup.toString(), TARGET, "--dry-run"},
                new String[] {"verify", backup.toString(), TARGET})) {
            Cli damaged = run(each);
            assertThat(damaged.code()).as(damaged.err()).isEqualTo(Main.FAILED);
            assertThat(damaged.err())
                    .contains("the content is not what the unload wrote: its CRC-32C is ")
                    .contains(", and _overdrive_manifest.json says 00000000");
        }
        Files.writeString(manifest, text.replaceAll(",\\s*\"crc32c\" : \"[0-9a-f]{8}\"", ""));
        Cli old = run("load", backup.toString(), TARGET);
        assertThat(old.code()).as(old.err()).isZero();
    }
}
