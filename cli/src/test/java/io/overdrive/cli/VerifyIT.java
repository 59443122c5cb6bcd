package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive verify} as a user types it. */
@Tag("server")
class VerifyIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_verify");

    private final Path directory;

    VerifyIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path users() throws IOException {
        return Files.writeString(directory.resolve("users.csv"), "user_id,name,born\n1,Ada,1815\n2,-,\n3,Grace,1906\n");
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(
                        Stream.of(command, "--host", TestCluster.host(), "--rejects", directory.toString()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static String table(String name) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, name text, born int)");
        return table;
    }

    /** A profile, a dry run, a load and a verification take values of a spreadsheet alike. */
    @Test
    void valuesOfSpreadsheetsAreTakenAlike() throws IOException {
        String table = KEYSPACE + ".sheets";
        TestCluster.execute("CREATE TABLE " + table
                + " (id int PRIMARY KEY, name text, price decimal, day date, at timestamp, ok boolean)");
        Path file = Files.writeString(
                directory.resolve("sheet.csv"),
                "sep=;\r\nid; name ;price;day;at;ok\r\n1;\u00a0M\u00fcller ; 1.234,50;45292;45292,5451388889;TRUE\r\n"
                        + " 2 ;\" kept \";-,5;61;61; false\r\n3;   ;+7;;;\r\n4;x;1;60;;\r\n");
        String[] words = {
            "--trim",
            "--decimal-separator",
            ",",
            "--grouping-separator",
            ".",
            "--date-format",
            "excel",
            "--timestamp-format",
            "excel"
        };
        String[] input = Stream.concat(Stream.of(file.toString(), table), Stream.of(words))
                .toArray(String[]::new);
        assertThat(run(
                                "load",
                                Stream.concat(Stream.of(input), Stream.of("--dry-run"))
                                        .toArray(String[]::new))
                        .out())
                .startsWith("4 rows read = 3 could be written + 1 rejected\n");
        Cli load = run("load", input);
        assertThat(load.out()).startsWith("4 rows read = 3 written + 1 rejected\n");
        assertThat(TestCluster.execute("SELECT name, price, day, at, ok FROM " + table + " WHERE id = 1")
                        .get(0)
                        .getFormattedContents())
                .contains("name:'M\u00fcller'", "price:1234.50", "day:'2024-01-01'", "ok:true")
                .contains("at:'2024-01-01T13:05:00.000Z'");
        assertThat(run("verify", input).err())
                .startsWith("4 records read, 1 rejected; 3 rows compared: 3 the same, 0 different, 0 missing\n");
        Cli profile = Cli.run(Stream.concat(Stream.of("profile", file.toString(), "--key", "id"), Stream.of(words))
                .toArray(String[]::new));
        assertThat(profile.out())
                .startsWith("4 rows, ")
                .containsPattern("\n  name +text +1 ")
                .containsPattern("\n  ok +boolean +2 ");
    }

    @Test
    void afterALoadEverythingIsThereUntilARowIsDeleted() throws IOException {
        String table = table("users");
        String[] input = {users().toString(), table, "--map", "user_id = id, * = *", "--null", "-"};
        assertThat(run("load", input).code()).isEqualTo(Main.DONE);
        Cli verify = run("verify", input);
        assertThat(verify.code()).as(verify.err()).isEqualTo(Main.DONE);
        assertThat(verify.out()).isEmpty();
        assertThat(verify.err())
                .startsWith("3 records read, 0 rejected; 3 rows compared: 3 the same, 0 different, 0 missing\n")
                .doesNotContain("NOT ALL", "spilled");
        assertThat(verify.plan()).contains("  reads     " + table + " at LOCAL_QUORUM");

        TestCluster.execute("DELETE FROM " + table + " WHERE id = 1");
        TestCluster.execute("UPDATE " + table + " SET born = 1907 WHERE id = 3");
        verify = run("verify", input);
        assertThat(verify.code()).isEqualTo(Main.DIFFERENT);
        assertThat(verify.out().lines())
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"missing-right\",\"key\":{\"id\":1}}",
                        "{\"kind\":\"different\",\"key\":{\"id\":3},\"columns\":[\"born\"]}");
        assertThat(verify.err()).contains("3 rows compared: 1 the same, 1 different, 1 missing\n");
    }

    @Test
    void fieldsOfTheMappingThatNoRecordHasAreNamed() throws IOException {
        String table = table("misspelt");
        Path file = Files.writeString(directory.resolve("x.jsonl"), "{\"id\": 1, \"name\": \"Ada\", \"born\": 1815}\n");
        assertThat(run("load", file.toString(), table).code()).isEqualTo(Main.DONE);
        assertThat(run("verify", file.toString(), table, "--map", "id = id, name = name, bron = born")
                        .err())
                .startsWith(
                        "overdrive: no record has field \"bron\" of --map, so its column was not compared; check how it"
                                + " is spelt\n1 record read");
        assertThat(run("verify", file.toString(), table).err()).startsWith("1 record read");
    }

    @Test
    void theSummaryAsJson() throws IOException {
        String table = table("json");
        String[] input = {users().toString(), table, "--map", "user_id = id, * = *", "--json"};
        Cli verify = run("verify", input);
        assertThat(verify.code()).isEqualTo(Main.DIFFERENT);
        assertThat(verify.out().lines()).hasSize(3);
        JsonNode json = new JsonMapper().readTree(verify.err());
        assertThat(json.get("outcome").asText()).isEqualTo("done");
        assertThat(json.get("whole").asBoolean()).isTrue();
        assertThat(json.get("recordsRead").asLong()).isEqualTo(3);
        assertThat(json.get("rowsCompared").asLong()).isEqualTo(3);
        assertThat(json.get("missing").asLong()).isEqualTo(3);
        assertThat(json.get("different").asLong()).isZero();
        assertThat(json.get("plan").isObject()).isTrue();
    }

    @Test
    void rejectedRecordsAreAnExitCode() throws IOException {
        String table = table("rejects");
        Path file = Files.writeString(directory.resolve("bad.csv"), "id,name,born\n1,Ada,x\n2,Bo,1\n");
        assertThat(run("load", file.toString(), table).code()).isEqualTo(Main.DONE_WITH_REJECTS);
        Cli verify = run("verify", file.toString(), table);
        assertThat(verify.code()).isEqualTo(Main.DIFFERENT);
        assertThat(verify.out()).isEmpty();
        assertThat(verify.err())
                .contains("2 records read, 1 rejected; 1 row compared: 1 the same")
                .contains("  rejected  " + directory.resolve("bad-2.csv.rejected"));
    }

    @Test
    void whatCannotBeVerifiedIsRefusedWithItsReason() throws IOException {
        String file = users().toString();
        Cli statement = run("verify", file, "a.b", "--query", "INSERT INTO a.b (id) VALUES (:id)");
        assertThat(statement.code()).isEqualTo(Main.USAGE);
        assertThat(statement.err()).startsWith("overdrive: --query: verify cannot tell what a custom statement writes");
        Cli noTable = run("verify", file);
        assertThat(noTable.code()).isEqualTo(Main.USAGE);
        assertThat(noTable.err()).contains("give the input and the table: overdrive verify INPUT… KEYSPACE.TABLE");
        Cli directoryIsMissing = run(
                "verify",
                file,
                table("spills"),
                "--spill-directory",
                directory.resolve("nope").toString());
        assertThat(directoryIsMissing.code()).isEqualTo(Main.FAILED);
        assertThat(directoryIsMissing.err()).contains("there is no such directory", "--spill-directory");
    }

    @Test
    void recordsWithOneKeyAndValuesThatTheTableDoesNotKeepAreCounted() throws IOException {
        String table = KEYSPACE + ".counted";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, price double)");
        Path file = Files.writeString(
                directory.resolve("counted.csv"), "id,price\n1,1.5\n02,0.12345678901234567890\n2,2.5\n3,1.50\n");
        assertThat(run("load", file.toString(), table).code()).isEqualTo(Main.DONE);
        Cli verify = run("verify", file.toString(), table);
        assertThat(verify.code()).as(verify.err()).isEqualTo(Main.DONE);
        assertThat(verify.err())
                .contains(
                        "  keys      1 record has the key of an earlier one, and its values count\n",
                        "  not kept  1 value of column id, which is int: 02 was compared as 2\n",
                        "  not kept  1 value of column price, which is double: 0.12345678901234567890 was compared as"
                                + " 0.12345678901234568\n");
        JsonNode json = new JsonMapper()
                .readTree(run("verify", file.toString(), table, "--json").err());
        assertThat(json.get("recordsRepeated").asLong()).isEqualTo(1);
        assertThat(json.get("valuesNotKept").get(1).get("comparedAs").asText()).isEqualTo("0.12345678901234568");

        Cli strict = run("verify", file.toString(), table, "--create", "--key", "id", "--types", "price double");
        assertThat(strict.code()).isEqualTo(Main.DIFFERENT);
        assertThat(strict.err()).contains("4 records read, 1 rejected; 3 rows compared: 3 the same");
        Cli otherKey = run("verify", file.toString(), table, "--key", "price");
        assertThat(otherKey.err()).contains("exists with PRIMARY KEY (id), but --key is \"price\"");
    }
}
