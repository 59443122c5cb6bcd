package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code overdrive copy} and {@code overdrive diff} as a user types them. */
@Tag("server")
class CopyIT {
    private static final String FROM = TestCluster.keyspace("cli_copy");
    private static final String TO = TestCluster.keyspace("cli_copied");
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 500;

    private static int tables;

    private final Path directory;

    CopyIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TABLE cli_copy.source (p int, c int, v text, PRIMARY KEY (p, c))");
        for (int i = 0; i < ROWS; i++) {
            TestCluster.execute("INSERT INTO cli_copy.source (p, c, v) VALUES (" + i / 10 + ", " + i + ", 'v" + i
                    + "') USING TIMESTAMP 1000 AND TTL 5000");
        }
    }

    private static String target(String columns) {
        String table = TO + ".t" + tables++;
        TestCluster.execute("CREATE TABLE " + table + " (" + columns + ")");
        return table;
    }

    private static String target() {
        return target("p int, c int, v text, PRIMARY KEY (p, c)");
    }

    private static Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static Cli copied(String target, String... arguments) {
        Cli copy = run(
                "copy",
                Stream.concat(Stream.of(FROM + ".source", target), Stream.of(arguments))
                        .toArray(String[]::new));
        assertThat(copy.err()).isEmpty();
        assertThat(copy.code()).isEqualTo(Main.DONE);
        return copy;
    }

    @Test
    void aCopyReportsItsFiguresAndHasTheSameRows() {
        String target = target();
        assertThat(copied(target).out())
                .startsWith("500 rows read = 500 written + 0 rejected\n")
                .contains("  time  ", "  reads  ", "  writes  ");
        Cli diff = run("diff", FROM + ".source", target);
        assertThat(diff.code()).isEqualTo(Main.DONE);
        assertThat(diff.out()).isEmpty();
        assertThat(diff.err())
                .startsWith("500 rows left, 500 right: 500 the same, 0 different, 0 missing left, 0 missing right\n")
                .contains("  digest  ");
    }

    @Test
    void anotherClusterIsReachedByItsOwnOptions() throws IOException {
        String target = target();
        Cli copy = copied(target, "--to-host", TestCluster.host(), "--keep-times", "--json");
        JsonNode summary = JSON.readTree(copy.out());
        assertThat(summary.get("outcome").asText()).isEqualTo("done");
        assertThat(summary.get("rowsWritten").asLong()).isEqualTo(ROWS);
        Row row = TestCluster.execute("SELECT writetime(v), ttl(v) FROM " + target + " WHERE p = 1 AND c = 10")
                .get(0);
        assertThat(row.getLong(0)).isEqualTo(1000);
        assertThat(row.getInt(1)).isBetween(4000, 5000);
        assertThat(run("diff", FROM + ".source", target, "--to-host", TestCluster.host())
                        .code())
                .isEqualTo(Main.DONE);
    }

    /** Its splits are copied as a whole, so rows of one that was not finished are written a second time. */
    @Test
    void aResumedCopyOfCountersSaysThatRowsAreAppliedTwice() {
        TestCluster.execute("CREATE TABLE cli_copy.counters (id text PRIMARY KEY, n counter)");
        TestCluster.execute("UPDATE cli_copy.counters SET n = n + 5 WHERE id = '1'");
        TestCluster.execute("UPDATE cli_copy.counters SET n = n + 5 WHERE id = 'x'");
        String target = target("id int PRIMARY KEY, n counter");
        String[] copy = {FROM + ".counters", target, "--allow-non-idempotent", "--rejects", directory.toString()};
        Cli failed = run(
                "copy",
                Stream.concat(Stream.of(copy), Stream.of("--max-rejects", "0")).toArray(String[]::new));
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        Cli resumed = run(
                "copy", Stream.concat(Stream.of(copy), Stream.of("--resume")).toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(resumed.err())
                .contains("rows of token ranges that the run had begun and not finished are applied twice"
                        + " (--allow-non-idempotent)\n");
        assertThat(resumed.out()).startsWith("2 rows read = 1 written + 1 rejected\n");
    }

    @Test
    void rowsThatDoNotFitEndInAFileWithTheirKeys() throws IOException {
        String target = target("p int, c int, n int, PRIMARY KEY (p, c)");
        Cli copy = run(
                "copy",
                FROM + ".source",
                target,
                "--map",
                "v = n, * = *",
                "--where",
                "p = 3",
                "--rejects",
                directory.toString());
        assertThat(copy.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        Path rejects = directory.resolve(target + ".rejected.jsonl");
        assertThat(copy.out())
                .startsWith("10 rows read = 0 written + 10 rejected\n")
                .contains("  rejected  " + rejects + ", keys with the reasons\n            the first: {\"p\":3,\"c\":")
                .endsWith(": column \"n\" is int, got \"v30\"\n");
        assertThat(Files.readAllLines(rejects))
                .hasSize(10)
                .contains("{\"key\":{\"p\":3,\"c\":30},\"reason\":\"column \\\"n\\\" is int, got \\\"v30\\\"\"}");
        Cli failed = run(
                "copy",
                FROM + ".source",
                target,
                "--map",
                "v = n, * = *",
                "--max-rejects",
                "5",
                "--rejects",
                directory.toString());
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.err()).startsWith("overdrive: more rows were rejected than the limit of 5");
    }

    @Test
    void aMissingColumnNamesTheWayOut() {
        Cli copy = run("copy", FROM + ".source", target("p int, c int, PRIMARY KEY (p, c)"));
        assertThat(copy.code()).isEqualTo(Main.FAILED);
        assertThat(copy.err())
                .startsWith("overdrive: [cli_copy.source] column \"v\" has no column of its name in cli_copied.t")
                .contains("--map \"* = -v\"");
        assertThat(copy.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "copy a.b | give TARGET, or the cluster of one with the same name by --to-host",
                "copy a.b c | \"c\" is not a table",
                "copy a.b c.d --to-user x | options that begin with --to- need --to-host",
                "copy a.b c.d --threads 0 | --threads is 0",
                "copy a.b c.d --keep-times --map x=ttl() | choose one",
                "diff a.b c.d --keep-times | --keep-times needs --repair missing, different or both",
                "diff a.b c.d --repair extra --keep-times | --keep-times needs --repair missing, different or both",
                "diff a.b c.d --ttl-tolerance 5s | --ttl-tolerance has no effect without --compare-times",
                "copy a.b c.d --sample 1% --keys - | by their keys alone: it does not go with --sample",
                "copy a.b c.d --sample 1% --from-sstables /tmp | --sample is about reading from the cluster",
                "unload a /tmp/a --sample 1% | --sample is about one table",
                "diff a.b c.d --sample 1% --token-range 0,1 | --sample and --token-range both choose tokens",
                "diff a.b c.d --map 'x'=b,*=* | a constant is for writing",
                "diff a.b c.d --max-differences 0 | --max-differences is 0",
            })
    void wrongUsageIsReportedBeforeAnythingIsDone(String commandAndMessage) {
        String[] parts = commandAndMessage.split(" \\| ");
        Cli wrong = Cli.run(parts[0].split(" "));
        assertThat(wrong.err()).contains(parts[1]);
        assertThat(wrong.code()).isIn(Main.USAGE, Main.FAILED);
        assertThat(wrong.out()).isEmpty();
    }

    @Test
    void differencesAreLinesOfJsonAndHaveAnExitCode() throws IOException {
        String target = target();
        copied(target);
        TestCluster.execute("UPDATE " + target + " SET v = 'other' WHERE p = 1 AND c = 10");
        TestCluster.execute("DELETE FROM " + target + " WHERE p = 2 AND c = 20");
        TestCluster.execute("INSERT INTO " + target + " (p, c, v) VALUES (77, 1, 'new')");
        String[] lines = {
            "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":10},\"columns\":[\"v\"]}",
            "{\"kind\":\"missing-right\",\"key\":{\"p\":2,\"c\":20}}",
            "{\"kind\":\"missing-left\",\"key\":{\"p\":77,\"c\":1}}"
        };
        Cli diff = run("diff", FROM + ".source", target, "--json");
        assertThat(diff.code()).isEqualTo(Main.DIFFERENT);
        assertThat(diff.out().lines()).containsExactlyInAnyOrder(lines);
        JsonNode summary = JSON.readTree(diff.err());
        assertThat(summary.get("rowsLeft").asLong()).isEqualTo(ROWS);
        assertThat(summary.get("rowsSame").asLong()).isEqualTo(ROWS - 2);
        assertThat(summary.get("different").asLong()).isEqualTo(1);
        assertThat(summary.get("digestLeft").asText())
                .isNotEqualTo(summary.get("digestRight").asText());
        assertThat(run("diff", FROM + ".source", target, "--max-differences", "1")
                        .out()
                        .lines())
                .hasSize(1);
        assertThat(run("diff", FROM + ".source", target, "--where", "p = 5").code())
                .isEqualTo(Main.DONE);

        Cli repair = run("diff", FROM + ".source", target, "--repair", "missing,different,extra");
        assertThat(repair.code()).isEqualTo(Main.DIFFERENT);
        assertThat(repair.out().lines()).containsExactlyInAnyOrder(lines);
        assertThat(repair.err()).contains("  repaired  3 differences on the right; run it again");
        assertThat(run("diff", FROM + ".source", target).code()).isEqualTo(Main.DONE);
    }

    @Test
    void tablesThatCannotBeComparedAreAFailure() {
        Cli diff = run("diff", FROM + ".source", target("p int, c bigint, v text, PRIMARY KEY (p, c)"));
        assertThat(diff.code()).isEqualTo(Main.FAILED);
        assertThat(diff.err())
                .contains("cannot be compared: clustering columns (c int) and (c bigint)")
                .doesNotContain("\tat ");
        assertThat(List.of(diff.out())).containsExactly("");
    }
}
