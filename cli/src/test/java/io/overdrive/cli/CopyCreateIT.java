package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive copy --create}: the new table is like another table. */
class CopyCreateIT {
    private static final String FROM = TestCluster.keyspace("cli_like");
    private static final String ORDERS = FROM + ".\"Orders\"";

    private final Path directory;

    CopyCreateIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TYPE cli_like.\"Street\" (name text, no int)");
        TestCluster.execute("CREATE TYPE cli_like.home (street frozen<\"Street\">, \"order\" frozen<set<text>>)");
        TestCluster.execute("CREATE TABLE " + ORDERS + " (\"Id\" int, day date, \"order\" int, seen timestamp,"
                + " s frozen<list<home>> static, homes map<text, frozen<home>>, h home, t tuple<int, frozen<home>>,"
                + " v vector<float, 2>, n text, PRIMARY KEY ((\"Id\", day), \"order\", seen))"
                + " WITH CLUSTERING ORDER BY (\"order\" DESC, seen ASC) AND comment = 'it''s' AND gc_grace_seconds = 77"
                + " AND default_time_to_live = 86400 AND bloom_filter_fp_chance = 0.2"
                + " AND compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '10'}"
                + " AND compression = {'class': 'DeflateCompressor', 'chunk_length_in_kb': '32'}"
                + " AND caching = {'keys': 'NONE', 'rows_per_partition': '5'} AND speculative_retry = 'NEVER'");
        TestCluster.execute("CREATE INDEX by_n ON " + ORDERS + " (n)");
        String home = "{street: {name: 'Elm', no: 1}, \"order\": {'a', 'b'}}";
        for (int i = 0; i < 50; i++) {
            TestCluster.execute(
                    "INSERT INTO " + ORDERS + " (\"Id\", day, \"order\", seen, s, homes, h, t, v, n) VALUES ("
                            + i % 5 + ", '2026-01-01', " + i + ", " + i + ", [" + home + "], {'a': " + home + "}, "
                            + home + ", (1, "
                            + home + "), [1.5, " + i + "], 'n" + i + "')");
        }
    }

    private static Cli copy(String source, String target, String... options) {
        return Cli.run(Stream.concat(
                        Stream.of("copy", "--create", "--host", TestCluster.host(), source, target), Stream.of(options))
                .toArray(String[]::new));
    }

    private static void assertSame(String left, String right) {
        Cli diff = Cli.run("diff", "--host", TestCluster.host(), left, right);
        assertThat(diff.err()).contains(" 0 different, 0 missing left, 0 missing right");
        assertThat(diff.code()).isEqualTo(Main.DONE);
    }

    private static boolean exists(String keyspace) {
        return !TestCluster.execute("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = '" + keyspace + "'")
                .isEmpty();
    }

    /** The server's description of a table, without names and id. */
    private static Map<String, String> described(String keyspace, String table) {
        Map<String, String> all = new TreeMap<>();
        String where = " WHERE keyspace_name = '" + keyspace + "' AND table_name = '" + table + "'";
        for (Row row : TestCluster.execute("SELECT * FROM system_schema.tables" + where)) {
            row.getColumnDefinitions()
                    .forEach(column ->
                            all.put(column.getName().asInternal(), String.valueOf(row.getObject(column.getName()))));
        }
        List.of("id", "keyspace_name", "table_name").forEach(all::remove);
        for (Row row : TestCluster.execute(
                "SELECT column_name, type, kind, position, clustering_order FROM" + " system_schema.columns" + where)) {
            all.put("column " + row.getString(0), row.getFormattedContents());
        }
        return all;
    }

    @Test
    void tableTypesAndKeyspaceAreCreatedAndTheCopyIsTheSame() {
        Cli copy = copy(ORDERS, "\"Cli_Liked\".\"Orders\"");
        assertThat(copy.out()).startsWith("50 rows read = 50 written + 0 rejected\n");
        assertThat(copy.code()).isEqualTo(Main.DONE);
        assertThat(copy.err())
                .startsWith("-- cli_like.\"Orders\" has dependents that are not created with the table: index by_n\n"
                        + "-- copied rows live 86400 s from now on, as the table says (default_time_to_live); --keep-times"
                        + " keeps their remaining time\n"
                        + "-- creating keyspace \"Cli_Liked\"\n"
                        + "CREATE KEYSPACE \"Cli_Liked\" WITH replication = {'class': 'SimpleStrategy',"
                        + " 'replication_factor': 1};\n"
                        + "-- created keyspace \"Cli_Liked\"\n"
                        + "-- creating type \"Cli_Liked\".\"Street\"\n"
                        + "CREATE TYPE \"Cli_Liked\".\"Street\" (\n    name text,\n    no int);\n"
                        + "-- created type \"Cli_Liked\".\"Street\"\n"
                        + "-- creating type \"Cli_Liked\".home\n")
                .contains("-- creating table \"Cli_Liked\".\"Orders\"\nCREATE TABLE \"Cli_Liked\".\"Orders\" (\n"
                        + "    \"Id\" int,\n    day date,\n    \"order\" int,\n")
                .contains("    PRIMARY KEY ((\"Id\", day), \"order\", seen))"
                        + " WITH CLUSTERING ORDER BY (\"order\" DESC, seen ASC)\n")
                .endsWith(";\n-- created table \"Cli_Liked\".\"Orders\"\n");
        assertThat(described("Cli_Liked", "Orders"))
                .containsEntry("comment", "it's")
                .containsEntry("gc_grace_seconds", "77")
                .isEqualTo(described(FROM, "Orders"));
        assertSame(ORDERS, "\"Cli_Liked\".\"Orders\"");

        Cli again = copy(ORDERS, "\"Cli_Liked\".\"Orders\"", "--keep-times");
        assertThat(again.err()).isEmpty();
        assertThat(again.code()).isEqualTo(Main.DONE);
        // existing types are used
        Cli second = copy(ORDERS, "\"Cli_Liked\".\"table\"", "--keep-times");
        assertThat(second.err())
                .startsWith("-- cli_like.\"Orders\" has dependents that are not created with the table: index by_n\n"
                        + "-- creating table \"Cli_Liked\".\"table\"\n");
        assertThat(second.code()).isEqualTo(Main.DONE);
        assertSame(ORDERS, "\"Cli_Liked\".\"table\"");
    }

    @Test
    void aDryRunShowsTheStatementsAndCreatesNothing() {
        Cli dry = copy(ORDERS, "cli_like_dry.t", "--columns", "h", "--dry-run", "--keep-times");
        assertThat(dry.code()).isEqualTo(Main.DONE);
        assertThat(dry.out()).startsWith("estimate of what the run would take; ");
        assertThat(dry.err())
                .contains("\nCREATE KEYSPACE cli_like_dry WITH")
                .contains(";\nCREATE TYPE cli_like_dry.\"Street\" (\n")
                .contains(";\nCREATE TABLE cli_like_dry.t (\n")
                .contains("    seen timestamp,\n    h home,\n    PRIMARY KEY")
                .endsWith(";\noverdrive: dry run: nothing was created or copied\n");
        assertThat(exists("cli_like_dry")).isFalse();
        Cli self = copy(ORDERS, ORDERS, "--dry-run", "--to-host", TestCluster.host());
        assertThat(self.code()).isEqualTo(Main.FAILED);
        assertThat(self.err()).isEqualTo("overdrive: source and target are the same table, cli_like.\"Orders\"\n");
        Cli alone = Cli.run("copy", ORDERS, "cli_like_dry.t", "--dry-run", "--host", TestCluster.host());
        assertThat(alone.code()).isEqualTo(Main.FAILED);
        assertThat(alone.err()).contains("cli_like_dry");
    }

    @Test
    void columnsGetTheNamesThatTheyAreMappedTo() {
        String target = FROM + ".mapped";
        Cli copy = copy(ORDERS, target, "--map", "\"Id\" = id, n = \"Name\", * = [-s, -homes, -h, -t]", "--keep-times");
        assertThat(copy.code()).isEqualTo(Main.DONE);
        assertThat(copy.err())
                .contains("(\n    id int,\n    day date,\n    \"order\" int,\n    seen timestamp,\n    \"Name\" text,\n"
                        + "    v vector<float, 2>,\n    PRIMARY KEY ((id, day), \"order\", seen))")
                .doesNotContain("TYPE");
        assertThat(TestCluster.execute("SELECT \"Name\" FROM " + target
                                + " WHERE id = 3 AND day = '2026-01-01' AND \"order\" = 8")
                        .get(0)
                        .getString(0))
                .isEqualTo("n8");
        Cli constant = copy(ORDERS, FROM + ".constant", "--map", "'x' = origin, * = *", "--dry-run");
        assertThat(constant.code()).isEqualTo(Main.FAILED);
        assertThat(constant.err()).contains("a constant does not say what type it is in column origin");
    }

    @Test
    void aTableOrTypeThatDiffersIsRefusedAndNothingCreated() {
        TestCluster.execute("CREATE TABLE cli_like.other (\"Id\" int, day date, n int, PRIMARY KEY (\"Id\", day))");
        Cli table = copy(ORDERS, FROM + ".other", "--columns", "n,v");
        assertThat(table.code()).isEqualTo(Main.FAILED);
        assertThat(table.err())
                .startsWith("overdrive: table cli_like.other exists, but is not like cli_like.\"Orders\":\n"
                        + "  its primary key is ((\"Id\" int), day date) instead of")
                .contains(
                        "\n  its column n is int instead of text\n  it has no column v vector<float, 2>\nleave out --create");

        TestCluster.keyspace("cli_like_types");
        TestCluster.execute("CREATE TYPE cli_like_types.home (street text)");
        Cli type = copy(ORDERS, "cli_like_types.t");
        assertThat(type.code()).isEqualTo(Main.FAILED);
        assertThat(type.err())
                .contains("type home exists in keyspace cli_like_types with the fields (street text) instead of (street"
                        + " frozen<\"Street\">, \"order\" frozen<set<text>>)")
                .doesNotContain("CREATE ");
        assertThat(
                        TestCluster.execute(
                                "SELECT * FROM system_schema.types WHERE keyspace_name = 'cli_like_types' AND type_name = 'Street'"))
                .isEmpty();
    }

    @Test
    void mistakesAreRefusedBeforeAnythingIsCreated() {
        TestCluster.execute("CREATE TABLE cli_like.hits (id int PRIMARY KEY, n counter)");
        TestCluster.execute("UPDATE cli_like.hits SET n = n + 7 WHERE id = 1");
        Cli counters = copy(FROM + ".hits", "cli_like_none.hits");
        assertThat(counters.err())
                .startsWith("overdrive: [cli_like_none.hits] holds counters")
                .contains("--allow-non-idempotent");
        Cli condition = copy(ORDERS, "cli_like_none.t", "--where", "nope = 1");
        assertThat(condition.err()).contains("nope").doesNotContain("CREATE ");
        Cli consistency = copy(FROM + ".hits", FROM + ".hits2", "--allow-non-idempotent", "--consistency", "TWO");
        assertThat(consistency.err()).contains("needs 2 replicas").doesNotContain("CREATE ");
        Cli map = copy(ORDERS, "cli_like_none.t", "--map", "* = -day");
        assertThat(map.err()).contains("column day of the primary key goes to no column");
        Cli name = copy(ORDERS, "cli_like_none.\"my-table\"");
        assertThat(name.err()).contains("must be 1 to 48 letters");
        assertThat(List.of(counters.code(), condition.code(), consistency.code(), map.code(), name.code()))
                .containsOnly(Main.FAILED);
        assertThat(exists("cli_like_none")).isFalse();

        Cli allowed = copy(FROM + ".hits", FROM + ".hits2", "--allow-non-idempotent");
        assertThat(allowed.code()).isEqualTo(Main.DONE);
        assertSame(FROM + ".hits", FROM + ".hits2");
    }

    @Test
    void whatAFailedRunHasCreatedIsNamed() {
        Cli refused = copy(FROM + ".\"Orders\"", "system.t");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("overdrive: the server refuses to create keyspace system: ")
                .contains(
                        ": change the statement above to what this server accepts, run it yourself, and copy without --create\n")
                .doesNotContain("this run has created");

        TestCluster.execute("CREATE TABLE cli_like.uneven (id int PRIMARY KEY, m map<text, int>)");
        TestCluster.execute("INSERT INTO cli_like.uneven (id, m) VALUES (1, {'a': 1}) USING TIMESTAMP 1");
        TestCluster.execute("UPDATE cli_like.uneven USING TIMESTAMP 2 SET m['b'] = 2 WHERE id = 1");
        String[] failing = {"--keep-times", "--max-rejects", "0", "--rejects", directory.toString()};
        Cli failed = copy(FROM + ".uneven", "cli_like_failed.uneven", failing);
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.err())
                .contains(
                        "overdrive: this run has created keyspace cli_like_failed and table cli_like_failed.uneven, and has"
                                + " not deleted them\n");
        assertThat(copy(FROM + ".uneven", "cli_like_failed.uneven", failing).err())
                .doesNotContain("this run has created");
    }
}
