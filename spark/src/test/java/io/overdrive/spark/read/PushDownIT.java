package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters return the same rows with and without push-down, and Spark's plan shows what Cassandra evaluates. */
@Tag("server")
class PushDownIT {
    private static final String KEYSPACE = "spark_push_down";

    private static final List<String> CONDITIONS = List.of(
            "p1 = 1 and p2 = 'p1'",
            "p1 = 1 and p2 = 'p1' and c1 = 2",
            "p1 = 1 and p2 = 'p1' and c1 = 2 and c2 > timestamp '2001-09-09 01:46:40.001Z'",
            "p1 in (1, 2, 99) and p2 in ('p0', 'p1') and c1 in (1, 2)",
            "p1 in (1, 2, 99) and p2 in ('p0', 'p1') and c1 >= 1 and c1 < 2",
            "p1 = 1",
            "p1 = 77",
            "p1 = 77 and p2 = 'only static'",
            "p1 > 1 and p2 = 'p1'",
            "c1 = 1",
            "c1 in (0, 2)",
            "c1 in (0, 2) and c2 = timestamp '2001-09-09 01:46:40.002Z'",
            "c1 = 1 and c2 >= timestamp '2001-09-09 01:46:40.0015Z'",
            "c1 = 1 and c2 < timestamp '2001-09-09 01:46:40.0015Z'",
            "c1 = 1 and c2 = timestamp '2001-09-09 01:46:40.0015Z'",
            "c1 > 0 and c1 <= 1",
            "c2 = timestamp '2001-09-09 01:46:40.001Z'",
            "c1 is null",
            "v = 1",
            "v = 1 and w = 'it''s 4'",
            "v = 1 and w > 'it''s 3' and c1 = 1",
            "v = 1 and c1 in (1, 2)",
            "v = 1 and p1 = 1 and p2 = 'p1'",
            "v = 1 and p1 in (1, 2) and p2 = 'p1'",
            "v > 1",
            "v is null",
            "v <=> 2",
            "w = 'it''s 4'",
            "s = 's'",
            "c3 = '00000000-0000-0002-0000-000000000003'",
            "p1 = 1 or c1 = 1",
            "not (c1 = 1)",
            "p1 = 1 and p2 = 'p1' and not (c1 = 1)",
            "p1 = 5 - 4 and p2 = concat('p', '1')",
            "c1 = 1 and c1 = 2",
            "p1 = 1 and p2 = ''",
            "p1 = 1 and p2 like 'p%'",
            "v = 1 and w like 'it''s 1%'",
            "v = 1 and w like '%1'");

    /** The rows of each condition, and their column {@code s}, according to Spark. */
    @SuppressWarnings("NullAway.Init")
    private static Map<String, List<String>> expected;

    @SuppressWarnings("NullAway.Init")
    private static Map<String, List<String>> expectedStatics;

    @BeforeAll
    static void fill() throws Exception {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (p1 int, p2 text, c1 int, c2 timestamp, c3 uuid, s text STATIC,"
                + " v int, w text, PRIMARY KEY ((p1, p2), c1, c2, c3)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)");
        TestSpark.cql("CREATE INDEX ON " + KEYSPACE + ".t (v)");
        PreparedStatement insert = TestSpark.overdrive()
                .session()
                .prepare("INSERT INTO " + KEYSPACE + ".t (p1, p2, c1, c2, c3, v, w) VALUES (?, ?, ?, ?, ?, ?, ?)");
        for (int p = 0; p < 12; p++) {
            for (int i = 0; i < 12; i++) {
                TestSpark.overdrive()
                        .session()
                        .execute(insert.bind(
                                p / 3,
                                "p" + p % 3,
                                i / 4,
                                Instant.ofEpochMilli(1_000_000_000_000L + i % 4),
                                new UUID(p, i),
                                i % 3 == 0 ? null : (Object) (i % 3),
                                "it's " + i));
            }
        }
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (p1, p2, s) VALUES (77, 'only static', 's')");
        // These many small queries would take longer to compile than to run.
        TestSpark.spark().conf().set("spark.sql.codegen.wholeStage", "false");
        TestSpark.spark().conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
        Dataset<Row> memory = TestSpark.inMemory(read());
        expected = TestSpark.matching(memory, CONDITIONS, "*");
        expectedStatics = TestSpark.matching(memory, CONDITIONS, "s");
    }

    @AfterAll
    static void restore() {
        TestSpark.spark().conf().unset("spark.sql.codegen.wholeStage");
        TestSpark.spark().conf().unset("spark.sql.codegen.factoryMode");
    }

    private static Dataset<Row> read() {
        return read("t", "splitCount", "2");
    }

    private static Dataset<Row> read(String table, String option, String value) {
        return TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .option(option, value)
                .load();
    }

    @ParameterizedTest
    @FieldSource("CONDITIONS")
    @OneCaseIn(4)
    void returnsTheSameRows(String condition) {
        List<String> rows = Objects.requireNonNull(expected.get(condition));
        assertThat(sorted(read().filter(condition))).isEqualTo(rows);
        // reads no column of the condition
        assertThat(sorted(read().filter(condition).select("s"))).isEqualTo(expectedStatics.get(condition));
        assertThat(read().filter(condition).count()).isEqualTo(rows.size());
    }

    private static List<String> sorted(Dataset<Row> rows) {
        return rows.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    p1 = 1 and p2 = 'p1'                 | [p1 = 1, p2 = 'p1'], Lookups: 1
                    p1 in (1, 2) and p2 = 'p1' and c1=2  | [p1 IN (1, 2), p2 = 'p1', c1 = 2], Lookups: 2
                    c1 = 1 and c2 > timestamp '2020-01-01 00:00:00.0005Z' | [c1 = 1, c2 > '2020-01-01T00:00:00.000Z']
                    v = 1 and w = 'a'                    | [v = 1, w = 'a']
                    """)
    void showsWhatCassandraEvaluatesAndLeavesNothingToSpark(String condition, String pushed) {
        assertThat(TestSpark.explain(read().filter(condition)))
                .contains("PushedFilters: " + pushed)
                .doesNotContain("Filter (");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p1 = 1", "c2 = timestamp '2020-01-01'", "w = 'a'", "c3 > 'a'", "v > 1"})
    void leavesTheRestToSpark(String condition) {
        assertThat(TestSpark.explain(read().filter(condition)))
                .contains("PushedFilters: []")
                .contains("Filter ");
    }

    @Test
    void pushesNothingIfPushDownIsOff() {
        Dataset<Row> read = read("t", "pushdown", "false");
        Dataset<Row> filtered = read.filter("p1 = 1 and p2 = 'p1' and c1 = 1");
        assertThat(TestSpark.explain(filtered)).contains("PushedFilters: []").contains("Filter ");
        assertThat(TestSpark.explain(filtered.limit(3))).doesNotContain("PushedLimit");
        assertThat(TestSpark.explain(read.groupBy().count())).doesNotContain("[count(*)]");
        assertThat(filtered.count()).isEqualTo(4);
    }

    @Test
    void readsAFewRowsForALimit() {
        Dataset<Row> few = read().limit(5);
        assertThat(TestSpark.explain(few)).contains("PushedLimit: 5");
        assertThat(few.collectAsList()).hasSize(5);
        assertThat(few.rdd().getNumPartitions()).isEqualTo(1);
        assertThat(TestSpark.metric(few, "pages")).isBetween(1L, 4L);
        Dataset<Row> inside = few.join(few.withColumnRenamed("w", "x"), "c3");
        assertThat(TestSpark.metric(inside, "pages")).isBetween(1L, 8L);
        assertThat(read().filter("c1 = 1").limit(7).collectAsList()).hasSize(7);
        assertThat(read().filter("c1 = 1").limit(1000).collectAsList()).hasSize(48);
        assertThat(read().filter("p1 = 1 and p2 = 'p1'").limit(1000).collectAsList())
                .hasSize(12);
        assertThat(read().limit(0).collectAsList()).isEmpty();
        assertThat(read().limit(5).join(read().limit(4).select("w"), "w").count())
                .isBetween(0L, 20L);
        assertThat(read().offset(140).limit(100).collectAsList()).hasSize(5);
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there is no SAI")
    void usesAnIndexIfItAnswersAsSparkWould() {
        String name = KEYSPACE + ".indexed";
        TestSpark.cql(
                "CREATE TABLE " + name + " (p int, c int, n int, d double, word text, \"AnyCase\" text, plain int,"
                        + " price decimal, tags set<text>, PRIMARY KEY (p, c))");
        for (String column : List.of("n", "d", "word", "tags")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + column + ") USING 'sai'");
        }
        TestSpark.cql(
                "CREATE INDEX ON " + name + " (\"AnyCase\") USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'}");
        TestSpark.cql("CREATE INDEX ON " + name + " (price)");
        for (int i = 0; i < 40; i++) {
            TestSpark.cql("INSERT INTO " + name + " (p, c, n, d, word, \"AnyCase\", plain, price, tags) VALUES ("
                    + i / 5 + ", " + i % 5 + ", " + i + ", " + (i % 7 == 0 ? "NaN" : i + ".5") + ", 'w" + i % 4 + "', '"
                    + (i % 2 == 0 ? "Case" : "case") + "', " + i % 3 + ", " + (i % 2 == 0 ? "1.5" : "1.50")
                    + ", {'t'})");
        }
        Dataset<Row> read = read("indexed", "splitCount", "2");
        List<String> conditions = List.of(
                "n > 10",
                "n >= 10 and n < 30 and plain = 1",
                "n = 7",
                "d > 20.5D",
                "d < 20.5D and word = 'w1'",
                "word = 'w1' and plain > 0 and c in (1, 2)",
                "word = 'w1' and c = 1",
                "p = 2 and word = 'w1'",
                "p in (2, 3) and word = 'w1'",
                "word > 'w1'",
                "`AnyCase` = 'case'",
                "`AnyCase` = 'case' and n > 10",
                "price = 1.5",
                "price = 1.5 and n > 10");
        TestSpark.matching(TestSpark.inMemory(read), conditions, "*")
                .forEach((condition, rows) ->
                        assertThat(sorted(read.filter(condition))).as(condition).isEqualTo(rows));
        assertThat(TestSpark.explain(read.filter("n > 10 and plain = 1")))
                .contains("PushedFilters: [n > 10, plain = 1]")
                .doesNotContain("Filter (");
        assertThat(TestSpark.explain(read.filter("`AnyCase` = 'case'"))).contains("PushedFilters: []");
        assertThat(TestSpark.explain(read.filter("price = 1.5"))).contains("PushedFilters: []");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there is no SAI")
    @Tag("nightly")
    void usesIndexesOfKeysAndStaticColumns() {
        String name = KEYSPACE + ".indexed_keys";
        TestSpark.cql("CREATE TABLE " + name + " (p1 int, p2 int, p3 text, c1 int, c2 int, c3 int, s int STATIC,"
                + " t text STATIC, v int, PRIMARY KEY ((p1, p2, p3), c1, c2, c3))");
        for (String column : List.of("p2", "p3", "c2", "s", "v")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + column + ") USING 'sai'");
        }
        // would answer as well, but is not used
        TestSpark.cql("CREATE INDEX ON " + name + " (c3)");
        for (int i = 0; i < 60; i++) {
            TestSpark.cql("INSERT INTO %s (p1, p2, p3, c1, c2, c3, v) VALUES (%d, %d, 'p%d', %d, %d, %d, %d)"
                    .formatted(name, i % 3, i % 5, i % 2, i % 4, i % 6, i % 7, i % 8));
            TestSpark.cql("UPDATE %s SET s = %d, t = 't' WHERE p1 = %d AND p2 = %d AND p3 = 'p%d'"
                    .formatted(name, i % 3, i % 3, i % 5 + i % 2, i % 2));
        }
        Dataset<Row> read = read("indexed_keys", "splitCount", "2");
        Dataset<Row> memory = TestSpark.inMemory(read);
        List<String> conditions = List.of(
                "p2 = 3",
                "p2 > 1 and p2 <= 3",
                "p2 = 2 and p3 = 'p1'",
                "p3 = 'p1' and v < 5 and c1 = 1",
                "p2 = 3 and v = 3",
                "p1 = 1 and p2 = 3",
                "p1 = 1 and p2 = 3 and p3 = 'p0' and c2 = 4",
                "p1 = 1 and p2 in (3, 4) and p3 = 'p0' and c2 = 4",
                "p2 in (3, 4)",
                "c2 = 4",
                "c2 >= 4 and c1 = 2",
                "c1 in (1, 2) and c2 = 4",
                "c1 = 2 and c2 = 4 and c3 > 2",
                "c3 = 4",
                "s = 1",
                "s = 1 and c2 = 4",
                "s > 0 and p2 = 3",
                "s = 1 and t = 't'",
                "s = 1 and c1 is null");
        Map<String, List<String>> statics = TestSpark.matching(memory, conditions, "s");
        TestSpark.matching(memory, conditions, "*").forEach((condition, rows) -> {
            assertThat(sorted(read.filter(condition))).as(condition).isEqualTo(rows);
            assertThat(read.filter(condition).count()).as(condition).isEqualTo(rows.size());
            assertThat(sorted(read.filter(condition).select("s"))).as(condition).isEqualTo(statics.get(condition));
        });
        assertThat(TestSpark.explain(read.filter("p2 > 1 and c2 = 4 and s = 1 and v = 3")))
                .contains("PushedFilters: [p2 > 1, c2 = 4, v = 3, s = 1]")
                .doesNotContain("Filter (");
        assertThat(TestSpark.explain(read.filter("c3 = 4"))).contains("PushedFilters: []");
        assertThat(TestSpark.explain(read.filter("t = 't'"))).contains("PushedFilters: []");
        // the keys of a join cannot be combined with a condition on a part of the key
        Dataset<Row> keys = TestSpark.spark()
                .range(40)
                .selectExpr("cast(id % 3 as int) p1", "cast(id % 5 as int) p2", "concat('p', id % 2) p3", "id")
                .filter("id % 7 = 0");
        String[] key = {"p1", "p2", "p3"};
        for (String directJoin : List.of("on", "off")) {
            Dataset<Row> some = read("indexed_keys", "directJoin", directJoin).filter("p2 = 3");
            assertThat(sorted(some.join(keys, key)))
                    .isEqualTo(sorted(memory.filter("p2 = 3").join(keys, key)));
        }
    }

    @Test
    void readsARangeForTheBeginningOfClusteringText() throws Exception {
        String name = KEYSPACE + ".words";
        TestSpark.cql("CREATE TABLE " + name + " (p int, word text, n int, PRIMARY KEY (p, word, n))");
        List<String> words =
                List.of("", "a", "ab", "ab\u007f", "abc", "abd", "ac", "b", "\u00e4", "\u00e4b", "\u00e5", "%a");
        PreparedStatement insert =
                TestSpark.overdrive().session().prepare("INSERT INTO " + name + " (p, word, n) VALUES (?, ?, ?)");
        for (int i = 0; i < 3 * words.size(); i++) {
            TestSpark.overdrive().session().execute(insert.bind(i % 3, words.get(i / 3), i));
        }
        Dataset<Row> read = read("words", "splitCount", "2");
        List<String> conditions = List.of(
                "word like 'ab%'",
                "word like 'a%' and n > 5",
                "p = 1 and startswith(word, '\u00e4')",
                "p = 1 and word like 'a%' and word > 'ab'",
                "word like '\\\\%a%'",
                "word like '%b%'",
                "word like 'a%c'",
                "word like '%'");
        TestSpark.matching(TestSpark.inMemory(read), conditions, "*")
                .forEach((condition, rows) -> assertThat(sorted(read.filter(condition)))
                        .as(condition)
                        .isNotEmpty()
                        .isEqualTo(rows));
        assertThat(TestSpark.explain(read.filter("word like 'ab%'")))
                .contains("PushedFilters: [word >= 'ab' AND word < 'ac']")
                .doesNotContain("Filter (");
        assertThat(TestSpark.explain(read.filter("word like '%b%'"))).contains("PushedFilters: []");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " USING 'sai'"})
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are neither vectors nor SAI")
    @Tag("nightly")
    void usesIndexesOfElements(String using) {
        String table = using.isEmpty() ? "elements" : "elements_sai";
        String name = KEYSPACE + "." + table;
        TestSpark.cql("CREATE TABLE " + name + " (p int, c int, l list<int>, s set<text>, \"M\" map<text, int>,"
                + " other map<text, int>, d set<decimal>, v int, PRIMARY KEY (p, c))");
        for (String target : List.of("l", "s", "KEYS(\"M\")", "VALUES(\"M\")", "ENTRIES(\"M\")", "d", "v")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + target + ")" + using);
        }
        for (int i = 0; i < 60; i++) {
            TestSpark.cql("INSERT INTO %s (p, c, l, s, \"M\", other, d, v) VALUES (%d, %d, [%d, 1, 1], {'s%d', ''},"
                            .formatted(name, i / 20, i % 20, i % 7, i % 3)
                    + " {'k%d': %d, 'x': 1}, {'k': 1}, {%s}, %d)"
                            .formatted(i % 2, i % 5, i % 2 == 0 ? "1.5" : "1.50", i % 4));
        }
        TestSpark.cql("INSERT INTO " + name + " (p, c, v) VALUES (0, 100, 1)");
        TestSpark.cql("UPDATE " + name + " SET l = l - [1] WHERE p = 1 AND c = 3");
        Dataset<Row> read = read(table, "pageRows", "3");
        Dataset<Row> memory = TestSpark.inMemory(read);
        Map<String, String> pushed = new LinkedHashMap<>();
        pushed.put("array_contains(l, 3)", "l CONTAINS 3");
        pushed.put("array_contains(l, 1)", "l CONTAINS 1");
        pushed.put("array_contains(l, 1) and array_contains(l, 3)", "l CONTAINS 1");
        pushed.put("array_contains(s, 's1')", "s CONTAINS 's1'");
        pushed.put("array_contains(s, '')", "s CONTAINS ''");
        pushed.put("array_contains(map_keys(M), 'k1')", "\"M\" CONTAINS KEY 'k1'");
        pushed.put("map_contains_key(M, 'k1') and c > 15", "\"M\" CONTAINS KEY 'k1'");
        pushed.put("array_contains(map_values(M), 3)", "\"M\" CONTAINS 3");
        pushed.put("M['k1'] = 3", "\"M\"['k1'] = 3");
        pushed.put("3 = element_at(M, 'k0')", "\"M\"['k0'] = 3");
        pushed.put("p = 1 and array_contains(l, 3)", "l CONTAINS 3");
        pushed.put("p = 1 and c > 3 and array_contains(l, 3)", "c > 3, l CONTAINS 3");
        pushed.put("v = 1 and array_contains(l, 3)", "v = 1, l CONTAINS 3");
        pushed.put("p in (0, 2) and array_contains(l, 3)", "p IN (0, 2)], Lookups: 2");
        pushed.put("c in (1, 2, 3) and array_contains(l, 3)", "[l CONTAINS 3]");
        for (String left : List.of(
                "not array_contains(l, 3)",
                "array_contains(l, 3) or v = 1",
                "array_contains(d, 1.5BD)",
                "other['k'] = 1",
                "M['k1'] > 1",
                "M['k1'] is null",
                "l = array(3, 1, 1)",
                "exists(l, x -> x = 3)",
                "array_contains(l, v)")) {
            pushed.put(left, "PushedFilters: []");
        }
        Map<String, List<String>> matching = TestSpark.matching(memory, List.copyOf(pushed.keySet()), "*");
        pushed.forEach((condition, text) -> {
            List<String> rows = Objects.requireNonNull(matching.get(condition));
            assertThat(TestSpark.explain(read.filter(condition))).as(condition).contains(text);
            assertThat(sorted(read.filter(condition))).as(condition).isEqualTo(rows);
            assertThat(read.filter(condition).count())
                    .as(condition)
                    .isPositive()
                    .isEqualTo(rows.size());
        });
        assertThat(TestSpark.rowsRead(read.filter("M['k1'] = 3"))).isEqualTo(6);
        assertThat(TestSpark.explain(read(table, "pushdown", "false").filter("array_contains(l, 3)")))
                .contains("PushedFilters: []");
        assertThat(read.filter("array_contains(l, 1)").limit(4).collectAsList()).hasSize(4);
        Dataset<Row> threes = read.filter("array_contains(l, 3)");
        Dataset<Row> ones = read.filter("array_contains(map_values(M), 4)");
        assertThat(sorted(threes.union(ones).select("p", "c").distinct()))
                .isEqualTo(sorted(memory.filter("array_contains(l, 3) or array_contains(map_values(M), 4)")
                        .select("p", "c")));
        assertThat(sorted(threes.join(ones, "c")))
                .isEqualTo(sorted(memory.filter("array_contains(l, 3)")
                        .join(memory.filter("array_contains(map_values(M), 4)"), "c")));
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are neither vectors nor SAI")
    void leavesConditionsOnFrozenCollectionsAndVectorsWithIndexesToSpark() {
        String name = KEYSPACE + ".indexed_parts";
        TestSpark.cql("CREATE TABLE " + name + " (id int PRIMARY KEY, fl frozen<list<int>>, v vector<float, 2>)");
        for (String target : List.of("FULL(fl)", "v")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + target + ") USING 'sai'");
        }
        for (int i = 0; i < 10; i++) {
            TestSpark.cql("INSERT INTO %s (id, fl, v) VALUES (%d, [%d], [%d, 1])".formatted(name, i, i, i));
        }
        Dataset<Row> read = read("indexed_parts", "splitCount", "2");
        Dataset<Row> memory = TestSpark.inMemory(read);
        for (String condition : List.of("array_contains(fl, 4)", "fl = array(4)", "v = array(float(2), float(1))")) {
            assertThat(TestSpark.explain(read.filter(condition))).as(condition).contains("PushedFilters: []");
            assertThat(sorted(read.filter(condition)))
                    .as(condition)
                    .isNotEmpty()
                    .isEqualTo(sorted(memory.filter(condition)));
        }
    }

    @Test
    void readsOnceWhatAQueryReadsTwice() {
        TestSpark.spark().conf().set("spark.sql.adaptive.enabled", "false");
        try {
            Dataset<Row> counted = read().filter("c1 = 1").groupBy("w").count();
            assertThat(TestSpark.explain(counted.union(counted))).contains("ReusedExchange");
            Dataset<Row> others = read().filter("c1 = 2").groupBy("w").count();
            assertThat(TestSpark.explain(counted.union(others))).doesNotContain("ReusedExchange");
        } finally {
            TestSpark.spark().conf().unset("spark.sql.adaptive.enabled");
        }
    }

    @Test
    @Tag("nightly")
    void comparesEachTypeOfClusteringColumnAsSparkDoes() throws Exception {
        UUID timeuuid = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
        compare("tinyint", List.of((byte) -1, (byte) 0, (byte) 1), List.of("0Y", "1Y"));
        compare("smallint", List.of((short) -1, (short) 0, (short) 300), List.of("0S", "300S"));
        compare("bigint", List.of(-1L, 0L, 1L << 40), List.of("0L", "1099511627776L"));
        compare("float", List.of(-1f, -0f, 0f, 0.1f, Float.NaN), List.of("float('0.1')", "float('0')", "float('NaN')"));
        compare("double", List.of(-1d, -0d, 0d, 0.1, Double.NaN), List.of("0.1D", "0D", "-1D", "double('NaN')"));
        compare("boolean", List.of(true, false), List.of("true", "false"));
        compare("text", List.of("", "a", "B", "\u00e4", "\uD83D\uDE00", "\uffee"), List.of("''", "'a'", "'\uffee'"));
        compare("ascii", List.of("a", "b"), List.of("'a'", "'\u00e4'"));
        compare(
                "blob",
                List.of(ByteBuffer.wrap(new byte[] {1}), ByteBuffer.wrap(new byte[] {(byte) 0xff})),
                List.of("X'01'", "X'7F'", "X'FF'"));
        compare("varint", List.of(BigInteger.valueOf(-5), BigInteger.TEN), List.of("10", "-5", "9.5BD"));
        compare(
                "decimal",
                List.of(new BigDecimal("1.50"), new BigDecimal("1.6"), new BigDecimal("-3")),
                List.of("1.5BD", "1.55BD", "-3"));
        compare(
                "date",
                List.of(LocalDate.EPOCH, LocalDate.of(1500, 1, 1), LocalDate.of(9999, 12, 31)),
                List.of("date '1970-01-01'", "date '1500-01-01'", "date '9999-12-31'"));
        compare(
                "timestamp",
                List.of(Instant.EPOCH, Instant.ofEpochMilli(-1), Instant.parse("0001-01-01T00:00:00Z")),
                List.of(
                        "timestamp '1970-01-01 00:00:00Z'",
                        "timestamp '1969-12-31 23:59:59.9995Z'",
                        "timestamp '0001-01-01 00:00:00Z'"));
        compare("time", List.of(LocalTime.MIDNIGHT, LocalTime.NOON), List.of("0L", "43200000000000L", "-1L"));
        compare("uuid", List.of(new UUID(1, 2), new UUID(-1, -1)), List.of("'" + new UUID(1, 2) + "'", "'B'"));
        compare("timeuuid", List.of(timeuuid), List.of("'" + timeuuid + "'"));
        compare(
                "inet",
                List.of(InetAddress.getByName("127.0.0.1"), InetAddress.getByName("2001:db8::1")),
                List.of("'127.0.0.1'", "'2001:db8:0:0:0:0:0:1'", "'2001:db8::1'", "'localhost'"));
    }

    private static void compare(String type, List<?> values, List<String> literals) {
        String name = KEYSPACE + ".of_" + type;
        TestSpark.cql("CREATE TABLE " + name + " (p int, c " + type + ", PRIMARY KEY (p, c))");
        PreparedStatement insert =
                TestSpark.overdrive().session().prepare("INSERT INTO " + name + " (p, c) VALUES (0, ?)");
        values.forEach(value -> TestSpark.overdrive().session().execute(insert.bind(value)));
        Dataset<Row> read = read("of_" + type, "splitCount", "1");
        Dataset<Row> memory = TestSpark.inMemory(read);
        assertThat(memory.count()).isEqualTo(values.size());
        StringBuilder query = new StringBuilder();
        for (String literal : literals) {
            for (String operator : List.of("=", "<", "<=", ">", ">=")) {
                String condition = "c " + operator + " " + literal;
                query.append(query.isEmpty() ? "" : " UNION ALL ")
                        .append("SELECT \"" + condition.replace("\"", "")
                                + "\" AS what, to_json(struct(c)) FROM rows WHERE " + condition);
            }
        }
        read.createOrReplaceTempView("rows");
        List<String> found = sorted(TestSpark.spark().sql(query.toString()));
        memory.createOrReplaceTempView("rows");
        assertThat(found).as(type).isEqualTo(sorted(TestSpark.spark().sql(query.toString())));
    }
}
