package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.spark.TestSpark;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys of a list are looked up, each once. */
class KeysIT {
    private static final String KEYSPACE = "spark_lookup";
    private static final int PARTITIONS = 3000;

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (p int, c int, v text, PRIMARY KEY (p, c))");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".two (a text, b int, v int, PRIMARY KEY ((a, b)))");
        var session = TestSpark.overdrive().session();
        PreparedStatement t = session.prepare("INSERT INTO " + KEYSPACE + ".t (p, c, v) VALUES (?, ?, ?)");
        PreparedStatement two = session.prepare("INSERT INTO " + KEYSPACE + ".two (a, b, v) VALUES (?, ?, ?)");
        List<java.util.concurrent.CompletionStage<?>> writes = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            writes.add(session.executeAsync(t.bind(p, 1, "v" + p)));
            writes.add(session.executeAsync(t.bind(p, 2, "w" + p)));
            writes.add(session.executeAsync(two.bind(p % 2 == 0 ? "" : "a" + p % 50, p, p)));
            if (writes.size() > 500) {
                writes.forEach(write -> write.toCompletableFuture().join());
                writes.clear();
            }
        }
        writes.forEach(write -> write.toCompletableFuture().join());
    }

    private static String list(IntStream values) {
        return values.mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }

    @Test
    void looksUpEachKeyOnce() {
        String keys = list(IntStream.concat(IntStream.range(0, 400), IntStream.range(100, 4_000)));
        Dataset<Row> found = TestSpark.read(KEYSPACE, "t").filter("p in (" + keys + ") and c > 1");
        assertThat(TestSpark.explain(found))
                .contains("Lookups: 4000")
                .contains("... 4000 values), c > 1]")
                .doesNotContain("Filter (");
        List<Row> rows = found.orderBy("p").collectAsList();
        assertThat(rows).hasSize(PARTITIONS);
        assertThat(rows.get(7)).hasToString("[7,2,w7]");
    }

    @Test
    void spreadsALongListOverTasksAndKeepsAShortOneInOne() {
        Dataset<Row> read = TestSpark.read(KEYSPACE, "t");
        assertThat(read.filter("p in (1, 2, 3)").rdd().getNumPartitions()).isEqualTo(1);
        String keys = list(IntStream.range(0, 4_000));
        assertThat(read.filter("p in (" + keys + ")").rdd().getNumPartitions()).isEqualTo(4);
    }

    @Test
    void scansIfTheListIsTooLong() {
        Dataset<Row> found = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "t")
                .option("lookupMaxKeys", "10")
                .load()
                .filter("p in (" + list(IntStream.range(0, 11)) + ")");
        assertThat(TestSpark.explain(found)).contains("PushedFilters: []").contains("Filter ");
        assertThat(found.count()).isEqualTo(22);
    }

    @Test
    void looksUpKeysOfSeveralColumns() {
        Dataset<Row> found =
                TestSpark.read(KEYSPACE, "two").filter("a in ('', 'a1', 'a3') and b in (0, 1, 3, 4, 51, 9)");
        assertThat(TestSpark.explain(found)).contains("Lookups: 18");
        assertThat(found.orderBy("b").select("b").collectAsList().stream().map(row -> row.getInt(0)))
                .containsExactly(0, 1, 3, 4, 51);
    }

    @Test
    void findsNothingForImpossibleKeys() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".named (name text PRIMARY KEY, id uuid)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".ids (id uuid PRIMARY KEY)");
        assertThat(TestSpark.read(KEYSPACE, "named").filter("name = ''").count())
                .isZero();
        assertThat(TestSpark.read(KEYSPACE, "named")
                        .filter(functions.col("name").equalTo("x".repeat(70_000)))
                        .count())
                .isZero();
        assertThat(TestSpark.read(KEYSPACE, "ids").filter("id = 'no uuid'").collectAsList())
                .isEmpty();
    }

    @Test
    void looksUpTheKeysOfAJoin() {
        Dataset<Row> keys = TestSpark.spark()
                .range(50)
                .selectExpr("cast(id * 1000 as int) as p", "id % 2 as kind")
                .filter("kind = 0");
        Dataset<Row> table = TestSpark.read(KEYSPACE, "t", "directJoin", "off");
        Dataset<Row> joined = table.join(keys, "p");
        assertThat(TestSpark.explain(joined)).contains("RuntimeFilters: [dynamicpruning");
        assertThat(joined.orderBy("p", "c").collectAsList().stream().map(row -> row.getInt(0) + "/" + row.getInt(1)))
                .containsExactly("0/1", "0/2", "2000/1", "2000/2");
        assertThat(TestSpark.rowsRead(joined)).isEqualTo(4);
        assertThat(TestSpark.rowsRead(table.join(keys.filter("kind = 2"), "p"))).isZero();
    }

    /** A key in other bytes than those of drivers is found by a scan only. */
    @Test
    void scansForAJoinIfNothingIsToBePushedDown() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".numbers (n varint PRIMARY KEY, v int)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".numbers (n, v) VALUES (blobAsVarint(0x0007), 1)");
        Dataset<Row> keys = TestSpark.spark()
                .range(50)
                .selectExpr("cast(id as decimal(38, 0)) as n", "id % 2 as kind")
                .filter("kind = 1");
        Dataset<Row> table = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "numbers")
                .option("directJoin", "off")
                .option("pushdown", "false")
                .load();
        assertThat(table.join(keys, "n").collectAsList()).hasSize(1);
    }

    /** All tasks of a scan or a join share one rate limit, which gives a lower bound of the time that they take. */
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void keepsTheRateLimitOfLookups(String directJoin) {
        Dataset<Row> table = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "t")
                .option("directJoin", directJoin)
                .option("lookupsPerSecond", "5000")
                .load();
        Dataset<Row> keys = TestSpark.spark().range(0, PARTITIONS, 1, 2).selectExpr("cast(id as int) as p");
        Dataset<Row> found = directJoin.equals("on")
                ? table.join(keys, "p")
                : table.filter("p in (" + list(IntStream.range(0, PARTITIONS)) + ")");
        assertThat(found.rdd().getNumPartitions()).isGreaterThan(1);
        assertThat(TestSpark.explain(found))
                .contains(directJoin.equals("on") ? "CassandraDirectJoin" : "Lookups: " + PARTITIONS);
        long start = System.nanoTime();
        assertThat(found.collectAsList()).hasSize(2 * PARTITIONS);
        assertThat(System.nanoTime() - start).isGreaterThan(400_000_000L);
    }

    @Test
    void scansForAJoinOnOnlyAPartOfTheKey() {
        Dataset<Row> keys = TestSpark.spark()
                .range(50)
                .selectExpr("cast(id * 1000 as int) as b", "id % 2 as kind")
                .filter("kind = 0");
        Dataset<Row> two = TestSpark.read(KEYSPACE, "two", "directJoin", "off");
        assertThat(two.join(keys, "b").count()).isEqualTo(2);
        // a filter has the rest
        assertThat(TestSpark.rowsRead(two.filter("a = ''").join(keys, "b"))).isEqualTo(2);
    }
}
