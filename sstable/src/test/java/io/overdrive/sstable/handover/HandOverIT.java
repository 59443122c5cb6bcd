package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.sstable.handover.HandOver.Share;
import io.overdrive.sstable.sort.Pass;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.SstableSorter.Written;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real node's reaction to SSTables that it does not take, over JMX. */
class HandOverIT {
    private static final String KEYSPACE = "hand_over";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Path directory;

    HandOverIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static TableMetadata table(String name) {
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + "." + name + " (id int PRIMARY KEY, t text)");
        return known(name);
    }

    private static TableMetadata known(String name) {
        return OVERDRIVE
                .session()
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(name))
                .orElseThrow();
    }

    private static long count(String table) {
        return OVERDRIVE
                .session()
                .execute("SELECT count(*) FROM " + KEYSPACE + "." + table)
                .one()
                .getLong(0);
    }

    private interface Meanwhile {
        void change() throws IOException;
    }

    /** Writes a row, has something happen, and hands them over. */
    private void handOver(TableMetadata table, Staging staging, Meanwhile meanwhile) throws IOException {
        Replicas replicas = Replicas.of(OVERDRIVE.session(), table);
        JmxAccess jmx = new JmxAccess(
                List.of(new JmxAccess.Address("127.0.0.1", TestCluster.node().jmxPort())), null, null);
        try (RowWriter writer = OVERDRIVE.writer(
                        WriteOptions.into(KEYSPACE, table.getName().asInternal())
                                .columns("id", "t")
                                .build());
                SstableSorter sorter =
                        SstableSorter.of(table, List.of("id", "t"), directory, 1 << 20, 1, 1_700_000_000);
                HandOver handOver = HandOver.of(
                        OVERDRIVE,
                        new Importers(
                                CqlIdentifier.fromInternal(KEYSPACE),
                                table.getName(),
                                new SstableOptions(jmx, /* ssh */ null, /* sidecar */ null, directory),
                                replicas,
                                List::of,
                                Map.of(0, NodeBeans.open(jmx.addresses().get(0), jmx))),
                        List.of("id", "t"),
                        staging)) {
            RowBuffer row = writer.row();
            row.setInt(0, 7);
            row.setText(1, "text ".repeat(100));
            sorter.part().add(row, 1_700_000_000_000_000L, 0);
            Written written = sorter.write(replicas.owners(), staging.sstables(), 1, Pass.WHOLE);
            meanwhile.change();
            assertThat(handOver.run(written.sstables().stream().map(Share::of).toList(), written.rows()))
                    .isTrue();
            assertThat(handOver.rows()).isEqualTo(1);
        }
    }

    private Staging staging(String keyspace, String table) {
        return Staging.create(directory.resolve("out"), keyspace, table, List.of("node"), /* isShared */ false);
    }

    @Test
    void keepsWhatWasDamagedBeforeTheImport() throws IOException {
        TableMetadata table = table("damaged");
        Staging staging = staging(KEYSPACE, "damaged");
        Path data = staging.sstables(0).resolve("nb-1-big-Data.db");
        assertThatThrownBy(() -> handOver(table, staging, () -> {
                    byte[] bytes = Files.readAllBytes(data);
                    bytes[bytes.length / 2] ^= 1;
                    Files.write(data, bytes);
                }))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "1 of 1 nodes has not imported its SSTables, which are kept in " + staging.root())
                .hasMessageContaining("it has refused the SSTables in " + staging.sstables(0));
        assertThat(data).exists();
        assertThat(count("damaged")).isZero();
        staging.deleteAll();
        handOver(table, staging(KEYSPACE, "damaged"), () -> {});
        assertThat(count("damaged")).isEqualTo(1);
    }

    @Test
    void importsNothingIntoATableThatGotAViewMeanwhile() throws IOException {
        TableMetadata table = table("seen");
        assertThatThrownBy(() -> handOver(table, staging(KEYSPACE, "seen"), () -> OVERDRIVE
                        .session()
                        .execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".seen_by_t AS SELECT * FROM " + KEYSPACE
                                + ".seen WHERE t IS NOT NULL AND id IS NOT NULL PRIMARY KEY (t, id)")))
                .hasMessageStartingWith(
                        "since the run began, the table was changed, and has the materialized view seen_by_t, which an"
                                + " import does not update: its SSTables were written for what was there then, so none was handed over");
        assertThat(count("seen")).isZero();
    }

    /** Its node would read the text as a number. */
    @Test
    void importsNothingIntoATableThatWasDroppedAndCreatedMeanwhile() throws IOException {
        TableMetadata table = table("another");
        Staging staging = staging(KEYSPACE, "another");
        assertThatThrownBy(() -> handOver(table, staging, () -> {
                    OVERDRIVE.session().execute("DROP TABLE " + KEYSPACE + ".another");
                    OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".another (id int PRIMARY KEY, t bigint)");
                }))
                .hasMessageStartingWith("since the run began, the table was dropped and created: ");
        assertThat(count("another")).isZero();
    }

    /** The node would import it, and hide the text, which is from before the drop. */
    @Test
    void importsNothingIfAColumnWasDroppedAndAddedMeanwhile() throws IOException {
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".dropped (id int PRIMARY KEY, t text, other int)");
        TableMetadata table = known("dropped");
        handOver(table, staging(KEYSPACE, "dropped"), () -> dropAndAdd("other int"));
        assertThat(count("dropped")).isEqualTo(1);
        assertThatThrownBy(() -> handOver(table, staging(KEYSPACE, "dropped"), () -> dropAndAdd("t text")))
                .hasMessageStartingWith("since the run began, column \"t\" was dropped at 20");
    }

    private static void dropAndAdd(String column) {
        String alter = "ALTER TABLE " + KEYSPACE + ".dropped ";
        OVERDRIVE.session().execute(alter + "DROP " + column.substring(0, column.indexOf(' ')));
        OVERDRIVE.session().execute(alter + "ADD " + column);
    }

    /** Cassandra 5 finds nothing in a directory whose name, or whose parent's name, is not like a table's, and reports success. */
    @Test
    void keepsWhatTheNodeDoesNotFind() throws IOException {
        TableMetadata table = table("not_found");
        Staging staging = staging("not-a-name", "not_found");
        assertThatThrownBy(() -> handOver(table, staging, () -> {}))
                .hasMessageContaining("it has found no SSTable that it takes in " + staging.sstables(0));
        assertThat(staging.sstables(0).resolve("nb-1-big-Data.db")).exists();
        assertThat(count("not_found")).isZero();
    }
}
