package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.Gate;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writers of several jobs that share their limits and nothing else. */
@Timeout(300)
class SeparateWritersIT {
    private static final String KS = SeparateNode.keyspace("separate");

    private static WriteOptions.Builder into(String table) {
        SeparateNode.execute("CREATE TABLE " + KS + "." + table + " (k int, c text, v int, PRIMARY KEY (k, c))");
        return WriteOptions.into(KS, table);
    }

    private static void send(RowWriter writer, int k, String c) {
        writer.row().setInt(0, k).setText(1, c).setInt(2, 1);
        writer.send();
    }

    private static long written(String table) {
        return SeparateNode.execute("SELECT count(*) FROM " + KS + "." + table)
                .get(0)
                .getLong(0);
    }

    @Test
    void writeTheirRowsWhileTheOriginalIsClosed() throws Exception {
        RowWriter original = SeparateNode.overdrive().writer(into("t").build());
        List<CompletableFuture<RowWriter>> jobs = new ArrayList<>();
        RowWriter first = original.separate();
        for (int j = 0; j < 4; j++) {
            int job = j;
            RowWriter writer = j == 0 ? first : original.separate(1 << 20);
            assertThat(writer.baseTimestamp()).isEqualTo(original.baseTimestamp());
            send(original, 100 + j, "original");
            jobs.add(CompletableFuture.supplyAsync(() -> {
                for (int i = 0; i < 5_000; i++) {
                    send(writer, i % 50, "job" + job + "-" + i);
                }
                writer.close();
                return writer;
            }));
        }
        original.close();
        for (CompletableFuture<RowWriter> job : jobs) {
            Totals totals = job.get(120, TimeUnit.SECONDS).totals();
            assertThat(totals.rowsTaken()).isEqualTo(5_000);
            assertThat(totals.rowsWritten()).isEqualTo(5_000);
            assertThat(totals.inFlightRequests()).isZero();
            assertThat(totals.batches()).isPositive();
        }
        assertThat(original.totals().rowsWritten()).isEqualTo(4);
        try (RowWriter late = original.separate()) {
            send(late, 200, "late");
        }
        assertThat(written("t")).isEqualTo(20_005);
    }

    @Test
    void doNotFailTogether() {
        RowWriter original = SeparateNode.overdrive().writer(into("failing").build());
        RowWriter failing = original.separate();
        RowWriter sound = original.separate();
        send(sound, 1, "a");
        send(failing, 2, "x".repeat(70_000));
        assertThatThrownBy(failing::close)
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.WRITE))
                .hasMessageContaining("65535");
        send(sound, 1, "b");
        sound.close();
        send(original, 1, "c");
        original.close();
        assertThat(written("failing")).isEqualTo(3);
    }

    @Test
    void abandonDropsWhatWaitsInMemoryAndOnDisk(@TempDir Path spills) {
        RowWriter original = SeparateNode.overdrive()
                .writer(into("abandoned")
                        .bulk()
                        .spillDirectory(spills)
                        .groupingMemory(1 << 20)
                        .build());
        RowWriter abandoned = original.separate();
        int rows = 0;
        Random random = new Random(3);
        while (rows < 40_000) {
            send(abandoned, random.nextInt(3_000), "c" + rows++);
        }
        assertThat(abandoned.totals().rowsSpilled()).isPositive();
        abandoned.abandon();
        assertThat(abandoned.totals().groupingBytes()).isZero();
        abandoned.close();
        abandoned.abandon();
        assertThatThrownBy(() -> send(abandoned, 1, "c")).hasMessageContaining("the writer is closed");
        assertThat(abandoned.totals().rowsWritten()).isLessThan(rows);

        RowWriter waiting = original.separate();
        send(waiting, -1, "a");
        send(waiting, -1, "b");
        waiting.fork().abandon();
        waiting.close();
        original.close();
        assertThat(SeparateNode.execute("SELECT v FROM " + KS + ".abandoned WHERE k = -1"))
                .isEmpty();
    }

    @Test
    void shareTheLimitsOfANodeThatHangsAndReturnPermitsWhenAbandoned() throws Exception {
        RowWriter original = SeparateNode.overdrive()
                .writer(into("hangs")
                        .batchRows(1)
                        .inFlightRequests(2)
                        .requestTimeout(Duration.ofMillis(500))
                        .maxAttempts(1000)
                        .build());
        RowWriter abandoned = original.separate();
        RowWriter other = original.separate();
        Node node = SeparateNode.node();
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        Thread third = new Thread(() -> {
            send(other, 2, "c");
            waiting.complete(null);
        });
        node.pause();
        try {
            send(abandoned, 1, "a");
            send(abandoned, 1, "b");
            assertThat(abandoned.totals().inFlightRequests()).isLessThanOrEqualTo(2);
            third.start();
            Threads.awaitInside(Gate.class, third);
            abandoned.abandon();
            assertThat(other.totals().rowsRejected()).isZero();
            waiting.get(60, TimeUnit.SECONDS);
        } finally {
            node.resume();
        }
        for (int i = 0; i < 100; i++) {
            send(other, 3, "d" + i);
        }
        other.close();
        original.close();
        assertThat(other.totals().rowsWritten()).isEqualTo(101);
        assertThat(SeparateNode.execute("SELECT v FROM " + KS + ".hangs WHERE k IN (2, 3)"))
                .hasSize(101);
    }

    @Test
    void shareTheRateLimitInRows() {
        RowWriter original = SeparateNode.overdrive()
                .writer(into("paced").batchRows(10).rowsPerSecond(6_000).build());
        long start = System.nanoTime();
        List<CompletableFuture<Void>> jobs = new ArrayList<>();
        for (int j = 0; j < 3; j++) {
            int job = j;
            jobs.add(CompletableFuture.runAsync(() -> {
                try (RowWriter writer = original.separate()) {
                    for (int i = 0; i < 1_000; i++) {
                        send(writer, job, "c" + i);
                    }
                }
            }));
        }
        jobs.forEach(CompletableFuture::join);
        original.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(300));
        assertThat(written("paced")).isEqualTo(3_000);
    }

    @Test
    void refuseMoreMemoryThanTheHeapHas() {
        try (RowWriter original = SeparateNode.overdrive().writer(into("memory").build())) {
            assertThatThrownBy(() -> original.separate(Runtime.getRuntime().maxMemory()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("too much for a Java heap");
            assertThatThrownBy(() -> original.separate(1_000))
                    .hasMessageContaining("groupingMemory is 1000, must be 1048576 or more");
        }
    }
}
