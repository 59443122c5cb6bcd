package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedOptions;
import io.overdrive.spark.TestSpark;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.RuntimeConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Estimates of reads of a table of a hundred billion simulated rows, which the driver logs once. */
class EstimateIT {
    private static final String BUCKETING = "spark.sql.sources.v2.bucketing.enabled";

    @SuppressWarnings("NullAway.Init")
    private static SimulatedCluster cluster;

    @BeforeAll
    static void start() {
        cluster = SimulatedCluster.start(SimulatedOptions.builder()
                .nodesPerDatacenter(3)
                .rows(100_000_000_000L)
                .build());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static DataFrameReader read() {
        return TestSpark.spark()
                .read()
                .format("cassandra")
                .option("host", cluster.contactPoint())
                .option("keyspace", "simulated")
                .option("table", "numbers");
    }

    @Test
    void anRddThatIsReadByRangesOfTokensIsEstimatedOnce() {
        SparkContext spark = TestSpark.spark().sparkContext();
        Settings settings = Settings.of(Map.of("host", cluster.contactPoint()), Map.of());
        RddScan scan = new RddScan(settings, "SELECT id FROM simulated.numbers", Long.MAX_VALUE);
        Overdrive overdrive = SharedEngines.of(settings);
        TableSchema table = overdrive.table("simulated", "numbers");
        assertThat(TestSpark.logged(RddScan.class, () -> {
                    int tasks = scan.tasks(spark);
                    assertThat(scan.buckets(spark, table, tasks)).hasSize(tasks);
                }))
                .singleElement()
                .satisfies(EstimateIT::isEstimate);
        assertThat(TestSpark.logged(RddScan.class, () -> scan.partitions(spark)))
                .singleElement()
                .satisfies(EstimateIT::isEstimate);
    }

    @Test
    void aDataFrameWithTokenBucketsIsEstimated() {
        RuntimeConfig conf = TestSpark.spark().conf();
        conf.set(BUCKETING, "true");
        try {
            assertThat(TestSpark.logged(CassandraScan.class, () -> assertThat(read().option("tokenBuckets", "8")
                                    .load()
                                    .rdd()
                                    .getNumPartitions())
                            .isEqualTo(8)))
                    .singleElement()
                    .satisfies(EstimateIT::isEstimate);
        } finally {
            conf.unset(BUCKETING);
        }
    }

    @Test
    void aReadOfTheFirstRowsIsNotEstimated() {
        Settings settings = Settings.of(Map.of("host", cluster.contactPoint()), Map.of());
        RddScan scan = new RddScan(settings, "SELECT id FROM simulated.numbers", /* limit */ 10);
        assertThat(TestSpark.logged(
                        RddScan.class, () -> scan.partitions(TestSpark.spark().sparkContext())))
                .isEmpty();
        assertThat(TestSpark.logged(
                        CassandraScan.class,
                        () -> assertThat(read().load().takeAsList(10)).hasSize(10)))
                .isEmpty();
    }

    private static void isEstimate(String message) {
        assertThat(message)
                .startsWith("INFO [simulated.numbers] estimate of the time to read it: ")
                .contains(", limited by ");
    }
}
