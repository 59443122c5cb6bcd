package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queries between files and a table of a real node. */
@Timeout(120)
class SqlIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_sql");
    private static final int RECORDS = 2_000;

    private final Path directory;

    SqlIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Arrays.stream(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static JsonNode json(int code, String... arguments) throws IOException {
        Cli cli =
                run(Stream.concat(Arrays.stream(arguments), Stream.of("--json")).toArray(String[]::new));
        assertThat(cli.code()).as(cli.err()).isEqualTo(code);
        return new JsonMapper().readTree(cli.out());
    }

    private Path records() throws IOException {
        List<String> lines = new ArrayList<>(List.of("id,zip,fare"));
        for (int i = 0; i < RECORDS; i++) {
            lines.add(i + ",0" + (1000 + i % 10) + "," + i % 7);
        }
        return Files.write(directory.resolve("trips.csv"), lines);
    }

    @Test
    void loadsAndUnloadsTheResultOfAQuery() throws Exception {
        String file = records().toString();
        String table = KEYSPACE + ".fares";
        JsonNode loaded = json(
                Main.DONE,
                "load",
                file,
                table,
                "--create",
                "--key",
                "(zip), id",
                "--sql",
                "SELECT zip, id, fare * 2 AS fare FROM input WHERE fare > 0");
        int rows = RECORDS - (RECORDS + 6) / 7;
        assertThat(loaded.get("rowsOfQuery").asInt()).isEqualTo(rows);
        assertThat(loaded.get("recordsOfQuery").asInt()).isEqualTo(RECORDS);
        assertThat(loaded.get("rowsWritten").asInt()).isEqualTo(rows);

        Path sums = directory.resolve("sums.csv");
        JsonNode unloaded = json(
                Main.DONE,
                "unload",
                table,
                sums.toString(),
                "--threads",
                "1",
                "--sql",
                "SELECT zip, count(*) AS n, sum(fare) AS s, max(id) AS last FROM rows GROUP BY zip ORDER BY zip");
        assertThat(unloaded.get("rowsWritten").asInt()).isEqualTo(10);
        assertThat(Files.readAllLines(sums)).hasSize(11).startsWith("zip,n,s,last", "01000,171,1198,1990");
        Cli few = run("unload", table, directory.resolve("few.json").toString(), "--sql", "FROM rows LIMIT 3");
        assertThat(few.code()).as(few.err()).isZero();
        assertThat(Files.readAllLines(directory.resolve("few.json"))).hasSize(3);
    }

    @Test
    void rejectsRecordsWithTheirPlaceAndRowsWithTheirValues() throws Exception {
        Path file = records();
        Files.write(file, List.of("x,01000,\"2"), java.nio.file.StandardOpenOption.APPEND);
        String table = KEYSPACE + ".rejects";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, fare tinyint)");
        JsonNode loaded = json(
                Main.DONE_WITH_REJECTS,
                "load",
                file.toString(),
                table,
                "--rejects",
                directory.toString(),
                "--sql",
                "SELECT id, CASE WHEN id = 7 THEN 1000 ELSE fare END AS fare FROM input");
        assertThat(loaded.get("rowsRejected").asInt()).isEqualTo(2);
        assertThat(loaded.get("rowsNotWritten").asInt()).isZero();
        assertThat(Files.readAllLines(directory.resolve("trips.csv.rejected")))
                .containsExactly("id,zip,fare", "x,01000,\"2");
        assertThat(Files.readAllLines(directory.resolve("trips.csv.result.jsonl.rejected")))
                .containsExactly("{\"id\":\"7\",\"fare\":1000}");
    }

    @Test
    void wrongQueriesShowTheirPlace() throws Exception {
        String file = records().toString();
        String table = KEYSPACE + ".errors";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY)");
        Cli load = run("load", file, table, "--sql", "SELECT id,\n  nothing\nFROM input");
        assertThat(load.code()).isEqualTo(Main.FAILED);
        assertThat(load.err()).contains("Referenced column \"nothing\" not found", "LINE 2:   nothing\n          ^");
        Cli unload = run("unload", table, "-", "--sql", "SELECT id FRM rows");
        assertThat(unload.code()).isEqualTo(Main.FAILED);
        assertThat(unload.err()).contains("syntax error", "LINE 1: SELECT id FRM rows");
        assertThat(run("load", file, table, "--resume", "--sql", "FROM input").err())
                .contains("--resume does not go with --sql");
    }

    @Test
    void textsOfAnExistingTableKeepTheirZerosAndFloatsTheirDigits() throws Exception {
        Path file = Files.write(
                directory.resolve("versions.csv"), List.of("version,n,share", "1.10,1,0.1", "1.1,2,3.14", "1.100,3,2"));
        String table = KEYSPACE + ".versions";
        TestCluster.execute("CREATE TABLE " + table + " (version text PRIMARY KEY, n int, share float)");
        Cli load = run("load", file.toString(), table, "--sql", "SELECT * FROM input WHERE n * 2 > 0");
        assertThat(load.code()).as(load.err() + load.out()).isEqualTo(Main.DONE);
        Cli verify = run("verify", file.toString(), table);
        assertThat(verify.code()).as(verify.err()).isEqualTo(Main.DONE);
    }

    @Test
    void namesThatDifferByCaseOnlyAreRefused() {
        String table = KEYSPACE + ".cases";
        TestCluster.execute("CREATE TABLE " + table + " (k int PRIMARY KEY, x text, \"X\" text)");
        TestCluster.execute("INSERT INTO " + table + " (k, x, \"X\") VALUES (1, 'low', 'UP')");
        Cli refused = run("unload", table, "-", "--sql", "SELECT k, x FROM rows");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err()).contains(" differ only by case, and are one name in a query in SQL: leave one of");
        Cli chosen =
                run("unload", table, directory.resolve("x.csv").toString(), "--columns", "k,x", "--sql", "FROM rows");
        assertThat(chosen.code()).as(chosen.err()).isEqualTo(Main.DONE);
    }

    @Test
    void resultsAreWrittenAsSstablesAndNothingIsImportedOfAQueryThatFails() throws Exception {
        String file = records().toString();
        String table = KEYSPACE + ".imported";
        String[] by = {"--sstables", "--jmx", TestCluster.jmx(), "--rejects", directory.toString()};
        TestCluster.execute("CREATE TABLE " + table + " (zip text, id int, fare tinyint, PRIMARY KEY (zip, id))");
        String[] failing = {
            "load", file, table, "--sql", "SELECT zip, id, CASE WHEN id = 1999 THEN error('late') END AS x FROM input"
        };
        Cli failed = run(concat(failing, by));
        assertThat(failed.code()).as(failed.err()).isEqualTo(Main.FAILED);
        assertThat(failed.err()).contains("Invalid Input Error: late");
        assertThat(TestCluster.session().execute("SELECT id FROM " + table).all())
                .isEmpty();

        String sql =
                "SELECT zip, id, CASE WHEN id = 7 THEN 1000 ELSE fare END AS fare FROM input WHERE fare > 0 OR id = 7";
        JsonNode loaded = json(Main.DONE_WITH_REJECTS, concat(new String[] {"load", file, table, "--sql", sql}, by));
        int rows = RECORDS - (RECORDS + 6) / 7;
        assertThat(loaded.get("rowsWritten").asInt()).isEqualTo(rows);
        assertThat(loaded.get("rowsRejected").asInt()).isEqualTo(1);
        assertThat(TestCluster.session().execute("SELECT id FROM " + table).all())
                .hasSize(rows);
    }

    private static String[] concat(String[] some, String[] others) {
        return Stream.concat(Arrays.stream(some), Arrays.stream(others)).toArray(String[]::new);
    }

    @Test
    void infiniteTimesAreRejectedOrKeptAsText() throws Exception {
        String file = records().toString();
        String table = KEYSPACE + ".infinite";
        TestCluster.execute(
                "CREATE TABLE " + table + " (id int PRIMARY KEY, day date, at timestamp, days list<date>, note text)");
        String day = "CASE WHEN id = 1 THEN 'infinity' WHEN id = 2 THEN '-infinity' ELSE '2024-01-31' END::DATE";
        String at = "CASE WHEN id = 3 THEN 'infinity' WHEN id = 4 THEN '-infinity' ELSE '2024-01-31' END::TIMESTAMP";
        Cli load = run(
                "load",
                file,
                table,
                "--rejects",
                directory.toString(),
                "--sql",
                "SELECT id, " + day + " AS day, " + at + " AS at, CASE WHEN id = 5 THEN ['infinity'::DATE] END AS days,"
                        + " CASE WHEN id = 6 THEN 'infinity'::DATE END AS note FROM input WHERE id < 7 ORDER BY id");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(Files.readString(directory.resolve("trips.csv.result.jsonl.rejected.reasons")))
                .contains(" is date, got infinity", " is date, got -infinity")
                .contains(" is timestamp, got infinity", " is timestamp, got -infinity")
                .contains(" element 1 is date, got infinity");
        assertThat(Files.readString(directory.resolve("trips.csv.result.jsonl.rejected")))
                .contains("\"id\":1,\"day\":\"infinity\"", "\"at\":\"-infinity\"", "\"days\":[\"infinity\"]");
        assertThat(TestCluster.session()
                        .execute("SELECT note FROM " + table + " WHERE id = 6")
                        .one()
                        .getString(0))
                .isEqualTo("infinity");
        Cli unload = run("unload", table, "-", "--sql", "SELECT id, 'infinity'::DATE AS day FROM rows");
        assertThat(unload.code()).isEqualTo(Main.FAILED);
        assertThat(unload.err())
                .contains("column \"day\" of the query's result is date, got infinity: change it in the query, for"
                        + " example by a cast to VARCHAR");
    }

    @Test
    void structsTuplesAndDoublesThatAreNotFiniteGoThroughAQuery() throws Exception {
        TestCluster.execute("CREATE TYPE " + KEYSPACE + ".stop (city text, km double)");
        String columns = " (id int PRIMARY KEY, stops list<frozen<stop>>, pair tuple<int, text>, d double)";
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".trips" + columns);
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".copies" + columns);
        TestCluster.execute("INSERT INTO " + KEYSPACE
                + ".trips (id, stops, pair, d) VALUES (1, [{city: 'Rome', km: 1.5}, {km: 2}], (1, 'x'), NaN)");
        TestCluster.execute("INSERT INTO " + KEYSPACE + ".trips (id, d) VALUES (2, 0.5)");
        // with the types of the table, without them, and with NaN as a text
        for (String[] unload : new String[][] {
            {"typed.parquet"},
            {"structs.parquet", "--sql", "SELECT * FROM rows"},
            {"rows.json"},
            {"result.csv", "--sql", "SELECT * FROM rows"},
            {"result.json", "--sql", "SELECT * FROM rows"}
        }) {
            String file = directory.resolve(unload[0]).toString();
            TestCluster.execute("TRUNCATE " + KEYSPACE + ".copies");
            json(
                    Main.DONE,
                    concat(
                            new String[] {"unload", KEYSPACE + ".trips", file},
                            Arrays.copyOfRange(unload, 1, unload.length)));
            JsonNode loaded =
                    json(Main.DONE, "load", file, KEYSPACE + ".copies", "--sql", "SELECT * FROM input WHERE id > 0");
            assertThat(loaded.get("rowsWritten").asInt()).as(unload[0]).isEqualTo(2);
            Cli diff = run("diff", KEYSPACE + ".trips", KEYSPACE + ".copies");
            assertThat(diff.code()).as("%s: %s", unload[0], diff.out()).isEqualTo(Main.DONE);
        }
    }
}
