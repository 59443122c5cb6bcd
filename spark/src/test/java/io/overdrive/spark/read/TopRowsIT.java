package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries for the first rows in an order by clustering columns: each partition returns no more than are wanted. */
class TopRowsIT {
    private static final String KEYSPACE = "spark_top_rows";
    private static final int PARTITIONS = 8;
    private static final int ROWS = 30;

    @SuppressWarnings("NullAway.Init")
    private static Dataset<Row> inMemory;

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (p int, c1 int, c2 timestamp, s text STATIC, v int,"
                + " PRIMARY KEY (p, c1, c2)) WITH CLUSTERING ORDER BY (c1 ASC, c2 DESC)");
        for (int p = 0; p < PARTITIONS; p++) {
            StringBuilder batch = new StringBuilder("BEGIN UNLOGGED BATCH ");
            for (int i = 0; i < ROWS; i++) {
                // a partition begins with an empty value
                String c1 = i == 0 && p == 5 ? "blobAsInt(0x)" : String.valueOf(i * (p + 3) % 7);
                batch.append("INSERT INTO %s.t (p, c1, c2, s, v) VALUES (%d, %s, %d, 's', %d);"
                        .formatted(KEYSPACE, p, c1, 1000 * p + i, i));
            }
            TestSpark.cql(batch.append("APPLY BATCH").toString());
        }
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (p, s) VALUES (77, 'only static')");
        inMemory = TestSpark.inMemory(TestSpark.read(KEYSPACE, "t", "pushdown", "false"));
    }

    private static Dataset<Row> read() {
        return TestSpark.read(KEYSPACE, "t", "pageRows", "4");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            textBlock =
                    """
                    true                            | c1, c2 desc       | PER PARTITION LIMIT
                    true                            | c1                | PER PARTITION LIMIT
                    c1 = 3                          | c2 desc           | PER PARTITION LIMIT
                    c1 > 3                          | c1, c2 desc       | PER PARTITION LIMIT
                    c1 in (1, 2)                    | c1, c2 desc       | PER PARTITION LIMIT
                    p = 2                           | c1, c2 desc       | PER PARTITION LIMIT
                    p = 2                           | c1 desc, c2       | ORDER BY c1 DESC PER PARTITION LIMIT
                    p = 2 and c1 = 3                | c2                | ORDER BY c1 DESC PER PARTITION LIMIT
                    p = 2 and c1 in (1, 2)          | c1 desc, c2       | ORDER BY c1 DESC PER PARTITION LIMIT
                    p in (1, 5, 77, 99)             | c1 desc, c2       | ORDER BY c1 DESC PER PARTITION LIMIT
                    p in (1, 5, 77, 99)             | c1, c2 desc       | PER PARTITION LIMIT
                    p = 77                          | c1                | PER PARTITION LIMIT
                    p = 5                           | c1                | PER PARTITION LIMIT
                    p = 5                           | c1 desc           | ORDER BY c1 DESC PER PARTITION LIMIT
                    true                            | c1 desc           | -
                    p = 2                           | c1, c2            | -
                    p = 5                           | c1 nulls last     | -
                    p = 5                           | c1 desc nulls first | -
                    p = 2                           | c2                | -
                    p = 2 and v > 3                 | c1, c2 desc       | -
                    p = 2                           | c1 + 1            | -
                    """)
    @OneCaseIn(4)
    void returnsTheFirstRowsOfAnyOrder(String condition, String order, String pushed) {
        for (int limit : List.of(1, 3, 10, 1000)) {
            assertSame(condition, order, limit, pushed);
        }
    }

    private static void assertSame(String condition, String order, int limit, String pushed) {
        read().createOrReplaceTempView("top_rows");
        Dataset<Row> top = query(condition, order, limit);
        if (pushed == null) {
            assertThat(TestSpark.explain(top)).doesNotContain("PushedTopN");
        } else {
            assertThat(TestSpark.explain(top)).contains("PushedTopN: " + pushed + " " + limit);
        }
        List<Row> found = top.collectAsList();
        inMemory.createOrReplaceTempView("top_rows");
        assertThat(found).isEqualTo(query(condition, order, limit).collectAsList());
    }

    /** A query of the columns of the order only: rows that are equal in it are in any order. */
    private static Dataset<Row> query(String condition, String order, int limit) {
        String columns = order.replaceAll(" (desc|nulls (first|last))", "");
        return TestSpark.spark()
                .sql("SELECT " + columns + " FROM top_rows WHERE " + condition + " ORDER BY " + order + " LIMIT "
                        + limit);
    }

    @Test
    void readsNoMoreRowsThanEachPartitionNeeds() {
        read().createOrReplaceTempView("top_rows");
        assertThat(TestSpark.rowsRead(query("true", "c1, c2 desc", 3))).isEqualTo(3L * PARTITIONS + 1);
        assertThat(TestSpark.rowsRead(query("p = 2", "c1 desc", 1))).isEqualTo(1);
    }

    @Test
    void combinesItWithWhatFollows() {
        Dataset<Row> keys = TestSpark.spark().range(3).selectExpr("cast(id as int) p");
        for (String directJoin : List.of("on", "off")) {
            Dataset<Row> first = TestSpark.read(KEYSPACE, "t", "directJoin", directJoin)
                    .orderBy("c1", "p")
                    .limit(4)
                    .join(keys, "p");
            assertThat(first.count())
                    .isEqualTo(
                            inMemory.orderBy("c1", "p").limit(4).join(keys, "p").count());
            Dataset<Row> top = TestSpark.read(KEYSPACE, "t", "directJoin", directJoin)
                    .orderBy("c1")
                    .limit(20)
                    .join(keys, "p");
            assertThat(TestSpark.explain(top)).contains("PushedTopN").doesNotContain("CassandraDirectJoin");
        }
        Dataset<Row> second = read().orderBy("c1").offset(2).limit(2).select("c1");
        assertThat(second.collectAsList())
                .isEqualTo(
                        inMemory.orderBy("c1").offset(2).limit(2).select("c1").collectAsList());
    }
}
