package io.overdrive;

import static io.overdrive.TestCluster.execute;
import static io.overdrive.TestCluster.overdrive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.overdrive.OverdriveException.Kind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows that cannot be written: only these are rejected, and none is lost. */
@Tag("server")
@Timeout(300)
class RejectsIT {
    private static final String KS = TestCluster.keyspace("rejects_it");

    private final List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());

    private static String table(String name, String definition) {
        execute("CREATE TABLE " + KS + "." + name + " (" + definition + ")");
        return KS + "." + name;
    }

    private WriteOptions.Builder into(String table) {
        return WriteOptions.into(KS, table).attachments().onReject(rejected::add);
    }

    @Test
    void rejectsOnlyTheRowsOfABatchThatTheServerRefuses() {
        String t = table("long_keys", "k int, c text, v int, PRIMARY KEY (k, c)");
        RowWriter writer =
                overdrive().writer(into("long_keys").batchBytes(16 << 20).build());
        try (writer) {
            for (int i = 0; i < 500; i++) {
                String c = i == 17 || i == 333 ? "x".repeat(70_000) : "c" + i;
                RowBuffer row = writer.row().setInt(0, 1).setText(1, c).setInt(2, i);
                if (i != 333) {
                    row.attach(("row " + i).getBytes(StandardCharsets.UTF_8));
                }
                writer.send();
            }
        }
        assertThat(rejected).extracting(RejectedRow::position).containsExactlyInAnyOrder(17L, 333L);
        assertThat(rejected).allSatisfy(row -> assertThat(row.reason()).contains("65535"));
        for (RejectedRow row : rejected) {
            assertThat(row.attachment())
                    .isEqualTo(row.position() == 17 ? "row 17".getBytes(StandardCharsets.UTF_8) : null);
        }
        assertThat(writer.totals().rowsWritten()).isEqualTo(498);
        assertThat(writer.totals().rowsRejected()).isEqualTo(2);
        assertThat(TestCluster.count(t)).isEqualTo(498);
    }

    @Test
    void rejectsKeysThatTheServerRefuses() {
        String t = table("text_keys", "a text, b text, c int, PRIMARY KEY ((a, b), c)");
        try (RowWriter writer = overdrive().writer(into("text_keys").build())) {
            for (int i = 0; i < 5; i++) {
                writer.row()
                        .setText(0, "a")
                        .setText(1, i == 3 ? "y".repeat(70_000) : "b")
                        .setInt(2, i);
                writer.send();
            }
        }
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(3L);
        assertThat(TestCluster.count(t)).isEqualTo(4);
    }

    @Test
    void rejectsOnlyTheRowThatIsTooLargeForAMutation() {
        String t = table("large", "k int, c int, v blob, PRIMARY KEY (k, c)");
        byte[] value = new byte[TestCluster.MAX_MUTATION_BYTES + (1 << 20)];
        try (RowWriter writer =
                overdrive().writer(into("large").batchBytes(16 << 20).build())) {
            for (int i = 0; i < 20; i++) {
                writer.row().setInt(0, 1).setInt(1, i).setBytes(2, value, 0, i == 11 ? value.length : 10);
                writer.send();
            }
        }
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(11L);
        assertThat(TestCluster.count(t)).isEqualTo(19);
    }

    @Test
    void batchesStayBelowTheLargestMutationOfTheServer() {
        String t = table("large_batches", "k int, c int, v blob, PRIMARY KEY (k, c)");
        byte[] value = new byte[TestCluster.MAX_MUTATION_BYTES / 4];
        RowWriter writer =
                overdrive().writer(into("large_batches").batchBytes(16 << 20).build());
        try (writer) {
            for (int i = 0; i < 20; i++) {
                writer.row().setInt(0, 1).setInt(1, i).setBytes(2, value, 0, value.length);
                writer.send();
            }
        }
        assertThat(rejected).isEmpty();
        assertThat(writer.totals().splits()).isZero();
        assertThat(execute("SELECT c FROM " + t)).hasSize(20);
    }

    @Test
    void rejectsOnlyTheRowThatIsTooLargeForARequest() {
        String t = table("huge", "k int, c int, v blob, PRIMARY KEY (k, c)");
        byte[] value = new byte[20 << 20];
        try (RowWriter writer = overdrive().writer(into("huge").build())) {
            for (int i = 0; i < 20; i++) {
                writer.row().setInt(0, i % 2).setInt(1, i).setBytes(2, value, 0, i == 11 ? value.length : 10);
                writer.send();
            }
        }
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(11L);
        assertThat(TestCluster.count(t)).isEqualTo(19);
    }

    @Test
    void failsAtTheFirstRejectedRowWithoutAHandler() {
        table("fails", "k int, c text, PRIMARY KEY (k, c)");
        RowWriter writer = overdrive().writer(WriteOptions.into(KS, "fails").build());
        writer.row().setInt(0, 1).setText(1, "x".repeat(70_000));
        writer.send();
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    while (true) {
                        writer.row().setInt(0, 2).setText(1, "y");
                        writer.send();
                    }
                })
                .withMessageContaining("[rejects_it.fails] cannot write: ")
                .withMessageContaining("65535")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.WRITE));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(writer::close)
                .withMessageContaining("cannot write: ");
        writer.close();
    }

    @Test
    void refusesRowsOnceItIsClosed() {
        String t = table("closed", "k int, c int, PRIMARY KEY (k, c)");
        RowWriter writer = overdrive().writer(WriteOptions.into(KS, "closed").build());
        RowWriter fork = writer.fork();
        fork.row().setInt(0, 1).setInt(1, 1);
        fork.send();
        fork.close();
        writer.close();
        for (RowWriter late : List.of(writer, fork)) {
            late.row().setInt(0, 1).setInt(1, 2);
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(late::send)
                    .withMessageContaining("the writer is closed");
        }
        assertThat(TestCluster.count(t)).isOne();
    }

    @Test
    void failsWithTheCauseWhenTheTableIsDropped() {
        String t = table("dropped", "k int, c int, v text, PRIMARY KEY (k, c)");
        RowWriter writer = overdrive().writer(into("dropped").batchRows(20).build());
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        writer.row().setInt(0, i / 50).setInt(1, i).setText(2, "v");
                        if (i == 5_000) {
                            execute("DROP TABLE " + t);
                        }
                        writer.send();
                    }
                    writer.close();
                })
                .withMessageMatching("(?s)\\[rejects_it.dropped] cannot write: .*(does not exist|unconfigured).*")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.WRITE));
        writer.abandon();
        Totals totals = writer.totals();
        assertThat(totals.rowsWritten() + totals.rowsRejected()).isLessThan(totals.rowsTaken());
        assertThat(rejected).hasSize((int) totals.rowsRejected());
    }

    @Test
    void failsWhenTheTableIsRecreatedWithAnotherTypeOfTheSameWidth() {
        String t = table("recreated", "k int PRIMARY KEY, v int");
        RowWriter writer = overdrive().writer(into("recreated").build());
        writer.row().setInt(0, 1).setInt(1, 1);
        writer.send();
        writer.flush();
        execute("DROP TABLE " + t);
        execute("CREATE TABLE " + t + " (k int PRIMARY KEY, v float)");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    writer.row().setInt(0, 2).setInt(1, 1_078_530_011);
                    writer.send();
                    writer.close();
                })
                .withMessageEndingWith("the table was changed while it was written; start again");
        writer.abandon();
        assertThat(TestCluster.count(t)).isZero();
    }

    @Test
    void failsForGoodIfSpilledRowsCannotBeWritten(@TempDir Path directory) throws Exception {
        table("disk", "k int, c int, v text, PRIMARY KEY (k, c)");
        Path file = Files.createFile(directory.resolve("file"));
        RowWriter writer = overdrive()
                .writer(into("disk")
                        .bulk()
                        .groupingMemory(1 << 20)
                        .spillDirectory(file)
                        .build());
        Random random = new Random(1);
        String text = "v".repeat(200);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < 200_000; i++) {
                        writer.row()
                                .setInt(0, random.nextInt(10_000))
                                .setInt(1, i)
                                .setText(2, text);
                        writer.send();
                    }
                })
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.DISK))
                .withMessageContaining(file.toString())
                .withMessageContaining("spillDirectory");
        assertThatExceptionOfType(OverdriveException.class)
                .as("rows are lost, so close must not be silent")
                .isThrownBy(writer::close)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.DISK));
    }
}
