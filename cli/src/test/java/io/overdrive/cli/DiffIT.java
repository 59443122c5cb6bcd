package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code overdrive diff} with options about what is compared and repaired, as a user types them. */
@Tag("server")
class DiffIT {
    private static final String LEFT = TestCluster.keyspace("cli_diff");
    private static final String RIGHT = TestCluster.keyspace("cli_diff2");

    /** Enough splits of a table without estimates that differences are in a few of them. */
    private static final String[] SMALL_SPLITS = {"--split-bytes", "64KB"};

    @BeforeAll
    static void fill() {
        for (String keyspace : new String[] {LEFT, RIGHT}) {
            TestCluster.execute("CREATE TABLE " + keyspace + ".t (p int PRIMARY KEY, v text)");
            TestCluster.execute("CREATE TABLE " + keyspace + ".same (p int PRIMARY KEY, v text)");
            for (int p = 0; p < 300; p++) {
                TestCluster.execute(
                        "INSERT INTO " + keyspace + ".t (p, v) VALUES (" + p + ", 'v') USING TIMESTAMP 1000");
            }
            TestCluster.execute("INSERT INTO " + keyspace + ".same (p, v) VALUES (1, 'v')");
        }
    }

    private static Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static Cli diff(String... arguments) {
        return run(
                "diff",
                Stream.concat(Stream.of(SMALL_SPLITS), Stream.of(arguments)).toArray(String[]::new));
    }

    private static JsonNode json(String text) throws IOException {
        return new JsonMapper().readTree(text);
    }

    @Test
    void differencesAreComparedAgainWhereTheyWere() throws IOException {
        TestCluster.execute("UPDATE cli_diff.t USING TIMESTAMP 2000 SET v = 'newer' WHERE p = 7");
        Cli first = diff(LEFT + ".t", RIGHT + ".t", "--json");
        assertThat(first.code()).as(first.err()).isEqualTo(Main.DIFFERENT);
        String run = json(first.err()).get("run").asText();
        Cli text = diff(LEFT + ".t", RIGHT + ".t");
        assertThat(text.err()).contains("\n  recheck   --recheck ");

        Cli repaired =
                diff(LEFT + ".t", RIGHT + ".t", "--recheck", run, "--repair", "different", "--keep-times", "--json");
        assertThat(repaired.code()).as(repaired.err()).isEqualTo(Main.DIFFERENT);
        JsonNode summary = json(repaired.err());
        assertThat(summary.get("rowsRepaired").asInt()).isEqualTo(1);
        assertThat(summary.get("rowsLeft").asInt()).isBetween(1, 299);
        assertThat(TestCluster.execute("SELECT writetime(v) FROM cli_diff2.t WHERE p = 7")
                        .get(0)
                        .getLong(0))
                .isEqualTo(2000);

        Cli again = diff(LEFT + ".t", RIGHT + ".t", "--recheck", run, "--compare-times", "--json");
        assertThat(again.code()).as(again.err()).isEqualTo(Main.DONE);
        String equal = json(again.err()).get("run").asText();
        Cli nothing = diff(LEFT + ".t", RIGHT + ".t", "--recheck", equal);
        assertThat(nothing.code()).isEqualTo(Main.DONE);
        assertThat(nothing.err())
                .isEqualTo("overdrive: run " + equal + " found no differences, so there is nothing to compare again\n");

        String object = diff(LEFT + ".t", RIGHT + ".t", "--recheck", equal, "--json")
                .err()
                .lines()
                .reduce((message, last) -> last)
                .orElseThrow();
        assertThat(json(object).get("rowsLeft").asInt(-1)).isZero();
        assertThat(json(object).get("outcome").asText()).isEqualTo("done");

        Cli other = diff(LEFT + ".same", RIGHT + ".same", "--recheck", run);
        assertThat(other.code()).isEqualTo(Main.FAILED);
        assertThat(other.err()).contains("run " + run + " did not compare cli_diff.same");
        Cli wrong = diff(LEFT + ".t", RIGHT + ".t", "--recheck", "20200101-000000-abcd");
        assertThat(wrong.err()).contains("there is no run 20200101-000000-abcd");
        assertThat(diff(LEFT + ".t", RIGHT + ".t", "--recheck", run, "--sample", "1%")
                        .err())
                .contains("--recheck and --sample both choose rows");
        assertKeyspaces();
    }

    private static void assertKeyspaces() throws IOException {
        TestCluster.execute("UPDATE cli_diff2.t USING TIMESTAMP 3000 SET v = 'right' WHERE p = 8");
        Cli whole = diff(LEFT, RIGHT, "--json");
        assertThat(whole.code()).as(whole.err()).isEqualTo(Main.DIFFERENT);
        String run = json(whole.err()).get("run").asText();
        Cli again = diff(LEFT, RIGHT, "--recheck", run, "--repair", "missing,different");
        assertThat(again.code()).isEqualTo(Main.DIFFERENT);
        assertThat(again.err())
                .startsWith("overdrive: 1 table had no differences in run " + run + ", and was not compared again\n")
                .contains("cli_diff: 1 table, ");
        assertThat(diff(LEFT, RIGHT).code()).isEqualTo(Main.DONE);

        for (String keyspace : new String[] {LEFT, RIGHT}) {
            TestCluster.execute("CREATE TABLE " + keyspace + ".later (p int PRIMARY KEY)");
        }
        TestCluster.execute("INSERT INTO cli_diff.later (p) VALUES (1)");
        Cli later = diff(LEFT, RIGHT, "--recheck", run);
        assertThat(later.out()).isEqualTo("{\"table\":\"later\",\"kind\":\"missing-right\",\"key\":{\"p\":1}}\n");
    }

    @Test
    void aSampleIsAShareOfTheRows() throws IOException {
        int counted = json(run("count", RIGHT + ".t", "--sample", "50%", "--json")
                        .out())
                .get("rows")
                .asInt();
        assertThat(counted).isBetween(100, 200);
        Cli compared = diff(RIGHT + ".t", RIGHT + ".t", "--sample", "50%");
        assertThat(compared.err()).startsWith(counted + " rows left, " + counted + " right: " + counted + " the same");
        Cli refused = run("count", RIGHT + ".t", "--sample", "50%", "--token-range", "0,5");
        assertThat(refused.code()).isEqualTo(Main.USAGE);
    }
}
