package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layout is that of Medusa 0.25: medusa/storage/node_backup.py in its sources. */
class MedusaBackupTest {
    private static final String ID = "5a1c395e1f2c11f0a3b7d5c1c0ffee00";
    private static final String OTHER_ID = "6b1c395e1f2c11f0a3b7d5c1c0ffee00";

    private final Path storage;
    private final Path backup;

    MedusaBackupTest(@TempDir Path directory) {
        storage = directory.resolve("cluster");
        backup = storage.resolve("node1/monday");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Writes files of ten bytes, and returns the part of the manifest that lists them. */
    private String section(String data, String keyspace, String table, String... names) throws IOException {
        List<String> objects = new ArrayList<>();
        for (String name : names) {
            Path file = storage.resolve(data).resolve(keyspace).resolve(table).resolve(name);
            write(file, "0123456789");
            objects.add("{\"path\": \"cluster/" + storage.relativize(file)
                    + "\", \"MD5\": \"x\", \"size\": 10, \"source_path\": null}");
        }
        return "{\"keyspace\": \"" + keyspace + "\", \"columnfamily\": \"" + table + "\", \"objects\": ["
                + String.join(", ", objects) + "]}";
    }

    private void manifest(String... sections) throws IOException {
        write(backup.resolve("meta/schema.cql"), "");
        write(backup.resolve("meta/manifest.json"), "[" + String.join(", ", sections) + "]");
    }

    private List<String> data(String keyspace, String table) {
        return MedusaBackup.data(backup, keyspace, table).stream()
                .map(file -> storage.relativize(file).toString())
                .toList();
    }

    @Test
    void readsTheTableOfABackupThatSharesFilesWithOthers() throws IOException {
        String shared = "node1/data";
        manifest(
                section(
                        shared,
                        "shop",
                        "orders-" + ID,
                        "nb-1-big-Data.db",
                        "nb-1-big-Index.db",
                        "nb-3-big-Data.db",
                        "da-4-bti-Data.db",
                        "da-4-bti-Partitions.db",
                        "da-4-bti-Rows.db"),
                section(shared, "shop", "orders-" + ID + ".by_day", "nb-1-big-Data.db"),
                section(shared, "shop", "orders-old-" + ID, "nb-8-big-Data.db"),
                section(shared, "other", "orders-" + OTHER_ID, "nb-9-big-Data.db"),
                section(shared, "shop", "empty-" + ID));
        write(storage.resolve("node1/data/shop/orders-" + ID + "/nb-2-big-Data.db"), "of another backup");
        String directory = "node1/data/shop/orders-" + ID + "/";
        assertThat(data("shop", "orders"))
                .containsExactlyInAnyOrder(
                        directory + "nb-1-big-Data.db", directory + "nb-3-big-Data.db", directory + "da-4-bti-Data.db");
        assertThat(data("shop", "empty")).isEmpty();
        assertThat(SstableDirectories.list(List.of(backup), "shop", "orders")).hasSize(3);
    }

    @Test
    void readsTheTableOfAFullBackup() throws IOException {
        manifest(section("node1/monday/data", "shop", "orders-" + ID, "nb-1-big-Data.db"));
        assertThat(data("shop", "orders")).containsExactly("node1/monday/data/shop/orders-" + ID + "/nb-1-big-Data.db");
    }

    @Test
    void refusesABackupThatIsNotWhole() throws IOException {
        write(backup.resolve("meta/schema.cql"), "");
        assertThat(MedusaBackup.isAt(backup)).isTrue();
        assertThatThrownBy(() -> data("shop", "orders"))
                .hasMessage(backup + "/meta/manifest.json is missing, so the backup of this node has not ended");
        manifest(section("node1/data", "shop", "orders-" + ID, "nb-1-big-Data.db", "nb-1-big-Index.db"));
        assertThatThrownBy(() -> data("shop", "others"))
                .hasMessage(backup + "/meta/manifest.json lists no table shop.others");
        Path index = storage.resolve("node1/data/shop/orders-" + ID + "/nb-1-big-Index.db");
        Files.writeString(index, "cut");
        assertThatThrownBy(() -> data("shop", "orders"))
                .hasMessage(
                        index + " has 3 bytes, and by " + backup + "/meta/manifest.json 10: it was cut or replaced");
        Files.delete(index);
        assertThatThrownBy(() -> data("shop", "orders"))
                .hasMessage("1 of 2 files that " + backup + "/meta/manifest.json lists are missing: " + index);
        write(backup.resolve("meta/manifest.json"), "[{\"keyspace\": \"sh");
        assertThatThrownBy(() -> data("shop", "orders"))
                .hasMessage(backup + "/meta/manifest.json is no JSON, or was cut");
        write(backup.resolve("meta/tokenmap.json"), "{\"node1\": {");
        assertThatThrownBy(() -> MedusaBackup.nodes(backup))
                .hasMessage(backup + "/meta/tokenmap.json is no JSON, or was cut");
    }

    @Test
    void refusesATableThatWasCreatedAgain() throws IOException {
        manifest(
                section("node1/data", "shop", "orders-" + ID, "nb-1-big-Data.db"),
                section("node1/data", "shop", "orders-" + OTHER_ID, "nb-1-big-Data.db"));
        assertThatThrownBy(() -> data("shop", "orders"))
                .hasMessageContaining("several tables shop.orders")
                .hasMessageContaining(OTHER_ID);
    }

    @Test
    void namesTheNodesWithoutABackup() throws IOException {
        manifest();
        write(
                backup.resolve("meta/tokenmap.json"),
                "{\"node1\": {\"tokens\": [-5, 7], \"is_up\": true}, \"node2\": {\"tokens\": [1], \"dc\": \"x\"}}");
        assertThat(SstableDirectories.nodesWithoutBackup(List.of(backup))).containsExactly("node2");
        assertThat(SstableDirectories.nodesWithoutBackup(List.of(storage))).isEmpty();
    }
}
