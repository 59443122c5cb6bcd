package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.spark.MetricsSource;
import io.overdrive.spark.PySpark;
import io.overdrive.spark.TestSpark;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application on two executors, each a separate JVM, submitted with the bundle: {@link ExecutorsApp} runs once, and
 * each test checks one part of what it has printed and written.
 */
@Tag("nightly")
class ExecutorsIT {
    private static final String KEYSPACE = "spark_executors";
    private static final int ROWS = ExecutorsApp.TASKS * ExecutorsApp.ROWS_OF_A_TASK;
    private static Map<String, String> printed = Map.of();

    /**
     * The application ends although its main method does not stop Spark: no thread of the connector keeps a JVM alive.
     */
    @BeforeAll
    static void submit(@TempDir Path directory) throws Exception {
        PySpark spark = PySpark.install(directory);
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".shuffled (p int, c int, v text, PRIMARY KEY (p, c))");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".slow (k bigint PRIMARY KEY, v bigint)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".met (k bigint PRIMARY KEY, v bigint)");
        Path brought = Files.writeString(
                directory.resolve("driver.conf"), "datastax-java-driver.advanced.heartbeat.timeout = 60 seconds");
        Path work = Files.createDirectory(directory.resolve("work"));
        Path metrics = Files.createDirectory(directory.resolve("metrics"));
        printed = PySpark.parts(spark.run(
                "spark-submit",
                "--files",
                brought.toString(),
                "--conf",
                "spark.overdrive.driverConfig=driver.conf", // where the executors find it
                "--conf",
                "spark.executor.memory=512m",
                "--conf",
                "spark.scheduler.minRegisteredResourcesRatio=1.0",
                "--conf",
                "spark.speculation=true",
                "--conf",
                "spark.speculation.quantile=0.5",
                "--conf",
                "spark.metrics.conf.executor.source.overdrive.class=" + MetricsSource.class.getName(),
                "--conf",
                "spark.metrics.conf.executor.sink.csv.class=org.apache.spark.metrics.sink.CsvSink",
                "--conf",
                "spark.metrics.conf.executor.sink.csv.period=1",
                "--conf",
                "spark.metrics.conf.executor.sink.csv.directory=" + metrics,
                "--class",
                ExecutorsApp.class.getName(),
                jar(directory).toString(),
                KEYSPACE,
                work.toString(),
                metrics.toString()));
    }

    private static Path jar(Path directory) throws Exception {
        Path classes = Path.of(ExecutorsApp.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        String folder = ExecutorsApp.class.getPackageName().replace('.', '/') + "/";
        Path jar = directory.resolve("app.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.list(classes.resolve(folder))) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("ExecutorsApp"))
                    .toList()) {
                entries.putNextEntry(new JarEntry(folder + file.getFileName()));
                Files.copy(file, entries);
            }
        }
        return jar;
    }

    @Test
    void clustersRowsByPartitionIfSeveralExecutorsWrite() {
        assertThat(printed.get("executors")).isEqualTo("[0, 1]");
        assertThat(printed.get("plan"))
                .contains("Spark clusters rows by partition (several executors write,")
                .contains("Exchange hashpartitioning(p#");
        assertThat(printed.get("shuffled")).isEqualTo("missing 0, more 0");
        assertThat(TestSpark.cql("SELECT c FROM " + KEYSPACE + ".shuffled")).hasSize(ROWS);
    }

    @Test
    void writesTheSameValuesIfATaskRunsTwiceAtOnce() {
        assertThat(Integer.parseInt(printed.getOrDefault("copies of tasks", "")))
                .isPositive();
        Map<Long, Long> atFirst = positions(/* attempt */ 0);
        Map<Long, Long> inCopies = positions(/* attempt */ 1);
        Map<Long, Long> times = new HashMap<>();
        for (var row : TestSpark.cql("SELECT k, v, writetime(v) AS at FROM " + KEYSPACE + ".slow")) {
            long k = row.getLong("k");
            assertThat(row.getLong("v")).isEqualTo(3 * k);
            times.put(k, row.getLong("at"));
        }
        assertThat(times).hasSize(ROWS);
        // the copy of the first task has written all of its rows
        long base = times.getOrDefault(0L, 0L) - inCopies.getOrDefault(0L, 0L);
        times.forEach((k, time) -> {
            if (k < ExecutorsApp.ROWS_OF_A_TASK) {
                assertThat(time - base).isEqualTo(inCopies.get(k));
            } else {
                assertThat(time - base).isIn(atFirst.get(k), inCopies.get(k));
            }
        });
    }

    private static Map<Long, Long> positions(int attempt) {
        Map<Long, Long> positions = new HashMap<>();
        for (int task = 0; task < ExecutorsApp.TASKS; task++) {
            KeyPositions ofTask = new KeyPositions(ExecutorsApp.TASKS, task, attempt);
            for (long i = 0; i < ExecutorsApp.ROWS_OF_A_TASK; i++) {
                long k = task * (long) ExecutorsApp.ROWS_OF_A_TASK + i;
                byte[] key = new byte[Long.BYTES];
                Bytes.setLong(key, 0, k);
                positions.put(k, ofTask.next(Murmur3.token(key, 0, key.length)));
            }
        }
        return positions;
    }

    /** They get the jar when they have started, after Spark has made the sources of metrics. */
    @Test
    void executorsThatGetTheJarLateHaveItsMetrics() {
        assertThat(printed.get("executors with metrics")).isEqualTo("[0, 1]");
    }

    @Test
    void endsIfSparkIsNotStopped() {
        assertThat(printed.get("end")).isEqualTo("main returns");
    }
}
