package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DriverException;
import io.overdrive.spark.TestSpark;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Rows that an index leaves out are found all the same. */
@DisabledIfSystemProperty(named = "overdrive.local.cassandra", matches = "4\\..*", disabledReason = "there is no SAI")
class IndexesIT {
    private static final String KEYSPACE = "spark_indexes";
    private static final String LONG = "x".repeat(9000);

    @Test
    void findsLongValuesThatAreOlderThanTheIndex() throws InterruptedException {
        TestSpark.keyspace(KEYSPACE + "_long");
        String name = KEYSPACE + "_long.t";
        TestSpark.cql("CREATE TABLE " + name + " (p int, c text, w text, s set<text>, v int, PRIMARY KEY (p, c))");
        for (int i = 0; i < 3; i++) {
            TestSpark.cql("INSERT INTO %s (p, c, w, s, v) VALUES (%d, '%s', '%s', {'%s'}, 1)"
                    .formatted(name, i, LONG, LONG, LONG));
        }
        for (String column : List.of("c", "w", "s", "v")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + column + ") USING 'sai'");
        }
        TestSpark.cql("INSERT INTO " + name + " (p, c, w, s, v) VALUES (9, 'c', 'w', {'s'}, 1)");
        awaitIndex("SELECT p FROM " + name + " WHERE c = 'c' AND w = 'w' AND s CONTAINS 's' AND v = 1 ALLOW FILTERING");
        Dataset<Row> read = TestSpark.read(KEYSPACE + "_long", "t");
        for (String condition : List.of(
                "c = repeat('x', 9000)",
                "w = repeat('x', 9000)",
                "w = repeat('x', 9000) and v = 1",
                "array_contains(s, repeat('x', 9000))",
                "w in ('y', repeat('x', 9000)) and v = 1")) {
            assertThat(read.filter(condition).count()).as(condition).isEqualTo(3);
        }
        assertThat(read.filter("w = 'w'").count()).isEqualTo(1);
    }

    private static void awaitIndex(String query) throws InterruptedException {
        for (int i = 0; i < 300; i++) {
            try {
                if (!TestSpark.cql(query).isEmpty()) {
                    return;
                }
            } catch (DriverException e) {
                // the index is being built
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no index answers " + query);
    }

    /** The usual result of a division by zero on many processors. */
    @Test
    @Tag("nightly")
    void findsNanWithASign() {
        TestSpark.keyspace(KEYSPACE + "_nan");
        String name = KEYSPACE + "_nan.t";
        TestSpark.cql("CREATE TABLE " + name + " (p int, c double, d double, f float, PRIMARY KEY (p, c))");
        for (String column : List.of("c", "d", "f")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + column + ") USING 'sai'");
        }
        TestSpark.cql("INSERT INTO " + name + " (p, c, d, f) VALUES (1, blobAsDouble(0xfff8000000000000),"
                + " blobAsDouble(0xfff8000000000000), blobAsFloat(0xffc00000))");
        TestSpark.cql("INSERT INTO " + name + " (p, c, d, f) VALUES (2, NaN, NaN, NaN)");
        TestSpark.cql("INSERT INTO " + name + " (p, c, d, f) VALUES (3, 3.5, 3.5, 3.5)");
        TestSpark.cql("INSERT INTO " + name + " (p, c, d, f) VALUES (4, -3.5, -3.5, -3.5)");
        Dataset<Row> read = TestSpark.read(KEYSPACE + "_nan", "t");
        Dataset<Row> memory = TestSpark.inMemory(TestSpark.read(KEYSPACE + "_nan", "t", "pushdown", "false"));
        for (String column : List.of("c", "d", "f")) {
            for (String condition :
                    List.of("%s > 1.5F", "%s >= 3.5F", "%s < 1.5F", "%s > -9F and %s < 9F", "%s = 3.5F")) {
                String filter = condition.replace("%s", column);
                assertThat(keys(read.filter(filter))).as(filter).isEqualTo(keys(memory.filter(filter)));
            }
        }
    }

    /** An IPv4 address in 16 bytes is another value to Cassandra and to Spark, and the same one to the index. */
    @Test
    void distinguishesAddressesOfFourAndSixteenBytes() {
        TestSpark.keyspace(KEYSPACE + "_inet");
        String name = KEYSPACE + "_inet.t";
        TestSpark.cql("CREATE TABLE " + name + " (p int, c inet, a inet, PRIMARY KEY (p, c))");
        for (String column : List.of("c", "a")) {
            TestSpark.cql("CREATE INDEX ON " + name + " (" + column + ") USING 'sai'");
        }
        String mapped = "blobAsInet(0x00000000000000000000ffff7f000001)";
        TestSpark.cql("INSERT INTO " + name + " (p, c, a) VALUES (1, '127.0.0.1', '127.0.0.1')");
        TestSpark.cql("INSERT INTO " + name + " (p, c, a) VALUES (2, " + mapped + ", " + mapped + ")");
        TestSpark.cql("INSERT INTO " + name + " (p, c, a) VALUES (3, '127.0.0.2', '127.0.0.2')");
        Dataset<Row> read = TestSpark.read(KEYSPACE + "_inet", "t");
        for (String condition : List.of(
                "a = '127.0.0.1'",
                "c = '127.0.0.1'",
                "p IN (1, 2) and a = '127.0.0.1'",
                "p = 2 and a = '127.0.0.1'",
                "p = 2 and c = '127.0.0.1'",
                "c = '127.0.0.1' and a = '127.0.0.1'")) {
            assertThat(keys(read.filter(condition)))
                    .as(condition)
                    .isEqualTo(condition.startsWith("p = 2") ? List.of() : List.of("1"));
        }
        assertThat(TestSpark.explain(read.filter("a = '127.0.0.1'"))).contains("PushedFilters: [a = '127.0.0.1'");
    }

    private static List<String> keys(Dataset<Row> rows) {
        return rows.select("p").collectAsList().stream()
                .map(row -> row.get(0).toString())
                .sorted()
                .toList();
    }
}
