package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows by key, compared with what the driver reads by the same keys. */
@Tag("server")
@Timeout(300)
class LookupIT {
    private static final String KS = TestCluster.keyspace("lookups");
    private static final Overdrive OVERDRIVE = TestCluster.overdrive();
    private static final int PARTITIONS = 200;

    @BeforeAll
    static void load() {
        execute("CREATE TABLE lookups.t (p text, \"Q\" int, c int, d text, s text static, v text,"
                + " PRIMARY KEY ((p, \"Q\"), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)");
        Random random = new Random(5);
        try (RowWriter writer = OVERDRIVE.writer(WriteOptions.into(KS, "t")
                        .columns("p", "Q", "c", "d", "v")
                        .build());
                RowWriter statics = OVERDRIVE.writer(
                        WriteOptions.into(KS, "t").columns("p", "Q", "s").build())) {
            for (int p = 0; p < PARTITIONS; p++) {
                if (p % 3 > 0) {
                    statics.row().setText(0, "p" + p).setInt(1, p % 7).setText(2, "s" + p);
                    statics.send();
                }
                int rows = p % 50 == 7 ? 2_000 : p % 5 == 0 ? 0 : random.nextInt(20);
                for (int i = 0; i < rows; i++) {
                    writer.row()
                            .setText(0, "p" + p)
                            .setInt(1, p % 7)
                            .setInt(2, i / 3)
                            .setText(3, "d" + i % 3)
                            .setText(4, "v".repeat(random.nextInt(40)));
                    writer.send();
                }
            }
        }
    }

    private static void execute(String cql) {
        OVERDRIVE.session().execute(cql);
    }

    private static ScanOptions.Builder all() {
        return ScanOptions.from(KS, "t");
    }

    private static String text(RowCursor row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.columns(); i++) {
            text.append(row.get(i)).append('|');
        }
        return text.toString();
    }

    private static List<String> rest(RowCursor rows) {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
            found.add(text(rows));
        }
        return found;
    }

    /** The rows that the driver reads by the lookup's own query. */
    private static List<String> expected(PreparedStatement query, List<Object> key) {
        BoundStatementBuilder bound = query.boundStatementBuilder();
        for (int i = 0; i < key.size(); i++) {
            Object value = key.get(i);
            bound.setBytesUnsafe(
                    i,
                    OVERDRIVE
                            .session()
                            .getContext()
                            .getCodecRegistry()
                            .codecFor(query.getVariableDefinitions().get(i).getType(), value)
                            .encode(value, OVERDRIVE.session().getContext().getProtocolVersion()));
        }
        BoundStatement statement = bound.build();
        List<String> found = new ArrayList<>();
        for (Row row : OVERDRIVE.session().execute(statement)) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.getColumnDefinitions().size(); i++) {
                text.append(row.getObject(i)).append('|');
            }
            found.add(text.toString());
        }
        return found;
    }

    /** Submits the keys in turn, and takes some before all are submitted. */
    private static int assertSame(Lookup lookup, int inFlight, List<List<Object>> keys, Random random) {
        PreparedStatement query = OVERDRIVE.session().prepare(lookup.query());
        int submitted = 0;
        int rows = 0;
        try (Lookup.Queue queue = lookup.open(inFlight)) {
            for (int taken = 0; taken < keys.size(); taken++) {
                List<Object> key = keys.get(taken);
                while (submitted < keys.size() && !queue.isFull() && random.nextInt(8) > 0) {
                    submit(queue, keys.get(submitted++));
                }
                if (submitted == taken) {
                    assertThat(queue.take()).isNull();
                    submit(queue, keys.get(submitted++));
                }
                List<String> found = rest(Objects.requireNonNull(queue.take()));
                assertThat(found).as("%s by %s", lookup.query(), key).isEqualTo(expected(query, key));
                rows += found.size();
            }
            assertThat(queue.take()).isNull();
        }
        return rows;
    }

    private static void submit(Lookup.Queue queue, List<Object> key) {
        RowBuffer buffer = queue.key();
        for (int i = key.size() - 1; i >= 0; i--) {
            buffer.set(i, key.get(i));
        }
        queue.submit();
    }

    private static List<List<Object>> keys(List<String> columns, int count, Random random) {
        List<List<Object>> keys = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            int p = random.nextInt(PARTITIONS + 20);
            int i = random.nextInt(30);
            keys.add(columns.stream()
                    .<Object>map(column -> switch (column) {
                        case "p" -> "p" + p;
                        case "Q" -> p % 7;
                        case "c" -> i / 3;
                        default -> "d" + i % 4;
                    })
                    .toList());
        }
        return keys;
    }

    @Test
    void readsWhatTheDriverReads() {
        Seeds.times(3, random -> {
            for (List<String> columns : List.of(
                    List.of("p", "Q"), List.of("Q", "p"), List.of("p", "Q", "c"), List.of("d", "c", "Q", "p"))) {
                for (String where : new String[] {
                    null,
                    "v >= 'vvv'",
                    "c > 2",
                    "c > 2 PER PARTITION LIMIT 2",
                    "PER PARTITION LIMIT 2",
                    "ORDER BY c DESC PER PARTITION LIMIT 3"
                }) {
                    if (where != null && where.startsWith("c") && columns.contains("c")) {
                        continue;
                    }
                    ScanOptions.Builder options = where == null ? all() : all().where(where);
                    options = random.nextBoolean() ? options : options.columns("v", "s", "c");
                    options.pageRows(random.nextBoolean() ? 1 + random.nextInt(100) : 20_000);
                    try (Lookup lookup = OVERDRIVE.lookup(options.build(), columns)) {
                        assertThat(lookup.keyColumns()).isEqualTo(columns);
                        assertThat(lookup.query().contains("ALLOW FILTERING"))
                                .isEqualTo(where != null && where.startsWith("v"));
                        List<List<Object>> keys = keys(columns, 60, random);
                        int rows = assertSame(lookup, 1 + random.nextInt(30), keys, random);
                        assertThat(lookup.totals().rowsRead()).isEqualTo(rows);
                        assertThat(lookup.totals().pages()).isGreaterThanOrEqualTo(keys.size());
                        assertThat(lookup.totals().inFlight()).isZero();
                    }
                }
            }
        });
    }

    @Test
    void readsWidePartitionsInPagesOfBytes() {
        List<List<Object>> keys = List.of(List.of("p57", 1), List.of("p157", 3), List.of("p57", 1), List.of("p1", 1));
        try (Lookup lookup = OVERDRIVE.lookup(all().pageBytes(4 << 10).build(), List.of("p", "Q"))) {
            assertThat(assertSame(lookup, 4, keys, new Random(1))).isGreaterThan(6_000);
            assertThat(lookup.totals().pages()).isBetween(50L, 200L);
        }
        try (Lookup lookup = OVERDRIVE.lookup(all().build(), List.of("p", "Q"));
                Lookup.Queue queue = lookup.open(2)) {
            submit(queue, keys.get(0));
            submit(queue, keys.get(3));
            RowCursor first = Objects.requireNonNull(queue.take());
            assertThat(first.next()).isTrue();
            assertThatThrownBy(first::rest).isInstanceOf(IllegalStateException.class);
            assertThat(rest(Objects.requireNonNull(queue.take())))
                    .as("after rows that were not taken")
                    .isEqualTo(expected(OVERDRIVE.session().prepare(lookup.query()), keys.get(3)));
        }
    }

    @Test
    @Tag("nightly")
    void takesKeysOfEveryType() {
        execute(TypeZoo.udtDdl(KS));
        int types = 0;
        for (TypeZoo.TypeSamples type : TypeZoo.all(KS)) {
            String table = "zoo_" + type.name();
            try {
                execute("CREATE TABLE lookups." + table + " (i int, k " + type.cql() + ", c " + type.cql()
                        + ", v int, PRIMARY KEY ((i, k), c))");
            } catch (InvalidQueryException e) {
                continue; // not allowed in a key
            }
            types++;
            PreparedStatement insert =
                    OVERDRIVE.session().prepare("INSERT INTO lookups." + table + " (i, k, c, v) VALUES (?, ?, ?, ?)");
            List<TypeZoo.Sample> samples = type.samples();
            for (int n = 0; n < samples.size(); n++) {
                Object value = samples.get(n).value();
                OVERDRIVE.session().execute(insert.bind(n, value, value, n));
            }
            try (Lookup lookup = OVERDRIVE.lookup(
                            ScanOptions.from(KS, table).columns("v").build(), List.of("i", "k", "c"));
                    Lookup.Queue queue = lookup.open(samples.size())) {
                for (int n = 0; n < samples.size(); n++) {
                    Object value = samples.get(n).value();
                    submit(queue, List.of(n, value, value));
                }
                for (int n = 0; n < samples.size(); n++) {
                    assertThat(rest(Objects.requireNonNull(queue.take())))
                            .as("%s %s", type, samples.get(n).text())
                            .containsExactly(n + "|");
                }
            }
        }
        assertThat(types).isGreaterThan(TypeZoo.HAS_VECTORS ? 25 : 22);
    }

    @Test
    void servesManyThreadsAtOnce() {
        execute("CREATE TABLE lookups.users (id bigint PRIMARY KEY, name text)");
        try (RowWriter writer = OVERDRIVE.writer(WriteOptions.into(KS, "users").build())) {
            for (int id = 0; id < 10_000; id++) {
                writer.row().setLong(0, id).setText(1, "user " + id);
                writer.send();
            }
        }
        ScanOptions options = ScanOptions.from(KS, "users").columns("name").build();
        try (Lookup users = OVERDRIVE.lookup(options, List.of("id"))) {
            IntStream.range(0, 3)
                    .mapToObj(thread -> CompletableFuture.runAsync(() -> readUsers(users, thread)))
                    .toList()
                    .forEach(CompletableFuture::join);
            assertThat(users.totals().rowsRead()).isEqualTo(30_000);
            assertThat(users.totals().pages()).as("one request for each").isEqualTo(30_000);
        }
    }

    private static void readUsers(Lookup users, int seed) {
        Random random = new Random(seed);
        long[] ids = random.longs(10_000, 0, 10_000).toArray();
        try (Lookup.Queue queue = users.open(64)) {
            for (int submitted = 0, taken = 0; taken < ids.length; taken++) {
                for (; submitted < ids.length && !queue.isFull(); submitted++) {
                    queue.key().setLong(0, ids[submitted]);
                    queue.submit();
                }
                RowCursor row = Objects.requireNonNull(queue.take());
                assertThat(row.next()).isTrue();
                assertThat(row.text(0)).isEqualTo("user " + ids[taken]);
                assertThat(row.next()).isFalse();
            }
        }
    }

    @Test
    void keepsTheRateLimitInRows() {
        List<List<Object>> keys = List.of(List.of("p57", 1), List.of("p57", 1));
        long start = System.nanoTime();
        try (Lookup lookup =
                OVERDRIVE.lookup(all().pageRows(100).rowsPerSecond(10_000).build(), List.of("p", "Q"))) {
            assertThat(assertSame(lookup, 2, keys, new Random(1))).isEqualTo(4_000);
        }
        assertThat(System.nanoTime() - start).isGreaterThan(200_000_000L);
    }

    /** The driver would answer the second time with the types that it has kept of the first table. */
    @Test
    void knowsTheTypesOfATableThatWasCreatedAgain() {
        execute("CREATE TABLE lookups.again (id int PRIMARY KEY, v int)");
        ScanOptions options = ScanOptions.from(KS, "again").build();
        try (Lookup before = OVERDRIVE.lookup(options, List.of("id"))) {
            assertThat(before.keyTypes()).containsExactly(DataTypes.INT);
            execute("DROP TABLE lookups.again");
            execute("CREATE TABLE lookups.again (id varint PRIMARY KEY, v text)");
            try (Lookup after = OVERDRIVE.lookup(options, List.of("id"))) {
                assertThat(after.keyTypes()).containsExactly(DataTypes.VARINT);
                assertThat(after.types()).containsExactly(DataTypes.VARINT, DataTypes.TEXT);
            }
        }
    }

    @Test
    void refusesAnIncompleteKey() {
        try (Lookup lookup = OVERDRIVE.lookup(all().build(), List.of("Q", "p"));
                Lookup.Queue queue = lookup.open(1)) {
            queue.key().setText(1, "p1");
            assertThatThrownBy(queue::submit)
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.ROW))
                    .hasMessage("[lookups.t] key column \"Q\" is null or not set: no row has such a key");
            queue.key().setInt(0, 1).setNull(1);
            assertThatThrownBy(queue::submit).hasMessageContaining("key column \"p\" is null or not set");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> queue.key().setLong(0, 1))
                    .withMessage("column \"Q\" is int, which setLong cannot write");
            submit(queue, List.of(1, "p1"));
            assertThat(queue.isFull()).isTrue();
            assertThatThrownBy(() -> submit(queue, List.of(1, "p1")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the queue is full with 1 keys");
            assertThat(queue.take()).isNotNull();
            assertThat(queue.isFull()).isFalse();
            assertThatIllegalArgumentException().isThrownBy(() -> lookup.open(0));
        }
    }

    @Test
    void refusesColumnsThatAreNotAKey() {
        for (List<String> columns : List.of(
                List.of("p"),
                List.of("p", "Q", "d"),
                List.of("p", "Q", "v"),
                List.of("p", "Q", "Q"),
                List.of("p", "q"))) {
            assertThatThrownBy(() -> OVERDRIVE.lookup(all().build(), columns))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SCHEMA))
                    .hasMessage("[lookups.t] rows cannot be looked up by " + columns
                            + ": it takes the whole partition key [p, Q], and then clustering columns from the first"
                            + " on, of [c, d]");
        }
        List<String> key = List.of("p", "Q");
        assertThatThrownBy(() -> OVERDRIVE.lookup(all().where("v = ?").build(), key))
                .hasMessageContaining("the conditions have markers");
        assertThatThrownBy(() -> OVERDRIVE.lookup(all().where("c > 1 LIMIT 3").build(), key))
                .hasMessageContaining("would have it for each key");
        assertThatThrownBy(() -> OVERDRIVE.lookup(all().where("nope = 1").build(), key))
                .hasMessageContaining("the server refuses the query")
                .hasMessageContaining("nope");
    }

    @Test
    void namesTheKeyThatTheServerRefusesAndGoesOn() {
        execute("CREATE TABLE lookups.refusals (\"K\" text, c int, b blob, PRIMARY KEY (\"K\", c, b))");
        OVERDRIVE
                .session()
                .execute(SimpleStatement.newInstance(
                        "INSERT INTO lookups.refusals (\"K\", c, b) VALUES ('it''s', 1, 0x00ff)"));
        try (Lookup lookup = OVERDRIVE.lookup(ScanOptions.from(KS, "refusals").build(), List.of("K", "c"));
                Lookup.Queue queue = lookup.open(8)) {
            submit(queue, List.of("", 7));
            submit(queue, List.of("it's", 1));
            submit(queue, List.of("x".repeat(70_000), 7));
            queue.key().setText(0, "it's").setBytes(1, new byte[3], 0, 3);
            queue.submit();
            submit(queue, List.of("it's", 1));
            assertRefused(queue, "[lookups.refusals] cannot read rows with \"K\" = '' AND c = 7: Key may not be empty");
            assertThat(rest(Objects.requireNonNull(queue.take()))).hasSize(1);
            assertRefused(
                    queue,
                    "[lookups.refusals] cannot read rows with \"K\" = '" + "x".repeat(99)
                            + "... AND c = 7: Key length of 70000 is longer than maximum of 65535");
            assertRefused(queue, "[lookups.refusals] cannot read rows with \"K\" = 'it''s' AND c = 0x000000: ");
            assertThat(rest(Objects.requireNonNull(queue.take()))).hasSize(1);
        }
    }

    private static void assertRefused(Lookup.Queue queue, String message) {
        RowCursor rows = Objects.requireNonNull(queue.take());
        assertThatThrownBy(rows::next)
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.READ))
                .hasMessageStartingWith(message);
    }

    @Test
    void failsWaitingThreadsWhenItIsClosed() {
        Lookup lookup = OVERDRIVE.lookup(all().build(), List.of("p", "Q"));
        try (Lookup.Queue queue = lookup.open(2)) {
            lookup.close();
            submit(queue, List.of("p1", 1));
            RowCursor rows = Objects.requireNonNull(queue.take());
            assertThatThrownBy(rows::next)
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INTERRUPTED))
                    .hasMessage("[lookups.t] reading was closed");
        }
    }
}
