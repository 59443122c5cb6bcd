package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.KillPoint;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keyspaces into files and back. */
@Timeout(300)
class BackupIT {
    private static final String DEPOT = TestCluster.keyspace("cli_depot");
    private static final int TABLES = 10;
    private static final int ROWS = 15;
    private static final Pattern CONTINUE = Pattern.compile("overdrive: to continue: overdrive resume ([-\\w]+)\n");

    private final Path directory;
    private final Path files;

    BackupIT(@TempDir Path directory) {
        this.directory = directory;
        this.files = directory.resolve("files");
    }

    @BeforeAll
    static void fill() {
        Stream.of(
                        "CREATE TYPE address (street text, zip text)",
                        "CREATE TYPE \"Person\" (home frozen<address>, \"Name\" text)",
                        "CREATE TABLE customers (id int PRIMARY KEY, home address, who frozen<\"Person\">, email text)",
                        "CREATE TABLE orders (customer int, day date, id int, total decimal, note text static, PRIMARY KEY"
                                + " ((customer, day), id)) WITH CLUSTERING ORDER BY (id DESC) AND default_time_to_live ="
                                + " 900000 AND comment = 'it''s; -- \"odd\"'",
                        "CREATE TABLE bags (id int PRIMARY KEY, l list<int>, fl frozen<list<text>>, s set<text>, m map<text,"
                                + " int>, fm frozen<map<int, text>>, t tuple<int, text>)",
                        "CREATE TABLE audit (id int PRIMARY KEY, v blob)",
                        "CREATE TABLE \"Audit\" (\"table\" int PRIMARY KEY, \"What\" text, \"a, b\" text)",
                        "CREATE TABLE \"AUDIT\" (id int PRIMARY KEY)",
                        "CREATE TABLE nothing (id int PRIMARY KEY, v text)",
                        "CREATE TABLE pairs (a int, b text, PRIMARY KEY (a, b))",
                        "CREATE TABLE \"order\" (id int PRIMARY KEY, \"select\" text, empty text, bytes blob)",
                        "CREATE TABLE hits (page text PRIMARY KEY, n counter)",
                        "CREATE INDEX customers_email ON customers (email)",
                        "CREATE CUSTOM INDEX e ON \"Audit\" (\"What\") USING 'StorageAttachedIndex'",
                        "CREATE MATERIALIZED VIEW by_select AS SELECT * FROM \"order\" WHERE \"select\" IS NOT NULL AND id IS"
                                + " NOT NULL PRIMARY KEY (\"select\", id)")
                .forEach(cql -> TestCluster.execute(
                        cql.replaceFirst("^CREATE (TYPE|TABLE|MATERIALIZED VIEW) ", "CREATE $1 cli_depot.")
                                .replaceFirst("(?<=INDEX \\w{1,20}) ON ", " ON cli_depot.")
                                .replaceFirst(" FROM ", " FROM cli_depot.")));
        Stream.of(
                        "customers (id, home, who, email) VALUES (1, {street: 's', zip: '1'}, {home: {street: ''},"
                                + " \"Name\": 'n'}, 'e') USING TIMESTAMP 1700000000000001",
                        "customers (id, email) VALUES (2, '') USING TIMESTAMP 1700000000000002 AND TTL 800000",
                        "customers (id) VALUES (3)",
                        "orders (customer, day, id, total, note) VALUES (1, '2026-01-01', 1, 1.50, 'n') USING TTL 0",
                        "orders (customer, day, note) VALUES (1, '2026-01-01', 'later') USING TIMESTAMP 1900000000000001",
                        "orders (customer, day, id, total) VALUES (1, '2026-01-01', 2, null)",
                        "orders (customer, day, note) VALUES (2, '2026-01-02', 'no row')",
                        "bags (id, l, fl, s, m, fm, t) VALUES (1, [1, 2, 2], ['a', ''], {'x', ''}, {'k': 1}, {1: 'v'}, (1,"
                                + " null)) USING TIMESTAMP 1700000000000004 AND TTL 700000",
                        "bags (id, fl, fm) VALUES (2, [], {})",
                        "audit (id, v) VALUES (1, 0x)",
                        "\"Audit\" (\"table\", \"What\", \"a, b\") VALUES (1, 'w', 'NULL')",
                        "\"AUDIT\" (id) VALUES (7)",
                        "pairs (a, b) VALUES (1, '')",
                        "\"order\" (id, \"select\", empty, bytes) VALUES (1, 'x', '', 0xff)",
                        "\"order\" (id, \"select\", empty) VALUES (2, 'null', null)")
                .forEach(row -> TestCluster.execute("INSERT INTO cli_depot." + row));
        TestCluster.execute("UPDATE cli_depot.hits SET n = n + 5 WHERE page = 'p'");
    }

    private Cli run(String command, String... arguments) {
        Stream<String> rejects =
                command.equals("unload") ? Stream.empty() : Stream.of("--rejects", directory.toString());
        return Cli.run(Stream.of(Stream.of(command, "--host", TestCluster.host()), rejects, Stream.of(arguments))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    private Cli diff(String keyspace, String... more) {
        return Cli.run(Stream.concat(Stream.of("diff", DEPOT, keyspace, "--host", TestCluster.host()), Stream.of(more))
                .toArray(String[]::new));
    }

    private static void done(Cli cli) {
        assertThat(cli.code()).as(cli.out() + cli.err()).isEqualTo(Main.DONE);
    }

    private static List<String> names(String columns, String keyspace) {
        return TestCluster.execute("SELECT " + columns + " WHERE keyspace_name = '" + keyspace + "'").stream()
                .map(row -> row.getString(0))
                .sorted()
                .toList();
    }

    /** The write time of each cell of a table, and its time to live in steps, as it goes down meanwhile. */
    private static Map<String, String> times(String keyspace, String table, String key, String... columns) {
        Map<String, String> times = new TreeMap<>();
        for (String column : columns) {
            String query =
                    "SELECT " + key + ", writetime(" + column + "), ttl(" + column + ") FROM " + keyspace + "." + table;
            for (Row row : TestCluster.execute(query)) {
                times.put(row.getObject(0) + " " + column, row.getObject(1) + " " + steps(row.getObject(2)));
            }
        }
        return times;
    }

    private static Object steps(Object ttl) {
        if (ttl instanceof List<?> elements) {
            return elements.stream().map(BackupIT::steps).toList();
        }
        return ttl instanceof Integer seconds ? (seconds + 5_000) / 10_000 : "none";
    }

    private static Map<String, String> times(String keyspace) {
        Map<String, String> times = new TreeMap<>();
        times.putAll(times(keyspace, "customers", "id", "home", "who", "email"));
        times.putAll(times(keyspace, "orders", "id", "total", "note"));
        times.putAll(times(keyspace, "bags", "id", "l", "fl", "s", "m", "fm", "t"));
        times.putAll(times(keyspace, "audit", "id", "v"));
        times.putAll(times(keyspace, "\"Audit\"", "\"table\"", "\"What\"", "\"a, b\""));
        times.putAll(times(keyspace, "\"order\"", "id", "\"select\"", "empty", "bytes"));
        return times;
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "csv", "json", "arrow"})
    void aKeyspaceIsRestoredWithItsSchemaAndTimes(String format) throws IOException {
        String restored = "cli_depot_" + format;
        Cli unload = run("unload", DEPOT, files.toString(), "--format", format, "--keep-times");
        done(unload);
        assertThat(unload.out())
                .startsWith("cli_depot: " + TABLES + " tables, " + ROWS + " rows written, ")
                .contains("\n  nothing    0 rows written, ", "\n  \"order\"    2 rows written, ");
        assertThat(unload.err()).startsWith("overdrive: counters have no times, and are written without: hits\n");
        assertThat(files.resolve("Audit-3")).isDirectory();
        JsonNode whole = new JsonMapper()
                .readTree(files.resolve("_overdrive_keyspace.json").toFile());
        assertThat(whole.get("complete").asBoolean()).isTrue();
        assertThat(whole.get("tables").findValuesAsText("rows"))
                .containsExactly("1", "1", "1", "2", "3", "1", "0", "2", "3", "1");

        Cli refused = run("load", files.toString(), restored, "--create");
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err())
                .contains(": bags, hits. Accept that with --allow-non-idempotent, or leave these tables out: --except"
                        + " 'bags,hits'");
        assertThat(names("table_name FROM system_schema.tables", restored)).isEmpty();
        Cli load = run("load", files.toString(), restored, "--create", "--allow-non-idempotent");
        done(load);
        assertThat(load.out())
                .startsWith(restored + ": " + TABLES + " tables, " + ROWS + " rows read = " + ROWS
                        + " written + 0 rejected\n");
        Cli same = diff(restored);
        done(same);
        assertThat(same.err()).contains(ROWS + " right: " + ROWS + " the same, 0 different, ");
        assertThat(times(restored)).isEqualTo(times(DEPOT)).hasSizeGreaterThan(30);
        for (String each : List.of(
                "table_name FROM system_schema.tables",
                "index_name FROM system_schema.indexes",
                "view_name FROM system_schema.views",
                "type_name FROM system_schema.types",
                "comment FROM system_schema.tables")) {
            assertThat(names(each, restored)).isEqualTo(names(each, DEPOT));
        }
        Cli verified = run("verify", files.toString(), restored);
        done(verified);
        assertThat(verified.err()).endsWith("overdrive: NOT COMPARED, as a load adds to counters: hits\n");
    }

    @Test
    void verifyNamesWhatDiffersAndWhatOneSideLacks() {
        done(run("unload", DEPOT, files.toString(), "--except", "hits,bags", "--format", "parquet"));
        done(run("load", files.toString(), "cli_depot2", "--create"));
        TestCluster.execute("DELETE FROM cli_depot2.customers WHERE id = 3");
        TestCluster.execute("CREATE TABLE cli_depot2.more (id int PRIMARY KEY)");
        Cli different = run("verify", files.toString(), "cli_depot2");
        assertThat(different.code()).isEqualTo(Main.DIFFERENT);
        assertThat(different.out())
                .isEqualTo("{\"table\":\"customers\",\"kind\":\"missing-right\",\"key\":{\"id\":3}}\n");
        assertThat(different.err())
                .contains(
                        "\n  customers  3 records read, 0 rejected; 3 rows compared: 2 the same, 0 different, 1 missing")
                .endsWith("overdrive: NOT IN THE FILES: table more\n");
        TestCluster.execute("DROP TABLE cli_depot2.nothing");
        Cli missing = run("verify", files.toString(), "cli_depot2.n*");
        assertThat(missing.code()).isEqualTo(Main.FAILED);
        assertThat(missing.err()).contains("overdrive: nothing: FAILED: [cli_depot2.nothing] does not exist\n");
    }

    @Test
    void oneTableIsRestoredFromItsDirectory() {
        done(run(
                "unload", "cli_depot.*o*", files.toString(), "--format", "csv", "--keep-times", "--except", "nothing"));
        TestCluster.execute(
                "CREATE TABLE cli_depot.single (id int PRIMARY KEY, \"select\" text, empty text, bytes blob)");
        Path order = files.resolve("order");
        done(run("load", order.toString(), "cli_depot.single", "--keep-times"));
        assertThat(times(DEPOT, "single", "id", "\"select\"", "empty"))
                .isEqualTo(times(DEPOT, "\"order\"", "id", "\"select\"", "empty"));
        TestCluster.execute("DROP TABLE cli_depot.single");
        assertThat(run("load", files.toString(), "cli_depot.orders").err())
                .isEqualTo(
                        "overdrive: " + files + ": has the tables of a keyspace, by _overdrive_keyspace.json: name the"
                                + " directory of one of its tables, or a keyspace in place of the table to load all of them\n");
        assertThat(run("load", order.toString(), "cli_depot6").err())
                .startsWith("overdrive: \"cli_depot6\" is not a table: write keyspace.table. A keyspace alone goes with"
                        + " the directory of an unload of a keyspace, and " + order + " has no ");
        assertThat(run("load", files.toString(), "cli_depot6.x*", "--create").err())
                .isEqualTo("overdrive: cli_depot6.x*: " + files
                        + " has no such table; its tables: customers, \"order\"," + " orders\n");
        assertThat(run("unload", "cli_depot6", files + "6").err())
                .isEqualTo("overdrive: keyspace cli_depot6 does not exist, or this user may not see it\n");
        assertThat(run("load", files.toString(), "cli_depot6").err())
                .startsWith("overdrive: keyspace cli_depot6 does not exist, or this user may not see it; --create");
        Cli dry = run("load", files.toString(), "cli_depot6", "--create", "--dry-run");
        done(dry);
        assertThat(dry.err())
                .containsOnlyOnce("CREATE KEYSPACE cli_depot6 WITH")
                .contains(
                        "CREATE TABLE cli_depot6.\"order\" (\n", "CREATE INDEX customers_email ON cli_depot6.customers")
                .endsWith("overdrive: dry run: nothing was created or loaded, and the records of 3 tables that would be"
                        + " created were not checked\n");
        assertThat(names("table_name FROM system_schema.tables", "cli_depot6")).isEmpty();
    }

    /** Kills the run before a file of a table gets its name, before a table is complete, before the run knows that, and before the whole is. */
    @ParameterizedTest
    @CsvSource({
        "io.overdrive.jobs.unload.Place, publish, 4",
        "io.overdrive.jobs.unload.Output, manifest, 3",
        "io.overdrive.jobs.tables.TablesJournal, keep, 4",
        "io.overdrive.jobs.unload.KeyspaceOutput, end, 1"
    })
    void aRunThatWasKilledIsContinued(String type, String method, int call) throws Exception {
        String restored = "cli_depot_" + method;
        String[] arguments = {
            "unload",
            DEPOT,
            files.toString(),
            "--format",
            "parquet",
            "--keep-times",
            "--except",
            "hits,bags",
            "--host",
            TestCluster.host()
        };
        ProcessBuilder program = new ProcessBuilder(Child.command(arguments));
        program.redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        assertThat(new KillPoint(type, method, call).kills(program))
                .as(Files.readString(directory.resolve("out")))
                .isTrue();
        assertThat(Files.readString(files.resolve("_overdrive_keyspace.json"))).contains("\"complete\" : false");
        if (!method.equals("end")) {
            Cli early = run("load", files.toString(), restored, "--create");
            assertThat(early.code()).isEqualTo(Main.FAILED);
            assertThat(early.err())
                    .startsWith("overdrive: " + files + ": ")
                    .contains(
                            " of 8 tables are missing: ",
                            ". The unload of keyspace cli_depot has not ended, or was ended early; to continue it:"
                                    + " overdrive resume ");
        }
        assertThat(Cli.run(arguments).err())
                .startsWith("overdrive: " + files + ": has an unload of keyspace cli_depot, which is not complete;"
                        + " continue it with overdrive resume ");

        List<String> again = new ArrayList<>(List.of(arguments));
        again.add("--resume");
        done(Cli.run(again.toArray(String[]::new)));
        assertThat(Files.readString(files.resolve("_overdrive_keyspace.json"))).contains("\"complete\" : true");
        done(run("load", files.toString(), restored, "--create"));
        done(diff(restored, "--except", "hits,bags"));
    }

    @Test
    void aLoadThatWasKilledIsContinued() throws Exception {
        done(run("unload", DEPOT, files.toString(), "--format", "json", "--keep-times"));
        List<String> arguments = new ArrayList<>(List.of(
                "load",
                files.toString(),
                "cli_depot_killed",
                "--create",
                "--except",
                "hits,bags",
                "--host",
                TestCluster.host(),
                "--rejects",
                directory.toString()));
        ProcessBuilder program = new ProcessBuilder(Child.command(arguments.toArray(String[]::new)));
        program.redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        assertThat(new KillPoint("io.overdrive.jobs.tables.TablesJournal", "keep", 4).kills(program))
                .as(Files.readString(directory.resolve("out")))
                .isTrue();
        arguments.add("--resume");
        Cli resumed = Cli.run(arguments.toArray(String[]::new));
        done(resumed);
        assertThat(resumed.err()).contains(" of 8 tables were done before");
        done(diff("cli_depot_killed", "--except", "hits,bags"));
        assertThat(names("index_name FROM system_schema.indexes", "cli_depot_killed"))
                .isEqualTo(names("index_name FROM system_schema.indexes", DEPOT));
    }

    @Test
    void aTableThatFailsLeavesTheWholeIncomplete() throws IOException {
        TestCluster.execute("CREATE KEYSPACE cli_depot7 WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1}");
        TestCluster.execute("CREATE TABLE cli_depot7.good (id int PRIMARY KEY)");
        TestCluster.execute(
                "CREATE TABLE cli_depot7.visits (a int, b int, s counter static, n counter, PRIMARY KEY (a, b))");
        Cli dry = run("unload", "cli_depot7", files.toString(), "--format", "csv", "--dry-run");
        assertThat(dry.code()).isEqualTo(Main.FAILED);
        assertThat(dry.err()).contains("overdrive: visits: WOULD FAIL: [cli_depot7.visits] has static counters, ");
        assertThat(files).doesNotExist();
        Cli failed = run("unload", "cli_depot7", files.toString(), "--format", "csv");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.out()).contains("\n  good    0 rows written, ", "\n  visits  FAILED: ");
        assertThat(Files.readString(files.resolve("_overdrive_keyspace.json"))).contains("\"complete\" : false");
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).as(failed.err()).isTrue();
        assertThat(run("load", files.toString(), "cli_depot7", "--allow-non-idempotent")
                        .err())
                .isEqualTo(
                        "overdrive: " + files + ": 1 of 2 tables are missing: visits. The unload of keyspace cli_depot7"
                                + " has not ended, or was ended early; to continue it: overdrive resume " + run.group(1)
                                + "; to do without them: --except 'visits'\n");
        done(run("load", files.toString(), "cli_depot7", "--except", "visits"));

        TestCluster.execute("DROP TABLE cli_depot7.visits");
        TestCluster.execute("CREATE TABLE cli_depot7.later (id int PRIMARY KEY)");
        Cli resumed = Cli.run("resume", run.group(1), "--host", TestCluster.host());
        assertThat(resumed.code()).as(resumed.out() + resumed.err()).isEqualTo(Main.FAILED);
        assertThat(resumed.out())
                .containsPattern(
                        "\n  good    0 rows written, .*, done before\n  visits  FAILED: the table was dropped since");
        assertThat(resumed.err()).contains("overdrive: created since the run began, and not in the files: later\n");
        assertThat(Files.readString(files.resolve("schema.cql")))
                .contains("-- table good\n", "-- table later\n")
                .doesNotContain("visits");
        TestCluster.execute("DROP KEYSPACE cli_depot7");
    }

    @Test
    void sstablesAreWrittenForEachTable() throws IOException {
        done(run("unload", DEPOT, files.toString(), "--format", "parquet", "--keep-times", "--except", "bags"));
        Path out = directory.resolve("sstables");
        assertThat(run(
                                "load",
                                files.toString(),
                                "cli_depot8",
                                "--create",
                                "--sstables",
                                "--allow-non-idempotent",
                                "--sstable-directory",
                                out.toString())
                        .err())
                .startsWith("overdrive: --sstables writes no counters: leave these tables out");
        Cli load = run(
                "load",
                files.toString(),
                "cli_depot8",
                "--create",
                "--except",
                "hits",
                "--sstables",
                "--sstable-directory",
                out.toString());
        done(load);
        try (Stream<Path> all = Files.walk(out)) {
            assertThat(all.filter(each -> each.endsWith("import.sh"))
                            .map(each -> out.relativize(each).getName(0).toString()))
                    .contains("customers", "order", "orders", "Audit-3");
        }
    }
}
