package io.overdrive.jobs.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.create.TableCreator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Copies from table to table, checked through the driver. */
@Tag("server")
@Timeout(300)
class CopierIT {
    private static final String FROM = "copy_from";
    private static final String TO = "copy_to";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(FROM);

    private final Path directory;
    private String map = "* = *";
    private boolean keepTimes;
    private String maxRejects = "100";

    CopierIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createKeyspace() {
        TestCluster.keyspace(TO);
    }

    private static List<Row> execute(String cql) {
        return OVERDRIVE.session().execute(cql).all();
    }

    private CopyOptions options() {
        return new CopyOptions(
                Mapping.parse(map), keepTimes, RejectLimit.parse(maxRejects), directory, "rows", /* threads */ 2);
    }

    private CopySummary copy(String from, String to) {
        return copy(ScanOptions.from(FROM, from), WriteOptions.into(TO, to));
    }

    private CopySummary copy(ScanOptions.Builder from, WriteOptions.Builder to) {
        try (Copier copier =
                Copier.of(OVERDRIVE, from, OVERDRIVE, to, options()).open()) {
            return copier.run();
        }
    }

    private static void assertDone(CopySummary summary, long rows) {
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRead()).isEqualTo(rows);
        assertThat(summary.rowsWritten()).isEqualTo(rows);
        assertThat(summary.rowsRejected()).isZero();
    }

    /** All rows as the driver returns them, in no particular order. */
    private static List<String> rows(String cql) {
        List<String> rows = new ArrayList<>();
        for (Row row : execute(cql)) {
            rows.add(row.getFormattedContents().replace("\"", ""));
        }
        rows.sort(null);
        return rows;
    }

    @Test
    void everySampleOfEveryTypeArrivesInAnotherKeyspace() {
        List<TypeSamples> zoo = TypeZoo.all(FROM).stream()
                .filter(type -> !type.cql().equals("counter"))
                .toList();
        CqlSession session = OVERDRIVE.session();
        String columns =
                zoo.stream().map(t -> ", c_" + t.name() + " " + t.cql()).collect(Collectors.joining());
        for (String keyspace : List.of(FROM, TO)) {
            session.execute(TypeZoo.udtDdl(keyspace));
            session.execute("CREATE TABLE " + keyspace + ".zoo (id text PRIMARY KEY"
                    + columns.replace("creature", keyspace + ".creature") + ")");
        }
        int samples = 0;
        for (TypeSamples type : zoo) {
            PreparedStatement insert =
                    session.prepare("INSERT INTO " + FROM + ".zoo (id, c_" + type.name() + ") VALUES (?, ?)");
            for (int i = 0; i < type.samples().size(); i++) {
                session.execute(
                        insert.bind(type.name() + i, type.samples().get(i).value()));
                samples++;
            }
        }
        assertDone(copy("zoo", "zoo"), samples);
        assertThat(rows("SELECT * FROM " + TO + ".zoo"))
                .hasSize(samples)
                .isEqualTo(rows("SELECT * FROM " + FROM + ".zoo"));
        assertIsCreatedTheSame("zoo", samples);
        if (!TypeZoo.HAS_VECTORS) {
            return; // nor are there write times of collections
        }
        keepTimes = true;
        execute("TRUNCATE " + TO + ".zoo");
        assertDone(
                copy(ScanOptions.from(FROM, "zoo"), WriteOptions.into(TO, "zoo").allowNonIdempotent()), samples);
        assertThat(rows("SELECT * FROM " + TO + ".zoo"))
                .hasSize(samples)
                .isEqualTo(rows("SELECT * FROM " + FROM + ".zoo"));
    }

    private void assertIsCreatedTheSame(String table, long rows) {
        String created = "copy_created";
        TableCreator creator = new TableCreator(OVERDRIVE, line -> {});
        try (Copier copier = Copier.of(
                        OVERDRIVE,
                        ScanOptions.from(FROM, table),
                        OVERDRIVE,
                        WriteOptions.into(created, table),
                        options())
                .create(creator)
                .open()) {
            assertDone(copier.run(), rows);
        }
        assertThat(creator.created())
                .containsExactly(
                        "keyspace " + created, "type " + created + ".creature", "table " + created + "." + table);
        String types = "SELECT column_name, type FROM system_schema.columns WHERE table_name = '" + table
                + "' AND keyspace_name = ";
        assertThat(rows(types + "'" + created + "'")).isEqualTo(rows(types + "'" + FROM + "'"));
        assertThat(rows("SELECT * FROM " + created + "." + table))
                .isEqualTo(rows("SELECT * FROM " + FROM + "." + table));
    }

    /** Rows of a view or of a system table are copied into a table. */
    @Test
    void viewsAndSystemTablesAreModelsOfATableToo() {
        execute("CREATE TABLE copy_from.base (p int, c int, v text, PRIMARY KEY (p, c))");
        execute("CREATE MATERIALIZED VIEW copy_from.by_c AS SELECT * FROM copy_from.base WHERE p IS NOT NULL AND c IS"
                + " NOT NULL PRIMARY KEY (c, p) WITH CLUSTERING ORDER BY (p DESC) AND gc_grace_seconds = 88");
        execute("INSERT INTO copy_from.base (p, c, v) VALUES (1, 2, 'x')");
        List<String> log = new ArrayList<>();
        TableCreator creator = new TableCreator(OVERDRIVE, line -> log.add(line.inJava()));
        for (String[] table : new String[][] {
            {FROM, "by_c"}, {FROM, "base"}, {"system_schema", "columns"}, {"system_views", "settings"}
        }) {
            try (Copier copier = Copier.of(
                            OVERDRIVE,
                            ScanOptions.from(table[0], table[1]),
                            OVERDRIVE,
                            WriteOptions.into(TO, "made_of_" + table[1]),
                            options())
                    .create(creator)
                    .open()) {
                assertThat(copier.run().failure()).isNull();
            }
        }
        assertThat(rows("SELECT c, p, v FROM copy_to.made_of_by_c")).containsExactly("[c:2, p:1, v:'x']");
        assertThat(log)
                .anySatisfy(cql -> assertThat(cql)
                        .contains("PRIMARY KEY (c, p)) WITH CLUSTERING ORDER BY (p DESC)")
                        .contains("gc_grace_seconds = 88"))
                .contains(
                        "-- copy_from.base has dependents that are not created with the table: materialized view by_c");
        assertThat(rows("SELECT * FROM copy_to.made_of_settings")).hasSizeGreaterThan(100);
    }

    @Test
    void columnsAreRenamedConvertedAndLeftOut() {
        execute("CREATE TABLE copy_from.people (id int, n int, name text, born date, score text, note text,"
                + " PRIMARY KEY (id, n))");
        execute("CREATE TABLE copy_to.people (user_id bigint, n int, name text, born timestamp, score double,"
                + " source text, PRIMARY KEY (user_id, n))");
        execute("INSERT INTO copy_from.people (id, n, name, born, score, note) VALUES"
                + " (1, 1, 'Zoë', '2020-02-29', '1.5', 'x')");
        execute("INSERT INTO copy_from.people (id, n) VALUES (-2, 2)");
        map = "id = user_id, 'old' = source, * = -note";
        assertDone(copy("people", "people"), 2);
        assertThat(rows("SELECT user_id, n, name, born, score, source FROM copy_to.people"))
                .containsExactly(
                        "[user_id:-2, n:2, name:NULL, born:NULL, score:NULL, source:'old']",
                        "[user_id:1, n:1, name:'Zoë', born:'2020-02-29T00:00:00.000Z', score:1.5, source:'old']");
    }

    @Test
    void aValueThatDoesNotFitIsRejectedWithItsKey() throws IOException {
        execute("CREATE TABLE copy_from.words (a int, \"B\" text, v text, PRIMARY KEY (a, \"B\"))");
        execute("CREATE TABLE copy_to.words (a int, \"B\" text, v int, PRIMARY KEY (a, \"B\"))");
        execute("INSERT INTO copy_from.words (a, \"B\", v) VALUES (1, 'x \"y\"', '4o')");
        execute("INSERT INTO copy_from.words (a, \"B\", v) VALUES (2, 'z', '40')");
        CopySummary summary = copy("words", "words");
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRead()).isEqualTo(2);
        assertThat(summary.rowsWritten()).isEqualTo(1);
        assertThat(summary.rowsRejected()).isEqualTo(1);
        assertThat(summary.rejectFiles()).containsExactly(directory.resolve("rows.rejected.jsonl"));
        assertThat(Files.readString(directory.resolve("rows.rejected.jsonl")))
                .isEqualTo("{\"key\":{\"a\":1,\"B\":\"x \\\"y\\\"\"},\"reason\":\"column \\\"v\\\" is int, got"
                        + " \\\"4o\\\"\"}\n");
        maxRejects = "0";
        CopySummary failed = copy("words", "words");
        assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(failed.failure())
                .hasMessageStartingWith(
                        "more rows were rejected than the limit of 0 (maxRejects); the first is" + " {\"a\":1,");
        assertThat(failed.rejectFiles()).containsExactly(directory.resolve("rows-2.rejected.jsonl"));
    }

    @Test
    void aColumnWithoutAPlaceStopsTheCopyBeforeItStarts() {
        execute("CREATE TABLE copy_from.wide (id int PRIMARY KEY, a int, \"Extra\" int)");
        execute("CREATE TABLE copy_to.wide (id int PRIMARY KEY, a int)");
        assertThatThrownBy(() -> copy("wide", "wide"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "[copy_from.wide] column \"Extra\" has no column of its name in copy_to.wide; rename it with"
                                + " mapping \"\"Extra\" = other, * = *\", or leave it out with mapping \"* = -\"Extra\"\";"
                                + " the columns there are id, a");
        map = "* = -\"Extra\"";
        assertDone(copy("wide", "wide"), 0);
        map = "* = -id";
        assertThatThrownBy(() -> copy(ScanOptions.from(FROM, "wide").columns("a"), WriteOptions.into(TO, "wide")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("primary key column \"id\"");
    }

    @Test
    void aTableIsNotCopiedOntoItself() {
        execute("CREATE TABLE copy_from.self (id int PRIMARY KEY)");
        assertThatThrownBy(() -> copy(ScanOptions.from(FROM, "self"), WriteOptions.into(FROM, "self")))
                .hasMessageContaining("the same table");
    }

    @Test
    void countersNeedToBeAllowed() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".hits (id int PRIMARY KEY, n counter, m counter)");
        }
        execute("UPDATE copy_from.hits SET n = n + 7 WHERE id = 1");
        execute("UPDATE copy_from.hits SET m = m - 1 WHERE id = 2");
        assertThatThrownBy(() -> copy("hits", "hits"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("allowNonIdempotent");
        assertDone(
                copy(
                        ScanOptions.from(FROM, "hits"),
                        WriteOptions.into(TO, "hits").allowNonIdempotent()),
                2);
        assertThat(rows("SELECT id, n, m FROM copy_to.hits"))
                .containsExactly("[id:1, n:7, m:NULL]", "[id:2, n:NULL, m:-1]");
        keepTimes = true;
        assertThatThrownBy(() -> copy(
                        ScanOptions.from(FROM, "hits"),
                        WriteOptions.into(TO, "hits").allowNonIdempotent()))
                .hasMessageContaining("counters, which have neither TTL nor write time");
    }

    @Test
    void conditionsAndColumnsLimitWhatIsCopied() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".part (p int, c int, a int, b int, PRIMARY KEY (p, c))");
        }
        for (int i = 0; i < 10; i++) {
            execute("INSERT INTO copy_from.part (p, c, a, b) VALUES (1, " + i + ", " + i + ", " + i + ")");
        }
        assertDone(copy(ScanOptions.from(FROM, "part").where("a >= 8").columns("b"), WriteOptions.into(TO, "part")), 2);
        assertThat(rows("SELECT p, c, a, b FROM copy_to.part"))
                .containsExactly("[p:1, c:8, a:NULL, b:8]", "[p:1, c:9, a:NULL, b:9]");
    }

    @Test
    void staticColumnsAndPartitionsWithNothingElseArrive() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".stat (p int, c int, s text static, t int static, v int,"
                    + " PRIMARY KEY (p, c))");
        }
        execute("INSERT INTO copy_from.stat (p, s) VALUES (1, 'only')");
        execute("INSERT INTO copy_from.stat (p, s, t) VALUES (2, 'both', 2)");
        for (int c = 0; c < 50; c++) {
            execute("INSERT INTO copy_from.stat (p, c, v) VALUES (2, " + c + ", " + c + ")");
        }
        execute("INSERT INTO copy_from.stat (p, c) VALUES (3, 3)");
        CopySummary summary = copy("stat", "stat");
        assertDone(summary, 52);
        assertThat(summary.writes().rowsWritten())
                .as("static columns once for each partition")
                .isEqualTo(53);
        assertThat(rows("SELECT * FROM copy_to.stat")).hasSize(52).isEqualTo(rows("SELECT * FROM copy_from.stat"));
        execute("TRUNCATE copy_to.stat");
        map = "* = [-s, -t]";
        assertDone(copy("stat", "stat"), 51);
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no write times of collections")
    void writeTimesAndTimesToLiveAreKept() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".times (p int, c int, s text static, a int, b text, l list<int>,"
                    + " m map<text, int>, f frozen<list<int>>, PRIMARY KEY (p, c)) WITH default_time_to_live = 5000");
        }
        execute("INSERT INTO copy_from.times (p, s) VALUES (1, 'static') USING TIMESTAMP 500 AND TTL 0");
        execute("INSERT INTO copy_from.times (p, c, a, l, f) VALUES (1, 1, 10, [1, 2], [3]) USING TIMESTAMP 1000 AND"
                + " TTL 0");
        execute("UPDATE copy_from.times USING TIMESTAMP 2000 AND TTL 1000 SET b = 'b', m = {'x': 1, 'y': 2}"
                + " WHERE p = 1 AND c = 1");
        execute("INSERT INTO copy_from.times (p, c, a) VALUES (1, 2, 20) USING TIMESTAMP 3000 AND TTL 100000");
        execute("INSERT INTO copy_from.times (p, c) VALUES (2, 1)");
        keepTimes = true;
        CopySummary summary = copy(
                ScanOptions.from(FROM, "times"), WriteOptions.into(TO, "times").allowNonIdempotent());
        assertDone(summary, 3);
        assertThat(summary.writes().rowsWritten()).isEqualTo(5);
        assertThat(rows("SELECT * FROM copy_to.times")).hasSize(3).isEqualTo(rows("SELECT * FROM copy_from.times"));
        String times =
                "SELECT p, c, writetime(s), writetime(a), writetime(b), writetime(l), writetime(m), writetime(f),"
                        + " ttl(s), ttl(a), ttl(l) FROM copy_to.times WHERE p = 1 AND c = ";
        assertThat(rows(times + 1))
                .containsExactly("[p:1, c:1, writetime(s):500, writetime(a):1000, writetime(b):2000,"
                        + " writetime(l):[1000,1000], writetime(m):[2000,2000], writetime(f):1000, ttl(s):NULL,"
                        + " ttl(a):NULL, ttl(l):[NULL,NULL]]");
        Row lives = execute("SELECT ttl(b), ttl(m), writetime(a), ttl(a) FROM copy_to.times WHERE p = 1")
                .get(0);
        assertThat(lives.getInt(0)).isBetween(900, 1000);
        assertThat(lives.getList(1, Integer.class)).hasSize(2).allSatisfy(ttl -> assertThat(ttl)
                .isBetween(900, 1000));
        Row second = execute("SELECT writetime(a), ttl(a) FROM copy_to.times WHERE p = 1 AND c = 2")
                .get(0);
        assertThat(second.getLong(0)).isEqualTo(3000);
        assertThat(second.getInt(1)).isBetween(99_900, 100_000);
    }

    @Test
    void newerCellsOfTheTargetStayWithTimesKept() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".newer (p int PRIMARY KEY, a int)");
        }
        execute("INSERT INTO copy_from.newer (p, a) VALUES (1, 1) USING TIMESTAMP 1000");
        execute("INSERT INTO copy_to.newer (p, a) VALUES (1, 2) USING TIMESTAMP 2000");
        keepTimes = true;
        assertDone(copy("newer", "newer"), 1);
        assertThat(rows("SELECT a FROM copy_to.newer")).containsExactly("[a:2]");
        keepTimes = false;
        assertDone(copy("newer", "newer"), 1);
        assertThat(rows("SELECT a FROM copy_to.newer")).containsExactly("[a:1]");
    }

    @Test
    @EnabledIfSystemProperty(named = "overdrive.local.cassandra", matches = "4\\..*")
    void collectionsOfServersBeforeVersion5AreNamedWithTheMapThatLeavesThemOut() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".old (id int PRIMARY KEY, m map<int, int>, s set<int>, v int)");
        }
        keepTimes = true;
        assertThatThrownBy(() -> copy("old", "old"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("servers before Cassandra 5 do not return write times of collections and UDTs"
                        + " that are not frozen; leave them out with mapping \"* = *, * = [-m, -s]\"");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no write times of collections")
    void collectionsOfSeveralTimesAreRefusedAndNotGuessed() throws IOException {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TYPE " + keyspace + ".place (street text, zip int, city text)");
            execute("CREATE TABLE " + keyspace
                    + ".tags (id int PRIMARY KEY, tags set<text>, m map<int, int>, u place)");
        }
        execute("INSERT INTO copy_from.tags (id, tags) VALUES (1, {'a'}) USING TIMESTAMP 1000");
        execute("UPDATE copy_from.tags USING TIMESTAMP 2000 SET tags = tags + {'b'} WHERE id = 1");
        execute("INSERT INTO copy_from.tags (id, m) VALUES (2, {1: 1, 2: 2}) USING TIMESTAMP 1000");
        execute("UPDATE copy_from.tags USING TTL 1000 AND TIMESTAMP 1000 SET m[3] = 3 WHERE id = 2");
        execute("INSERT INTO copy_from.tags (id, tags, u) VALUES (3, {'a', 'b'}, {street: 's', city: 'c'}) USING"
                + " TIMESTAMP 1000");
        keepTimes = true;
        CopySummary summary = copy("tags", "tags");
        assertThat(summary.failure()).isNull();
        assertThat(summary.rowsRead()).isEqualTo(3);
        assertThat(summary.rowsWritten()).isEqualTo(1);
        assertThat(summary.rowsRejected()).isEqualTo(2);
        assertThat(rows("SELECT id FROM copy_to.tags")).containsExactly("[id:3]");
        assertThat(rows("SELECT tags, writetime(tags), u, writetime(u) FROM copy_to.tags"))
                .isEqualTo(rows("SELECT tags, writetime(tags), u, writetime(u) FROM copy_from.tags WHERE id = 3"));
        assertThat(Files.readAllLines(directory.resolve("rows.rejected.jsonl")))
                .hasSize(2)
                .anyMatch(
                        line -> line.startsWith("{\"key\":{\"id\":1},\"reason\":\"column \\\"tags\\\" has elements of"))
                .anyMatch(line -> line.startsWith("{\"key\":{\"id\":2},\"reason\":\"column \\\"m\\\" has elements of"));
    }

    /** It counts with the first row of the partition; all rows and all other static columns are copied. */
    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no write times of collections")
    void aStaticCollectionOfSeveralTimesIsLeftOutWithoutAnyRow() throws IOException {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace
                    + ".mixed_statics (p int, c int, s set<int> static, t text static, v int,"
                    + " w set<int>, PRIMARY KEY (p, c))");
        }
        for (int p = 1; p <= 3; p++) {
            for (int c = 0; c < 10; c++) {
                execute("INSERT INTO copy_from.mixed_statics (p, c, v, w) VALUES (" + p + ", " + c + ", " + c
                        + ", {1}) USING TIMESTAMP 5");
            }
            execute("UPDATE copy_from.mixed_statics USING TIMESTAMP 6 SET s = s + {1}, t = 'x' WHERE p = " + p);
        }
        execute("UPDATE copy_from.mixed_statics USING TIMESTAMP 7 SET s = s + {2} WHERE p = 1");
        // here the row to be sent with the static columns cannot itself be copied
        execute("UPDATE copy_from.mixed_statics USING TIMESTAMP 7 SET w = w + {2} WHERE p = 2 AND c = 0");
        // a partition without rows
        execute("UPDATE copy_from.mixed_statics USING TIMESTAMP 6 SET s = s + {1} WHERE p = 4");
        execute("UPDATE copy_from.mixed_statics USING TIMESTAMP 7 SET s = s + {2}, t = 'y' WHERE p = 4");
        keepTimes = true;
        CopySummary summary = copy("mixed_statics", "mixed_statics");
        assertThat(summary.failure()).isNull();
        assertThat(summary.rowsRead()).isEqualTo(31);
        assertThat(summary.rowsWritten()).isEqualTo(28);
        assertThat(summary.rowsRejected()).isEqualTo(3);
        List<String> reasons = Files.readAllLines(summary.rejectFiles().get(0));
        reasons.sort(null);
        assertThat(reasons).hasSize(3);
        assertThat(reasons.get(0))
                .startsWith("{\"key\":{\"p\":1,\"c\":0},\"reason\":\"column \\\"s\\\" has elements of"
                        + " different write times");
        assertThat(reasons.get(1))
                .startsWith("{\"key\":{\"p\":2,\"c\":0},\"reason\":\"column \\\"w\\\" has elements of");
        assertThat(reasons.get(2)).startsWith("{\"key\":{\"p\":4},\"reason\":\"column \\\"s\\\" has elements of");
        assertThat(rows("SELECT p, s, t, writetime(t) AS time FROM copy_to.mixed_statics PER PARTITION LIMIT 1"))
                .containsExactly(
                        "[p:1, s:{}, t:'x', time:6]",
                        "[p:2, s:{1}, t:'x', time:6]",
                        "[p:3, s:{1}, t:'x', time:6]",
                        "[p:4, s:{}, t:'y', time:7]");
        assertThat(rows("SELECT p, c, v FROM copy_to.mixed_statics"))
                .doesNotContain("[p:2, c:0, v:0]")
                .contains("[p:1, c:0, v:0]", "[p:1, c:9, v:9]", "[p:2, c:1, v:1]");
    }

    @Test
    void timesOfARowCanComeFromColumns() {
        execute("CREATE TABLE copy_from.own (id int PRIMARY KEY, v int, t bigint, life smallint)");
        execute("CREATE TABLE copy_to.own (id int PRIMARY KEY, v int)");
        execute("INSERT INTO copy_from.own (id, v, t, life) VALUES (1, 1, 123456, 5000)");
        execute("INSERT INTO copy_from.own (id, v, t) VALUES (2, 2, 123457)");
        map = "t = writetime(), life = ttl(), * = *";
        assertDone(copy("own", "own"), 2);
        assertThat(rows("SELECT id, v, writetime(v) FROM copy_to.own"))
                .containsExactly("[id:1, v:1, writetime(v):123456]", "[id:2, v:2, writetime(v):123457]");
        assertThat(execute("SELECT ttl(v) FROM copy_to.own WHERE id = 1").get(0).getInt(0))
                .isBetween(4900, 5000);
        keepTimes = true;
        assertThatThrownBy(() -> copy("own", "own")).hasMessageContaining("keepTimes");
    }

    /** Wide partitions with static columns, many rows. */
    private static void many(String table, int partitions, int rowsEach) {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + "." + table + " (p int, c int, s text static, v text, w int,"
                    + " PRIMARY KEY (p, c))");
        }
        try (RowWriter writer = OVERDRIVE.writer(WriteOptions.into(FROM, table)
                .columns("p", "c", "s", "v", "w")
                .rowTimestamp()
                .build())) {
            for (int p = 0; p < partitions; p++) {
                for (int c = 0; c < rowsEach; c++) {
                    RowBuffer row = writer.row().setInt(0, p).setInt(1, c).setText(2, "static " + p);
                    row.setText(3, "v".repeat(c % 40)).setTimestamp(1000 + c % 3);
                    if (c % 2 == 0) {
                        row.setInt(4, c);
                    }
                    writer.send();
                }
            }
        }
    }

    @Test
    void partitionsThatSpanPagesArriveWithTheirStaticColumnsOnce() {
        many("paged", 40, 100);
        for (boolean times : new boolean[] {false, true}) {
            keepTimes = times;
            execute("TRUNCATE copy_to.paged");
            CopySummary summary = copy(ScanOptions.from(FROM, "paged").pageRows(7), WriteOptions.into(TO, "paged"));
            assertDone(summary, 4000);
            assertThat(summary.reads().pages()).isGreaterThan(500);
            assertThat(summary.writes().rowsWritten()).isEqualTo(4040);
            assertThat(rows("SELECT * FROM copy_to.paged"))
                    .hasSize(4000)
                    .isEqualTo(rows("SELECT * FROM copy_from.paged"));
        }
        assertThat(rows("SELECT p, c, writetime(s), writetime(v), writetime(w) FROM copy_to.paged"))
                .isEqualTo(rows("SELECT p, c, writetime(s), writetime(v), writetime(w) FROM copy_from.paged"));
    }

    @Test
    void aStoppedCopyHasWrittenWhatItRead() throws Exception {
        many("stopped", 100, 100);
        try (Copier copier = Copier.of(
                        OVERDRIVE,
                        // all of them would take a minute and a half
                        ScanOptions.from(FROM, "stopped").pageRows(50).rowsPerSecond(100),
                        OVERDRIVE,
                        WriteOptions.into(TO, "stopped"),
                        options())
                .open()) {
            CompletableFuture<CopySummary> run = CompletableFuture.supplyAsync(copier::run);
            while (copier.progress().rowsRead() < 200) {
                Thread.sleep(10);
            }
            copier.stop();
            CopySummary summary = run.get(180, TimeUnit.SECONDS);
            assertThat(summary.failure()).isNull();
            assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
            assertThat(summary.rowsRead()).isBetween(200L, 9_999L).isEqualTo(summary.rowsWritten());
            assertThat(rows("SELECT p, c FROM copy_to.stopped")).hasSize((int) summary.rowsRead());
        }
    }

    @Test
    void aTargetThatDisappearsFailsTheCopyWithTheCause() {
        many("gone", 100, 100);
        try (Copier copier = Copier.of(
                        OVERDRIVE,
                        ScanOptions.from(FROM, "gone").pageRows(50).rowsPerSecond(5000),
                        OVERDRIVE,
                        WriteOptions.into(TO, "gone"),
                        options())
                .open()) {
            execute("DROP TABLE copy_to.gone");
            CopySummary summary = copier.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure()).hasMessageStartingWith("[copy_to.gone] cannot write: ");
            assertThat(summary.rowsWritten()).isZero();
            assertThat(summary.rowsRead()).isPositive();
            assertThat(summary.rowsRejected()).isZero();
        }
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no write times of collections")
    void aSecondCopyWithTimesChangesNothing() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".again (id int PRIMARY KEY, l list<int>, s set<int>, m map<int, int>,"
                    + " v int)");
        }
        execute("INSERT INTO copy_from.again (id, l, s, m, v) VALUES (1, [1, 2, 1], {1}, {1: 1}, 1) USING TIMESTAMP"
                + " 1000");
        keepTimes = true;
        assertThatThrownBy(() -> copy("again", "again"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("column \"l\" is a list: written twice with the same write time")
                .hasMessageContaining("mapping \"* = -l\"");
        map = "* = -l";
        assertDone(copy("again", "again"), 1);
        assertDone(copy("again", "again"), 1);
        assertThat(rows("SELECT id, s, m, v FROM copy_to.again"))
                .isEqualTo(rows("SELECT id, s, m, v FROM copy_from.again"));
    }

    @Test
    void aSecondCopyWithoutTimesReplacesLists() {
        for (String keyspace : List.of(FROM, TO)) {
            execute("CREATE TABLE " + keyspace + ".lists (id int PRIMARY KEY, l list<int>)");
        }
        execute("INSERT INTO copy_from.lists (id, l) VALUES (1, [1, 2, 1])");
        assertDone(copy("lists", "lists"), 1);
        assertDone(copy("lists", "lists"), 1);
        assertThat(rows("SELECT * FROM copy_to.lists")).containsExactly("[id:1, l:[1,2,1]]");
    }
}
