package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Both jars of the connector by their coordinates, from the Maven repository of a release. Runs only if
 * {@code release.directory} names one, as {@code bench/check-release.sh} does.
 */
@EnabledIfSystemProperty(named = "release.directory", matches = ".+")
class PackagesIT {
    private static final String KEYSPACE = "spark_packages";
    private static final Path REPOSITORY = Path.of(System.getProperty("release.directory", ""), "maven");

    private static PySpark pyspark;

    @BeforeAll
    static void install(@TempDir Path directory) throws Exception {
        pyspark = PySpark.install(directory);
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (id int PRIMARY KEY)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (id) VALUES (7)");
    }

    private static String version() throws Exception {
        try (Stream<Path> files = Files.list(REPOSITORY.resolve("io/overdrive/overdrive-spark_2.13"))) {
            return files.filter(Files::isDirectory)
                    .toList()
                    .get(0)
                    .getFileName()
                    .toString();
        }
    }

    /** What a program of Spark prints that has an artifact by its coordinate, and nothing else of it. */
    private static String run(String artifact, Path ivy, String lines, String program, String... arguments)
            throws Exception {
        String printed = pyspark.type(
                List.of(
                        "--repositories",
                        REPOSITORY.toUri().toString(),
                        "--packages",
                        "io.overdrive:" + artifact + ":" + version(),
                        "--conf",
                        "spark.jars.ivy=" + ivy,
                        "--master",
                        "local[1]"),
                lines,
                program,
                arguments);
        try (Stream<Path> resolved = Files.list(ivy.resolve("jars"))) {
            assertThat(resolved.map(jar -> jar.getFileName().toString()))
                    .as("what Spark fetched: the connector has no dependencies")
                    .singleElement()
                    .asString()
                    .startsWith("io.overdrive_" + artifact + "-");
        }
        return printed;
    }

    @Test
    void sparkFindsTheConnectorByItsCoordinate(@TempDir Path ivy) throws Exception {
        assertThat(run("overdrive-spark_2.13", ivy, "", "spark-sql", "-e", "SELECT id FROM cass." + KEYSPACE + ".t"))
                .isEqualToNormalizingNewlines("7\n");
    }

    /** RDDs, the driver by its own name, and DataFrames with one jar. */
    @Test
    void sparkFindsTheConnectorForScalaByItsCoordinate(@TempDir Path ivy) throws Exception {
        String lines =
                """
                import com.datastax.oss.driver.api.core.CqlSession
                import com.datastax.spark.connector._
                import com.datastax.spark.connector.cql.CassandraConnector
                sc.parallelize(Seq(Tuple1(8), Tuple1(9))).saveToCassandra("@", "saved")
                val rdd = sc.cassandraTable[Int]("@", "saved").select("id").collect().sorted.mkString(",")
                val read = CassandraConnector(sc.getConf).withSessionDo((session: CqlSession) => session.execute("SELECT count(*) FROM @.saved").one.getLong(0))
                val table = spark.table("cass.@.saved").count()
                println(s"\\n### found\\n$rdd by RDD, $read by session, $table by DataFrame\\n### end")
                """;
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".saved (id int PRIMARY KEY)");
        String printed = run("overdrive-spark-scala_2.13", ivy, lines.replace("@", KEYSPACE), "spark-shell");
        assertThat(PySpark.parts(printed).get("found"))
                .as(printed)
                .isEqualTo("8,9 by RDD, 2 by session, 2 by DataFrame");
    }
}
