package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code overdrive load} as a user types it, into real tables. */
@Tag("server")
class LoadIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_load");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** A bad value, a key that only the cluster refuses, and a missing field, among three good records. */
    private static final List<String> SOME_BAD = List.of("name,n", "a,1", "b,two", "c,3", "\"\",4", "d", "e,5");

    private static int tables;

    private final Path directory;

    LoadIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static String table(String columns) {
        String table = KEYSPACE + ".t" + tables++;
        TestCluster.execute("CREATE TABLE " + table + " (" + columns + ")");
        return table;
    }

    private String file(String name, List<String> lines) throws IOException {
        return Files.write(directory.resolve(name), lines).toString();
    }

    private static String[] command(String... arguments) {
        return Stream.concat(Stream.of("load", "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new);
    }

    private static Cli load(String... arguments) {
        return Cli.run(command(arguments));
    }

    private static List<String> rows(String table, String columns) {
        List<String> rows = new ArrayList<>();
        for (Row row : TestCluster.execute("SELECT " + columns + " FROM " + table)) {
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                cells.add(String.valueOf(row.getObject(i)));
            }
            rows.add(String.join(" ", cells));
        }
        rows.sort(null);
        return rows;
    }

    private static void assertRowsAddUp(JsonNode summary) {
        assertThat(summary.get("rowsRead").asLong())
                .isEqualTo(summary.get("rowsWritten").asLong()
                        + summary.get("rowsRejected").asLong());
    }

    @Test
    void filesOfADirectoryAreCountedAndThoseLeftOutToo() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        file("a.csv", List.of("name,n", "a,1"));
        file("b.csv", List.of("name,n", "b,2"));
        file("README.md", List.of("text"));
        file("x.orc", List.of("ORC"));
        Cli load = load(directory.toString(), table);
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(load.err())
                .isEqualTo("overdrive: " + directory + ": 2 files are read, 2 left out by name: README.md, x.orc\n");
        assertThat(load.plan().lines())
                .containsExactly(
                        "  cluster   overdrive local, data centre dc1, node " + TestCluster.host(),
                        "  writes    " + table + " at LOCAL_QUORUM (1 of 1 replica); each row by itself, or with"
                                + " others while that is faster",
                        "  limits    in flight by round trips, at most 4,096 requests and 16MB a node");
        assertThat(load.out()).contains("2 rows read = 2 written", "\n  files     2 read, 2 left out by name\n");
        JsonNode summary = JSON.readTree(
                load(directory + "/*.csv", table, "--dry-run", "--json").out());
        assertThat(summary.get("filesRead").asInt()).isEqualTo(2);
        assertThat(summary.get("filesNotRead").asInt()).isZero();
        assertThat(summary.get("filesLeftOut").asInt()).isZero();
        assertThat(summary.at("/plan/writes/table").asText()).isEqualTo(table);
        assertThat(summary.at("/plan/writes/replicas/dc1").asInt()).isOne();
    }

    @Test
    void recordsThatAreBadAreKeptWithTheirReasons() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        Path rejects = directory.resolve("bad").resolve("ones");
        Cli load = load(file("x.csv", SOME_BAD), table, "--rejects", rejects.toString());
        assertThat(load.err()).isEmpty();
        assertThat(load.out())
                .startsWith("6 rows read = 3 written + 3 rejected\n")
                .contains("  time  ", "  latency  ", "  requests  ")
                .contains("  rejected  " + rejects.resolve("x.csv.rejected")
                        + ", with the reasons next to it in x.csv.rejected.reasons\n" + "            the first: ");
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(rows(table, "name, n")).containsExactly("a 1", "c 3", "e 5");
        assertThat(rejects.resolve("x.csv.rejected")).hasContent("name,n\nb,two\nd\n\"\",4\n");
        List<JsonNode> reasons = new ArrayList<>();
        for (String line : Files.readAllLines(rejects.resolve("x.csv.rejected.reasons"))) {
            reasons.add(JSON.readTree(line));
        }
        assertThat(reasons).extracting(r -> r.get("line").asInt()).containsExactly(3, 6, 5);
        assertThat(reasons).extracting(r -> r.get("file").asText()).containsOnly(directory + "/x.csv");
        assertThat(reasons.get(0).get("reason").asText()).isEqualTo("column \"n\" is int, got \"two\"");
        assertThat(reasons.get(1).get("reason").asText()).startsWith("the record has 1 field, the header has 2");
        assertThat(reasons.get(2).get("reason").asText()).contains("Key may not be empty");
    }

    @Test
    void jsonIsOneObjectWhoseFiguresAreThoseOfTheTable() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        Cli load = load(file("x.csv", SOME_BAD), table, "--json", "--rejects", directory.toString());
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(load.err()).isEmpty();
        JsonNode summary = JSON.readTree(load.out());
        assertRowsAddUp(summary);
        assertThat(summary.get("outcome").asText()).isEqualTo("done");
        assertThat(summary.get("rowsRead").asLong()).isEqualTo(6);
        assertThat(summary.get("rowsWritten").asLong()).isEqualTo(TestCluster.count(table, "name"));
        assertThat(summary.get("rejectFiles").toString()).isEqualTo("[\"" + directory + "/x.csv.rejected\"]");
    }

    @Test
    void tooManyRejectsEndTheLoadInOneLine() throws IOException {
        String table = table("id int PRIMARY KEY, n int");
        List<String> lines = new ArrayList<>(List.of("id,n"));
        for (int i = 0; i < 100_000; i++) {
            lines.add(i + (i % 10_000 == 0 ? ",1" : ",none"));
        }
        Cli load = load(
                file("x.csv", lines),
                table,
                "--max-rejects",
                "2",
                "--threads",
                "1",
                "--json",
                "--rejects",
                directory.toString());
        assertThat(load.code()).isEqualTo(Main.FAILED);
        JsonNode summary = JSON.readTree(load.out());
        assertThat(load.err())
                .endsWith("overdrive: more records were rejected than the limit of 2 (--max-rejects);"
                        + " the reasons are next to the rejected records\n"
                        + "overdrive: to continue run "
                        + summary.get("run").asText()
                        + ": repeat the command with --resume and a higher --max-rejects\n")
                .doesNotContain("\tat ");
        assertRowsAddUp(summary);
        assertThat(summary.get("outcome").asText()).isEqualTo("failed");
        assertThat(summary.get("failure").asText()).startsWith("more records were rejected than the limit of 2");
        assertThat(summary.get("rowsRead").asLong()).as("stops early").isBetween(1L, 50_000L);
        assertThat(summary.get("rowsWritten").asLong()).isEqualTo(TestCluster.count(table, "id"));
    }

    @Test
    void asManyRejectsAsTheLimitAreFine() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        Cli load = load(file("x.csv", SOME_BAD), table, "--max-rejects", "3", "--rejects", directory.toString());
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        Cli one = load(file("x.csv", SOME_BAD), table, "--max-rejects", "0", "--rejects", directory.toString());
        assertThat(one.code()).isEqualTo(Main.FAILED);
        assertThat(one.out()).contains("2 rows read = 1 written + 1 rejected", directory + "/x-2.csv.rejected");
    }

    @Test
    void aDryRunChecksEverythingAndWritesNothing() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        Cli bad = load(file("x.csv", SOME_BAD), table, "--dry-run", "--rejects", directory.toString());
        assertThat(bad.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(bad.out()).startsWith("6 rows read = 3 could be written + 3 rejected\n");
        assertThat(directory.resolve("x.csv.rejected")).hasContent("name,n\nb,two\n\"\",4\nd\n");
        Cli good = load(file("y.csv", List.of("name,n", "a,1")), table, "--dry-run");
        assertThat(good.code()).isEqualTo(Main.DONE);
        assertThat(good.out()).startsWith("1 row read = 1 could be written + 0 rejected\n");
        assertThat(TestCluster.count(table, "name")).isZero();
    }

    @Test
    void aUsersStatementNeedsNoTable() throws IOException {
        String table = table("id int PRIMARY KEY, n int, note text");
        TestCluster.execute("INSERT INTO " + table + " (id, note) VALUES (1, 'kept') USING TIMESTAMP 1000");
        Cli load = load(
                file("x.csv", List.of("id,amount", "1,10", "2,20")),
                "--query",
                "UPDATE " + table + " SET n = :amount WHERE id = :id");
        assertThat(load.err()).isEmpty();
        assertThat(load.out()).startsWith("2 rows read = 2 written + 0 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(rows(table, "id, n, note")).containsExactly("1 10 kept", "2 20 null");
    }

    @Test
    void anEmptyInputIsReported() throws IOException {
        Path empty = Files.writeString(directory.resolve("empty.csv"), "");
        String table = table("id int PRIMARY KEY");
        Cli load = load(empty.toString(), table);
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        assertThat(load.err()).isEqualTo("overdrive: the input is empty: it has 0 bytes\n");
        Cli header = load(Files.writeString(empty, "id\n").toString(), table);
        assertThat(header.err()).isEmpty();
    }

    @Test
    void standardInputIsCsvByDefault() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        Cli load = Cli.runWithInput(
                String.join("\n", SOME_BAD) + "\n", command("-", table, "--rejects", directory.toString()));
        assertThat(load.err()).isEmpty();
        assertThat(load.out())
                .startsWith("6 rows read = 3 written + 3 rejected\n")
                .contains("  rejected  " + directory + "/stdin.csv.rejected, with the reasons next to it in ");
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(rows(table, "name, n")).containsExactly("a 1", "c 3", "e 5");
        // the one that the cluster refused is kept too, though the input cannot be read again
        assertThat(Files.readAllLines(directory.resolve("stdin.csv.rejected")))
                .containsExactlyInAnyOrder("name,n", "b,two", "d", "\"\",4");
    }

    @Test
    void standardInputMayBeJsonLines() throws IOException {
        String table = table("id int PRIMARY KEY, tags set<text>, at timestamp");
        Cli load = Cli.runWithInput(
                """
                {"id": 1, "tags": ["b", "a"], "at": "2013-01-01T00:00:00Z"}
                {"id": 2, "tags": null}
                {"id": "x"}
                {"id": 3
                """,
                command("-", table, "--format", "json", "--rejects", directory.toString()));
        assertThat(load.err()).isEmpty();
        assertThat(load.out()).startsWith("4 rows read = 2 written + 2 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(rows(table, "id, tags, at")).containsExactly("1 [a, b] 2013-01-01T00:00:00Z", "2 [] null");
        assertThat(Files.readAllLines(directory.resolve("stdin.json.rejected")))
                .containsExactly("{\"id\": \"x\"}", "{\"id\": 3");
    }

    /** The header of a CSV file has to have all of them, but JSON has none. */
    @Test
    void theDialectIsNamedWhereTheEscapeCharacterMeansSomethingElse() throws IOException {
        String table = table("name text PRIMARY KEY, n int");
        String file = file("u.csv", List.of("name,n", "\"say \\\"hi\\\"\",1", "a\\,2", "b,3"));
        Cli plain = load(file, table, "--rejects", directory.resolve("plain").toString());
        assertThat(Files.readString(directory.resolve("plain").resolve("u.csv.rejected.reasons")))
                .contains("give --dialect dsbulk, spark or cqlsh, by the tool that wrote it");
        assertThat(plain.out()).startsWith("3 rows read = 2 written + 1 rejected\n");
        load(
                file("e.csv", List.of("n,name", "1,a\\", "3,b")),
                table,
                "--escape",
                "\\",
                "--rejects",
                directory.toString());
        assertThat(Files.readString(directory.resolve("e.csv.rejected.reasons")))
                .contains(
                        "the record has 3 fields, the header has 2",
                        "give --dialect dsbulk or spark in place of --escape");
        Cli right = load(file, table, "--dialect", "dsbulk");
        assertThat(right.out()).startsWith("3 rows read = 3 written + 0 rejected\n");
        assertThat(rows(table, "name, n")).contains("a\\ 2", "say \"hi\" 1");
    }

    @Test
    void anEmptyFieldIsTextIfTheUserSaysSo() throws IOException {
        String table = table("a text, b text, n int, v text, PRIMARY KEY (a, b)");
        String file = file("empty.csv", List.of("a,b,n,v", "x,,,", "y,z,1,null"));
        Cli load = load(file, table, "--null", "null", "--empty-text");
        assertThat(load.out()).startsWith("2 rows read = 2 written + 0 rejected\n");
        assertThat(rows(table, "a, b, n, v")).containsExactly("x  null ", "y z 1 null");
    }

    @Test
    void extraFieldsOfUserDefinedTypesAreIgnoredIfAllowed() throws IOException {
        TestCluster.execute("CREATE TYPE " + KEYSPACE + ".pair (a int, b int)");
        String table = table("id int PRIMARY KEY, u frozen<pair>");
        String csv = file("extra.csv", List.of("id,u", "1,\"{a: 1, c: {d: 2}}\""));
        String json = file("extra.jsonl", List.of("{\"id\":2,\"u\":{\"c\":[3],\"b\":4}}"));
        load(csv, table, "--rejects", directory.toString());
        assertThat(Files.readString(directory.resolve("extra.csv.rejected.reasons")))
                .contains("pair, which has no field \\\"c\\\"; --allow-extra-fields ignores it\"");
        assertThat(load(csv, table, "--allow-extra-fields").code()).isZero();
        assertThat(load(json, table, "--allow-extra-fields").code()).isZero();
        assertThat(Cli.run("unload", table, "-", "--host", TestCluster.host())
                        .out()
                        .lines())
                .containsExactlyInAnyOrder("id,u", "1,\"{a: 1, b: null}\"", "2,\"{a: null, b: 4}\"");
    }

    private static Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "jsonl"})
    void partitionsWithoutRowsAreLoadedAsTheyWereUnloaded(String format) throws IOException {
        String columns =
                "k int, c text, d int, v text, m map<text, int>, s list<text> static, t text static, l list<int>,"
                        + " PRIMARY KEY (k, c, d)";
        String source = table(columns);
        TestCluster.execute("INSERT INTO " + source + " (k, s, t) VALUES (1, ['only', 'these'], '')");
        TestCluster.execute(
                "INSERT INTO " + source + " (k, c, d, v, m, s, l) VALUES (2, '', 1, 'v', {'x': 1}, ['a'], [1])");
        TestCluster.execute("INSERT INTO " + source + " (k, c, d) VALUES (3, 'c', 2)");
        TestCluster.execute("INSERT INTO " + source + " (k, c, d, t) VALUES (4, 'c', 3, 'gone')");
        TestCluster.execute("DELETE FROM " + source + " WHERE k = 4 AND c = 'c'");
        String file = directory.resolve("out." + format).toString();
        assertThat(run("unload", source, file).out()).startsWith("4 rows written\n");

        String target = table(columns);
        Cli dry = load(file, target, "--dry-run");
        assertThat(dry.out()).startsWith("4 rows read = 4 ");
        assertThat(TestCluster.count(target, "k, c")).isZero();
        Cli load = load(file, target);
        assertThat(load.err()).isEmpty();
        assertThat(load.out()).startsWith("4 rows read = 4 written + 0 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(rows(target, "k, c, d, v, m, s, t")).isEqualTo(rows(source, "k, c, d, v, m, s, t"));
        assertThat(run("diff", source, target).code()).isEqualTo(Main.DONE);
        assertThat(run("verify", file, target).err()).contains("4 rows compared: 4 the same, 0 different, 0 missing\n");

        TestCluster.execute("DELETE FROM " + target + " WHERE k = 1");
        TestCluster.execute("UPDATE " + target + " SET t = 'other' WHERE k = 4");
        Cli verify = run("verify", file, target);
        assertThat(verify.out().lines().filter(line -> line.startsWith("{")))
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"missing-right\",\"key\":{\"k\":1}}",
                        "{\"kind\":\"different\",\"key\":{\"k\":4},\"columns\":[\"t\"]}");
        assertThat(verify.code()).isEqualTo(Main.DIFFERENT);
    }

    @Test
    void recordsWithoutARowHaveAStaticValueAndNoOther() throws IOException {
        String table = table("k int, c text, d int, v text, s int static, PRIMARY KEY (k, c, d)");
        Cli load = load(
                file(
                        "x.csv",
                        List.of(
                                "k,c,d,v,s",
                                "1,,,,",
                                "2,,,v,2",
                                "3,a,,,3",
                                "4,,4,,4",
                                ",,,,5",
                                "6,,,,6",
                                "7,,,,x",
                                "8,\"\",8,,8")),
                table,
                "--rejects",
                directory.toString(),
                "--write-nulls");
        assertThat(load.out()).startsWith("8 rows read = 2 written + 6 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(rows(table, "k, c, d, v, s")).containsExactly("6 null null null 6", "8  8 null 8");
        List<String> reasons = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve("x.csv.rejected.reasons"))) {
            JsonNode reason = JSON.readTree(line);
            reasons.add(reason.get("line").asInt() + " " + reason.get("reason").asText());
        }
        assertThat(reasons)
                .containsExactly(
                        "2 key column \"c\" has no value, and neither has any other column besides the partition key",
                        "3 key column \"c\" has no value",
                        "4 key column \"d\" has no value",
                        "5 key column \"c\" has no value",
                        "6 key column \"k\" has no value",
                        "8 column \"s\" is int, got \"x\"");
    }

    @Test
    void staticValuesOfTheLastRecordAreKeptWithOrWithoutItsRow() throws IOException {
        String table = table("k int, c int, l list<int>, s text static, PRIMARY KEY (k, c)");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            int k = i % 4;
            lines.add(
                    k % 2 == i / 4 % 2
                            ? "{\"k\": " + k + ", \"s\": \"" + i + "\"}"
                            : "{\"k\": " + k + ", \"c\": " + i + ", \"l\": [1, 2], \"s\": \"" + i + "\"}");
        }
        Cli load = load(file("x.jsonl", lines), table);
        assertThat(load.out()).startsWith("400 rows read = 400 written + 0 rejected\n");
        assertThat(new TreeSet<>(rows(table, "k, s"))).containsExactly("0 396", "1 397", "2 398", "3 399");
    }

    @Test
    void partitionsWithoutRowsHaveTheirTimesAndMayBeRejected() throws IOException {
        String table = table("k text, c int, v int, s text static, PRIMARY KEY (k, c)");
        Cli load = Cli.runWithInput(
                "k,c,v,s,w,x\n" + "x".repeat(70_000)
                        + ",,,too long,,\na,,,one,2026-01-01T00:00:00Z,100000\nb,,,two,,\n",
                command("-", table, "--rejects", directory.toString(), "--map", "* = *, w = writetime(), x = ttl()"));
        assertThat(load.out()).startsWith("3 rows read = 2 written + 1 rejected\n");
        assertThat(Files.readString(directory.resolve("stdin.csv.rejected"))).endsWith("xxx,,,too long,,\n");
        Row timed = TestCluster.execute("SELECT writetime(s), ttl(s) FROM " + table + " WHERE k = 'a'")
                .get(0);
        assertThat(timed.getLong(0)).isEqualTo(1_767_225_600_000_000L);
        assertThat(timed.getInt(1)).isBetween(90_000, 100_000);
        assertThat(rows(table, "k, c, s")).containsExactly("a null one", "b null two");
    }

    @Test
    void countersOfPartitionsWithoutRowsAreAdded() throws IOException {
        String table = table("k int, c int, v counter, s counter static, PRIMARY KEY (k, c)");
        Cli load = load(
                file("x.csv", List.of("k,c,v,s", "1,,,9", "2,1,3,9", "3,,,", "4,,,1")),
                table,
                "--allow-non-idempotent",
                "--rejects",
                directory.toString());
        assertThat(load.out()).startsWith("4 rows read = 3 written + 1 rejected\n");
        assertThat(rows(table, "k, c, v, s")).containsExactly("1 null null 9", "2 1 3 9", "4 null null 1");
    }

    @Test
    void fieldsOfTheMappingThatNoRecordHasAreNamed() throws IOException {
        String table = table("id int PRIMARY KEY, name text, v int");
        Cli load = load(
                file("x.jsonl", List.of("{\"id\": 1, \"n\": \"a\"}", "{\"id\": 2, \"V\": 3}")),
                table,
                "--map",
                "id = id, n = name, nmae = name, v = v");
        assertThat(load.err())
                .isEqualTo("overdrive: no record has field \"nmae\" of --map, so its column got no values; check how it"
                        + " is spelt\n");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(rows(table, "id, name, v")).containsExactly("1 a null", "2 null 3");
        assertThat(load(file("y.csv", List.of("id,n,v", "1,a,2")), table, "--map", "id = id, n = name, v = v")
                        .err())
                .isEmpty();
    }

    @Test
    void settingsAreShownWithTheirOriginAndWithoutThePassword() throws IOException {
        String table = table("id int PRIMARY KEY");
        Path password = Files.writeString(directory.resolve("pw"), "s3cret\n");
        Cli load = load(
                file("x.csv", List.of("id", "1")),
                table,
                "--settings",
                "--batch-rows",
                "50",
                "--user",
                "app",
                "--password-file",
                password.toString());
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(load.err()).contains("batchRows = 50 (user)").doesNotContain("s3cret");
        assertThat(load.out())
                .startsWith("1 row read = 1 written + 0 rejected\n")
                .doesNotContain("s3cret");
    }

    @Test
    void missingFilesAndTablesAreNamedInOneLine() throws IOException {
        String table = table("id int PRIMARY KEY");
        String file = file("x.csv", List.of("id", "1"));
        assertFailed(load(file, KEYSPACE + ".nope"), "keyspace \"" + KEYSPACE + "\" has no table \"nope\"");
        assertFailed(load(file, KEYSPACE + ".nope"), "(--create creates a missing table)");
        assertFailed(load(file, "nope.nope"), "there is no keyspace \"nope\"");
        assertFailed(load(file("y.csv", List.of("id,age", "1,2")), table), "field \"age\" has no column of its name");
        assertFailed(load(file, table, "--dc", "dc9"), "reports no node in data centre \"dc9\"; the cluster has dc1");
        assertThat(TestCluster.count(table, "id")).isZero();
    }

    private static void assertFailed(Cli failed, String message) {
        assertThat(failed.err()).startsWith("overdrive: ").contains(message);
        assertThat(failed.err().lines()).hasSize(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.code()).isEqualTo(Main.FAILED);
    }
}
