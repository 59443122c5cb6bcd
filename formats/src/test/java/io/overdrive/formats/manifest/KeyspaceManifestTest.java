package io.overdrive.formats.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.formats.manifest.KeyspaceManifest.Kind;
import io.overdrive.formats.manifest.KeyspaceManifest.Source;
import io.overdrive.formats.manifest.KeyspaceManifest.Table;
import io.overdrive.formats.records.InputFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyspaceManifestTest {
    private static final KeyspaceManifest COMPLETE = new KeyspaceManifest(
            new Source("\"Shop\"", "a \"cluster\"", "5.0.8, 5.0.9"),
            "20261126-010203-abcd",
            "2026-11-26T01:02:03Z",
            /* isComplete */ true,
            "2026-11-25T18:00:00Z",
            List.of(
                    new Table("\"Audit\"", "Audit-2", Kind.COUNTERS, /* hasTimes */ false).with(0),
                    new Table("audit", "audit", Kind.LISTS, /* hasTimes */ true).with(1_234_567_890_123L)));

    private final Path directory;

    KeyspaceManifestTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private KeyspaceManifest read(String json) throws IOException {
        Files.writeString(directory.resolve(KeyspaceManifest.NAME), json);
        return Objects.requireNonNull(KeyspaceManifest.in(directory));
    }

    private static String json(KeyspaceManifest manifest) {
        return new String(manifest.toJson(), StandardCharsets.UTF_8);
    }

    @Test
    void readsWhatItWrites() throws IOException {
        assertThat(read(json(COMPLETE))).isEqualTo(COMPLETE);
        KeyspaceManifest begun = new KeyspaceManifest(
                COMPLETE.source(),
                "",
                COMPLETE.started(),
                false,
                /* writtenAfter */ "",
                List.of(new Table("t", "t", Kind.PLAIN, /* hasTimes */ true)));
        assertThat(read(json(begun))).isEqualTo(begun);
        assertThat(begun.tables().get(0).isComplete()).isFalse();
        assertThat(COMPLETE.tables()).allMatch(KeyspaceManifest.Table::addsWhenRepeated);
        assertThat(begun.tables()).noneMatch(KeyspaceManifest.Table::addsWhenRepeated);
    }

    @Test
    void aDirectoryWithoutOneHasNone() {
        assertThat(KeyspaceManifest.in(directory)).isNull();
    }

    @Test
    void refusesWhatIsDamagedOrOfALaterFormat() {
        String json = json(COMPLETE);
        assertThatThrownBy(() -> read(json.substring(0, json.length() / 2)))
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith(KeyspaceManifest.NAME + ": is damaged: it is no JSON, or was cut");
        assertThatThrownBy(() -> read(json.replace("\"format\" : 1", "\"format\" : 2")))
                .hasMessageEndingWith(": has format 2, and this version of overdrive reads 1: use the version that"
                        + " wrote it, or a later one");
        assertThatThrownBy(() -> read(json.replace("\"complete\"", "\"completed\"")))
                .hasMessageEndingWith(": has no \"complete\": it is damaged, or no manifest of a keyspace");
        assertThatThrownBy(() -> read(json.replace("1234567890123", "12345678901234567890")))
                .hasMessageContaining(": is damaged: ");
        assertThatThrownBy(() -> read(json.replace("\"lists\"", "\"maps\"")))
                .hasMessageEndingWith(": has an unknown kind of table, \"maps\"");
    }

    @Test
    void namesNoDirectoryElsewhere() {
        assertThatThrownBy(() -> read(json(COMPLETE).replace("Audit-2", "../Audit")))
                .hasMessageEndingWith(": the directory \"../Audit\" is none below this one");
    }

    @Test
    void directoriesStayDistinctIfCapitalsAreIgnored() {
        assertThat(KeyspaceManifest.directories(List.of("AUDIT", "Audit", "audit", "orders", "Single")))
                .containsExactly("AUDIT-2", "Audit-3", "audit", "orders", "Single");
        assertThat(KeyspaceManifest.directories(List.of("a b", "a/b", "a_b", "..", ".x", "ÄRGER", "ärger")))
                .containsExactly("a_b-2", "a_b-3", "a_b", "_.", "_x", "ÄRGER-2", "ärger");
    }

    @Test
    void theTablesOfAKeyspaceAreNotReadAsOne() throws IOException {
        read(json(COMPLETE));
        Path table = Files.createDirectory(directory.resolve("audit"));
        Files.writeString(table.resolve("audit-00000.csv"), "id\n");
        assertThatThrownBy(() -> InputFiles.expand(List.of(directory.toString())))
                .hasMessage(
                        directory + ": has the tables of a keyspace, by _overdrive_keyspace.json: name the directory"
                                + " of one of its tables, or a keyspace in place of the table to load all of them");
        assertThat(InputFiles.expand(List.of(table.toString()))).hasSize(1);
        Files.copy(directory.resolve(KeyspaceManifest.NAME), table.resolve(KeyspaceManifest.NAME));
        Files.delete(directory.resolve(KeyspaceManifest.NAME));
        assertThatThrownBy(() -> InputFiles.expand(List.of(directory.toString())))
                .hasMessageStartingWith(table + ": has the tables of a keyspace, ");
    }
}
