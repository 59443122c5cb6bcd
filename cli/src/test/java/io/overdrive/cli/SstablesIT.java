package io.overdrive.cli;

import static io.overdrive.cli.SstableUser.COLUMNS;
import static io.overdrive.cli.SstableUser.KEYSPACE;
import static io.overdrive.cli.SstableUser.TIMESTAMP;
import static io.overdrive.cli.SstableUser.assertSame;
import static io.overdrive.cli.SstableUser.files;
import static io.overdrive.cli.SstableUser.table;
import static io.overdrive.cli.SstableUser.times;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive load --sstables} as a user types it, beside the same rows over CQL. */
@Tag("server")
class SstablesIT {
    private final Path directory;
    private final Path staging;
    private final SstableUser user;

    SstablesIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        user = new SstableUser(directory);
        staging = user.staging();
    }

    @Test
    void hasTheCellsOfALoadByCqlBeforeAndAfterACompaction() throws Exception {
        String byCql = table("by_cql", COLUMNS);
        String bySstables = table("by_sstables", COLUMNS);
        String rows = user.rows(4000, /* withTtl */ true).toString();
        String[] how = {"--timestamp", TIMESTAMP + "", "--map", "expires = ttl(), * = *"};
        Cli cql = user.load(
                Stream.concat(Stream.of(rows, byCql), Arrays.stream(how)).toArray(String[]::new));
        assertThat(cql.code()).as(cql.err()).isZero();
        Cli load = user.loadSstables(
                Stream.concat(Stream.of(rows, bySstables), Arrays.stream(how)).toArray(String[]::new));
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.out())
                .startsWith("4,000 rows read = 4,000 written + 0 rejected\n")
                .contains("  node      " + TestCluster.host() + ": ")
                .contains(" rows in 1 SSTable of ", ", imported\n")
                .contains("  timestamp " + TIMESTAMP);
        assertThat(load.plan()).contains("  writes    " + bySstables, "; SSTables for 1 node, to which guardrails");
        assertThat(files(staging)).isEmpty();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
        compact("by_sstables");
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);

        Cli again = user.loadSstables(Stream.concat(Stream.of(rows, bySstables, "--write-nulls"), Arrays.stream(how))
                .toArray(String[]::new));
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(user.load(Stream.concat(Stream.of(rows, byCql, "--write-nulls"), Arrays.stream(how))
                                .toArray(String[]::new))
                        .code())
                .isZero();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
    }

    @Test
    void listsAndRowsOnDisk() throws IOException {
        String columns = "id uuid PRIMARY KEY, l list<int>, t text)";
        String byCql = table("lists_by_cql", columns);
        String bySstables = table("lists_by_sstables", columns);
        Random random = new Random(1);
        String text = "x".repeat(300);
        Path rows = Files.write(
                directory.resolve("lists.jsonl"),
                Stream.generate(() -> "{\"id\": \""
                                + new UUID(0x4000, 0x8000000000000000L | random.nextInt(9000))
                                + "\", \"l\": [" + random.nextInt(5) + ", 7, 7], \"t\": \"" + text + random.nextInt()
                                + "\"}")
                        .limit(10_000)
                        .toList());
        assertThat(user.load(rows.toString(), byCql).code()).isZero();
        Cli load = user.loadSstables(rows.toString(), bySstables, "--grouping-memory", "1MB", "--json");
        assertThat(load.code()).as(load.err()).isZero();
        JsonNode json = new JsonMapper().readTree(load.out());
        assertThat(json.get("rowsWritten").asLong()).isEqualTo(10_000);
        assertThat(json.get("bytesSpilled").asLong()).isPositive();
        assertThat(json.get("nodes").get(0).get("imported").asBoolean()).isTrue();
        assertSame(byCql, bySstables);

        // over CQL, a second run with the same write times would leave each element twice
        String twice = table("lists_twice", columns);
        for (int run = 0; run < 2; run++) {
            Cli timed = user.loadSstables(rows.toString(), twice, "--timestamp", TIMESTAMP + "");
            assertThat(timed.code()).as(timed.err()).isZero();
        }
        assertSame(byCql, twice);
    }

    @Test
    void staticColumnsOnly() throws IOException {
        String byCql = table("statics_by_cql", COLUMNS);
        String bySstables = table("statics_by_sstables", COLUMNS);
        Path rows = Files.writeString(directory.resolve("statics.csv"), "p,q,s,n\n1,a,x,\n2,b,,\n1,a,y,5\n");
        assertThat(user.load(rows.toString(), byCql).code()).isZero();
        Cli load = user.loadSstables(rows.toString(), bySstables);
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.out()).startsWith("3 rows read = 3 written + 0 rejected\n");
        assertSame(byCql, bySstables);
        assertThat(TestCluster.execute("SELECT s, n FROM " + bySstables)).hasSize(1);
    }

    @Test
    void partitionsWithoutRows() throws IOException {
        String byCql = table("no_rows_by_cql", COLUMNS);
        String bySstables = table("no_rows_by_sstables", COLUMNS);
        Path rows = Files.writeString(
                directory.resolve("no_rows.csv"),
                """
                p,q,c,d,s,n,v,i
                1,a,,,first,1,,
                2,b,2026-01-01T00:00:00Z,d,,2,v,1
                1,a,,,x,,,
                2,b,,,later,,,
                2,b,2026-01-01T00:00:00Z,d,,3,,2
                3,c,,,,,,
                4,d,,,s,,v,
                """);
        String[] how = {rows.toString(), "", "--timestamp", TIMESTAMP + ""};
        how[1] = byCql;
        assertThat(user.load(how).out()).startsWith("7 rows read = 5 written + 2 rejected\n");
        how[1] = bySstables;
        Cli load = user.loadSstables(how);
        assertThat(load.out()).startsWith("7 rows read = 5 written + 2 rejected\n");
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
        assertThat(TestCluster.execute("SELECT s, n FROM " + bySstables + " WHERE p = 1 AND q = 'a'"))
                .extracting(SstableUser::shown)
                .containsExactly("x 1");

        String unloaded = directory.resolve("unloaded.csv").toString();
        Cli unload = Cli.run("unload", bySstables, unloaded, "--host", TestCluster.host());
        assertThat(unload.out()).startsWith("2 rows written\n");
        String again = table("no_rows_again", COLUMNS);
        assertThat(user.loadSstables(unloaded, again, "--dry-run").out()).startsWith("2 rows read = 2 ");
        assertThat(user.loadSstables(unloaded, again).code()).isZero();
        assertSame(byCql, again);
    }

    /** The server has columns whose names begin beyond ASCII before the others. */
    @Test
    void columnsOfAnyName() throws IOException {
        String columns =
                "id int, c int, \"\u00e4\" int STATIC, a int STATIC, \"\u540d\" text, name text, \"\u0438\" set<int>,"
                        + " b set<int>, PRIMARY KEY (id, c))";
        String byCql = table("names_by_cql", columns);
        String bySstables = table("names_by_sstables", columns);
        String copied = table("names_copied", columns);
        Path rows = Files.writeString(
                directory.resolve("names.jsonl"),
                """
                {"id": 1, "c": 1, "\u00e4": 100, "a": 200, "\u540d": "kanji", "name": "latin", "\u0438": [1, 2], "b": [3]}
                {"id": 1, "c": 2, "name": "latin2"}
                {"id": 2, "c": 3, "\u00e4": 1, "\u540d": "kanji3", "b": [4]}
                """);
        assertThat(user.load(rows.toString(), byCql).code()).isZero();
        Cli load = user.loadSstables(rows.toString(), bySstables);
        assertThat(load.code()).as(load.err()).isZero();
        assertSame(byCql, bySstables);
        Cli copy = user.copySstables(byCql, copied);
        assertThat(copy.code()).as(copy.err()).isZero();
        assertSame(byCql, copied);
    }

    /**
     * The server takes two orders of elements for two keys in clustering columns whose order is DESC. Values of files
     * have one on each way; rows of a table are copied as they are.
     */
    @Test
    void setsAndMapsInKeys() throws IOException {
        String columns =
                "p frozen<set<int>>, k frozen<set<text>>, m frozen<map<text, int>>, l frozen<list<frozen<set<int>>>>,"
                        + " v int, PRIMARY KEY (p, k, m, l)) WITH CLUSTERING ORDER BY (k DESC, m DESC, l DESC)";
        String byCql = table("sets_by_cql", columns);
        String bySstables = table("sets_by_sstables", columns);
        Path rows = Files.writeString(
                directory.resolve("sets.jsonl"),
                """
                {"p": [2, 1], "k": ["b", "a", "b"], "m": {"z": 1, "y": 2}, "l": [[2, 1], [1, 1]], "v": 1}
                {"p": [1, 2], "k": ["a", "b"], "m": {"y": 2, "z": 1}, "l": [[1, 2], [1]], "v": 2}
                {"p": [3], "k": [], "m": {}, "l": [], "v": 3}
                """);
        assertThat(user.load(rows.toString(), byCql).code()).isZero();
        Cli load = user.loadSstables(rows.toString(), bySstables);
        assertThat(load.code()).as(load.err()).isZero();
        for (String table : List.of(byCql, bySstables)) {
            assertThat(TestCluster.count(table, "v")).isEqualTo(2);
            assertThat(TestCluster.execute("SELECT v FROM " + table + " WHERE p = {1, 2} AND k = {'a', 'b'}"))
                    .singleElement()
                    .matches(row -> row.getInt(0) == 2);
            Cli verify = user.run("verify", rows.toString(), table);
            assertThat(verify.code()).as(verify.out() + verify.err()).isZero();
        }
        assertSame(byCql, bySstables);
    }

    @Test
    void copiesOfSetsInKeysAreExact() throws IOException {
        String columns = "p int, k frozen<set<text>>, v int, PRIMARY KEY (p, k)) WITH CLUSTERING ORDER BY (k DESC)";
        String source = table("unsorted", columns);
        String insert = "INSERT INTO " + source + " (p, k, v) VALUES (1, ?, ?)";
        TestCluster.execute(insert, new LinkedHashSet<>(List.of("b", "a")), 1);
        TestCluster.execute(insert, new LinkedHashSet<>(List.of("a", "b")), 2);
        String byCql = table("unsorted_by_cql", columns);
        String bySstables = table("unsorted_by_sstables", columns);
        Cli cql = user.run("copy", source, byCql);
        assertThat(cql.code()).as(cql.err()).isZero();
        Cli copy = user.copySstables(source, bySstables);
        assertThat(copy.code()).as(copy.err()).isZero();
        assertThat(TestCluster.count(bySstables, "v")).isEqualTo(2);
        assertSame(source, byCql);
        assertSame(source, bySstables);
        String repaired = table("unsorted_repaired", columns);
        Cli repair = Cli.run("diff", source, repaired, "--repair", "missing,different", "--host", TestCluster.host());
        assertThat(repair.err()).contains("  repaired  2 differences on the right; run it again");
        assertSame(source, repaired);
    }

    /** Elements are converted to text, where 10 comes before 9. */
    @Test
    void copiesOfSetsInKeysThatAreConvertedHaveTheOrderOfTheServer() {
        String source = table("numbers", "p int, k frozen<set<int>>, v int, PRIMARY KEY (p, k))");
        TestCluster.execute("INSERT INTO " + source + " (p, k, v) VALUES (1, {9, 10}, 7)");
        for (String road : List.of("cql", "sstables")) {
            String target = table(
                    "texts_" + road,
                    "p int, k frozen<set<text>>, v int, PRIMARY KEY (p, k)) WITH CLUSTERING ORDER BY (k DESC)");
            Cli copy = road.equals("cql") ? user.run("copy", source, target) : user.copySstables(source, target);
            assertThat(copy.code()).as(copy.err()).isZero();
            assertThat(TestCluster.execute("SELECT v FROM " + target + " WHERE p = 1 AND k = {'9', '10'}"))
                    .as(road)
                    .hasSize(1);
        }
    }

    @Test
    void rejectsWhatTheServerWouldRefuse() throws IOException {
        String table = table("rejects", "k text PRIMARY KEY, v int)");
        Path rows = Files.writeString(
                directory.resolve("bad.csv"), "k,v\n\"\",1\n" + "x".repeat(70_000) + ",2\nok,x\nfine,4\n");
        Cli load = user.loadSstables(rows.toString(), table, "--null", "NULL");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(load.out()).startsWith("4 rows read = 1 written + 3 rejected\n");
        assertThat(TestCluster.count(table, "k")).isEqualTo(1);
        Cli dry = user.loadSstables(rows.toString(), table("dry", "k text PRIMARY KEY, v int)"), "--dry-run");
        assertThat(dry.out()).startsWith("4 rows read = 1 could be written + 3 rejected\n");
        assertThat(TestCluster.count(KEYSPACE + ".dry", "k")).isZero();
    }

    @Test
    void refusesTablesThatAnImportWouldHarm() throws IOException {
        String rows =
                Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n").toString();
        String counters = table("counters", "id int PRIMARY KEY, v counter)");
        assertThat(user.loadSstables(rows, counters).err())
                .contains("[" + counters + "] holds counters, which SSTables cannot add to: leave out --sstables");
        Cli statement = user.loadSstables(rows, "--query", "INSERT INTO " + counters + " (id) VALUES (:id)");
        assertThat(statement.err())
                .contains("rows of a custom statement cannot be written as SSTables: leave out --sstables");
        String viewed = table("viewed", "id int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT * FROM " + viewed
                + " WHERE v IS NOT NULL AND id IS NOT NULL PRIMARY KEY (v, id)");
        assertThat(user.loadSstables(rows, viewed).err())
                .contains("has the materialized view by_v, which an import does not update: leave out --sstables");
        Cli noJmx =
                user.load(rows, table("no_jmx", "id int PRIMARY KEY, v int)"), "--sstables", "--jmx", "127.0.0.1:1");
        assertThat(noJmx.code()).isEqualTo(Main.FAILED);
        assertThat(noJmx.err())
                .contains("the keyspace has replicas on " + TestCluster.host()
                        + ", which cannot import SSTables from here: 127.0.0.1:1 does not answer over JMX (")
                .contains("; give the JMX addresses of all nodes, which must be on this host, with --jmx, or have a"
                        + " directory written for each node with --sstable-directory");
        assertThat(files(staging)).isEmpty();
    }

    @Test
    void indexesAreBuiltAndTheUserIsWarned() throws IOException {
        String table = table("indexed", "id int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE INDEX by_value ON " + table + " (v)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n2,2\n3,4\n");
        Cli load = user.loadSstables(rows.toString(), table);
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.err()).contains("the nodes build the indexes of the imported rows (by_value) before");
        assertThat(TestCluster.execute("SELECT id FROM " + table + " WHERE v = 2"))
                .hasSize(2);
    }

    private static void compact(String table) throws IOException, JMException {
        Nodetool.jmx(
                TestCluster.jmx(),
                server -> server.invoke(
                        new ObjectName("org.apache.cassandra.db:type=StorageService"),
                        "forceKeyspaceCompaction",
                        new Object[] {false, KEYSPACE, new String[] {table}},
                        new String[] {boolean.class.getName(), String.class.getName(), String[].class.getName()}));
    }
}
