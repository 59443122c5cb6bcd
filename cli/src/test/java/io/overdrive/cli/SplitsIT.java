package io.overdrive.cli;

import static io.overdrive.cli.SplitsTest.words;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Splits, and the commands that read them. */
@Timeout(300)
class SplitsIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_splits");
    private static final String TABLE = KEYSPACE + ".t";
    private static final String WHOLE_RING = "-9223372036854775808,9223372036854775807";

    private final Path directory;

    SplitsIT(@TempDir Path directory) {
        this.directory = directory;
    }

    /** Partitions of two rows, of one, and with static columns only. */
    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TABLE " + TABLE + " (id int, c int, s text static, v int, PRIMARY KEY (id, c))");
        for (int i = 0; i < 120; i++) {
            TestCluster.execute("INSERT INTO " + TABLE + " (id, s) VALUES (" + i + ", 's" + i + "')");
            for (int c = 0; c < i % 3; c++) {
                TestCluster.execute(
                        "INSERT INTO " + TABLE + " (id, c, v) VALUES (" + i + ", " + c + ", " + i % 4 + ")");
            }
        }
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static Cli done(String... arguments) {
        Cli run = run(arguments);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        return run;
    }

    private static long rows(String... arguments) throws IOException {
        JsonNode summary = new ObjectMapper().readTree(done(arguments).out());
        return summary.get(arguments[0].equals("count") ? "rows" : "rowsWritten")
                .asLong();
    }

    /** The arguments for each split. */
    private static List<String> splits(String... arguments) throws IOException {
        JsonNode splits = new ObjectMapper()
                .readTree(done(Stream.concat(Stream.of("splits", "--json"), Stream.of(arguments))
                                .toArray(String[]::new))
                        .out());
        List<String> ranges = new ArrayList<>();
        splits.forEach(split -> ranges.add("--token-range=" + String.join(":", words(split.get("token_ranges")))));
        return ranges;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v = 1"})
    void theRowsOfAllSplitsAreTheRowsOfTheTable(String where) throws IOException {
        String conditions = where.isEmpty() ? "--where=id >= 0" : "--where=" + where;
        for (String number : List.of("1", "2", "7")) {
            List<String> splits = splits(TABLE, "--splits", number, conditions);
            assertThat(splits).hasSize(Integer.parseInt(number));
            long counted = 0;
            for (String split : splits) {
                counted += rows("count", TABLE, split, conditions, "--json");
            }
            assertThat(counted).isEqualTo(rows("count", TABLE, conditions, "--json"));
        }
        assertThat(splits(TABLE)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "arrow"})
    void unloadsOfAllSplitsAreAnUnloadOfTheTable(String format) throws IOException {
        Path all = Files.createDirectory(directory.resolve("all"));
        long unloaded = 0;
        List<String> splits = splits(TABLE, "--splits", "5");
        for (int i = 0; i < splits.size(); i++) {
            unloaded += rows("unload", TABLE, all + "/" + i + "/", "--format", format, splits.get(i), "--json");
        }
        assertThat(unloaded)
                .isEqualTo(rows("unload", TABLE, directory + "/whole/", "--format", format, "--json"))
                .isEqualTo(160);
        String copy = KEYSPACE + ".copy_" + format;
        done("copy", TABLE, copy, "--create", "--where=id < 0");
        for (int i = 0; i < splits.size(); i++) {
            done("load", all + "/" + i + "/", copy);
        }
        done("diff", TABLE, copy);
    }

    @Test
    void copiesAndComparesPartsOfTheRing() throws IOException {
        String copy = KEYSPACE + ".copy";
        List<String> splits = splits(TABLE, "--splits", "2");
        done("copy", TABLE, copy, "--create", splits.get(0));
        done("diff", TABLE, copy, splits.get(0));
        Cli other = run("diff", TABLE, copy, splits.get(1));
        assertThat(other.code()).isEqualTo(Main.DIFFERENT);
        assertThat(other.out().lines().count())
                .isEqualTo(rows("unload", TABLE, directory + "/other.csv", splits.get(1), "--json"));
        done("copy", TABLE, copy, splits.get(1));
        done("diff", TABLE, copy);
    }

    @Test
    void splitsOfAQuery() throws IOException {
        String query = "SELECT c, v, id FROM " + TABLE + " WHERE v > 1 ALLOW FILTERING";
        long unloaded = 0;
        List<String> splits = splits("--query", query, "--splits", "3");
        for (int i = 0; i < splits.size(); i++) {
            unloaded += rows("unload", "--query", query, directory + "/" + i + ".jsonl", splits.get(i), "--json");
        }
        assertThat(unloaded)
                .isPositive()
                .isEqualTo(rows("unload", "--query", query, directory + "/whole.jsonl", "--json"));
    }

    @Test
    void aQueryThatCannotBeSplitIsOneSplit() {
        String query = "SELECT * FROM " + TABLE + " LIMIT 5";
        Cli splits = done("splits", "--query", query, "--splits", "8");
        assertThat(splits.out()).isEqualTo(WHOLE_RING + "\t-\t0\n");
        assertThat(splits.err())
                .isEqualTo(
                        "overdrive: the query is not split by token but is one split: it has a LIMIT over all rows\n");
        String out = directory.resolve("out.csv").toString();
        Cli refused = run("unload", "--query", query, out, "--token-range=0,9223372036854775807");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .isEqualTo("overdrive: [" + TABLE + "] --token-range does not go with the query, which cannot be"
                        + " restricted to a range of tokens: it has a LIMIT over all rows\n");
        done("unload", "--query", query, out, "--token-range", WHOLE_RING);
        assertThat(Path.of(out)).content().hasLineCount(6);
        assertThat(run("count", "system.local", "--token-range=0,1").err())
                .contains("[system.local] --token-range does not go with the query, which cannot be restricted");
        assertThat(run("count", "system.local", "--sample=1%").err())
                .contains("[system.local] --sample does not go with the query, which cannot be restricted");
    }

    /** Parts of parts, as texts with one and with several ranges, and with a range that ends before its start. */
    @Test
    void splitsArePartsOfTheGivenTokens() throws IOException {
        String wrapped = "--token-range=4000000000000000000,-4000000000000000000";
        String rest = "--token-range=-4000000000000000000,0:0,4000000000000000000";
        long counted = rows("count", TABLE, rest, "--json");
        for (String split : splits(TABLE, wrapped, "--splits", "3")) {
            counted += rows("count", TABLE, split, "--json");
        }
        assertThat(counted).isEqualTo(rows("count", TABLE, "--json"));
        assertThat(rows(
                        "count",
                        TABLE,
                        "--token-range=-4000000000000000000,1",
                        "--token-range=0,4000000000000000000",
                        "--json"))
                .as("repeated, and overlapping")
                .isEqualTo(rows("count", TABLE, rest, "--json"));
    }

    @Test
    void tokensDoNotGoWithKeysAndFiles() {
        for (String other : List.of("--keys=in.csv", "--from-sstables=" + directory)) {
            Cli refused = run("count", TABLE, other, "--token-range=0,5");
            assertThat(refused.code()).isEqualTo(Main.USAGE);
            assertThat(refused.err()).contains("--token-range", "does not go with");
        }
    }
}
