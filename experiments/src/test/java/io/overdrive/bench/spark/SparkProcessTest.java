package io.overdrive.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dialogue of this process with Spark's. */
class SparkProcessTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final AtomicBoolean stopped = new AtomicBoolean();

    private SparkProcess start(Connector connector, Map<String, String> settings) throws IOException {
        return start(connector, settings, Map.of());
    }

    private SparkProcess start(Connector connector, Map<String, String> settings, Map<String, String> wanted)
            throws IOException {
        Path home = FakeSpark.install(directory.resolve("spark"));
        return SparkProcess.start(
                new SparkOptions(home, Path.of("bundle.jar"), home, settings), connector, wanted, stopped::get);
    }

    private static SparkJob job(String query) {
        return SparkJob.writing(query, Map.of());
    }

    @Test
    void runsJobsOneAfterAnotherAlsoAfterOneThatFailed() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            assertThat(spark.run(job("SELECT 1")).get("rows").asLong()).isEqualTo(7);
            assertThatThrownBy(() -> spark.run(job("fail")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the job failed in Spark: no such table\nCaused by: no node");
            assertThat(spark.run(job("SELECT 1")).get("rows").asLong()).isEqualTo(7);
            assertThat(spark.isAlive()).isTrue();
            assertThat(spark.cpuNanos()).isPositive();
        }
    }

    @Test
    void startsEachSparkWithItsConnector() throws IOException {
        assertThat(arguments(Connector.OVERDRIVE))
                .containsSequence(
                        "--jars", Path.of("bundle.jar").toAbsolutePath().toString())
                .doesNotContain("--packages");
        assertThat(arguments(Connector.PEER))
                .containsSequence("--packages", "com.datastax.spark:spark-cassandra-connector_2.12:3.5.1")
                .doesNotContain("--jars");
    }

    @Test
    void settingsOfTheUserOverrideThoseOfTheExperiments() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of("spark.executor.memory", "512m"))) {
            assertThat(texts(spark.run(job("arguments"))))
                    .contains("spark.executor.memory=512m")
                    .doesNotContain("spark.executor.memory=1024m");
        }
    }

    @Test
    void executorsGetTheOptionsOfTheExperimentAndALogOfTheirCollections() throws IOException {
        Map<String, String> wanted =
                Map.of("spark.executor.extraJavaOptions", "-XX:+UseZGC", "spark.buffer.pageSize", "1m");
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of(), wanted)) {
            assertThat(texts(spark.run(job("arguments"))))
                    .contains("spark.buffer.pageSize=1m")
                    .anySatisfy(text ->
                            assertThat(text).startsWith("spark.executor.extraJavaOptions=-XX:+UseZGC -Xlog:gc:file="));
        }
    }

    @Test
    void sumsTheLargestHeapOfEachExecutorThatACollectionHasLeft() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            assertThat(spark.peakHeapMegabytes(Map.of())).isEmpty();
            spark.run(job("collect 1 900 50"));
            Map<Path, Integer> before = spark.collectionCounts();
            assertThat(before.values()).containsExactly(2);
            spark.run(job("collect 1 70 60"));
            spark.run(job("collect 2 30"));
            assertThat(spark.peakHeapMegabytes(before)).hasValue(100);
        }
    }

    @Test
    void knowsNoHeapOfAJobInWhichAnExecutorHasNotCollectedItsGarbage() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            spark.run(job("collect 1 70"));
            spark.run(job("collect 2 30"));
            Map<Path, Integer> before = spark.collectionCounts();
            spark.run(job("collect 1 80"));
            assertThat(spark.peakHeapMegabytes(before)).isEmpty();
        }
    }

    @Test
    void knowsHowFarAJobIsOnceSparkHasSaidSo() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            assertThatThrownBy(() -> spark.run(job("half"))).hasMessage("the job failed in Spark: disk full");
            assertThat(spark.done()).isEqualTo(0.5);
            spark.run(job("SELECT 1"));
            assertThat(spark.done()).isEqualTo(1);
        }
    }

    private List<String> arguments(Connector connector) throws IOException {
        try (SparkProcess spark = start(connector, Map.of())) {
            return texts(spark.run(job("arguments")));
        }
    }

    private static List<String> texts(JsonNode answer) {
        List<String> texts = new ArrayList<>();
        answer.get("values").forEach(text -> texts.add(text.asText()));
        return texts;
    }

    @Test
    void saysWhatSparkPrintedLastIfItEnds() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            assertThatThrownBy(() -> spark.run(job("end")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Spark ended in a job:\nout of memory");
        }
        assertThatThrownBy(() -> start(Connector.OVERDRIVE, Map.of("broken", "true")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Spark did not start:\nno such class");
    }

    @Test
    void endsSparkIfTheUserStops() throws IOException {
        try (SparkProcess spark = start(Connector.OVERDRIVE, Map.of())) {
            stopped.set(true);
            assertThatThrownBy(() -> spark.run(job("SELECT 1"))).hasMessage("stopped");
        }
        assertThatThrownBy(() -> start(Connector.OVERDRIVE, Map.of())).hasMessage("stopped");
    }
}
