package io.overdrive.spark.read;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("server")
class ReadIT {
    private static final String KEYSPACE = "spark_read";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (p int, c int, v text, s text STATIC, PRIMARY KEY (p, c))");
        for (int p = 0; p < 50; p++) {
            for (int c = 0; c < 4; c++) {
                TestSpark.cql(
                        "INSERT INTO " + KEYSPACE + ".t (p, c, v) VALUES (" + p + ", " + c + ", 'v" + p * c + "')");
            }
        }
    }

    private static Dataset<Row> read(String table) {
        return TestSpark.read(KEYSPACE, table);
    }

    private static Dataset<Row> read(String table, String option, String value) {
        return TestSpark.read(KEYSPACE, table, option, value);
    }

    @Test
    void readsEachRowOnce() {
        List<Row> rows = read("t").orderBy("p", "c").collectAsList();
        assertThat(rows).hasSize(200);
        assertThat(rows.get(7)).isEqualTo(RowFactory.create(1, 3, "v3", null));
    }

    @Test
    void readsOnlyTheSelectedColumns() {
        var chosen = read("t").select("v").distinct();
        assertThat(TestSpark.explain(chosen)).contains("cassandra spark_read.t [v]");
        assertThat(chosen.count()).isEqualTo(100);
        // none at all
        assertThat(read("t").selectExpr("1 as one").collectAsList()).hasSize(200);
    }

    @Test
    void readsInTheRequestedNumberOfPartitions() {
        for (String count : List.of("1", "7", "100")) {
            Dataset<Row> read = read("t", "splitCount", count);
            assertThat(read.rdd().getNumPartitions()).isEqualTo(Integer.parseInt(count));
            assertThat(read.select("v").collectAsList()).hasSize(200);
        }
        // more than the number of cores if there is enough to read
        assertThat(read("t").rdd().getNumPartitions()).isBetween(4, 5);
    }

    /** A session may have the setting for other tables. */
    @Test
    void readsTablesOfCassandraItselfInOnePartition() {
        assertThat(TestSpark.read("system", "local", "splitCount", "7")
                        .select("key")
                        .collectAsList())
                .hasSize(1);
    }

    @Test
    void prefersNoHostInLocalMode() {
        for (Dataset<Row> query : List.of(read("t"), read("t").filter("p in (1, 2)"))) {
            BatchScanExec scan = (BatchScanExec)
                    query.queryExecution().executedPlan().collectLeaves().head();
            assertThat(scan.inputPartitions().head().preferredLocations()).isEmpty();
        }
    }

    @Test
    void readsPagesOfTheRequestedNumberOfRows() {
        // Partitions end at the end of a page, so that the pages after them are empty.
        for (String rows : List.of("1", "4", "8", "200")) {
            assertThat(read("t", "pageRows", rows).select("v").collectAsList()).hasSize(200);
        }
    }

    @Test
    void readsRowsBetweenManyTombstones() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".gone (p int, c int, v int, PRIMARY KEY (p, c))");
        TestSpark.cql("CREATE INDEX ON " + KEYSPACE + ".gone (v)");
        for (int c = 0; c < 300; c++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".gone (p, c, v) VALUES (" + c % 3 + ", " + c + ", 1)");
        }
        for (int p = 0; p < 3; p++) {
            TestSpark.cql("DELETE FROM " + KEYSPACE + ".gone WHERE p = " + p + " AND c > 10 AND c < 290");
            TestSpark.cql("UPDATE " + KEYSPACE + ".gone SET v = 2 WHERE p = " + p + " AND c = " + (6 + p));
        }
        Dataset<Row> read = read("gone", "pageRows", "2");
        assertThat(read.select("c").collectAsList()).hasSize(21);
        assertThat(read.filter("v = 1").select("c").collectAsList()).hasSize(18);
        assertThat(read.filter("c > 9").select("c").collectAsList()).hasSize(11);
        assertThat(read.filter("p in (0, 1)").select("c").collectAsList()).hasSize(14);
    }

    @Test
    void readsATableWithoutRows() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".empty (p int PRIMARY KEY, v int)");
        assertThat(read("empty").collectAsList()).isEmpty();
        assertThat(read("empty").filter("p = 1").collectAsList()).isEmpty();
        assertThat(read("empty").limit(3).collectAsList()).isEmpty();
    }

    @Test
    void readsStaticColumnsWithAndWithoutRows() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".fixed (p int, c int, s text STATIC, v int, PRIMARY KEY (p, c))");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".fixed (p, c, s, v) VALUES (1, 1, 'one', 5)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".fixed (p, c) VALUES (1, 2)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".fixed (p, s) VALUES (2, 'alone')");
        Dataset<Row> read = read("fixed").select("p", "c", "s", "v");
        assertThat(read.orderBy("p", "c").collectAsList())
                .containsExactly(
                        RowFactory.create(1, 1, "one", 5),
                        RowFactory.create(1, 2, "one", null),
                        RowFactory.create(2, null, "alone", null));
        assertThat(read.filter("c is null").collectAsList()).hasSize(1);
        assertThat(read.select("s").collectAsList()).hasSize(3);
        assertThat(read.filter("c > 0").select("s").collectAsList()).hasSize(2);
        assertThat(read.count()).isEqualTo(3);
    }

    @Test
    void readsColumnsOfAnyName() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".\"MixedCase\" (\"Key\" int, \"select\" int, \"a.b\" int,"
                + " \"quote\"\"d\" int, \"limit\" int, PRIMARY KEY (\"Key\", \"select\"))");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".\"MixedCase\" (\"Key\", \"select\", \"a.b\", \"quote\"\"d\","
                + " \"limit\") VALUES (1, 2, 3, 4, 5)");
        Dataset<Row> read = read("MixedCase");
        assertThat(read.filter("`select` >= 2 and Key = 1")
                        .select("`a.b`", "`limit`", "`quote\"d`", "KEY")
                        .collectAsList())
                .containsExactly(RowFactory.create(3, 5, 4, 1));
        assertThat(read.selectExpr("max(`a.b`)", "count(`quote\"d`)", "min(`select`)")
                        .collectAsList())
                .containsExactly(RowFactory.create(3, 1L, 2));
    }

    @Test
    void readsAMaterializedView() {
        TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT v, p, c FROM " + KEYSPACE
                + ".t WHERE v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (v, p, c)");
        await(() -> TestSpark.cql("SELECT * FROM " + KEYSPACE + ".by_v").size() == 200);
        assertThat(read("by_v").collectAsList()).hasSize(200);
        Dataset<Row> found = read("by_v").filter("v = 'v6'").orderBy("p");
        assertThat(TestSpark.explain(found)).contains("Lookups: 1");
        assertThat(found.select("p", "c").collectAsList())
                .containsExactly(RowFactory.create(2, 3), RowFactory.create(3, 2), RowFactory.create(6, 1));
        assertThat(read("by_v").count()).isEqualTo(200);
    }

    private static void await(java.util.function.BooleanSupplier condition) {
        for (int i = 0; i < 1200 && !condition.getAsBoolean(); i++) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void readsOnlyTheSelectedFieldsOfAUdt() {
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".place (city text, \"Zip Code\" int)");
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".person (name text, home frozen<place>, seen timestamp)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".people (p int PRIMARY KEY, who frozen<person>,"
                + " places list<frozen<place>>, by_name map<text, frozen<place>>)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".people (p, who, places, by_name) VALUES (1, {name: 'Ann',"
                + " home: {city: 'Oslo', \"Zip Code\": 150}, seen: 5}, [{city: 'Rome'}, {\"Zip Code\": 7}],"
                + " {'a': {city: 'Bonn'}})");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".people (p, who) VALUES (2, {home: {city: null}})");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".people (p) VALUES (3)");
        Dataset<Row> parts = read("people")
                .selectExpr("p", "who.home.city", "who.seen", "places.`Zip Code`", "by_name['a'].city as bonn")
                .orderBy("p");
        StructType who = (StructType) leaf(parts).apply("who").dataType();
        assertThat(who.simpleString()).isEqualTo("struct<home:struct<city:string>,seen:timestamp>");
        List<Row> rows = parts.collectAsList();
        assertThat(rows.get(0).getString(1)).isEqualTo("Oslo");
        assertThat(rows.get(0).getTimestamp(2).toInstant()).isEqualTo(Instant.ofEpochMilli(5));
        assertThat(rows.get(0).getList(3)).containsExactly(null, 7);
        assertThat(rows.get(0).getString(4)).isEqualTo("Bonn");
        assertThat(rows.get(1)).hasToString("[2,null,null,ArraySeq(),null]");
        assertThat(rows.get(2)).hasToString("[3,null,null,ArraySeq(),null]");
        assertThat(read("people").filter("who.home.city = 'Oslo'").collectAsList())
                .hasSize(1);
    }

    /** Cassandra stores only the elements of a collection that is not frozen. */
    @Test
    void readsCollectionsWithoutElementsAsEmptyUnlessTheyAreFrozen() {
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".tagged (tags list<text>)");
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".elements (p int PRIMARY KEY, l list<int>, s set<text>, m map<int, text>,"
                        + " f frozen<list<int>>, u frozen<tagged>, v int)");
        TestSpark.cql("INSERT INTO " + KEYSPACE
                + ".elements (p, l, s, m, f, u, v) VALUES (1, [1, 2], {'a'}, {1: 'a'}, [3]," + " {tags: ['t']}, 1)");
        TestSpark.cql(
                "INSERT INTO " + KEYSPACE + ".elements (p, l, s, m, f, u) VALUES (2, [], {}, {}, [], {tags: []})");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".elements (p, v) VALUES (3, 1)");
        Dataset<Row> read = read("elements").select("p", "l", "s", "m", "f", "u");
        List<String> rows = List.of(
                "[1,ArraySeq(1, 2),ArraySeq(a),Map(1 -> a),ArraySeq(3),[ArraySeq(t)]]",
                "[2,ArraySeq(),ArraySeq(),Map(),ArraySeq(),[ArraySeq()]]",
                "[3,ArraySeq(),ArraySeq(),Map(),null,null]");
        assertThat(read.orderBy("p").collectAsList()).map(Row::toString).isEqualTo(rows);
        assertThat(read.filter("p IN (1, 2, 3)").orderBy("p").collectAsList()) // looked up
                .map(Row::toString)
                .isEqualTo(rows);
        Dataset<Row> keys = TestSpark.spark().range(1, 5).selectExpr("cast(id AS int) AS k");
        List<String> joined = new ArrayList<>(rows);
        joined.add("[null,null,null,null,null,null]");
        for (String directJoin : List.of("on", "off")) {
            Dataset<Row> table = read("elements", "directJoin", directJoin);
            assertThat(keys.join(table, keys.col("k").equalTo(table.col("p")), "left")
                            .orderBy("k")
                            .select("p", "l", "s", "m", "f", "u")
                            .collectAsList())
                    .as(directJoin)
                    .map(Row::toString)
                    .isEqualTo(joined);
        }
        String figures = "count(l), count(f), count_if(l IS NULL), sum(size(s)), count_if(size(m) = 0), count(*)";
        for (String condition : List.of("p > 0", "v = 1", "l IS NOT NULL", "NOT array_contains(l, 7)")) {
            assertThat(read("elements")
                            .filter(condition)
                            .selectExpr(figures.split(", ", -1))
                            .collectAsList())
                    .as(condition)
                    .isEqualTo(TestSpark.inMemory(read("elements"))
                            .filter(condition)
                            .selectExpr(figures.split(", ", -1))
                            .collectAsList());
        }
        assertThat(read("elements").selectExpr("count(l)", "count(f)").first()).isEqualTo(RowFactory.create(3L, 2L));
        assertThat(read("elements").filter("l IS NOT NULL").count()).isEqualTo(3);

        Dataset<Row> asNull = read("elements", "emptyAsNull", "true");
        assertThat(asNull.select("p", "l", "s", "m", "f", "u").orderBy("p").collectAsList())
                .map(Row::toString)
                .containsExactly(
                        rows.get(0), "[2,null,null,null,ArraySeq(),[ArraySeq()]]", "[3,null,null,null,null,null]");
        assertThat(asNull.filter("l IS NOT NULL").count()).isOne();
        assertThat(asNull.selectExpr("count(l)", "count(f)").first()).isEqualTo(RowFactory.create(1L, 2L));
        assertThat(asNull.filter("p IN (2, 3) AND m IS NULL").count()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id, single.b",
                "single.b AS x",
                "many.b, get(many, 1).a",
                "by_int[2].b, element_at(by_int, 1).a, map_keys(by_udt).b",
                "each.b, each.a",
                "pair.`1`",
                "pairs.`1`, get(pairs, 0).`0`",
                "inside.`0`.b, inside.`1`",
                "transform(many, x -> x.b + 1), filter(each, x -> x.b > 1)",
                "struct(single.*), size(many)"
            })
    @OneCaseIn(4)
    void readsPartsOfUdtsAndTuplesInAnyPlace(String selection) {
        Dataset<Row> read = read("nested");
        assertThat(read.orderBy("id")
                        .selectExpr(selection.split(", (?![^(]*\\))", -1))
                        .collectAsList())
                .isEqualTo(TestSpark.inMemory(read)
                        .orderBy("id")
                        .selectExpr(selection.split(", (?![^(]*\\))", -1))
                        .collectAsList());
    }

    @BeforeAll
    static void nest() {
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".embedded (a text, b int)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".nested (id int PRIMARY KEY, single embedded,"
                + " many list<frozen<embedded>>, by_int map<int, frozen<embedded>>, by_udt map<frozen<embedded>, int>,"
                + " each set<frozen<embedded>>, pair tuple<text, int>, pairs list<frozen<tuple<text, int>>>,"
                + " inside tuple<frozen<embedded>, int>)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (id, many, each) VALUES (1, [], {})");
        TestSpark.cql(
                "INSERT INTO " + KEYSPACE + ".nested (id, single, many, by_int, by_udt, each, pair, pairs, inside)"
                        + " VALUES (2, {a: 'a1', b: 1}, [{a: 'x1', b: 1}, {a: 'x2', b: 2}], {1: {a: 'x1'}, 2: {b: 2}},"
                        + " {{a: 'k', b: 3}: 7}, {{a: 'y1', b: 1}, {a: 'y2', b: 2}}, ('x1', 1), [('x1', 1), ('x2', null)],"
                        + " ({a: 'in', b: 5}, 6))");
    }

    /** Spark reads once for equal scans. */
    @Test
    void scansAreEqualOnlyIfTheyReadCollectionsWithoutElementsAlike() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".tagged (id int PRIMARY KEY, tags set<text>)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".tagged (id) VALUES (1)");
        Dataset<Row> sizes = read("tagged").groupBy("id").agg(expr("max(size(tags)) AS n"));
        Dataset<Row> asNull =
                read("tagged", "emptyAsNull", "true").groupBy("id").agg(expr("max(size(tags)) AS n"));
        assertThat(sizes.union(sizes).collectAsList()).containsOnly(RowFactory.create(1, 0));
        assertThat(sizes.union(asNull).collectAsList())
                .containsExactlyInAnyOrder(RowFactory.create(1, 0), RowFactory.create(1, null));
    }

    @Test
    @Tag("nightly")
    void readsByManyThreadsAtOnce() {
        List<CompletableFuture<Long>> found = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int i = 0; i < 16; i++) {
                String condition = i % 2 == 0 ? "v is not null" : "p = " + i;
                found.add(CompletableFuture.supplyAsync(
                        () -> read("t")
                                        .filter(condition)
                                        .select("v")
                                        .collectAsList()
                                        .size()
                                * 1L,
                        threads));
            }
            for (int i = 0; i < found.size(); i++) {
                assertThat(found.get(i).join()).isEqualTo(i % 2 == 0 ? 200 : 4);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void readsCompressedPages() {
        String option = "driver.advanced.protocol.compression";
        assertThat(read("t", option, "lz4").select("v").collectAsList()).hasSize(200);
        assertThat(read("t", option, "lz4").filter("p in (1, 2)").collectAsList())
                .hasSize(8);
    }

    /** The scan of a query. */
    private static StructType leaf(Dataset<Row> query) {
        return query.queryExecution().optimizedPlan().collectLeaves().head().schema();
    }

    @Test
    void plansWithoutAskingTheCluster() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".short_lived (p int PRIMARY KEY, v int)");
        Dataset<Row> read = read("short_lived").filter("v > 1");
        TestSpark.cql("DROP TABLE " + KEYSPACE + ".short_lived");
        assertThat(TestSpark.explain(read)).contains("cassandra spark_read.short_lived");
        assertThatThrownBy(read::collectAsList).hasMessageContaining("short_lived");
    }

    @Test
    void readsATableThatWasRecreated() {
        String create = "CREATE TABLE " + KEYSPACE + ".again (p int PRIMARY KEY, v int)";
        TestSpark.cql(create);
        Dataset<Row> read = read("again").filter("v > 0");
        assertThat(read.collectAsList()).isEmpty();
        TestSpark.cql("DROP TABLE " + KEYSPACE + ".again");
        TestSpark.cql(create);
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".again (p, v) VALUES (1, 1)");
        await(() -> {
            try {
                return read.collectAsList().size() == 1;
            } catch (Exception e) {
                return false; // the table was recreated
            }
        });
        assertThat(read.collectAsList()).hasSize(1);
    }

    /** A node only asks for the query to be prepared again then, so that what was not read yet would be missing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"swapped | true", "swapped_keys | p IN (1, 2, 3, 4, 5, 6, 7, 8)"})
    @OneCaseIn(2)
    void failsIfTheTableIsDroppedAndCreatedWhileATaskReadsIt(String table, String filter) {
        String create = "CREATE TABLE " + KEYSPACE + "." + table + " (p int PRIMARY KEY, v int)";
        TestSpark.cql(create);
        for (int p = 0; p < 20; p++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + "." + table + " (p, v) VALUES (" + p + ", " + p % 2 + ")");
        }
        Dataset<Row> read = TestSpark.spark()
                .read()
                .format("cassandra")
                .options(Map.of(
                        "keyspace",
                        KEYSPACE,
                        "table",
                        table,
                        "pageRows",
                        "1",
                        "splitCount",
                        "1",
                        "lookupsInFlight",
                        "1"))
                .load()
                .filter(filter);
        assertThatThrownBy(() -> read.foreachPartition((ForeachPartitionFunction<Row>) rows -> {
                    assertThat(rows.hasNext()).isTrue();
                    TestSpark.cql("DROP TABLE " + KEYSPACE + "." + table);
                    TestSpark.cql(create);
                    rows.forEachRemaining(row -> {});
                }))
                .hasMessageContaining("[" + KEYSPACE + "." + table
                        + "] the table was dropped while the table was read, so rows or values are missing");
        assertThat(read(table).count()).isZero();
    }

    @Test
    void broadcastsASmallTableWithEstimatesAndWithout() {
        for (String table : List.of("small", "other")) {
            TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + table + " (p int PRIMARY KEY, v text)");
            for (int p = 0; p < 50; p++) {
                TestSpark.cql("INSERT INTO " + KEYSPACE + "." + table + " (p, v) VALUES (" + p + ", 'v')");
            }
        }
        Dataset<Row> other = read("other", "directJoin", "off");
        Dataset<Row> joined = other.join(read("small", "directJoin", "off").withColumnRenamed("v", "w"), "p");
        assertThat(TestSpark.explain(joined)).contains("BroadcastHashJoin");
        TestSpark.refreshEstimates(KEYSPACE);
        other = read("other", "directJoin", "off");
        Dataset<Row> again = other.join(read("small", "directJoin", "off").withColumnRenamed("v", "w"), "p");
        assertThat(TestSpark.explain(again)).contains("BroadcastHashJoin");
        assertThat(again.count()).isEqualTo(50);
    }

    @Test
    void reportsToSparkWhatTasksRead() {
        AtomicLong records = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                records.addAndGet(end.taskMetrics().inputMetrics().recordsRead());
                bytes.addAndGet(end.taskMetrics().inputMetrics().bytesRead());
            }
        };
        TestSpark.awaitListeners(); // pending events belong to earlier queries
        TestSpark.spark().sparkContext().addSparkListener(listener);
        Dataset<Row> read = read("t").select("p", "v");
        read.collectAsList();
        TestSpark.awaitListeners();
        TestSpark.spark().sparkContext().removeSparkListener(listener);
        assertThat(records).hasValue(200);
        // two lengths and an int, and the text
        assertThat(bytes.get()).isBetween(200L * 14, 200L * 16);
        assertThat(TestSpark.metric(read, "rowsRead")).isEqualTo(200);
        assertThat(TestSpark.metric(read, "bytesRead")).isEqualTo(bytes.get());
        assertThat(TestSpark.metric(read, "pages")).isBetween(4L, 300L);
        assertThat(TestSpark.metric(read, "retries")).isZero();
        assertThat(TestSpark.metric(read, "p99PageMicros")).isPositive();
    }

    /** The setting of one read is meant for its table; the session's may be meant for another one. */
    @Test
    void readsOnlyVarintAndDecimalColumnsAsText() {
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".amounts (id int PRIMARY KEY, amount bigint, \"all\" list<varint>)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".amounts (id, amount) VALUES (1, 1000000)");
        for (String column : List.of("amount", "all", "id")) {
            assertThatThrownBy(() -> read("amounts", "textColumns", "other, " + column))
                    .hasMessageContaining(
                            "[spark_read.amounts] option \"textColumns\" names column \"" + column + "\" of type ")
                    .hasMessageContaining(
                            "only varint and decimal columns are read as text: take it out of the option");
        }
        TestSpark.spark().conf().set("spark.overdrive.textColumns", "amount");
        try {
            Dataset<Row> rows = read("amounts").select("amount").filter("amount = '1000000'");
            assertThat(rows.collectAsList()).containsExactly(RowFactory.create(1_000_000L));
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.textColumns");
        }
    }

    @Test
    void saysThatAReadCannotChangeTheTypesOfATableInACatalog() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".sums (id int PRIMARY KEY, v varint)");
        assertThatThrownBy(() -> TestSpark.spark()
                        .read()
                        .option("textColumns", "v")
                        .table("cass." + KEYSPACE + ".sums")
                        .collectAsList())
                .hasMessageContaining("cannot change the type of column \"v\" of a table in a catalog: set"
                        + " spark.sql.catalog.<catalog>.textColumns");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bigint", "text", "varint"})
    @OneCaseIn(3)
    void refusesToReadATableThatWasRecreatedWithAnotherType(String type) {
        String table = "recreated_" + type;
        String name = KEYSPACE + "." + table;
        TestSpark.cql("CREATE TABLE " + name + " (id int PRIMARY KEY, v int)");
        Dataset<Row> held = read(table);
        assertThat(held.count()).isZero();
        TestSpark.cql("DROP TABLE " + name);
        TestSpark.cql("CREATE TABLE " + name + " (id " + type + " PRIMARY KEY, v " + type + ")");
        String value = type.equals("text") ? "'7'" : "7";
        TestSpark.cql("INSERT INTO " + name + " (id, v) VALUES (" + value + ", " + value + ")");
        for (Dataset<Row> rows : List.of(
                held,
                held.select("v"),
                held.filter("id = 7"),
                held.filter("id = 7").select("id"),
                held.selectExpr("max(v)"))) {
            // the metadata of Spark's session may be up to a second old: then a task notices it
            assertThatThrownBy(rows::collectAsList)
                    .hasMessageMatching("(?s).*column \"id\" (was int when Spark read the table's schema, and is "
                            + type + " now|is int in Spark's schema, and " + type
                            + " in the table).*read the table again.*");
        }
        assertThat(read(table).count()).isEqualTo(1);
    }

    /** Spark plans a Dataset once: what is kept are the bytes of the key, which as a varint are another value. */
    @Test
    void refusesToLookUpKeysOfTheTypeBefore() {
        String name = KEYSPACE + ".kept";
        TestSpark.cql("CREATE TABLE " + name + " (id int PRIMARY KEY, v int)");
        Dataset<Row> held = read("kept").filter("id = 7").select("v");
        assertThat(held.collectAsList()).isEmpty();
        TestSpark.cql("DROP TABLE " + name);
        TestSpark.cql("CREATE TABLE " + name + " (id varint PRIMARY KEY, v int)");
        TestSpark.cql("INSERT INTO " + name + " (id, v) VALUES (7, 70)");
        assertThatThrownBy(held::collectAsList)
                .hasMessageContaining("[" + name + "] column \"id\" was int when Spark read the table's schema, and is"
                        + " varint now: read the table again");
    }

    @Test
    void refusesToReadFieldsOfAUdtThatWereRenamed() {
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".point (x int, y int)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".points (id int PRIMARY KEY, p point)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".points (id, p) VALUES (1, {x: 1, y: 2})");
        Dataset<Row> held = read("points");
        TestSpark.cql("ALTER TYPE " + KEYSPACE + ".point ADD z int");
        assertThat(held.selectExpr("p.x", "p.y").collectAsList()).containsExactly(RowFactory.create(1, 2));
        TestSpark.cql("ALTER TYPE " + KEYSPACE + ".point RENAME y TO why");
        assertThat(held.selectExpr("p.x").collectAsList()).containsExactly(RowFactory.create(1));
        assertThatThrownBy(() -> held.selectExpr("p.y").collectAsList())
                .hasMessageContaining("column \"p\" is struct<y:int> in Spark's schema, and ")
                .hasMessageContaining("which is struct<x:int,why:int,z:int> in Spark");
    }

    /** They would be in the order of the low bits of their times as text. */
    @Test
    void comparesTimeuuidsByTimeOrNotAtAll() {
        String name = KEYSPACE + ".moments";
        TestSpark.cql("CREATE TABLE " + name + " (p int, at timeuuid, v int, other timeuuid, PRIMARY KEY (p, at))");
        List<UUID> times = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            UUID start = Uuids.startOf(1_600_000_000_000L + i * 3_600_000L);
            times.add(new UUID(start.getMostSignificantBits(), i * 31L));
            TestSpark.cql("INSERT INTO " + name + " (p, at, v, other) VALUES (1, " + times.get(i) + ", " + i + ", "
                    + times.get(i) + ")");
        }
        assertThat(times.stream().map(UUID::toString).sorted().toList())
                .isNotEqualTo(times.stream().map(UUID::toString).toList());
        Dataset<Row> read = read("moments");
        assertThat(read.filter("p = 1 AND at >= '" + times.get(5) + "' AND at < '" + times.get(9) + "'")
                        .select("v")
                        .collectAsList())
                .containsExactly(
                        RowFactory.create(5), RowFactory.create(6), RowFactory.create(7), RowFactory.create(8));
        assertThat(read.filter("'" + times.get(2) + "' > at").count()).isEqualTo(2);
        assertThat(read.filter("concat(at, '') > '0'").count()).isEqualTo(20);
        for (String condition : List.of(
                "other > '%s'",
                "p = 1 AND (at > '%s' OR v = 1)",
                "at > other AND v < 7",
                "at > '2020-01-01' AND '%s' <> at",
                "v = 1 AND other BETWEEN '%s' AND '%s'")) {
            Dataset<Row> refused =
                    read.filter(condition.replace("%s", times.get(3).toString()));
            assertThatThrownBy(refused::collectAsList)
                    .as(condition)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("have the order of their times only in Cassandra");
        }
        assertThatThrownBy(() -> read("moments", "pushdown", "false")
                        .filter("p = 1 AND at > '" + times.get(5) + "'")
                        .collectAsList())
                .hasMessageContaining("[spark_read.moments] timeuuids of column \"at\"");
    }

    @Test
    void aMissingTableIsThatOfSpark() {
        assertThatThrownBy(() -> read("nowhere"))
                .isInstanceOf(NoSuchTableException.class)
                .hasMessageContaining("has no table \"nowhere\"");
    }
}
