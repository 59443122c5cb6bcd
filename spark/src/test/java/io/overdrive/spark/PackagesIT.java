package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Both jars of the connector by their coordinates, from the Maven repository of a release. Runs only if
 * {@code release.directory} names one, as {@code scripts/check-release.sh} does.
 */
@Tag("packages")
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

    /** The output of a Spark program that has an artifact by its coordinate, and nothing else of it. */
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

    /**
     * The programs of the documentation of the connector for Spark 3, as a project of a user, compiled against the oldest Spark that is
     * supported and run on the newest.
     */
    @Test
    void programsForTheConnectorForSpark3CompileAndRun(@TempDir Path directory) throws Exception {
        Path project = directory.resolve("project");
        copy(Path.of("src", "test", "project"), project);
        PySpark.run(
                project,
                "",
                List.of(
                        "mvn",
                        "-B",
                        "-ntp",
                        "-q",
                        "package",
                        "-Dmaven.repo.local=" + localRepository(directory.resolve("repository")),
                        "-Drepository=" + REPOSITORY.toUri(),
                        "-Doverdrive.version=" + version(),
                        "-Dspark.version=" + System.getProperty("spark.version"),
                        "-Dscala.version=" + System.getProperty("scala.version")),
                Map.of());
        String printed = run(
                "overdrive-spark-scala_2.13",
                directory.resolve("ivy"),
                "",
                "spark-submit",
                "--class",
                "programs.Programs",
                project.resolve("target/programs.jar").toString(),
                "spark_programs");
        Map<String, String> results = new TreeMap<>(PySpark.parts(printed));
        assertThat(results.remove("end")).as(printed).isNotNull();
        assertThat(results)
                .containsOnlyKeys("connecting", "loading", "saving", "joins", "data frames", "sql", "streams", "java")
                .allSatisfy((program, result) -> assertThat(result).as(program).isEqualTo("works"));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    /**
     * A local repository of Maven that has everything of the user's but our artifacts, which thus come from the release. What is not
     * there yet is fetched from Maven Central.
     */
    private static Path localRepository(Path directory) throws IOException {
        Path users = Path.of(System.getProperty("maven.local", ""));
        Files.createDirectories(directory.resolve("io"));
        for (String folder : List.of("", "io")) {
            try (Stream<Path> groups = Files.list(users.resolve(folder))) {
                for (Path group : groups.filter(Files::isDirectory).toList()) {
                    Path link = directory.resolve(users.relativize(group).toString());
                    if (!link.endsWith("io/overdrive") && !Files.exists(link)) {
                        Files.createSymbolicLink(link, group);
                    }
                }
            }
        }
        return directory;
    }

    /** The same documentation, as its readers type it, line by line. */
    @Test
    void aSessionTypedIntoTheShellWorks(@TempDir Path ivy) throws Exception {
        TestSpark.keyspace("spark_session");
        String lines = Files.readString(Path.of("src", "test", "shell", "session.scala"));
        String printed =
                run("overdrive-spark-scala_2.13", ivy, lines.replace("KEYSPACE", "spark_session"), "spark-shell");
        Map<String, String> results = new TreeMap<>(PySpark.parts(printed));
        results.remove("after");
        assertThat(results.remove("end")).as(printed).isNotNull();
        assertThat(results)
                .as(printed)
                .containsOnlyKeys("connecting", "loading", "mappers", "saving", "joins", "data frames")
                .allSatisfy((part, result) -> assertThat(result).as(part).isEqualTo("works"));
        assertThat(printed).doesNotContain("error:", "Exception:");
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
