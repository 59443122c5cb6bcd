package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SstableBackupTest {
    private static final String ID = "5a1c395e1f2c11f0a3b7d5c1c0ffee00";
    private static final String OTHER_ID = "6b1c395e1f2c11f0a3b7d5c1c0ffee00";
    private static final String MONDAY = "snapshots/monday";

    private final Path data;

    SstableBackupTest(@TempDir Path directory) {
        data = directory.resolve("node1/data");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** A table with an SSTable of ten bytes, as a snapshot has it, or a node. */
    private static Path table(Path data, String name, String below) throws IOException {
        Path directory = data.resolve("shop").resolve(name).resolve(below);
        write(directory.resolve("nb-1-big-Data.db"), "0123456789");
        if (!below.isEmpty()) {
            write(directory.resolve("manifest.json"), "{\"files\":[\"nb-1-big-Data.db\"]}");
            write(directory.resolve("schema.cql"), "CREATE " + name);
        }
        return directory;
    }

    private static SstableBackup of(Path... directories) {
        return SstableBackup.of(List.of(directories), "shop");
    }

    @Test
    void findsTheTablesOfASnapshotFromAnyDirectoryAboveThem() throws IOException {
        Path orders = table(data, "orders-" + ID, MONDAY);
        Path customers = table(data, "Customers-" + OTHER_ID, MONDAY);
        table(data, "orders-" + ID, "");
        Files.createDirectories(data.resolve("shop/dropped-" + ID + "/backups"));
        for (Path[] each : new Path[][] {{data}, {data.resolve("shop")}, {orders, customers}}) {
            SstableBackup backup = of(each);
            assertThat(backup.tables()).containsExactly("Customers", "orders");
            assertThat(backup.problems(backup.tables())).isEmpty();
            assertThat(backup.directories("orders")).containsExactly(orders);
            assertThat(backup.ids("Customers")).containsExactly(OTHER_ID);
            assertThat(backup.bytes("orders")).isEqualTo(10);
            assertThat(backup.schemas().values())
                    .containsExactlyInAnyOrder("CREATE orders-" + ID, "CREATE Customers-" + OTHER_ID);
        }
        assertThatThrownBy(() -> SstableBackup.of(List.of(data), "shops"))
                .hasMessageStartingWith(data + " has no table of keyspace shops: name a directory shops with TABLE-ID");
    }

    @Test
    void findsTablesWithoutSnapshots() throws IOException {
        Path orders = table(data, "orders-" + ID, "");
        assertThat(of(data).directories("orders")).containsExactly(orders);
        assertThat(of(data).problems(List.of("orders"))).isEmpty();
        assertThat(of(data).schemas()).isEmpty();
    }

    @Test
    void namesSeveralSnapshotsAndIds() throws IOException {
        table(data, "orders-" + ID, MONDAY);
        table(data, "orders-" + OTHER_ID, "snapshots/dropped-17-orders");
        Path shop = data.resolve("shop");
        assertThat(of(data).problems(List.of("orders")))
                .containsExactly(
                        "orders has several ids, as it was dropped and created: " + ID + ", " + OTHER_ID
                                + "; name the directories of one of them",
                        shop + " has several snapshots, dropped-17-orders (orders), monday (orders); name one: " + shop
                                + "/*/snapshots/dropped-17-orders");
        assertThat(of(shop.resolve("orders-" + ID).resolve(MONDAY)).problems(List.of("orders")))
                .isEmpty();
    }

    @Test
    void namesTablesThatSomeNodesOrTheSnapshotLack() throws IOException {
        Path other = data.resolveSibling("other");
        table(data, "orders-" + ID, MONDAY);
        table(data, "customers-" + ID, MONDAY);
        table(other, "orders-" + ID, MONDAY);
        table(other, "new-" + ID, "");
        SstableBackup backup = of(data, other);
        assertThat(backup.tables()).containsExactly("customers", "new", "orders");
        assertThat(backup.problems(List.of("orders"))).isEmpty();
        assertThat(backup.problems(backup.tables()))
                .containsExactly(
                        "customers is in 1 of 2 backups",
                        "new has SSTables in " + other.resolve("shop/new-" + ID)
                                + ", and is not in the snapshot monday");
    }

    /** The table that was created since is not a part of the snapshot. */
    @Test
    void takesATableThatWasDroppedAndCreatedSinceAsTheSnapshotHasIt() throws IOException {
        Path orders = table(data, "orders-" + ID, MONDAY);
        table(data, "orders-" + OTHER_ID, "");
        for (SstableBackup backup : List.of(of(data), of(orders))) {
            assertThat(backup.problems(backup.tables())).isEmpty();
            assertThat(backup.directories("orders")).containsExactly(orders);
        }
    }

    /** The description of a snapshot is on one of the disks. */
    @Test
    void takesDisksOfANodeForOne() throws IOException {
        Path disk = data.resolveSibling("disk2");
        table(data, "orders-" + ID, MONDAY);
        table(data, "customers-" + ID, MONDAY);
        Path part = table(disk, "orders-" + ID, MONDAY);
        Files.delete(part.resolve("manifest.json"));
        Files.delete(part.resolve("schema.cql"));
        SstableBackup backup = of(data, disk);
        assertThat(backup.problems(backup.tables())).isEmpty();
        assertThat(backup.directories("orders")).hasSize(2);
    }

    @Test
    void findsTheTablesOfBackupsByMedusa() throws IOException {
        Path one = data.resolveSibling("monday");
        Path two = data.resolve("../../node2/monday").normalize();
        String orders = "{\"keyspace\": \"shop\", \"columnfamily\": \"orders-" + ID
                + "\", \"objects\": [{\"path\": \"x/nb-1-big-Data.db\", \"size\": 7},"
                + " {\"path\": \"x/nb-1-big-Index.db\", \"size\": 5}]}";
        String lines = "{\"keyspace\": \"shop\", \"columnfamily\": \"lines-" + ID + "\", \"objects\": []}";
        for (Path each : List.of(one, two)) {
            write(each.resolve("meta/schema.cql"), "of all");
        }
        write(
                one.resolve("meta/manifest.json"),
                "[" + orders + ", " + lines + ", " + lines.replace(ID, ID + ".by_x") + "]");
        write(two.resolve("meta/manifest.json"), "[" + orders + "]");
        SstableBackup backup = of(one, two);
        assertThat(backup.tables()).containsExactly("lines", "orders");
        assertThat(backup.directories("orders")).containsExactly(one, two);
        assertThat(backup.bytes("orders")).isEqualTo(14);
        assertThat(backup.schemas()).hasSize(2).containsValue("of all");
        assertThat(backup.problems(backup.tables())).containsExactly("lines is in 1 of 2 backups");
    }
}
