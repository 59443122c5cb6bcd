package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.internal.disk.FileName;
import io.overdrive.jobs.tables.KeyspaceInput;
import io.overdrive.jobs.tables.KeyspaceInput.TableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory of an unload of a keyspace, with tables that are written by hand. */
class KeyspaceOutputTest {
    private static final CqlIdentifier AUDIT = CqlIdentifier.fromInternal("Audit");
    private static final CqlIdentifier ORDERS = CqlIdentifier.fromInternal("orders");

    private final Path directory;

    KeyspaceOutputTest(@TempDir Path directory) {
        this.directory = directory.resolve("a/backup");
    }

    private static KeyspaceManifest manifest(String run) {
        return new KeyspaceManifest(
                new KeyspaceManifest.Source("shop", "c", "5.0.8"),
                run,
                "2026-11-26T00:00:00Z",
                /* isComplete */ false,
                /* writtenAfter */ "",
                List.of(
                        new KeyspaceManifest.Table(
                                "\"Audit\"", "Audit", KeyspaceManifest.Kind.PLAIN, /* hasTimes */ false),
                        new KeyspaceManifest.Table(
                                "orders", "orders", KeyspaceManifest.Kind.PLAIN, /* hasTimes */ true)));
    }

    private KeyspaceOutput open(String run, boolean isResumed) {
        return KeyspaceOutput.open(directory, manifest(run), isResumed, "-- keyspace shop\n");
    }

    private static void write(KeyspaceOutput output, CqlIdentifier table, int rows) throws IOException {
        Path of = Files.createDirectories(output.of(table));
        String name = FileName.of(table.asInternal()) + "-00000.csv";
        Path file = Files.writeString(of.resolve(name), "id\n" + "1\n".repeat(rows));
        Files.write(
                of.resolve(Manifest.NAME),
                new Manifest(rows, Map.of(name, new Manifest.Content(Files.size(file), Manifest.sum(file)))).toJson());
    }

    private KeyspaceInput input() {
        return Objects.requireNonNull(KeyspaceInput.in(directory.toString()));
    }

    @Test
    void theWholeIsCompleteWhenAllTablesAre() throws IOException {
        try (KeyspaceOutput output = open("7", /* isResumed */ false)) {
            assertThat(input().manifest()).isEqualTo(manifest("7"));
            assertThat(directory.resolve("schema.cql")).hasContent("-- keyspace shop");
            write(output, ORDERS, 3);
            assertThat(output.end(List.of(ORDERS))).isEmpty();
        }
        assertThat(input().manifest().isComplete()).isFalse();
        assertThatThrownBy(() -> input().files(List.of(AUDIT, ORDERS)))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        directory + ": 1 of 2 tables are missing: \"Audit\". The unload of keyspace shop has not ended,"
                                + " or was ended early; to continue it: overdrive resume 7; to do without them: except"
                                + " '\"Audit\"'");
        assertThat(input().files(List.of(ORDERS)).keySet()).containsExactly(ORDERS);

        try (KeyspaceOutput output = open("7", /* isResumed */ true)) {
            write(output, AUDIT, 0);
            assertThat(output.end(List.of(ORDERS, AUDIT))).isEmpty();
        }
        KeyspaceManifest whole = input().manifest();
        assertThat(whole.isComplete()).isTrue();
        assertThat(whole.tables()).extracting(KeyspaceManifest.Table::rows).containsExactly(0L, 3L);
        Map<CqlIdentifier, TableFiles> files = input().files(List.of(AUDIT, ORDERS));
        assertThat(files.get(ORDERS)).satisfies(each -> {
            assertThat(each.files()).hasSize(1);
            assertThat(each.bytes()).isEqualTo(9);
            assertThat(each.table().hasTimes()).isTrue();
        });
        assertThat(directory.resolve(".lock")).doesNotExist();
    }

    @Test
    void anotherRunIsRefused() throws IOException {
        try (KeyspaceOutput output = open("7", /* isResumed */ false)) {
            assertThatThrownBy(() -> open("8", /* isResumed */ false)).hasMessageContaining(": another run writes it");
            assertThat(output.manifest().run()).isEqualTo("7");
        }
        assertThatThrownBy(() -> open("8", /* isResumed */ false))
                .hasMessage(directory + ": has an unload of keyspace shop, which is not complete; continue it with"
                        + " overdrive resume 7, or name a new directory");
        assertThatThrownBy(() -> open("8", /* isResumed */ true))
                .hasMessage(directory + ": has an unload of run 7; begin a new run with another directory");
        Path full = Files.createDirectory(directory.resolveSibling("full"));
        Files.createFile(full.resolve("rows.csv"));
        assertThatThrownBy(() -> KeyspaceOutput.check(full)).hasMessageContaining(": the directory is not empty");
    }

    /** The state after a kill right at the start. */
    @Test
    void aResumedRunBeginsIfNothingWasWritten() throws IOException {
        Files.createDirectories(directory);
        Files.createFile(directory.resolve("_overdrive_keyspace.json.part"));
        try (KeyspaceOutput output = open("7", /* isResumed */ true)) {
            assertThat(output.manifest()).isEqualTo(manifest("7"));
            Files.delete(directory.resolve("schema.cql"));
        }
        open("7", /* isResumed */ true).close();
        assertThat(directory.resolve("schema.cql")).exists();
    }

    @Test
    void filesThatAreGoneAreNotComplete() throws IOException {
        try (KeyspaceOutput output = open("", /* isResumed */ false)) {
            write(output, ORDERS, 3);
            write(output, AUDIT, 1);
            Files.delete(output.of(AUDIT).resolve(Manifest.NAME));
            assertThat(output.end(List.of(ORDERS, AUDIT)))
                    .containsExactly("\"Audit\": its files are gone: " + directory.resolve("Audit"));
            assertThatThrownBy(() -> output.of(CqlIdentifier.fromInternal("later")))
                    .hasMessage("table later was created after the run began");
            write(output, AUDIT, 1);
            assertThat(output.end(List.of(ORDERS, AUDIT))).isEmpty();
            write(output, AUDIT, 2);
        }
        assertThatThrownBy(() -> input().files(List.of(AUDIT)))
                .hasMessage(directory.resolve("Audit") + ": has 2 rows by _overdrive_manifest.json, and 1 by"
                        + " _overdrive_keyspace.json: it is of another unload");
        Files.delete(directory.resolve("orders").resolve("orders-00000.csv"));
        assertThatThrownBy(() -> input().files(List.of(ORDERS)))
                .hasMessageContaining("1 of 1 files of the unload are missing");
        Files.delete(directory.resolve("orders").resolve(Manifest.NAME));
        assertThatThrownBy(() -> input().files(List.of(ORDERS)))
                .hasMessage(
                        directory + ": 1 of 2 tables are missing: orders. They were there when the unload had ended:"
                                + " copy their directories, too");
    }

    @Test
    void theSchemaIsRenewedForTablesThatHaveNotBegun() throws IOException {
        try (KeyspaceOutput output = open("7", /* isResumed */ false)) {
            write(output, ORDERS, 2);
            output.renewSchema((text, begun) -> text + begun.test(ORDERS) + begun.test(AUDIT));
        }
        assertThat(directory.resolve("schema.cql")).hasContent("-- keyspace shop\ntruefalse");
    }

    @Test
    void directoriesThatWereSwappedAreRefused() throws IOException {
        try (KeyspaceOutput output = open("7", /* isResumed */ false)) {
            write(output, ORDERS, 2);
            write(output, AUDIT, 2);
            output.end(List.of(ORDERS, AUDIT));
        }
        Path orders = directory.resolve("orders");
        Path other = directory.resolve("other");
        Files.move(orders, other);
        Files.move(directory.resolve("Audit"), orders);
        Files.move(other, directory.resolve("Audit"));
        assertThatThrownBy(() -> input().files(List.of(ORDERS)))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(orders + ": has files of another table than orders, such as Audit-00000.csv: the directory"
                        + " was renamed, or is a copy of another one");
    }

    @Test
    void otherInputIsNoKeyspace() throws IOException {
        assertThat(KeyspaceInput.in("-")).isNull();
        assertThat(KeyspaceInput.in(directory.toString())).isNull();
        Files.createDirectories(directory);
        assertThat(KeyspaceInput.in(directory.toString())).isNull();
    }
}
