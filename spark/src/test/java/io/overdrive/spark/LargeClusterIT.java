package io.overdrive.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedNode;
import io.overdrive.simulated.SimulatedOptions;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.QueryExecutionException;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs on a hundred simulated nodes, of which one hangs or ten are lost: the results are those of a cluster that is up. */
@Timeout(300)
class LargeClusterIT {
    private static final long ROWS = 20_000;
    private static final int KEYS = 500;

    @SuppressWarnings("NullAway.Init")
    private static SimulatedCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Dataset<Row> keys;

    @BeforeAll
    static void start() {
        cluster = SimulatedCluster.start(SimulatedOptions.builder()
                .nodesPerDatacenter(100)
                .racks(3)
                .rows(ROWS)
                .build());
        try (Overdrive overdrive = Overdrive.connect(ConnectOptions.to(cluster.contactPoint()))) {
            overdrive.changeSchema("CREATE TABLE simulated.written (id int PRIMARY KEY, v text)");
        }
        List<Row> some = read("off")
                .filter(col("n").mod(ROWS / KEYS).equalTo(0))
                .select("id")
                .collectAsList();
        keys = TestSpark.spark().createDataFrame(some, new StructType().add("k", DataTypes.StringType));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void recover() {
        cluster.nodes().forEach(SimulatedNode::recover);
    }

    private static Dataset<Row> read(String directJoin) {
        return TestSpark.spark()
                .read()
                .format("cassandra")
                .option("host", cluster.contactPoint())
                .option("keyspace", "simulated")
                .option("table", "numbers")
                .option("directJoin", directJoin)
                .load();
    }

    private static void write() {
        TestSpark.spark()
                .range(0, ROWS, 1, 4)
                .selectExpr("CAST(id AS INT) AS id", "concat('v', id) AS v")
                .write()
                .format("cassandra")
                .option("host", cluster.contactPoint())
                .option("keyspace", "simulated")
                .option("table", "written")
                .mode("append")
                .save();
    }

    private static void resultsAreRight() {
        assertThat(read("off").count()).isEqualTo(ROWS);
        assertThat(read("off").selectExpr("count(label)", "sum(n)").first())
                .isEqualTo(RowFactory.create(ROWS, ROWS * (ROWS - 1) / 2));
        assertThat(keys.join(read("on"), col("id").equalTo(col("k")))
                        .selectExpr("count(DISTINCT id)", "sum(n)")
                        .first())
                .isEqualTo(RowFactory.create((long) KEYS, ROWS / KEYS * KEYS * (KEYS - 1L) / 2));
        assertThat(TestSpark.metricsOfTheLastQuery().get("limited by")).endsWith(" % of the tasks' time");
        long before = cluster.counts().rowsWritten();
        write();
        assertThat(cluster.counts().rowsWritten() - before).isGreaterThanOrEqualTo(ROWS);
    }

    @Test
    void aNodeThatHangsChangesNoResult() {
        cluster.nodes().get(50).hangAfterConnect();
        resultsAreRight();
    }

    @Test
    @Tag("nightly")
    void tenLostNodesChangeNoResult() {
        for (int i = 0; i < 10; i++) {
            cluster.nodes().get(3 + 9 * i).refuse();
        }
        resultsAreRight();
    }

    @Test
    void saysInSparksWordsThatNoNodeIsUp() {
        cluster.nodes().forEach(SimulatedNode::refuse);
        assertThatThrownBy(() -> TestSpark.spark()
                        .read()
                        .format("cassandra")
                        .option("host", cluster.contactPoint())
                        .option("keyspace", "simulated")
                        .option("table", "numbers")
                        .option("patience", "1")
                        .load()
                        .collectAsList())
                .isInstanceOf(QueryExecutionException.class)
                .hasMessageContaining("no node is up after 1 s (option \"patience\")");
    }
}
