package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of runs. */
class ReportIT {
    private static final String LEFT = TestCluster.keyspace("cli_report");
    private static final String RIGHT = TestCluster.keyspace("cli_report2");

    private final Path page;
    private final Path json;

    ReportIT(@TempDir Path directory) {
        page = directory.resolve("report.html");
        json = directory.resolve("report.json");
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TABLE cli_report.a (id text PRIMARY KEY, v int, w int)");
        TestCluster.execute("CREATE TABLE cli_report.b (id int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE TABLE cli_report2.a (id text PRIMARY KEY, v int, w int)");
        TestCluster.execute("CREATE TABLE cli_report2.c (id int PRIMARY KEY)");
        for (String keyspace : new String[] {"cli_report", "cli_report2"}) {
            TestCluster.execute("INSERT INTO " + keyspace + ".a (id, v, w) VALUES ('same', 1, 1)");
        }
        TestCluster.execute("INSERT INTO cli_report.a (id, v) VALUES ('<script>', 2)");
        TestCluster.execute("INSERT INTO cli_report.b (id, v) VALUES (1, 2)");
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(
                        Stream.of(command, "--host", TestCluster.host(), "--report=" + page, "--report=" + json),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    private JsonNode report() throws IOException {
        return new JsonMapper().readTree(json.toFile());
    }

    @Test
    void aResumedComparisonIsReportedAsAWhole() throws IOException {
        Cli failed = run("diff", LEFT, RIGHT);
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        JsonNode report = report();
        assertThat(report.at("/verdict/text").asText())
                .isEqualTo("failed: 1 of 2 tables was compared; differences in 1");
        assertThat(report.at("/verdict/leftOut").toString()).isEqualTo("[\"b: not compared to its end\"]");
        assertThat(report.at("/onlyRight/0").asText()).isEqualTo("c");

        TestCluster.execute("CREATE TABLE cli_report2.b (id int PRIMARY KEY, v int)");
        TestCluster.execute("INSERT INTO cli_report2.b (id, v) VALUES (1, 2)");
        Cli resumed = Cli.run("resume", report.get("run").asText(), "--host", TestCluster.host());
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DIFFERENT);
        report = report();
        assertThat(report.at("/verdict/result").asText()).isEqualTo("different");
        assertThat(report.at("/verdict/text").asText())
                .isEqualTo("differs in 1 of 2 tables; 1 table is only on the right");
        assertThat(report.at("/sides/1/tables").asText()).isEqualTo(RIGHT);
        assertThat(report.at("/sides/0/cassandra/0").asText()).matches("\\d+\\.\\d+.*");
        JsonNode before = report.at("/tables/0");
        assertThat(before.get("table").asText()).isEqualTo("a");
        assertThat(before.get("rowsLeft").asInt()).isEqualTo(2);
        assertThat(before.at("/differences/0").toString())
                .isEqualTo("{\"kind\":\"missing-right\",\"key\":{\"id\":\"<script>\"}}");
        assertThat(before.get("ranges").findValuesAsText("differences")).contains("1");
        assertThat(report.at("/tables/1/rowsSame").asInt()).isEqualTo(1);
        assertThat(Files.readString(page))
                .contains("Differs in 1 of 2 tables; 1 table is only on the right</h1>", "&lt;script&gt;")
                .doesNotContain("<script");
    }

    @Test
    void aComparisonOfAPartIsNotSaidToBeEqual() throws IOException {
        Cli some = run("diff", LEFT + ".a", RIGHT + ".a", "--where", "id = 'same'", "--map", "* = *, * = -w");
        assertThat(some.code()).as(some.err()).isEqualTo(Main.DONE);
        assertThat(report().at("/verdict/result").asText()).isEqualTo("noDifferenceFound");
        assertThat(report().at("/verdict/leftOut").toString())
                .contains("only rows for which id = 'same' (--where)", "column ")
                .contains("cli_report.a");
    }

    @Test
    void aCopyIsReported() throws IOException {
        String into = TestCluster.keyspace("cli_report3");
        assertThat(run("copy", LEFT, into, "--create").code()).isEqualTo(Main.DONE);
        assertThat(report().at("/verdict/text").asText()).isEqualTo("3 rows of 2 tables copied");
        assertThat(run("diff", LEFT, into).code()).isEqualTo(Main.DONE);
        assertThat(report().at("/verdict/text").asText()).isEqualTo("equal: 2 tables");
        assertThat(Files.readString(page)).contains("<h1 class=\"verdict good\">Equal: 2 tables</h1>");

        String equal = report().get("run").asText();
        assertThat(run("diff", LEFT, into, "--recheck", equal).code()).isEqualTo(Main.DONE);
        assertThat(report().at("/outcome").asText()).isEqualTo("done");
        assertThat(report().at("/verdict/result").asText()).isEqualTo("noDifferenceFound");
        assertThat(report().at("/verdict/leftOut").toString()).contains("in which run " + equal);
    }

    /** It has the exit code 0, as nothing is wrong with that. */
    @Test
    void cellsThatHaveExpiredAreLeftOut() throws IOException {
        Path file = Files.writeString(
                page.resolveSibling("rows.csv"),
                "id,v,writetime(v),expires(v)\na,1,1700000000000000,1700000100\nb,1,1700000000000000,\n");
        TestCluster.execute("CREATE TABLE cli_report2.times (id text PRIMARY KEY, v int)");
        Cli loaded = run("load", file.toString(), "cli_report2.times", "--keep-times");
        TestCluster.execute("DROP TABLE cli_report2.times");
        assertThat(loaded.code()).as(loaded.err()).isZero();
        assertThat(report().at("/verdict/result").asText()).isEqualTo("doneInPart");
        assertThat(report().at("/verdict/leftOut").toString())
                .contains("1 cell has expired since the files were written");
    }

    @Test
    void keysWithoutARowAreLeftOut() throws IOException {
        Path keys = Files.writeString(page.resolveSibling("keys.csv"), "id\nsame\nother\n");
        Cli unloaded =
                run("unload", LEFT + ".a", page.resolveSibling("rows.csv").toString(), "--keys", keys.toString());
        assertThat(unloaded.code()).as(unloaded.err()).isEqualTo(3);
        assertThat(report().at("/verdict/leftOut").toString()).contains("\"1 key has no row\"");
    }
}
