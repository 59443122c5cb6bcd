package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on three nodes with three replicas, one of which is killed meanwhile: they end, and nothing is missing. */
@Timeout(240)
class SparkClusterIT {
    private static final int ROWS = 40_000;
    private static final Row SUMS = RowFactory.create((long) ROWS, (long) ROWS, ROWS * (ROWS - 1L) / 2, 6);

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @BeforeAll
    static void start(@TempDir Path directory) {
        cluster = LocalCluster.start(LocalOptions.builder()
                .directory(directory)
                .port(0)
                .nodesPerDatacenter(3)
                .profile(LocalOptions.Profile.SMALL)
                .heapMegabytes(384)
                .stopWithJvm(true)
                .build());
        try (Overdrive overdrive =
                Overdrive.connect(ConnectOptions.to(contactPoints().split(",")[0]))) {
            overdrive.changeSchema(
                    "CREATE KEYSPACE ks WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
            overdrive.changeSchema("CREATE TABLE ks.t (p int, c int, v text, PRIMARY KEY (p, c))");
            overdrive.changeSchema("CREATE TABLE ks.written (p int, c int, v text, PRIMARY KEY (p, c))");
            try (RowWriter writer =
                    overdrive.writer(WriteOptions.into("ks", "t").build())) {
                for (int i = 0; i < ROWS; i++) {
                    writer.row().setInt(0, i / 10).setInt(1, i % 10).setText(2, "v" + i);
                    writer.send();
                }
            }
        }
    }

    @AfterAll
    static void stop() {
        cluster.wipe();
    }

    private static String contactPoints() {
        return cluster.contactPoints().stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(","));
    }

    private static Dataset<Row> read(String table, String... options) {
        var reader = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("host", contactPoints())
                .option("keyspace", "ks")
                .option("table", table);
        for (int i = 0; i < options.length; i += 2) {
            reader.option(options[i], options[i + 1]);
        }
        return reader.load();
    }

    @Test
    void readsEachRowOnceWhileANodeIsKilled() throws Exception {
        Dataset<Row> scan =
                read("t", "readRowsPerSecond", "8000", "pageRows", "200", "readConsistency", "LOCAL_QUORUM");
        String keys = IntStream.range(0, ROWS / 10).mapToObj(String::valueOf).collect(Collectors.joining(","));
        readWhileDying(scan, cluster.nodes().get(1));
        readWhileDying(scan.filter("p in (" + keys + ")"), cluster.nodes().get(2));
    }

    @Test
    void writesEachRowWhileANodeIsKilled() throws Exception {
        Dataset<Row> rows = TestSpark.spark()
                .range(ROWS)
                .selectExpr("cast(id / 10 as int) p", "cast(id % 10 as int) c", "concat('v', id) v");
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> rows.write()
                .format("cassandra")
                .option("host", contactPoints())
                .option("keyspace", "ks")
                .option("table", "written")
                .option("writeRowsPerSecond", "8000")
                .mode("append")
                .save());
        Thread.sleep(2_000);
        assertThat(written).isNotDone();
        Node victim = cluster.nodes().get(1);
        victim.kill();
        written.get();
        victim.start();
        assertThat(sums(read("written", "readConsistency", "LOCAL_QUORUM")).first())
                .isEqualTo(SUMS);
    }

    private static void readWhileDying(Dataset<Row> rows, Node victim) throws Exception {
        Dataset<Row> sums = sums(rows);
        CompletableFuture<Row> found = CompletableFuture.supplyAsync(sums::first);
        Thread.sleep(2_000);
        assertThat(found).isNotDone();
        victim.kill();
        assertThat(found.get()).isEqualTo(SUMS);
        victim.start();
    }

    private static Dataset<Row> sums(Dataset<Row> rows) {
        return rows.selectExpr("count(v)", "count(DISTINCT p, c, v)", "sum(p * 10L + c)", "max(length(v))");
    }
}
