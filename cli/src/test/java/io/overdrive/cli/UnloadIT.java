package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code overdrive unload} and {@code overdrive count} as a user types them. */
@Tag("server")
@Timeout(300)
class UnloadIT {
    private static final String TABLE = TestCluster.keyspace("cli_unload") + ".t";
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 300_000;

    private final Path directory;

    UnloadIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill(@TempDir Path directory) throws IOException {
        TestCluster.execute("CREATE TABLE " + TABLE + " (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < ROWS; i++) {
            lines.add((i % 2 == 0 ? 0 : i % 1000) + "," + i + ",some text of row " + i);
        }
        Path file = Files.write(directory.resolve("t.csv"), lines);
        assertThat(run("load", file.toString(), TABLE).code()).isZero();
    }

    private static String[] command(String command, String... arguments) {
        return Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new);
    }

    private static Cli run(String command, String... arguments) {
        return Cli.run(command(command, arguments));
    }

    @Test
    void aDirectoryGetsAFileForEachSplit() throws IOException {
        Path out = directory.resolve("out");
        Cli unload = run("unload", TABLE, out + "/", "--compress", "zstd");
        assertThat(unload.err()).isEmpty();
        assertThat(unload.code()).isZero();
        assertThat(unload.out())
                .startsWith("300,000 rows written\n  time      ")
                .contains("\n  latency   p50 ")
                // as many as there are splits, at most 16 in flight, by the node's estimates of the table's size
                .containsPattern("\n  pages .* in \\d+ splits, 0 retries, up to [\\d.]+ MB of memory\n")
                .contains(": " + out + "\n")
                // what follows is there only after a second, and after several
                .containsPattern("\n  digest    [0-9a-f]{32}\n(  limited by .*\n)?"
                        + "(  in flight  .*\n  answered   .*\n  round trip .*\n)?$");
        try (Stream<Path> files = Files.list(out)) {
            assertThat(files).hasSizeGreaterThan(3).allMatch(file -> file.toString()
                    .endsWith(".csv.zst"));
        }
        Cli again = run("unload", TABLE, out.toString());
        assertThat(again.code()).isEqualTo(Main.FAILED);
        assertThat(again.err()).startsWith("overdrive: " + out + ": the directory is not empty");
    }

    @Test
    void theNameOfAFileDecidesItsFormat() throws IOException {
        Path file = directory.resolve("t.jsonl.gz");
        Cli unload = run("unload", TABLE, file.toString(), "--json", "--where", "p = 7");
        assertThat(unload.code()).isZero();
        JsonNode summary = JSON.readTree(unload.out());
        assertThat(summary.get("outcome").asText()).isEqualTo("done");
        assertThat(summary.get("rowsWritten").asLong()).isEqualTo(300);
        assertThat(summary.get("files").get(0).asText()).isEqualTo(file.toString());
        assertThat(summary.get("bytesStored").asLong()).isEqualTo(Files.size(file));
        assertThat(summary.get("digest").asText()).matches("[0-9a-f]{32}");
        TestCluster.execute("CREATE TABLE " + TABLE + "7 (p int, c int, v text, PRIMARY KEY (p, c))");
        Cli load = run("load", file.toString(), TABLE + "7");
        assertThat(load.out()).startsWith("300 rows read = 300 written + 0 rejected");
        Cli same = run("unload", TABLE + "7", directory.resolve("again.csv").toString(), "--json");
        assertThat(JSON.readTree(same.out()).get("digest")).isEqualTo(summary.get("digest"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.csv",
                "a.tsv",
                "a.txt",
                "a.json",
                "a.jsonl",
                "a.ndjson",
                "a.tsv.gz",
                "a.TSV.zst",
                "a.tsv.gzip",
                "a.csv.zstd",
                "a.csv.xz",
                "a.jsonl.bz2",
                "a.csv.lz4",
                "a.csv.snappy",
                "a.csv.sz"
            })
    void whatIsUnloadedIntoAFileLoadsAgainByItsNameAlone(String name) throws IOException {
        Path file = directory.resolve(name);
        assertThat(run("unload", TABLE, file.toString(), "--where", "p = 7").code())
                .isZero();
        assertThat(file).isRegularFile();
        Cli load = run("load", file.toString(), TABLE, "--dry-run", "--json");
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(JSON.readTree(load.out()).get("rowsWritten").asLong()).isEqualTo(300);
    }

    @Test
    void keysOfAFileChooseTheRows() throws IOException {
        Path keys =
                Files.writeString(directory.resolve("keys.csv"), "c,p,note\n7,7,a\n1007,7,b\n7,7,again\n8,7,none\n");
        Cli unload = run("unload", TABLE, directory.resolve("out.csv").toString(), "--keys", keys.toString(), "--json");
        assertThat(unload.code()).isEqualTo(3);
        assertThat(unload.err())
                .contains("overdrive: 3 keys in " + keys + "; 1 record repeats one\n")
                .endsWith("overdrive: 1 key has no row in the table: {\"p\":7,\"c\":8}\n");
        assertThat(JSON.readTree(unload.out()).get("keys").toString())
                .isEqualTo("{\"given\":3,\"repeated\":1,\"missing\":1,\"firstMissing\":[{\"p\":7,\"c\":8}]}");
        assertThat(Files.readAllLines(directory.resolve("out.csv")))
                .containsExactly("p,c,v", "7,7,some text of row 7", "7,1007,some text of row 1007");
        Path partitions = Files.writeString(directory.resolve("partitions.txt"), "7\n9\n");
        Cli count = run("count", TABLE, "--keys", partitions.toString(), "--keys-fields", "p");
        assertThat(count.code()).isZero();
        assertThat(count.plan()).contains("; the rows of 2 keys, each looked up in 1 split\n");
        assertThat(count.out()).startsWith("600 rows\n");
        Cli piped = Cli.runWithInput("7\n", command("count", TABLE, "--keys", "-", "--keys-fields", "p"));
        assertThat(piped.err()).contains("overdrive: 1 key in standard input\n");
        Cli wrong = run("count", TABLE, "--keys", partitions.toString());
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err())
                .contains(partitions + " has no field for p of the key of " + TABLE)
                .contains("--keys-map")
                .contains("--keys-fields");
    }

    @Test
    void filesOfADirectoryWithTabsAreNamedSo() throws IOException {
        Path out = directory.resolve("tabs");
        assertThat(run("unload", TABLE, out + "/", "--delimiter", "\\t", "--where", "p = 7")
                        .code())
                .isZero();
        Cli load = run("load", out.toString(), TABLE, "--dry-run");
        assertThat(load.out()).startsWith("300 rows read = 300 could be written");
    }

    @Test
    void standardOutputHasTheRowsAndNothingElse() {
        Cli unload = run("unload", TABLE, "-", "--columns", "c, v", "--where", "p = 7 AND c < 3000", "--no-header");
        assertThat(unload.code()).isZero();
        assertThat(unload.out())
                .isEqualTo("7,some text of row 7\n1007,some text of row 1007\n2007,some text of row 2007\n");
        assertThat(unload.err()).startsWith("3 rows written\n");
    }

    @Test
    void aQueryThatCannotBeSplitIsReported() {
        Cli unload = run("unload", "--query", "SELECT max(c) FROM " + TABLE, "-");
        assertThat(unload.code()).isZero();
        assertThat(unload.out()).contains("\n299999\n");
        assertThat(unload.err())
                .startsWith("overdrive: the query is not split by token but runs as one: it aggregates all rows");
    }

    @Test
    void mistakesGetAMessage() {
        Cli both = run("unload", TABLE, "out", "--query", "SELECT 1");
        assertThat(both.code()).isEqualTo(Main.USAGE);
        assertThat(both.err()).contains("give the output, and no table besides --query");
        Cli missing = run("unload", "cli_unload.nope", "-");
        assertThat(missing.code()).isEqualTo(Main.FAILED);
        assertThat(missing.err())
                .isEqualTo("overdrive: keyspace \"cli_unload\" has no table \"nope\"; its tables are "
                        + missing.err().substring(missing.err().indexOf("are ") + 4));
        Cli packing = run("unload", TABLE, "-", "--compress", "rar");
        assertThat(packing.code()).isEqualTo(Main.USAGE);
        assertThat(packing.err()).contains("--compress is \"rar\", must be none, gzip, zstd, xz, bzip2, lz4 or snappy");
        Cli condition = run("unload", TABLE, "-", "--where", "nope = 1");
        assertThat(condition.code()).isEqualTo(Main.FAILED);
        assertThat(condition.err())
                .startsWith("overdrive: the server refuses the query: ")
                .doesNotContain("\tat ");
    }

    @Test
    void aReaderThatEndsEarlyEndsTheRunSilently() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(Child.command(command("unload", TABLE, "-")));
        Path err = directory.resolve("err");
        Process unload = builder.redirectError(err.toFile()).start();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(unload.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(reader.readLine()).isEqualTo("p,c,v");
        }
        assertThat(unload.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(unload.exitValue()).isEqualTo(Main.READER_GONE);
        assertThat(Cli.withoutPlan(Files.readString(err))).isEmpty();
    }

    /** {@code blobAsInt(0x)} is an empty int, which no text form stands for. */
    @Test
    void emptyNumbersInKeysAreCountedAndReported() throws IOException {
        TestCluster.execute("CREATE TABLE cli_unload.empty_keys (a timestamp, n int, c int, PRIMARY KEY ((a, n), c))");
        TestCluster.execute("INSERT INTO cli_unload.empty_keys (a, n, c) VALUES ('2020-01-01', blobAsInt(0x), 1)");
        TestCluster.execute("INSERT INTO cli_unload.empty_keys (a, n, c) VALUES ('2020-01-02', 2, blobAsInt(0x))");
        TestCluster.execute("INSERT INTO cli_unload.empty_keys (a, n, c) VALUES ('2020-01-03', 3, 3)");
        String table = "cli_unload.empty_keys";
        for (String name : List.of("empty-keys.csv", "empty-keys.jsonl")) {
            Cli unload = run("unload", table, directory.resolve(name).toString());
            assertThat(unload.code()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(unload.out()).contains("  keys      2 have an empty number, time or the like");
            assertThat(unload.err())
                    .contains("overdrive: NOT ALL rows can be loaded from the files: 2 rows have an empty");
        }
        Cli count = run("count", table, "--by", "partition");
        assertThat(count.code()).as(count.err()).isZero();
        assertThat(count.out()).contains("  1  2020-01-01T00:00:00Z, null\n");
    }

    @Test
    void emptyValuesAreCountedAndReported() {
        String table = "cli_unload.empty_values";
        TestCluster.execute("CREATE TABLE " + table
                + " (k int, c int, s int STATIC, v int, t frozen<tuple<int, text>>, x text, PRIMARY KEY (k, c))");
        TestCluster.execute("INSERT INTO " + table + " (k, c, v, t, x) VALUES (1, 1, 5, (1, ''), '')");
        Cli none = run("unload", table, directory.resolve("no-empty-values.csv").toString());
        assertThat(none.code()).as(none.err()).isZero();
        TestCluster.execute("INSERT INTO " + table + " (k, c, s, v) VALUES (2, 1, blobAsInt(0x), blobAsInt(0x))");
        TestCluster.execute("INSERT INTO " + table + " (k, c, t) VALUES (3, 1, (blobAsInt(0x), 'a'))");
        for (String name : List.of("csv", "jsonl", "arrow", "parquet")) {
            Cli unload = run(
                    "unload", table, directory.resolve("empty-values." + name).toString(), "--json");
            assertThat(unload.code()).as(name).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(unload.out()).contains("\"emptyKeys\":0,\"emptyElements\":0,\"emptyValues\":3,");
            assertThat(unload.err()).contains("overdrive: NOT ALL values are in the files: 3 values are an empty");
        }
    }

    @Test
    void emptyPartsOfKeysAreCounted() {
        String table = "cli_unload.empty_parts_of_keys";
        TestCluster.execute("CREATE TABLE " + table + " (k frozen<tuple<int, text>>, l list<int>, PRIMARY KEY (k))");
        TestCluster.execute("INSERT INTO " + table + " (k, l) VALUES ((blobAsInt(0x), 'a'), [1])");
        TestCluster.execute("INSERT INTO " + table + " (k, l) VALUES ((1, ''), [blobAsInt(0x), 2, blobAsInt(0x)])");
        Cli unload = run("unload", table, directory.resolve("parts.csv").toString(), "--json");
        assertThat(unload.code()).as(unload.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(unload.out()).contains("\"emptyKeys\":1,\"emptyElements\":2,\"emptyValues\":0,\"repeatedTimes\":0");
    }

    /** Clocks in Berlin showed 02:30 at 00:30 and at 01:30 UTC. */
    /** COPY FROM takes a time after the letter T for none, and reads midnight without an error. */
    @Test
    void timestampsForCqlshAreThoseOfCopy() throws IOException {
        String table = "cli_unload.copied";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, s set<timestamp>, t timestamp)");
        TestCluster.execute("INSERT INTO " + table + " (id, s, t) VALUES (1, {1700000000123}, 253402300800000)");
        String file = directory.resolve("copied.csv").toString();
        run("unload", table, file, "--dialect", "cqlsh");
        assertThat(Path.of(file))
                .hasContent("id,s,t\n1,{'2023-11-14 22:13:20.123+0000'},+10000-01-01 00:00:00.000+0000\n");
        assertThat(run("verify", file, table, "--dialect", "cqlsh").code()).isZero();
        assertThat(run("unload", table, "-", "--dialect", "cqlsh", "--timestamp-format", "uuuu")
                        .out())
                .isEqualTo("id,s,t\n1,{'2023'},+10000\n");
    }

    @Test
    void timesThatLookAsAnEarlierOneAreCountedAndReported() {
        String table = "cli_unload.twice";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, t timestamp)");
        for (int hour = 0; hour < 3; hour++) {
            TestCluster.execute(
                    "INSERT INTO " + table + " (id, t) VALUES (" + hour + ", '2024-10-27T0" + hour + ":30:00Z')");
        }
        Cli unload = run(
                "unload",
                table,
                directory.resolve("twice.csv").toString(),
                "--timestamp-format",
                "yyyy-MM-dd HH:mm",
                "--time-zone",
                "Europe/Berlin");
        assertThat(unload.code()).as(unload.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(unload.out()).contains("  times     1 is in the second of two hours that look the same");
        assertThat(unload.err())
                .contains(
                        "overdrive: NOT ALL times are loaded from the files as they are: 1 time looks as an hour before");
        Cli distinct = run(
                "unload",
                table,
                directory.resolve("distinct.csv").toString(),
                "--timestamp-format",
                "yyyy-MM-dd HH:mmXXX",
                "--time-zone",
                "Europe/Berlin");
        assertThat(distinct.code()).as(distinct.err()).isZero();
    }

    @Test
    void textIsDistinguishedFromWhatItLooksLike() {
        String table = "cli_unload.empty_texts";
        TestCluster.execute("CREATE TABLE " + table + " (t text, n int, PRIMARY KEY ((t, n)))");
        for (String values : List.of("'', 1", "'null', 1", "'a, b', 1", "'a', blobAsInt(0x)")) {
            TestCluster.execute("INSERT INTO " + table + " (t, n) VALUES (" + values + ")");
        }
        assertThat(run("count", table, "--by", "partition").out())
                .contains("  1  '', 1\n", "  1  'null', 1\n", "  1  'a, b', 1\n", "  1  a, null\n");
        assertThat(run("count", table, "--by", "partition", "--json").out())
                .contains("{\"name\":\"'', 1\",\"rows\":1}", "{\"name\":\"a, null\",\"rows\":1}");
    }

    /** Functions and drivers may store values in other ways than a load. */
    @Test
    void valuesThatAreStoredInAnotherWayComeBackInTheUsualOne() {
        for (String table : List.of("stored", "stored_csv", "stored_jsonl")) {
            TestCluster.execute("CREATE TABLE cli_unload." + table
                    + " (id int PRIMARY KEY, n int, l frozen<list<int>>, a inet, d double, b boolean, v varint)");
        }
        List.of(
                        "(id, n) VALUES (1, blobAsInt(0x))",
                        "(id, l) VALUES (2, [blobAsInt(0x), 7])",
                        "(id, a) VALUES (3, blobAsInet(0x00000000000000000000ffff0a000007))",
                        "(id, d) VALUES (4, blobAsDouble(0x7ff8000000000001))",
                        "(id, b) VALUES (5, blobAsBoolean(0x05))",
                        "(id, v) VALUES (6, blobAsVarint(0x00000007))",
                        "(id, n, l, a, d, b, v) VALUES (7, 7, [7], '10.0.0.7', 0.7, true, 7)")
                .forEach(row -> TestCluster.execute("INSERT INTO cli_unload.stored " + row));
        for (String kind : List.of("csv", "jsonl")) {
            String file = directory.resolve("stored." + kind).toString();
            String copy = "cli_unload.stored_" + kind;
            Cli unload = run("unload", "cli_unload.stored", file);
            assertThat(unload.code()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(unload.out()).contains("  elements  1 is an empty number, time or the like in a collection");
            assertThat(unload.err())
                    .contains(
                            "overdrive: NOT ALL rows can be loaded from the files: 1 element of a collection is an empty");
            Cli load = run("load", file, copy, "--rejects", directory.toString());
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(load.out()).startsWith("7 rows read = 6 written + 1 rejected");
            assertThat(run("diff", "cli_unload.stored", copy).out().lines())
                    .containsExactlyInAnyOrder(
                            "{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"n\"]}",
                            "{\"kind\":\"missing-right\",\"key\":{\"id\":2}}",
                            "{\"kind\":\"different\",\"key\":{\"id\":3},\"columns\":[\"a\"]}",
                            "{\"kind\":\"different\",\"key\":{\"id\":4},\"columns\":[\"d\"]}",
                            "{\"kind\":\"different\",\"key\":{\"id\":5},\"columns\":[\"b\"]}",
                            "{\"kind\":\"different\",\"key\":{\"id\":6},\"columns\":[\"v\"]}");
            assertThat(TestCluster.execute("SELECT id FROM " + copy + " WHERE a = '10.0.0.7' ALLOW FILTERING"))
                    .hasSize(2);
        }
    }

    /** More partitions than fit into the first page of a split. */
    @Test
    void countsPartitionsOfATableWithoutClusteringColumns() throws IOException {
        String table = TABLE + "_without_clustering";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, a text)");
        List<String> lines = new ArrayList<>(List.of("id,a"));
        for (int i = 0; i < 5_000; i++) {
            lines.add(i + ",x");
        }
        Path file = Files.write(directory.resolve("ids.csv"), lines);
        assertThat(run("load", file.toString(), table).code()).isZero();
        Cli count = run("count", table, "--by", "partition", "--top", "2");
        assertThat(count.err()).isEmpty();
        assertThat(count.out())
                .startsWith("5,000 rows\n")
                .contains(" 0 retries\n")
                .containsPattern("\n  1  \\d+\n  1  \\d+\n$");
    }

    @Test
    void countsRows() throws IOException {
        Cli count = run("count", TABLE);
        assertThat(count.code()).isZero();
        assertThat(count.out()).startsWith("300,000 rows\n  time      ");
        assertThat(count.plan()).contains("  reads     " + TABLE + " at LOCAL_QUORUM (1 of 1 replica)");
        Cli largest = run("count", TABLE, "--by", "partition", "--top", "3");
        assertThat(largest.out())
                .startsWith("300,000 rows\n")
                .contains("\n  rows      of each partition, the largest first\n  150,000  0\n      300  ");
        JsonNode ranges =
                JSON.readTree(run("count", TABLE, "--by", "range", "--json").out());
        assertThat(ranges.get("rows").asLong()).isEqualTo(ROWS);
        long sum = 0;
        for (JsonNode group : ranges.get("groups")) {
            assertThat(group.get("name").asText()).matches("\\(-?\\d+, -?\\d+]");
            sum += group.get("rows").asLong();
        }
        assertThat(sum).isEqualTo(ROWS);
        JsonNode nodes = JSON.readTree(run("count", TABLE, "--by", "node", "--json", "--where", "p = 0")
                .out());
        assertThat(nodes.get("groups")).hasSize(1);
        assertThat(nodes.get("groups").get(0).get("rows").asLong()).isEqualTo(150_000);
    }
}
