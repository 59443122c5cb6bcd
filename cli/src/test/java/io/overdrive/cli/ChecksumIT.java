package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import io.overdrive.formats.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of backups that were damaged without a change of their size. */
@Timeout(300)
class ChecksumIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_checksum");
    private static final String TARGET = TestCluster.keyspace("cli_checksum_restored");

    /** Bits of a file that are flipped, one at a time. */
    private static final int FLIPS = 5;

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

    static List<Arguments> formats() {
        return List.of(
                Arguments.of("csv", "none"),
                Arguments.of("csv", "gzip"),
                Arguments.of("csv", "zstd"),
                Arguments.of("json", "none"),
                Arguments.of("json", "lz4"),
                Arguments.of("arrow", "none"),
                Arguments.of("arrow", "zstd"),
                Arguments.of("parquet", "none"),
                Arguments.of("parquet", "zstd"));
    }

    @ParameterizedTest
    @MethodSource("formats")
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

    /** Either the reader of records notices it, or the checksum at the end of the file; the byte decides which. */
    @ParameterizedTest
    @MethodSource("formats")
    void noticesAFlippedBit(String format, String compression) throws IOException {
        Path backup = directory.resolve("flipped");
        assertThat(run("unload", KEYSPACE, backup.toString(), "--format", format, "--compress", compression)
                        .code())
                .isZero();
        Path file = largest(backup.resolve("t"));
        byte[] whole = Files.readAllBytes(file);
        for (int part = 0; part <= FLIPS; part++) {
            byte[] flipped = whole.clone();
            flipped[(whole.length - 1) * part / FLIPS] ^= 1;
            Files.write(file, flipped);
            Cli checked = run(
                    part % 2 == 0 ? "load" : "verify",
                    backup.toString(),
                    TARGET,
                    part % 2 == 0 ? "--dry-run" : "--json");
            assertThat(checked.code()).as(part + ": " + checked.err()).isIn(Main.FAILED, Main.USAGE);
            assertThat(checked.err()).contains(String.valueOf(file.getFileName()));
        }
        Files.write(file, whole);
        assertThat(run("load", backup.toString(), TARGET, "--dry-run").code()).isZero();
    }

    private static Path largest(Path files) throws IOException {
        try (Stream<Path> all = Files.list(files)) {
            return all.filter(each -> !String.valueOf(each.getFileName()).startsWith("_"))
                    .max(Comparator.comparingLong(each -> each.toFile().length()))
                    .orElseThrow();
        }
    }

    /** The records of the file were all read, so that only its checksum is left to compare. */
    @Test
    void aResumedLoadDoesNotPassADamagedFile() throws IOException {
        Path backup = directory.resolve("resumed");
        assertThat(run("unload", KEYSPACE, backup.toString()).code()).isZero();
        Path file = largest(backup.resolve("t"));
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("value", "Value")); // a record as any other
        Map<String, String> state =
                Map.of("OVERDRIVE_STATE", directory.resolve("state").toString());
        String[] load = {"load", backup.toString(), TARGET, "--host", TestCluster.host()};
        Cli damaged = Cli.run(state, load);
        assertThat(damaged.code()).as(damaged.err()).isEqualTo(Main.FAILED);
        for (int i = 0; i < 2; i++) {
            Cli resumed = Cli.run(
                    state,
                    Stream.concat(Arrays.stream(load), Stream.of("--resume")).toArray(String[]::new));
            assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.FAILED);
            assertThat(resumed.err())
                    .contains(file.getFileName() + ": the content is not what the unload wrote: its CRC-32C is ");
        }
    }
}
