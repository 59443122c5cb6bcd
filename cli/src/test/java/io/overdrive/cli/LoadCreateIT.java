package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code overdrive load --create}: the new table is inferred from the input. */
@Tag("server")
class LoadCreateIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_create");
    private static final Path FLIGHTS = Path.of("..", "data", "flights.csv.zst");
    private static final String FLIGHTS_KEY = "(origin, dest, year, month), day, sched_dep_time, carrier, flight";

    private final Path directory;

    LoadCreateIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n")
                .toString();
    }

    private static String[] command(String... arguments) {
        return Stream.concat(Stream.of("load", "--create", "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new);
    }

    private static Cli create(String... arguments) {
        return Cli.run(command(arguments));
    }

    private static Map<String, String> types(String keyspace, String table) {
        Map<String, String> types = new TreeMap<>();
        for (Row row : TestCluster.execute("SELECT column_name, type FROM system_schema.columns WHERE keyspace_name = '"
                + keyspace + "' AND table_name = '" + table + "'")) {
            types.put(String.valueOf(row.getString(0)), String.valueOf(row.getString(1)));
        }
        return types;
    }

    @ParameterizedTest
    @ValueSource(strings = {"arrow", "parquet"})
    void aColumnarFileOfATableMakesOneLikeIt(String format) {
        String from = KEYSPACE + ".like_" + format;
        TestCluster.execute("CREATE TYPE IF NOT EXISTS " + KEYSPACE + ".\"In ner\" (x int, \"Y,\n;) y\" text)");
        TestCluster.execute(
                "CREATE TYPE IF NOT EXISTS " + KEYSPACE + ".addr (i frozen<\"In ner\">, l frozen<list<int>>)");
        TestCluster.execute("CREATE TABLE " + from + " (p frozen<set<int>>, c int, a addr, f frozen<addr>, m map<int,"
                + " frozen<\"In ner\">>, l frozen<list<text>>, n text static, s addr static, PRIMARY KEY (p, c))");
        TestCluster.execute(
                "INSERT INTO " + from + " (p, c, a, f, m, l, n, s) VALUES ({1, 2}, 1, {i: {x: 1, \"Y,\n;) y\":"
                        + " 'y'}, l: [1]}, {l: [2]}, {1: {x: 2}}, ['a'], 'n', {l: []})");
        TestCluster.execute("INSERT INTO " + from + " (p, n) VALUES ({}, 'only')");
        String file = directory.resolve("t." + format).toString();
        assertThat(Cli.run("unload", from, file, "--host", TestCluster.host()).code())
                .isZero();
        String to = "cli_create_" + format;
        Cli load = create(file, to + ".t", "--key", "p, c");
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.err()).contains("-- created type " + to + ".addr\n");
        assertThat(types(to, "t")).isEqualTo(types(KEYSPACE, "like_" + format));
        assertThat(Cli.run("diff", from, to + ".t", "--host", TestCluster.host())
                        .code())
                .isZero();
        assertThat(create(file, to + ".other", "--key", "p, c").err()).doesNotContain("CREATE TYPE");
        assertThat(create(file, to + ".flat", "--key", "p").err()).doesNotContain(" static");
        TestCluster.execute("ALTER TYPE " + to + ".addr ADD more int");
        assertThat(create(file, to + ".third", "--key", "p, c").err())
                .contains("type " + to + ".addr exists with other fields than (i frozen<\"In ner\">, l"
                        + " frozen<list<int>>), which the file notes");
        TestCluster.execute("DROP KEYSPACE " + to);
    }

    @Test
    @Tag("nightly")
    void allFlightsGoIntoATableMadeForThem() throws IOException {
        // no keyspace either
        String table = "cli_flights.flights";
        Cli first = create(FLIGHTS.toString(), table, "--null", "NA", "--key", FLIGHTS_KEY, "--json");
        assertThat(first.code()).isEqualTo(Main.DONE);
        assertThat(first.err())
                .startsWith("-- creating keyspace cli_flights\nCREATE KEYSPACE cli_flights WITH replication =")
                .contains("\n-- created keyspace cli_flights\n-- creating table cli_flights.flights\n"
                        + "CREATE TABLE cli_flights.flights (\n    year int,\n")
                .endsWith("    PRIMARY KEY (" + FLIGHTS_KEY + "));\n-- created table cli_flights.flights\n");
        JsonNode summary = new JsonMapper().readTree(first.out());
        assertThat(summary.get("rowsRead").asLong()).isEqualTo(336_776);
        assertThat(summary.get("rowsWritten").asLong()).isEqualTo(336_776);
        assertThat(types("cli_flights", "flights"))
                .hasSize(19)
                .containsEntry("dep_delay", "int")
                .containsEntry("tailnum", "text")
                .containsEntry("time_hour", "timestamp");
        // as many as were written: all flights have different keys
        assertThat(TestCluster.count(table, "flight")).isEqualTo(336_776);

        Cli second = create(FLIGHTS.toString(), table, "--null", "NA", "--key", FLIGHTS_KEY, "--max-records", "1000");
        assertThat(second.err()).doesNotContain("CREATE");
        assertThat(second.out()).startsWith("1,000 rows read = 1,000 written + 0 rejected\n");
        assertThat(second.code()).isEqualTo(Main.DONE);
    }

    @Test
    void aSampleThatLeavesATypeOpenCreatesNothing() throws IOException {
        Cli objects = create(file("x.jsonl", "{\"id\": 1, \"tags\": {\"a\": 1}}"), "cli_open.t", "--key", "id");
        assertThat(objects.code()).isEqualTo(Main.FAILED);
        assertThat(objects.err())
                .isEqualTo("overdrive: the first record does not show the type of this column:\n"
                        + "  tags contains objects, which may be a map or a user-defined type\n"
                        + "give its type, for example with --types \"tags map<text, int>\"\n");
        assertThat(objects.out()).isEmpty();
        assertThat(types("cli_open", "t")).isEmpty();
        assertThat(TestCluster.execute("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'cli_open'"))
                .isEmpty();
    }

    @Test
    void aColumnWithoutValuesIsTextAndARepeatedKeyIsReported() throws IOException {
        String file = file("x.csv", "id,note", "1,", "2,NA", "1,");
        String table = KEYSPACE + ".empty";
        String note = "-- no value in the sample, so text unless --types gives another type: note\n";
        String repeated =
                "-- in the first 3 records, 1 has the key of an earlier one, and will overwrite it: if these are"
                        + " separate rows, --key needs more columns\n";
        assertThat(create(file, table, "--key", "id", "--dry-run").err()).contains(note, repeated);
        Cli load = create(file, table, "--key", "id");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        assertThat(load.err()).contains(note, repeated);
        assertThat(load.out())
                .contains("  keys      1 row had the key of an earlier row of this input and overwrote it\n");
        assertThat(types(KEYSPACE, "empty")).isEqualTo(Map.of("id", "int", "note", "text"));
        // the table exists now, so that all of the input is checked
        Cli dry = create(file, table, "--key", "id", "--dry-run", "--json");
        JsonNode summary = new JsonMapper().readTree(dry.out());
        assertThat(summary.get("repeatedKeys").asLong()).isEqualTo(1);
        assertThat(summary.get("repeatedKeysExact").asBoolean()).isTrue();
    }

    @Test
    void objectsAreKeptAsTheirJson() throws IOException {
        String file = file(
                "deep.json",
                "[{\"id\": 1, \"o\": {\"a\": {\"b\": [1.50, 12345678901234567890.10, \"x\\ny \\u20ac\"]}, \"c\": null}},"
                        + " {\"id\": 2, \"o\": []}, {\"id\": 3, \"o\": true}]");
        String table = KEYSPACE + ".json_text";
        Cli refused = create(file, table, "--key", "id", "--types", "o text");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("column o is text by --types, but the sample has objects for it: --json-text");
        assertThat(types(KEYSPACE, "json_text")).isEmpty();
        Cli load = create(file, table, "--key", "id", "--types", "o text", "--json-text");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        Map<Integer, String> texts = new TreeMap<>();
        for (Row row : TestCluster.execute("SELECT id, o FROM " + table)) {
            texts.put(row.getInt(0), String.valueOf(row.getString(1)));
        }
        assertThat(texts)
                .isEqualTo(Map.of(
                        1,
                        "{\"a\":{\"b\":[1.50,12345678901234567890.10,\"x\\ny €\"]},\"c\":null}",
                        2,
                        "[]",
                        3,
                        "true"));
    }

    @Test
    void typesThatAreGivenAreTakenAndCapitalsStayWhereTheyAreQuoted() throws IOException {
        Cli load = create(
                file("x.jsonl", "{\"Id\": 1, \"Zip\": 1234, \"ZONE\": \"a\", \"tags\": {\"a\": 1, \"b\": 2}}"),
                KEYSPACE + ".\"Typed\"",
                "--key",
                "id",
                "--types",
                "\"Zip\" text, tags map<text, int>");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(types(KEYSPACE, "Typed"))
                .isEqualTo(Map.of("id", "int", "Zip", "text", "zone", "text", "tags", "map<text, int>"));
        Row row = TestCluster.execute("SELECT \"Zip\", tags FROM " + KEYSPACE + ".\"Typed\"")
                .get(0);
        assertThat(row.getString(0)).isEqualTo("1234");
        assertThat(row.getMap(1, String.class, Integer.class)).isEqualTo(Map.of("a", 1, "b", 2));
    }

    @Test
    void aDryRunShowsTheTableAndDoesNotCreateIt() throws IOException {
        Cli dry = create(file("x.csv", "id,name", "1,a"), "cli_dry.t", "--key", "id", "--dry-run");
        assertThat(dry.code()).isEqualTo(Main.DONE);
        assertThat(dry.out()).isEmpty();
        assertThat(dry.err())
                .startsWith(
                        "CREATE KEYSPACE cli_dry WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1};\n"
                                + "CREATE TABLE cli_dry.t (\n    id int,\n    name text,\n    PRIMARY KEY (id));\n")
                .endsWith(
                        "overdrive: dry run: nothing was created or loaded, and only a sample of the input was checked,"
                                + " because cli_dry.t does not exist; to check all the input, create it by the statements above"
                                + " and repeat the dry run\n");
        assertThat(TestCluster.execute("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'cli_dry'"))
                .isEmpty();
    }

    @Test
    void aDryRunFailsIfTheLoadWould() throws IOException {
        String file = file("x.csv", "id,name", "1,a");
        Cli rejects = create(file, "cli_dry.u", "--key", "id", "--dry-run", "--rejects", file);
        assertThat(rejects.code()).isEqualTo(Main.FAILED);
        assertThat(rejects.err()).contains("overdrive: ").doesNotContain("CREATE");
        Cli key = create(file, "cli_dry.u", "--key", "nme", "--dry-run");
        assertThat(key.code()).isEqualTo(Main.FAILED);
        assertThat(key.err()).contains("--key names nme").doesNotContain("CREATE");
    }

    @Test
    void aDryRunChecksAllTheInputIfTheTableExists() throws IOException {
        String table = KEYSPACE + ".dry";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, name text)");
        Cli dry = create(file("x.csv", "id,name", "1,a", "2,b"), table, "--key", "id", "--dry-run");
        assertThat(dry.code()).isEqualTo(Main.DONE);
        assertThat(dry.out()).contains("2 could be written");
        assertThat(dry.err()).doesNotContain("CREATE");
        assertThat(TestCluster.execute("SELECT * FROM " + table)).isEmpty();
    }

    private static boolean exists(String keyspace) {
        return !TestCluster.execute("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = '" + keyspace + "'")
                .isEmpty();
    }

    @Test
    void nothingIsCreatedBeforeNamesTypesAndKeyAreRight() throws IOException {
        String file = file("x.csv", "id,name", "1,a");
        Cli key = create(file, "cli_none.t", "--key", "id, nme");
        assertThat(key.code()).isEqualTo(Main.FAILED);
        assertThat(key.err())
                .isEqualTo("overdrive: table cli_none.t cannot be created: --key names nme, which the input does not"
                        + " have; its columns are id, name\n");
        Cli type = create(file, "cli_none.t", "--key", "id", "--types", "name txt");
        assertThat(type.code()).isEqualTo(Main.FAILED);
        assertThat(type.err()).contains("column name: txt is neither a CQL type");
        Cli twice = create(file("y.csv", "id,a,a", "1,2,3"), "cli_none.t", "--key", "id");
        assertThat(twice.code()).isEqualTo(Main.FAILED);
        assertThat(twice.err())
                .contains("fields \"a\" and \"a\" both go to column \"a\"")
                .doesNotContain("CREATE");
        Cli none = create(file, "cli_none.t");
        assertThat(none.code()).isEqualTo(Main.USAGE);
        assertThat(none.err())
                .startsWith("overdrive: --create needs --key, the columns that together identify a row: --key id, or")
                .contains("; the columns to choose from are id, name\n");
        assertThat(exists("cli_none")).isFalse();
    }

    @Test
    void whatAFailedRunHasCreatedIsNamed() throws IOException {
        // only the server checks that a table of counters has no other columns
        Cli refused = create(file("x.csv", "id,n,t", "1,2,a"), "cli_refused.t", "--key", "id", "--types", "n counter");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .contains("-- created keyspace cli_refused\n-- creating table cli_refused.t\n")
                .doesNotContain("-- created table")
                .contains("overdrive: this run has created keyspace cli_refused, and has not deleted it\n")
                .contains("overdrive: the server refuses to create table cli_refused.t: ")
                .contains("; created before: keyspace cli_refused\n")
                .doesNotContain("\tat ");
        assertThat(exists("cli_refused")).isTrue();
    }

    @Test
    void fieldsWithoutANameGetAColumnOfTheirNumber() throws IOException {
        String table = KEYSPACE + ".frame";
        String file = file("frame.csv", ",name,v", "0,ab,1", "1,cd,2");
        Cli first = create(file, table, "--key", "name");
        assertThat(first.err())
                .startsWith("-- field 1 has no name: column column_1;"
                        + " give it another with --map \"column_1 = NAME, * = *\"\n-- creating table " + table);
        assertThat(first.code()).isEqualTo(Main.DONE);
        assertThat(types(KEYSPACE, "frame")).isEqualTo(Map.of("column_1", "int", "name", "text", "v", "int"));
        assertThat(TestCluster.execute("SELECT column_1 FROM " + table + " WHERE name = 'cd'")
                        .get(0)
                        .getInt(0))
                .isEqualTo(1);
        assertThat(create(file, table, "--key", "name").code()).isEqualTo(Main.DONE);
    }

    @Test
    void anExistingTableMustMatchTheDescription() throws IOException {
        String table = KEYSPACE + ".other";
        String file = file("x.csv", "a,b", "1,2");
        TestCluster.execute("CREATE TABLE " + table + " (a int, b int, PRIMARY KEY (a, b))");
        Cli key = create(file, table, "--key", "(a, b)");
        assertThat(key.code()).isEqualTo(Main.FAILED);
        assertThat(key.err())
                .isEqualTo(
                        "overdrive: table " + table + " exists with PRIMARY KEY (a, b), but --key is \"(a, b)\": leave"
                                + " out --create to load into it, or give another table\n");
        Cli type = create(file, table, "--key", "a, b", "--types", "b text");
        assertThat(type.code()).isEqualTo(Main.FAILED);
        assertThat(type.err()).contains("its column b is int, not text as --types says");
        assertThat(TestCluster.count(table, "a")).isZero();
        assertThat(create(file, table, "--key", "((a), b)", "--types", "b int").code())
                .isEqualTo(Main.DONE);
    }

    @Test
    void theSampleOfAPipeIsLoadedToo() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread writer = new Thread(() -> {
            try {
                Files.writeString(pipe, "id,note\n1,x\n2,y\n3,zz\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.setDaemon(true);
        writer.start();
        String table = KEYSPACE + ".fifo";
        Cli load = create(pipe.toString(), table, "--key", "id", "--format", "csv");
        assertThat(load.out()).startsWith("3 rows read = 3 written + 0 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(TestCluster.count(table, "id")).isEqualTo(3);
    }

    @Test
    void theSampleOfStandardInputIsLoadedToo() {
        // more than the sample, which ends within a record
        int rows = 9000;
        String note = "x".repeat(1000);
        StringBuilder csv = new StringBuilder("id,note\n");
        for (int i = 0; i < rows; i++) {
            csv.append(i).append(',').append(note).append('\n');
        }
        String table = KEYSPACE + ".piped";
        Cli load = Cli.runWithInput(csv.toString(), command("-", table, "--key", "id"));
        assertThat(load.err()).startsWith("-- creating table " + table + "\nCREATE TABLE " + table);
        assertThat(load.out()).startsWith("9,000 rows read = 9,000 written + 0 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE);
        assertThat(TestCluster.count(table, "id")).isEqualTo(rows);
    }

    /** 30,000 records that show the types, then values that these do not keep. */
    private String late() throws IOException {
        StringBuilder text = new StringBuilder("id,code,price,seen,flag\n");
        for (int id = 0; id < 30_000; id++) {
            text.append(id).append(",501,1.5,2020-01-01T00:00:00Z,true\n");
        }
        text.append("20000,00501,1.5,2020-01-01T00:00:00Z,true\n")
                .append("30001,501,0.12345678901234567890123,2020-01-01T00:00:00Z,true\n")
                .append("30002,501,1.5,2020-01-01T00:00:00.123456Z,true\n")
                .append("30003,501,1.5,2020-01-01T01:00:00+01:00,true\n")
                .append("30004,501,1.5,2020-01-01T00:00:00Z,t\n")
                .append("30005,502,2.5,2020-01-01T00:00:01Z,FALSE\n");
        return Files.writeString(directory.resolve("late.csv"), text).toString();
    }

    @Test
    void valuesAfterTheSampleThatTheInferredTypesDoNotKeepAreRejected() throws IOException {
        String file = late();
        String table = KEYSPACE + ".late";
        String[] options = {file, table, "--key", "id", "--rejects", directory.toString()};
        for (int round = 0; round < 2; round++) { // the second time, the table exists
            Cli load = create(options);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(load.out()).startsWith("30,006 rows read = 30,001 written + 5 rejected\n");
        }
        assertThat(types(KEYSPACE, "late"))
                .isEqualTo(
                        Map.of("id", "int", "code", "int", "price", "double", "seen", "timestamp", "flag", "boolean"));
        assertThat(Files.readString(directory.resolve("late.csv.rejected.reasons")))
                .contains(
                        "column \\\"code\\\" is int, but 00501 would become 501; to keep such values, create the table"
                                + " with --types \\\"code text\\\"; to take them so, give --types \\\"code int\\\"",
                        "is double, but 0.12345678901234567890123 would become 0.12345678901234568;",
                        "is timestamp, but 2020-01-01T00:00:00.123456Z would become 2020-01-01T00:00:00.123Z;",
                        "is timestamp, but 2020-01-01T01:00:00+01:00 would become 2020-01-01T00:00:00Z;",
                        "is boolean, but t would become true;")
                .as("the digits after a point are not thousands")
                .doesNotContain("--grouping-separator");

        Cli verify =
                Cli.run(Stream.concat(Stream.of("verify", "--create", "--host", TestCluster.host()), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(verify.code()).as(verify.err()).isEqualTo(Main.DIFFERENT);
        assertThat(verify.err()).contains("30,006 records read, 5 rejected; 30,001 rows compared: 30,001 the same,");

        Cli taken = create(Stream.concat(
                        Stream.of(options),
                        Stream.of("--types", "code int, price double, seen timestamp, flag boolean"))
                .toArray(String[]::new));
        assertThat(taken.code()).as(taken.err()).isEqualTo(Main.DONE);
    }
}
