package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SstableDirectoriesTest {
    private final Path directory;

    SstableDirectoriesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private void create(String... names) throws IOException {
        for (String name : names) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        }
    }

    private List<String> listed(Path... directories) {
        return SstableDirectories.list(List.of(directories), "ks", "t").stream()
                .map(file -> directory.relativize(file).toString())
                .toList();
    }

    @Test
    void findsDataAmongFilesOfIndexesAndOtherSnapshots() throws IOException {
        create(
                "nb-1-big-Data.db",
                "nb-1-big-Index.db",
                "nb-1-big-SAI+aa+by_name+TermsData.db",
                "nb-1-big-SI_by_city.db",
                "oa-3gk2_0x2v_1zq9s2bcdefgh-big-Data.db",
                "da-4-bti-Data.db",
                "da-4-bti-Partitions.db",
                "da-4-bti-Rows.db",
                ".by_age/nb-7-big-Data.db",
                "snapshots/monday/nb-9-big-Data.db",
                "backups/nb-8-big-Data.db",
                "schema.cql");
        assertThat(listed(directory))
                .containsExactly("da-4-bti-Data.db", "nb-1-big-Data.db", "oa-3gk2_0x2v_1zq9s2bcdefgh-big-Data.db");
        Files.delete(directory.resolve("da-4-bti-Data.db"));
        assertThatThrownBy(() -> listed(directory))
                .hasMessageEndingWith("but da-4-bti-Data.db is missing; copy all files of the SSTable");
    }

    @Test
    void ignoresHiddenFilesOfOtherSystems() throws IOException {
        create("._nb-1-big-Data.db", "._nb-1-big-Index.db", ".DS_Store", "nb-1-big-Data.db");
        assertThat(listed(directory)).containsExactly("nb-1-big-Data.db");
    }

    @Test
    void refusesADirectoryWithoutSstables() throws IOException {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> listed(missing))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(missing + " cannot be read");
        assertThatThrownBy(() -> listed(directory))
                .hasMessage(directory + " has no SSTable (…-Data.db): name the directory of a table or snapshot");
        create("nb_txn_compaction_1.log");
        assertThatThrownBy(() -> listed(directory))
                .hasMessage(directory + " has nb_txn_compaction_1.log, so a node is writing to it, or has crashed: use"
                        + " the directory of a snapshot (nodetool snapshot)");
    }

    @Test
    void aSnapshotOfATableWithoutRowsHasNone() throws IOException {
        Files.writeString(directory.resolve("manifest.json"), "{\n  \"files\" : [ ],\n  \"ephemeral\" : false\n}");
        create("schema.cql");
        assertThat(listed(directory)).isEmpty();
        Files.writeString(directory.resolve("manifest.json"), "{\"files\":[\"nb-1-big-Data.db\"]}");
        assertThatThrownBy(() -> listed(directory)).hasMessageContaining(" lists nb-1-big-Data.db, which is missing: ");
    }

    /** Names are numbers that each node counts for itself. */
    @Test
    void anSstableOfAnotherNodeIsNotTakenForAMissingOne() throws IOException {
        create("a/nb-1-big-Data.db", "b/nb-1-big-Data.db", "b/nb-2-big-Data.db");
        Path a = directory.resolve("a");
        Path b = directory.resolve("b");
        String manifest = "{ \"files\" : [ \"nb-1-big-Data.db\", \"nb-2-big-Data.db\" ] }";
        Files.writeString(a.resolve("manifest.json"), manifest);
        Files.writeString(b.resolve("manifest.json"), manifest);
        assertThatThrownBy(() -> listed(a, b))
                .hasMessageStartingWith(a.resolve("manifest.json") + " lists nb-2-big-Data.db, which is missing: copy");
        assertThatThrownBy(() -> listed(b, a)).hasMessageStartingWith(a.resolve("manifest.json") + " lists nb-2");
        create("a/nb-2-big-Data.db");
        assertThat(listed(a, b)).hasSize(4);
        assertThat(listed(b, b)).hasSize(4);
    }

    /** A directory as left by a copy that was stopped, or is running. */
    @Test
    void refusesAnSstableOfWhichOnlyOtherFilesAreThere() throws IOException {
        create("nb-1-big-Data.db", "nb-2-big-Statistics.db", ".nb-2-big-Data.db.Ab3dE4");
        assertThatThrownBy(() -> listed(directory))
                .hasMessage(
                        directory + " has nb-2-big-Statistics.db, but nb-2-big-Data.db is missing; copy all files of"
                                + " the SSTable");
    }

    @Test
    void refusesASnapshotWithoutAnSstableThatItLists() throws IOException {
        create("a/nb-1-big-Data.db", "b/nb-2-big-Data.db");
        Path a = directory.resolve("a");
        Path b = directory.resolve("b");
        Path manifest = a.resolve("manifest.json");
        Files.writeString(
                manifest,
                "{\n  \"files\" : [ \"nb-1-big-Data.db\", \".by_age/nb-7-big-Data.db\", \"nb-2-big-Data.db\" ],\n"
                        + "  \"created_at\" : \"2026-11-25T07:00:00.000Z\"\n}");
        assertThatThrownBy(() -> listed(a))
                .hasMessage(
                        manifest + " lists nb-2-big-Data.db, which is missing: copy the whole snapshot, and name its"
                                + " directory on each disk of the node; or delete this file, to read what is there");
        assertThat(listed(a, b)).containsExactly("a/nb-1-big-Data.db", "b/nb-2-big-Data.db");
    }

    /** A copy that was stopped leaves such a file, or a page of an object store's error. */
    @Test
    void refusesADamagedManifest() throws IOException {
        for (String damaged : new String[] {"", "{\"files\":[\"nb-1-big-Data.db\"", "{}", "<html>no such key</html>"}) {
            Path manifest = Files.writeString(directory.resolve("manifest.json"), damaged);
            assertThatThrownBy(() -> listed(directory))
                    .as(damaged)
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(manifest + " is damaged");
        }
    }
}
