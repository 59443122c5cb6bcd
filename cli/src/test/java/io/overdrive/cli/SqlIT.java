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
}
