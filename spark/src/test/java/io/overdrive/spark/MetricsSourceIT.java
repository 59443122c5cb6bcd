package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The figures of the engine in Spark's own metrics system, and in one of its sinks. */
class MetricsSourceIT {
    private static final String KEYSPACE = "spark_source";
    private static final int ROWS = 1000;

    @BeforeAll
    static void write() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (id bigint PRIMARY KEY)");
        TestSpark.spark()
                .range(ROWS)
                .write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "t")
                .mode(SaveMode.Append)
                .save();
        assertThat(TestSpark.read(KEYSPACE, "t").count()).isEqualTo(ROWS);
    }

    private static MetricRegistry registry() {
        Source source =
                SparkEnv.get().metricsSystem().getSourcesByName("overdrive").apply(0);
        return source.metricRegistry();
    }

    private static long value(String name) {
        return (Long)
                Objects.requireNonNull(registry().getGauges().get(name), name).getValue();
    }

    @Test
    @Timeout(60)
    void countsWhatWasSentToAllNodesAndToEachNode() throws InterruptedException {
        while (value("answered") < 10) { // figures are a second old at most
            Thread.sleep(100);
        }
        assertThat(value("answeredBytes")).isPositive();
        assertThat(value("inFlightLimitBytes")).isNotNegative();
        assertThat(value("latencyMicros.p99"))
                .isGreaterThanOrEqualTo(value("latencyMicros.p50"))
                .isPositive();
        String node = "node." + TestSpark.address().getHostString().replace('.', '_') + "_"
                + TestSpark.address().getPort();
        assertThat(value(node + ".answered")).isPositive();
        assertThat(value(node + ".retries")).isNotNegative();
    }

    /** Also of nodes, whose metrics come after the sink has begun. */
    @Test
    void reachesTheSinksOfSpark() throws JMException {
        long all = value("answered");
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> answered = beans.queryNames(new ObjectName("metrics:name=*.driver.overdrive.answered,*"), null);
        assertThat(answered).hasSize(1);
        assertThat((Long) beans.getAttribute(answered.iterator().next(), "Value"))
                .isGreaterThanOrEqualTo(all);
        assertThat(beans.queryNames(new ObjectName("metrics:name=*.driver.overdrive.node.*.answered,*"), null))
                .isNotEmpty();
    }

    @Test
    void isMadeOnce() {
        assertThat(SparkEnv.get().metricsSystem().getSourcesByName("overdrive").size())
                .isOne();
    }
}
