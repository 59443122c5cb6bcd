package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --set} and {@code unload --map} as a user types them, against a node. */
@Tag("server")
class SetIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_set");

    private final Path directory;

    SetIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static String table(String name) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table
                + " (id int, c text, city text, day date, n bigint, price decimal, \"Odd name\" text, tags list<text>,"
                + " s text static, PRIMARY KEY (id, c))");
        return table;
    }

    private Path write(String name, String... lines) throws IOException {
        return Files.write(directory.resolve(name), List.of(lines));
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private Cli load(Path file, String table, String... options) {
        return run(
                "load",
                Stream.concat(Stream.of(file.toString(), table, "--rejects", directory.toString()), Stream.of(options))
                        .toArray(String[]::new));
    }

    private static void done(Cli cli) {
        assertThat(cli.code()).as(cli.err()).isEqualTo(Main.DONE);
    }

    private static List<String> rows(String table, String columns) {
        List<String> rows = new ArrayList<>();
        for (Row row : TestCluster.execute("SELECT " + columns + " FROM " + table)) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                text.append(i == 0 ? "" : "|").append(row.getObject(i));
            }
            rows.add(text.toString());
        }
        rows.sort(null);
        return rows;
    }

    @Test
    void aLoadComputesColumnsFromFieldsOfCsv() throws IOException {
        String table = table("csv");
        Path file =
                write("in.csv", "id,c,city,day,n,first,last", "1,a, köln ,31.12.2023,5,Ada,L", "2,b,,01.01.2024,,Bob,");
        String[] set = {
            "--set", "city = upper(trim(city))",
            "--set", "day = date(raw(day), 'dd.MM.yyyy')",
            "--set", "n = n * 2",
            "--set", "price = coalesce(n, 0) * 1.10",
            "--set", "\"Odd name\" = first || ' ' || coalesce(last, '-')",
            "--set", "c = c || id",
        };
        done(load(file, table, set));
        assertThat(rows(table, "id, c, city, day, n, price, \"Odd name\""))
                .containsExactly("1|a1|KÖLN|2023-12-31|10|5.50|Ada L", "2|b2|null|2024-01-01|null|0.00|Bob -");

        String[] input =
                Stream.concat(Stream.of(file.toString(), table), Stream.of(set)).toArray(String[]::new);
        done(run("verify", input));
        TestCluster.execute("UPDATE " + table + " SET city = 'köln' WHERE id = 1 AND c = 'a1'");
        Cli verify = run("verify", input);
        assertThat(verify.code()).isEqualTo(Main.DIFFERENT);
        assertThat(verify.out()).contains("\"columns\":[\"city\"]");
    }

    @Test
    void aLoadComputesColumnsFromMembersOfJson() throws IOException {
        String table = table("json");
        Path file = write(
                "in.jsonl",
                "{\"id\": 1, \"c\": \"a\", \"person\": {\"city\": \"Rom\"}, \"tags\": [\"x\"]}",
                "{\"id\": 2, \"c\": \"b\", \"N\": 7, \"city\": \"Bonn\"}");
        done(load(
                file,
                table,
                "--set",
                "city = coalesce(city, json_text(person, 'city'))",
                "--set",
                "n = n + 1",
                "--set",
                "tags = tags",
                "--set",
                "s = 'from ' || coalesce(raw(tags), 'nowhere')"));
        assertThat(rows(table, "id, city, n, tags, s"))
                .containsExactly("1|Rom|null|[x]|from [\"x\"]", "2|Bonn|8|[]|from nowhere");
    }

    @Test
    void anotherRecordIsRejectedWithItsPlaceAndTheExpression() throws IOException {
        String table = table("rejects");
        Path file = write("bad.csv", "id,c,v", "1,a,5", "2,b,x", "3,c,9223372036854775807", "4,d,");
        Cli load = load(file, table, "--set", "n = bigint(v) + 1");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(directory.resolve("bad.csv.rejected")).hasContent("id,c,v\n2,b,x\n3,c,9223372036854775807\n");
        assertThat(Files.readString(directory.resolve("bad.csv.rejected.reasons"))
                        .replace("\\\"", "'"))
                .contains("\"line\":3")
                .contains("column 'n' cannot be set by 'n = bigint(v) + 1': at position 5, the result of bigint() is"
                        + " bigint, got 'x'")
                .contains("\"line\":4")
                .contains("at position 15, the result of + is bigint, but 9223372036854775807 + 1 is out of range");
        assertThat(rows(table, "id, n")).containsExactly("1|6", "4|null");
    }

    @Test
    void aWrongExpressionEndsTheLoadBeforeTheFirstRow() throws IOException {
        String table = table("wrong");
        Path file = write("in.csv", "id,c,v", "1,a,5");
        assertThat(load(file, table, "--set", "city = upper(w)", "--allow-extra-fields")
                        .err())
                .contains(
                        "--set \"city = upper(w)\": at position 14, there is no column \"w\": did you mean \"c\" or \"v\"?");
        assertThat(load(file, table, "--set", "n = v").err())
                .contains("--set \"n = v\": at position 5, column \"n\" is bigint, and the expression gives text:"
                        + " bigint(…) makes one of it");
        assertThat(load(file, table, "--set", "cty = v").err())
                .contains("--set \"cty = v\": there is no column \"cty\": did you mean \"city\"?");
        assertThat(load(file, table, "--set", "c = v", "--map", "v = c, * = *").err())
                .contains(
                        "--map \"v = c, * = *\" and --set \"c = v\" both give column \"c\" a value; leave one of them out");
        assertThat(rows(table, "id")).isEmpty();
    }

    @Test
    void anUnloadRenamesAndComputesFieldsThatLoadAgain() throws IOException {
        String table = table("unload");
        TestCluster.execute(
                "INSERT INTO " + table + " (id, c, city, day, n, tags) VALUES (1, 'a', 'Rom', '2024-02-29', 7, ['x'])");
        Path out = directory.resolve("out.csv");
        String[] options = {"--columns", "id,c,city,day,n", "--map", "key = id, town = city, * = *, * = -day"};
        done(run(
                "unload",
                Stream.concat(
                                Stream.of(table, out.toString()),
                                Stream.concat(
                                        Stream.of(options),
                                        Stream.of(
                                                "--set",
                                                "n = n * 2",
                                                "--set",
                                                "label = upper(city) || ' ' || format(day, 'MM/yy')")))
                        .toArray(String[]::new)));
        assertThat(out).hasContent("key,c,town,n,label\n1,a,Rom,14,ROM 02/24\n");

        String again = table("again");
        done(load(out, again, "--map", "key = id, town = city, * = *, * = -label"));
        assertThat(rows(again, "id, c, city, n")).containsExactly("1|a|Rom|14");

        for (String format : List.of("jsonl", "arrow")) {
            Path other = directory.resolve("out." + format);
            done(run("unload", table, other.toString(), "--columns", "id,c", "--set", "up = upper(c)"));
            String to = table(format);
            done(load(other, to, "--map", "up = city, * = *"));
            assertThat(rows(to, "id, c, city")).containsExactly("1|a|A");
        }
    }

    @Test
    void anUnloadRefusesWhatItCannotWrite() throws IOException {
        String table = table("refused");
        TestCluster.execute("INSERT INTO " + table + " (id, c, city) VALUES (1, 'a', 'Rom')");
        String out = directory.resolve("no.csv").toString();
        assertThat(run("unload", table, out, "--set", "x = upper(cty)").err())
                .contains(
                        "--set \"x = upper(cty)\": at position 11, there is no column \"cty\": did you mean \"city\"?");
        assertThat(run("unload", table, out, "--set", "x = raw(city)").err())
                .contains("raw() is for fields of a load; text() makes text of a column");
        assertThat(run("unload", table, out, "--map", "'x' = city, * = *").err())
                .contains("a constant is no column; a computed one is given by --set");
        assertThat(run("unload", table, out, "--map", "x = town, * = *").err()).contains("there is no column \"town\"");
        assertThat(run("unload", table, out, "--map", "c = city, * = *").err())
                .contains("two columns go to field \"c\"");
        Cli stopped = run("unload", table, out, "--set", "x = int(city)");
        assertThat(stopped.code()).isEqualTo(Main.FAILED);
        assertThat(stopped.err())
                .contains(
                        "field \"x\" cannot be set by \"x = int(city)\": at position 5, the result of int() is int, got"
                                + " \"Rom\"; the row is {\"id\":1,\"c\":\"a\",");
        assertThat(Path.of(out)).doesNotExist();
        Cli computed = run(
                "unload",
                table,
                directory.resolve("d").toString(),
                "--format",
                "parquet",
                "--partition-by",
                "x",
                "--set",
                "x = upper(city)");
        assertThat(computed.code()).isEqualTo(Main.FAILED);
        assertThat(computed.err())
                .contains(
                        "--partition-by names directories by columns as they are read, and \"x\" is none: neither --map"
                                + " nor --set can make one");
    }

    @Test
    void aCopyComputesColumnsAndRejectsRows() throws IOException {
        String source = table("source");
        String target = table("target");
        TestCluster.execute("INSERT INTO " + source + " (id, c, city, n, s) VALUES (1, 'a', 'Rom', 1, 'st')");
        TestCluster.execute("INSERT INTO " + source + " (id, c, city, n, tags) VALUES (1, 'b', '12', 2, ['t'])");
        Cli copy = run(
                "copy",
                source,
                target,
                "--rejects",
                directory.toString(),
                "--set",
                "id = id + 100",
                "--set",
                "n = int(city)",
                "--set",
                "city = lower(city) || n");
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(rows(target, "id, c, city, n, tags, s")).containsExactly("101|b|122|12|[t]|st");
        assertThat(Files.readString(directory.resolve(target + ".rejected.jsonl")))
                .contains("column \\\"n\\\" cannot be set by")
                .contains("\"id\":1");
        assertThat(run("copy", source, target, "--set", "n = 1", "--keep-times").err())
                .contains(
                        "--set and --keep-times exclude each other: a computed value has no write time of the source");
        assertThat(run("copy", source, target, "--set", "nn = 1").err()).contains("there is no column \"nn\"");
    }

    @Test
    void aRunIsResumedOnlyWithTheSameExpressions() throws IOException {
        String table = table("resumed");
        List<String> lines = new ArrayList<>(List.of("id,c,city"));
        for (int i = 0; i < 3_000; i++) {
            lines.add((i % 1_000 == 500 ? "bad" : "") + i + ",c,city");
        }
        Path file = Files.write(directory.resolve("in.csv"), lines);
        String[] set = {"--set", "city = upper(city)", "--max-rejects", "1", "--threads", "1"};
        Cli failed = load(file, table, set);
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.err()).containsPattern("to continue run \\S+: repeat the command with --resume");

        Cli other = load(file, table, "--set", "city = lower(city)", "--max-rejects", "9", "--resume");
        assertThat(other.code()).isNotEqualTo(Main.DONE);
        assertThat(other.err())
                .contains("there is no unfinished run of this command to resume")
                .contains("it had --set=city = upper(city), it did not have --set=city = lower(city)");

        Cli resumed = load(file, table, "--set", "city = upper(city)", "--max-rejects", "9", "--resume");
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(TestCluster.count(table, "id")).isEqualTo(2_997);
        assertThat(rows(table, "DISTINCT id")).hasSize(2_997);
        assertThat(rows(table, "city")).containsOnly("CITY");
    }

    @Test
    void aWrongExpressionCreatesNoTable() throws IOException {
        Path file = write("wrong.csv", "id,n", "1,2");
        String table = KEYSPACE + ".not_created";
        for (String set : List.of("t = n + 1", "t = upper(nn)")) {
            for (String dryRun : List.of("--dry-run", "--no-journal")) {
                Cli load = load(file, table, "--create", "--key", "id", "--types", "t text", "--set", set, dryRun);
                assertThat(load.code()).isEqualTo(Main.FAILED);
                assertThat(load.err())
                        .contains("--set \"" + set + "\": at position ")
                        .doesNotContain("CREATE TABLE");
            }
        }
        assertThat(load(file, table, "--dry-run").err()).contains("not_created");
    }

    @Test
    void aNewTableNeedsTheTypeOfAComputedColumn() throws IOException {
        Path file = write("new.csv", "id,city", "1,rom");
        String table = KEYSPACE + ".created";
        String[] options = {"--create", "--key", "id", "--set", "city = upper(city)"};
        assertThat(load(file, table, options).err()).contains("city").contains("is computed");
        done(load(
                file,
                table,
                Stream.concat(Stream.of(options), Stream.of("--types", "city text"))
                        .toArray(String[]::new)));
        assertThat(rows(table, "id, city")).containsExactly("1|ROM");
    }
}
