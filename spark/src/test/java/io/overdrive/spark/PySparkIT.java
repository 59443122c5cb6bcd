package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bundle as users of PySpark have it: PySpark of the latest Spark from PyPI, one jar, a script. The script
 * {@code user.py} runs once, and each test checks one part of what it has printed.
 */
class PySparkIT {
    private static final String KEYSPACE = "spark_python";

    /** The lines of each part, by its name. */
    private static Map<String, String> printed = Map.of();

    private static PySpark pyspark;

    @BeforeAll
    static void runScript(@TempDir Path directory) throws Exception {
        PySpark installed = PySpark.install(directory);
        pyspark = installed;
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
        printed = PySpark.parts(installed.run(
                "spark-submit", "--master", "local[2]", script.toString(), KEYSPACE, directory.toString()));
    }

    private static String linesOfReadme() throws IOException {
        String prompt = ">>> ";
        return Files.readAllLines(Path.of("..", "README.md")).stream()
                .filter(line -> line.startsWith(prompt))
                .map(line -> line.substring(prompt.length()).replace("\"demo\"", '"' + KEYSPACE + '"') + "\n")
                .collect(Collectors.joining());
    }

    private static void flight(String dest, int day, String carrier, double delay) {
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".flights (origin, dest, year, month, day, carrier, dep_delay)"
                + " VALUES ('JFK', '" + dest + "', 2013, 1, " + day + ", '" + carrier + "', " + delay + ")");
    }

    @Test
    void runsOnTheLatestSpark() {
        assertThat(printed.get("version")).isEqualTo(PySpark.VERSION);
    }

    @Test
    void readsTheSchemaFromCassandra() {
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
    void theLinesOfTheReadmeWorkInTheShell() throws Exception {
        assertThat(pyspark.type(linesOfReadme(), "pyspark", "--master", "local[2]"))
                .contains(printed.get("show"));
    }

    @Test
    void readsByTheFormatNameOfTheConnectorForSpark3() {
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
    void namesAMissingTable() {
        assertThat(printed.get("wrong name"))
                .isEqualTo("keyspace \"" + KEYSPACE
                        + "\" has no table \"fligths\"; its tables are flights: did you mean \"flights\"?");
    }

    @Test
    void answersSqlOnTheCatalog() throws Exception {
        assertThat(printed.get("SQL by the catalog")).isEqualTo(printed.get("SQL"));
        String counts = "SELECT dest, count(*) FROM cass." + KEYSPACE + ".flights GROUP BY dest ORDER BY dest";
        assertThat(pyspark.run("spark-sql", "--master", "local[2]", "-e", counts))
                .isEqualToNormalizingNewlines("HNL\t3\nLAX\t6\n");
    }

    @Test
    void namesAMissingTableInTheCatalog() {
        assertThat(printed.get("wrong name in SQL"))
                .contains("[TABLE_OR_VIEW_NOT_FOUND] The table or view `cass`.`" + KEYSPACE + "`.`fligths`");
    }

    /** Uses internal classes of Spark. */
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
    void overwritesOnlyIfConfirmed() {
        assertThat(printed.get("overwrite without the confirmation"))
                .isEqualTo("[" + KEYSPACE + ".planes] overwriting empties the table before the first row is written:"
                        + " set option \"confirm.truncate\", or \"spark.overdrive.confirm.truncate\" in the session, to true to confirm it, or use"
                        + " mode append");
    }

    @Test
    void insertsWhatItSelects() {
        assertThat(printed.get("insert")).isEqualTo("69");
    }

    /** Also uses internal classes of Spark. */
    @Test
    void insertsByPositionAndReadsWriteTimes() {
        assertThat(printed.get("times"))
                .isEqualTo(
                        """
                        +----+---------------------+
                        |tail|max(writetime(hours))|
                        +----+---------------------+
                        |  N9|                   77|
                        +----+---------------------+""");
    }

    @Test
    void writesAStream() {
        assertThat(printed.get("stream")).isEqualTo("Row(count(1)=300, sum(hours)=14850)");
    }
}
