package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bundle as a user of PySpark meets it: PySpark of the newest Spark from PyPI, one jar, a script. The script
 * {@code user.py} runs once, and each test looks at one part of what it has printed.
 */
class PySparkIT {
    private static final String VERSION = System.getProperty("pyspark.version", "");
    private static final String KEYSPACE = "spark_python";
    private static final int MINUTES = 10;

    /** Name of a part to its lines. */
    private static Map<String, String> printed = Map.of();

    private static String printedBySparkSql = "";

    @BeforeAll
    static void runScript(@TempDir Path directory) throws Exception {
        Path pyspark = install(directory);
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".flights (origin text, dest text, year int, month int, day int,"
                + " carrier text, dep_delay double, PRIMARY KEY ((origin, dest, year, month), day, carrier))");
        for (int day = 1; day <= 3; day++) {
            flight("LAX", day, "AA", day + 0.5);
            flight("LAX", day, "UA", -day);
            flight("HNL", day, "HA", day * 10);
        }
        Path script = directory.resolve("user.py");
        try (var in = PySparkIT.class.getResourceAsStream("user.py")) {
            Files.copy(in, script);
        }
        printed = parts(spark(pyspark, directory, "spark-submit", script.toString(), KEYSPACE, directory.toString()));
        printedBySparkSql = spark(
                pyspark,
                directory,
                "spark-sql",
                "-e",
                "SELECT dest, count(*) FROM cass." + KEYSPACE + ".flights GROUP BY dest ORDER BY dest");
    }

    private static String spark(Path pyspark, Path directory, String program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                pyspark.resolve("bin").resolve(program).toString(),
                "--master",
                "local[2]",
                "--jars",
                BundleIT.BUNDLE.toString()));
        Map.of(
                        "spark.ui.enabled", "false",
                        "spark.sql.shuffle.partitions", "3",
                        "spark.cassandra.connection.host", TestSpark.address().getHostString(),
                        "spark.cassandra.connection.port",
                                String.valueOf(TestSpark.address().getPort()),
                        "spark.sql.catalog.cass", "io.overdrive.spark.CassandraCatalog",
                        "spark.sql.extensions", "io.overdrive.spark.OverdriveExtensions")
                .forEach((name, value) -> command.addAll(List.of("--conf", name + "=" + value)));
        command.addAll(List.of(arguments));
        String python = pyspark.resolve("bin").resolve("python").toString();
        return run(directory, command, Map.of("PYSPARK_PYTHON", python, "SPARK_LOCAL_IP", "127.0.0.1"));
    }

    private static void flight(String dest, int day, String carrier, double delay) {
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".flights (origin, dest, year, month, day, carrier, dep_delay)"
                + " VALUES ('JFK', '" + dest + "', 2013, 1, " + day + ", '" + carrier + "', " + delay + ")");
    }

    @Test
    void runsOnTheNewestSpark() {
        assertThat(printed.get("version")).isEqualTo(VERSION);
    }

    @Test
    void takesTheSchemaFromCassandra() {
        assertThat(printed.get("schema"))
                .isEqualTo(
                        """
                        root
                         |-- origin: string (nullable = false)
                         |-- dest: string (nullable = false)
                         |-- year: integer (nullable = false)
                         |-- month: integer (nullable = false)
                         |-- day: integer (nullable = false)
                         |-- carrier: string (nullable = false)
                         |-- dep_delay: double (nullable = true)""");
    }

    @Test
    void showsWhatIsFilteredAndSelected() {
        assertThat(printed.get("show"))
                .isEqualTo(
                        """
                        +---+---------+
                        |day|dep_delay|
                        +---+---------+
                        |  1|      1.5|
                        |  1|     -1.0|
                        |  2|      2.5|
                        |  2|     -2.0|
                        |  3|      3.5|
                        |  3|     -3.0|
                        +---+---------+""");
    }

    @Test
    void readsUnderTheNameOfTheConnectorForSpark3() {
        assertThat(printed.get("name of the connector for Spark 3")).isEqualTo("9");
    }

    @Test
    void answersSql() {
        assertThat(printed.get("SQL"))
                .isEqualTo(
                        """
                        +-------+-----+
                        |carrier|delay|
                        +-------+-----+
                        |     AA|  2.5|
                        |     HA| 20.0|
                        |     UA| -2.0|
                        +-------+-----+""");
    }

    @Test
    void saysWhichTableThereIsNot() {
        assertThat(printed.get("wrong name"))
                .isEqualTo("keyspace \"" + KEYSPACE
                        + "\" has no table \"fligths\"; its tables are flights: did you mean \"flights\"?");
    }

    @Test
    void answersSqlOnTheCatalog() {
        assertThat(printed.get("SQL by the catalog")).isEqualTo(printed.get("SQL"));
        assertThat(printedBySparkSql).isEqualToNormalizingNewlines("HNL\t3\nLAX\t6\n");
    }

    @Test
    void saysWhichTableThereIsNotInTheCatalog() {
        assertThat(printed.get("wrong name in SQL"))
                .contains("[TABLE_OR_VIEW_NOT_FOUND] The table or view `cass`.`" + KEYSPACE + "`.`fligths`");
    }

    /** Made of classes that Spark does not promise to keep. */
    @Test
    void joinsByLookingUpKeys() {
        assertThat(printed.get("join")).contains("CassandraDirectJoin").endsWith("rows 3");
    }

    @Test
    void appendsADataFrame() {
        assertThat(printed.get("append"))
                .isEqualTo(
                        """
                        +----+-----+-----+
                        |tail|hours|seats|
                        +----+-----+-----+
                        |  N1|   10|  100|
                        |  N2|   20| NULL|
                        |  N3|   30|  300|
                        +----+-----+-----+""");
    }

    @Test
    void overwritesOnlyWhatIsConfirmed() {
        assertThat(printed.get("overwrite without the confirmation"))
                .isEqualTo("[" + KEYSPACE + ".planes] overwriting empties the table before the first row is written:"
                        + " set option \"confirm.truncate\" to true to confirm it, or use mode append");
    }

    @Test
    void insertsWhatItSelects() {
        assertThat(printed.get("insert")).isEqualTo("69");
    }

    @Test
    void writesAStream() {
        assertThat(printed.get("stream")).isEqualTo("Row(count(1)=300, sum(hours)=14850)");
    }

    /** PySpark in the user's cache, where it is kept: it is 400 MB. */
    private static Path install(Path directory) throws IOException, InterruptedException {
        boolean hasPython = works("python3", "-c", "import venv, ensurepip");
        if (!hasPython && "true".equals(System.getenv("CI"))) {
            fail("there is no python3 with venv and pip, which the test of the bundle with PySpark needs: install it");
        }
        assumeTrue(hasPython, "no python3 with venv and pip on this machine: the bundle is not tested with PySpark");
        Path home = LocalOptions.defaultDirectory()
                .resolve("../../pyspark-" + VERSION)
                .normalize()
                .toAbsolutePath();
        Files.createDirectories(home.getParent());
        Path lock = home.resolveSibling(home.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock taken = channel.lock()) {
            assertThat(taken.isValid()).isTrue();
            String python = home.resolve("bin").resolve("python").toString();
            if (!works(python, "-c", "import pyspark.sql; assert pyspark.__version__ == '" + VERSION + "'")) {
                run(directory, List.of("python3", "-m", "venv", "--clear", home.toString()), Map.of());
                run(
                        directory,
                        List.of(
                                python,
                                "-m",
                                "pip",
                                "install",
                                "--quiet",
                                "--disable-pip-version-check",
                                "pyspark==" + VERSION),
                        Map.of());
            }
        }
        return home;
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // not installed
        }
    }

    /** What the command prints; fails with all that it says where it ends in error. */
    private static String run(Path directory, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("SPARK_HOME");
        builder.environment().remove("PYTHONPATH");
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            assertThat(ended && process.exitValue() == 0)
                    .as(() -> String.join(" ", command) + (ended ? "" : " did not end") + "\n" + read(output)
                            + read(errors))
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
        return read(output);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Map<String, String> parts(String output) {
        Map<String, String> parts = new HashMap<>();
        for (String part : output.split("(?m)^### ", -1)) {
            int end = part.indexOf('\n');
            if (end > 0) {
                parts.put(part.substring(0, end), part.substring(end + 1).strip());
            }
        }
        return parts;
    }
}
