package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The connector by its coordinate, from the Maven repository of a release. Runs only if {@code release.directory} names one, as
 * {@code bench/check-release.sh} does.
 */
@EnabledIfSystemProperty(named = "release.directory", matches = ".+")
class PackagesIT {
    private static final String KEYSPACE = "spark_packages";
    private static final Path REPOSITORY = Path.of(System.getProperty("release.directory", ""), "maven");

    private static String version() throws Exception {
        try (Stream<Path> files = Files.list(REPOSITORY.resolve("io/overdrive/overdrive-spark_2.13"))) {
            return files.filter(Files::isDirectory)
                    .toList()
                    .get(0)
                    .getFileName()
                    .toString();
        }
    }

    @Test
    void sparkFindsTheConnectorByItsCoordinate(@TempDir Path directory) throws Exception {
        PySpark pyspark = PySpark.install(directory);
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (id int PRIMARY KEY)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (id) VALUES (7)");
        Path jars = directory.resolve("ivy");
        String printed = pyspark.type(
                List.of(
                        "--repositories",
                        REPOSITORY.toUri().toString(),
                        "--packages",
                        "io.overdrive:overdrive-spark_2.13:" + version(),
                        "--conf",
                        "spark.jars.ivy=" + jars),
                "",
                "spark-sql",
                "--master",
                "local[1]",
                "-e",
                "SELECT id FROM cass." + KEYSPACE + ".t");
        assertThat(printed).isEqualToNormalizingNewlines("7\n");
        try (Stream<Path> resolved = Files.list(jars.resolve("jars"))) {
            assertThat(resolved.map(jar -> jar.getFileName().toString()))
                    .as("what Spark fetched: the connector has no dependencies")
                    .singleElement()
                    .asString()
                    .startsWith("io.overdrive_overdrive-spark_2.13-");
        }
    }
}
