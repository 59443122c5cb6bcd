package io.overdrive.spark;

import static org.apache.spark.sql.functions.udf;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs on three nodes with three replicas, one of which is killed during the job: they complete, and nothing is
 * missing.
 */
@Tag("cluster")
@Timeout(900)
@Tag("nightly")
class SparkClusterIT {
    private static final int ROWS = 40_000;
    private static final Row SUMS = RowFactory.create((long) ROWS, (long) ROWS, ROWS * (ROWS - 1L) / 2, 6);

    /** Rows that the job has processed; static, as tasks run copies of functions. */
    private static final AtomicInteger SEEN = new AtomicInteger();

    private static volatile CountDownLatch killed = new CountDownLatch(0);

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
                // else a killed node forgets what it acknowledged last, and only one other replica may have it
                .setting("commitlog_sync", "batch")
                .setting("commitlog_sync_period", "0ms")
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
        assertThat(whileDying(cluster.nodes().get(1), () -> sums(watched(scan)).first()))
                .isEqualTo(SUMS);
        Dataset<Row> lookups = scan.filter("p in (" + keys + ")");
        assertThat(whileDying(
                        cluster.nodes().get(2), () -> sums(watched(lookups)).first()))
                .isEqualTo(SUMS);
    }

    @Test
    void writesEachRowWhileANodeIsKilled() throws Exception {
        Dataset<Row> rows = TestSpark.spark()
                .range(ROWS)
                .selectExpr("cast(id / 10 as int) p", "cast(id % 10 as int) c", "concat('v', id) v");
        whileDying(cluster.nodes().get(1), () -> {
            watched(rows)
                    .write()
                    .format("cassandra")
                    .option("host", contactPoints())
                    .option("keyspace", "ks")
                    .option("table", "written")
                    .option("writeRowsPerSecond", "8000")
                    .mode("append")
                    .save();
            return "written";
        });
        assertThat(sums(read("written", "readConsistency", "LOCAL_QUORUM")).first())
                .isEqualTo(SUMS);
    }

    /** Kills the node once some rows have been processed, while requests are in flight, and starts it after the job. */
    private static <T> T whileDying(Node victim, Supplier<T> job) throws Exception {
        SEEN.set(0);
        killed = new CountDownLatch(1);
        CompletableFuture<T> done = CompletableFuture.supplyAsync(job);
        while (SEEN.get() < ROWS / 8 && !done.isDone()) {
            Thread.sleep(10);
        }
        assertThat(done).isNotDone();
        victim.kill();
        killed.countDown();
        T result = done.get();
        victim.start();
        return result;
    }

    /** The same rows, but the second half is held back until the node is dead. */
    private static Dataset<Row> watched(Dataset<Row> rows) {
        UDF1<String, String> watch = value -> {
            if (SEEN.incrementAndGet() > ROWS / 2) {
                killed.await();
            }
            return value;
        };
        return rows.withColumn(
                "v", udf(watch, DataTypes.StringType).asNondeterministic().apply(rows.col("v")));
    }

    private static Dataset<Row> sums(Dataset<Row> rows) {
        return rows.selectExpr("count(v)", "count(DISTINCT p, c, v)", "sum(p * 10L + c)", "max(length(v))");
    }
}
