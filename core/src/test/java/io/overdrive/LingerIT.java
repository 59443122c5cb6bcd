package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer that lingers, and a real node. */
@Timeout(300)
class LingerIT {
    private static final String KS = TestCluster.keyspace("linger");

    private static WriteOptions.Builder into(String table) {
        TestCluster.execute("CREATE TABLE " + KS + "." + table + " (k int, c int, v text, PRIMARY KEY (k, c))");
        return WriteOptions.into(KS, table);
    }

    private static void send(RowWriter writer, int k, int c, String v) {
        writer.row().setInt(0, k).setInt(1, c).setText(2, v);
        writer.send();
    }

    @Test
    void rowsAreWrittenWithoutFlushAndClose() throws Exception {
        try (RowWriter writer = TestCluster.overdrive().writer(into("slow").build())) {
            for (int i = 0; i < 5; i++) {
                send(writer, 1, 2 * i, "v");
                send(writer, 1, 2 * i + 1, "v");
                while (writer.totals().rowsWritten() < 2 * i + 2) {
                    Thread.sleep(1);
                }
                assertThat(TestCluster.count(KS + ".slow")).isEqualTo(2 * i + 2);
            }
        }
    }

    @Test
    void rowsThatComeTogetherShareRequests() {
        RowWriter writer = TestCluster.overdrive()
                .writer(into("together").linger(Duration.ofMillis(300)).build());
        try (writer) {
            for (int i = 0; i < 10_000; i++) {
                send(writer, i % 100, i, "v");
            }
        }
        assertThat(writer.totals().requests()).isLessThan(5_000);
        assertThat(TestCluster.count(KS + ".together")).isEqualTo(10_000);
    }

    @Test
    void aProgramLearnsWhichRowsAreWritten() {
        Set<Long> written = ConcurrentHashMap.newKeySet();
        RowWriter writer = TestCluster.overdrive()
                .writer(into("learns").inFlightRequests(50).build());
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        try (writer) {
            for (int t = 0; t < 3; t++) {
                RowWriter fork = writer.fork();
                int first = t;
                threads.add(CompletableFuture.runAsync(() -> {
                    for (int i = first; i < 30_000; i += 3) {
                        fork.row().position(i).setInt(0, i % 500).setInt(1, i).setText(2, "v");
                        fork.send((position, failure) -> {
                            assertThat(failure).isNull();
                            written.add(position);
                        });
                    }
                }));
            }
            threads.forEach(CompletableFuture::join);
        }
        assertThat(written).hasSize(30_000);
        assertThat(TestCluster.count(KS + ".learns")).isEqualTo(30_000);
    }

    @Test
    void everyRowHasEndedWhenAFailedWriterIsClosed() {
        List<CompletableFuture<?>> rows = new ArrayList<>();
        RowWriter writer = TestCluster.overdrive()
                .writer(into("failed").linger(Duration.ofMinutes(1)).build());
        for (int i = 0; i < 5_000; i++) {
            writer.row().setInt(0, i).setInt(1, i).setText(2, "v".repeat(100));
            rows.add(writer.sendAsync());
        }
        TestCluster.execute("DROP TABLE " + KS + ".failed");
        assertThatThrownBy(writer::close).isInstanceOf(OverdriveException.class);
        assertThat(rows).allSatisfy(row -> assertThat(row).isDone());
        assertThat(rows).filteredOn(row -> !row.isCompletedExceptionally()).hasSize((int)
                writer.totals().rowsWritten());
        assertThatThrownBy(rows.get(4_999)::join)
                .hasCauseInstanceOf(OverdriveException.class)
                .hasMessageContaining("[linger.failed] cannot write: ");
    }

    @Test
    void rowsThatTheNodeIsTooSlowForStayWithinTheLimits() {
        RowWriter writer = TestCluster.overdrive()
                .writer(into("limits")
                        .linger(Duration.ofMillis(1))
                        .inFlightRequests(2)
                        .groupingMemory(1 << 20)
                        .build());
        Random random = new Random(5);
        String text = "v".repeat(200);
        try (writer) {
            for (int i = 0; i < 40_000; i++) {
                send(writer, random.nextInt(2_000), i, text);
                if (i % 100 == 0) {
                    Totals now = writer.totals();
                    assertThat(now.inFlightRequests()).isLessThanOrEqualTo(2);
                    assertThat(now.groupingBytes()).isLessThanOrEqualTo(1 << 20);
                    assertThat(now.rowsSpilled()).isZero();
                }
            }
        }
        assertThat(writer.totals().rowsWritten()).isEqualTo(40_000);
        assertThat(TestCluster.count(KS + ".limits")).isEqualTo(40_000);
    }
}
