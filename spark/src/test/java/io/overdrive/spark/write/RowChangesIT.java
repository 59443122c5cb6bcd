package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** UPDATE and MERGE, and what of them is refused; {@link DeleteIT} is about DELETE. */
@Tag("server")
class RowChangesIT {
    private static final String KEYSPACE = "spark_changes";
    private static final String TABLE = "cass." + KEYSPACE + ".t";
    private static final int ROWS = 150;

    @BeforeAll
    static void create() {
        TestSpark.keyspace(KEYSPACE);
        String create = "CREATE TABLE " + KEYSPACE + ".";
        TestSpark.cql(create + "t (p int, c text, v int, w text, tags set<text>, PRIMARY KEY (p, c))");
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".place (city text)");
        TestSpark.cql(create + "lives (id int PRIMARY KEY, v int, w int, tags set<text>, home place)");
        TestSpark.cql(create + "shared (p int, c int, v int, s int STATIC, PRIMARY KEY (p, c))");
        TestSpark.cql(create + "counters (id int PRIMARY KEY, n counter)");
        TestSpark.cql(create + "addresses (at inet PRIMARY KEY, v int)");
        TestSpark.cql(create + "prices (price decimal PRIMARY KEY, v int)");
        TestSpark.cql(create + "numbers (n varint PRIMARY KEY, v int)");
        TestSpark.cql(create + "flags (p int, f boolean, v int, PRIMARY KEY ((p, f)))");
        TestSpark.cql(create + "sorted (p int, n varint, f boolean, v int, PRIMARY KEY (p, n, f))");
        TestSpark.cql(create + "levels (level double PRIMARY KEY, v int)");
        TestSpark.cql(create + "sums (id int PRIMARY KEY, v int, w int)");
        TestSpark.spark()
                .sql(
                        "SELECT nullif(p, -1) p, c, v, w FROM VALUES (1, 'a', 10, 'x'), (1, 'z', 20, 'y'), (9, 'a', 90, CAST(NULL AS STRING))"
                                + " AS s(p, c, v, w)")
                .createOrReplaceTempView("changes_source");
    }

    /** Rows p/c of 3 x 3, with v = 1 and w = "w" at write time 100, and one that expires. */
    @BeforeEach
    void fill() {
        TestSpark.cql("TRUNCATE " + KEYSPACE + ".t");
        for (int p = 0; p < 3; p++) {
            for (String c : List.of("a", "b", "c")) {
                TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (p, c, v, w, tags) VALUES (" + p + ", '" + c
                        + "', 1, 'w', {'t'}) USING TIMESTAMP 100" + (p == 2 ? " AND TTL 100000" : ""));
            }
        }
    }

    private static void sql(String statement) {
        TestSpark.spark().sql(statement.replace("@", "cass." + KEYSPACE + "."));
    }

    private static String rows() {
        return TestSpark.spark().sql("SELECT concat(p, c), v, w FROM " + TABLE).collectAsList().stream()
                .map(row -> row.getString(0) + "=" + row.get(1) + "/" + row.get(2))
                .sorted()
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "p = 1",
                "p = 1 AND c > 'a'",
                "p = 1 AND c = 'b'",
                "p = 1 AND c LIKE '%b'",
                "c = 'b'",
                "c != 'b' AND p + 1 < 3",
                "v = 1 OR w IS NULL",
                "p IN (SELECT p FROM changes_source WHERE v < 50) AND c IN (SELECT c FROM changes_source)"
            })
    @OneCaseIn(3)
    void deletesTheRowsThatMatch(String condition) {
        List<Row> kept = TestSpark.spark()
                .sql("SELECT p, c FROM " + TABLE + " WHERE NOT coalesce(" + condition + ", FALSE)")
                .collectAsList();
        sql("DELETE FROM @t WHERE " + condition);
        assertThat(TestSpark.spark().sql("SELECT p, c FROM " + TABLE).collectAsList())
                .containsExactlyInAnyOrderElementsOf(kept);
    }

    @Test
    void updatesTheRowsThatMatch() {
        sql("UPDATE @t SET v = v + p, w = NULL WHERE p > 0 AND c != 'b'");
        assertThat(rows()).isEqualTo("0a=1/w 0b=1/w 0c=1/w 1a=2/null 1b=1/w 1c=2/null 2a=3/null 2b=1/w 2c=3/null");
    }

    @Test
    void updatesByTheWholeKeyAndBySubqueries() {
        sql("UPDATE @t AS t SET v = 7 WHERE p = 1 AND c = 'b'");
        sql("UPDATE @t SET v = 8 WHERE p IN (SELECT p FROM changes_source) AND c = 'a'");
        sql("UPDATE @t SET tags = array('n') WHERE v = 8");
        assertThat(rows()).isEqualTo("0a=1/w 0b=1/w 0c=1/w 1a=8/w 1b=7/w 1c=1/w 2a=1/w 2b=1/w 2c=1/w");
        assertThat(TestSpark.cql("SELECT tags FROM " + KEYSPACE + ".t WHERE p = 1 AND c = 'a'")
                        .get(0)
                        .getSet(0, String.class))
                .containsExactly("n");
    }

    /** Written again, they would have lost them. */
    @Test
    void keepsWriteTimesAndTimesToLiveOfOtherColumns() {
        sql("UPDATE @t SET v = 5 WHERE p = 2");
        sql(
                "MERGE INTO @t t USING (SELECT 2 AS p, 'a' AS c) s ON t.p = s.p AND t.c = s.c WHEN MATCHED THEN UPDATE SET v = 6");
        for (var row :
                TestSpark.cql("SELECT writetime(w), ttl(w), writetime(v), v FROM " + KEYSPACE + ".t WHERE p = 2")) {
            assertThat(row.getLong(0)).isEqualTo(100);
            assertThat(row.getInt(1)).isPositive();
            assertThat(row.getLong(2)).isGreaterThan(1_000_000);
            assertThat(row.getInt(3)).isBetween(5, 6);
        }
    }

    @Test
    void keepsARowWhoseValuesBecomeNull() {
        TestSpark.cql("UPDATE " + KEYSPACE + ".t SET v = 1 WHERE p = 5 AND c = 'u'");
        sql("UPDATE @t SET v = NULL WHERE p = 5");
        assertThat(rows()).endsWith(" 5u=null/null");
    }

    /** Shown by deletions of all that is not later than write time 200, and then of the updated column. */
    @Test
    void keepsHowLongARowLives() {
        for (int id = 1; id <= 3; id++) {
            TestSpark.cql(
                    "INSERT INTO " + KEYSPACE + ".lives (id, v, w) VALUES (" + id + ", 1, 1) USING TIMESTAMP 100");
        }
        sql("UPDATE @lives SET v = 2 WHERE id = 1");
        sql("UPDATE @lives SET v = NULL WHERE id = 2");
        sql("MERGE INTO @lives t USING (SELECT 3 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 4");
        assertThat(lives()).containsExactly("1=2", "2=null", "3=4");
        TestSpark.cql("DELETE FROM " + KEYSPACE + ".lives USING TIMESTAMP 200 WHERE id IN (1, 2, 3)");
        TestSpark.cql("DELETE v FROM " + KEYSPACE + ".lives WHERE id IN (1, 2, 3)");
        assertThat(lives()).isEmpty();
    }

    /** The values of a row that was never inserted are all that keeps it. */
    @Test
    void keepsARowWithoutValuesWhateverTheirTypes() {
        TestSpark.cql("UPDATE " + KEYSPACE + ".lives SET v = 1 WHERE id = 11");
        TestSpark.cql("UPDATE " + KEYSPACE + ".lives SET tags = {'a'} WHERE id = 12");
        TestSpark.cql("UPDATE " + KEYSPACE + ".lives SET home = {city: 'Bonn'} WHERE id = 13");
        sql("UPDATE @lives SET v = NULL WHERE id = 11");
        sql("UPDATE @lives SET tags = CAST(array() AS array<string>) WHERE id = 12");
        sql("UPDATE @lives SET home = named_struct('city', CAST(NULL AS string)) WHERE id = 13");
        assertThat(lives()).containsExactly("11=null", "12=null", "13=null");
        TestSpark.cql("TRUNCATE " + KEYSPACE + ".lives");
    }

    private static List<String> lives() {
        return TestSpark.cql("SELECT id, v FROM " + KEYSPACE + ".lives").stream()
                .map(row -> row.getInt(0) + "=" + row.getObject(1))
                .sorted()
                .toList();
    }

    @Test
    void mergesUpdatesDeletionsAndInsertions() {
        sql("MERGE INTO @t t USING changes_source s ON t.p = s.p AND s.c = t.c"
                + " WHEN MATCHED AND s.v = 10 THEN UPDATE SET v = s.v, w = s.w"
                + " WHEN MATCHED THEN DELETE"
                + " WHEN NOT MATCHED THEN INSERT (p, c, v, w) VALUES (s.p, s.c, s.v, s.w)"
                + " WHEN NOT MATCHED BY SOURCE AND t.c = 'c' THEN DELETE");
        assertThat(rows()).isEqualTo("0a=1/w 0b=1/w 1a=10/x 1b=1/w 1z=20/y 2a=1/w 2b=1/w 9a=90/null");
    }

    @Test
    void mergesWithStarsIfTheyAssignKeysThatTheConditionCompares() {
        sql("MERGE INTO @t t USING (SELECT p, c, v, w, CAST(NULL AS array<string>) tags FROM changes_source) s"
                + " ON t.p = s.p AND t.c = s.c WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *");
        assertThat(rows())
                .isEqualTo("0a=1/w 0b=1/w 0c=1/w 1a=10/x 1b=1/w 1c=1/w 1z=20/y 2a=1/w 2b=1/w 2c=1/w 9a=90/null");
    }

    @Test
    void updatesARowByItsOwnKeyIfTheSourceHasAnEqualOne() {
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".levels (level, v) VALUES (-0.0, 1)");
        String merge = "MERGE INTO @levels t USING (SELECT CAST(0.0 AS DOUBLE) AS level, 2 AS v) s ON t.level = s.level"
                + " WHEN MATCHED THEN UPDATE SET ";
        assertThatThrownBy(() -> sql(merge + "*")).hasMessageContaining("0.0 and -0.0 are equal, and two keys");
        sql(merge + "v = s.v");
        assertThat(TestSpark.cql("SELECT v FROM " + KEYSPACE + ".levels").stream()
                        .map(row -> row.getInt(0)))
                .containsExactly(2);
    }

    /** Cassandra compares numbers within a partition, and not their bytes, of which drivers write others. */
    @Test
    void updatesARowByClusteringColumnsInOtherBytes() {
        TestSpark.cql("INSERT INTO " + KEYSPACE
                + ".sorted (p, n, f, v) VALUES (1, blobAsVarint(0x0007), blobAsBoolean(0x02), 1)");
        sql("UPDATE @sorted SET v = 2 WHERE v = 1");
        assertThat(TestSpark.cql("SELECT v FROM " + KEYSPACE + ".sorted").stream()
                        .map(row -> row.getInt(0)))
                .containsExactly(2);
    }

    /** SQL demands it: which of the two would win is not defined. */
    @Test
    void refusesToChangeARowTwice() {
        assertThatThrownBy(() -> sql("MERGE INTO @t t USING (SELECT 1 AS p, 'a' AS c, id FROM range(2)) s"
                        + " ON t.p = s.p AND t.c = s.c WHEN MATCHED THEN UPDATE SET v = s.id"))
                .hasStackTraceContaining("MERGE_CARDINALITY_VIOLATION");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "UPDATE @t SET c = 'd' WHERE p = 1 | it assigns key column \"c\"",
                "UPDATE @shared SET v = 1 WHERE c = 1 | all rows of a partition share static column \"s\"",
                "DELETE FROM @shared WHERE c IN (SELECT v FROM changes_source) | all rows of a partition share static column \"s\"",
                "UPDATE @counters SET n = 1 WHERE id = 1 | counters are incremented by writing the increments",
                "DELETE FROM @counters WHERE n IN (SELECT v FROM changes_source) | counters are incremented by writing the increments",
                "UPDATE @addresses SET v = 1 WHERE v = 2 | key column \"at\" is inet",
                "DELETE FROM @prices WHERE v IN (SELECT v FROM changes_source) | key column \"price\" is decimal",
                "UPDATE @numbers SET v = 1 WHERE v = 2 | key column \"n\" is varint",
                "UPDATE @flags SET v = 1 WHERE v = 2 | key column \"f\" is boolean",
                "MERGE INTO @t t USING changes_source s ON t.v = s.v WHEN MATCHED THEN UPDATE SET p = s.p | it assigns key column \"p\"",
                "MERGE INTO @t t USING changes_source s ON t.p = s.p WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (p, c) VALUES (s.p, s.c) | ON must compare each column of the primary key (p, c)",
                "MERGE INTO @t t USING changes_source s ON t.p = s.p AND t.c = s.c AND s.v > 10 WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (p, c) VALUES (s.p, s.c) | ON must compare each column of the primary key (p, c)",
                "MERGE INTO @t t USING changes_source s ON t.p = s.p AND t.c = s.c WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (p, c) VALUES (s.p, 'q') | ON must compare each column of the primary key (p, c)",
                "MERGE INTO @t t USING changes_source s ON t.p = s.p AND t.c = s.c WHEN MATCHED AND s.v = 1 THEN UPDATE SET v = 1 WHEN MATCHED THEN UPDATE SET w = 'q' | its WHEN clauses update different columns"
            })
    @OneCaseIn(3)
    void refusesWhatCassandraCannotDoExactly(String statement, String reason) {
        String before = rows();
        assertThatThrownBy(() -> sql(statement))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(" cannot change rows: ")
                .hasMessageContaining(reason);
        assertThat(rows()).isEqualTo(before);
    }

    /** Else it would read rows that it has changed already. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE @sums SET v = v + 1",
                "MERGE INTO @sums t USING (SELECT CAST(id AS INT) AS id FROM range(150)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + 1",
                "INSERT INTO @sums (id, v) SELECT id, v + 1 FROM @sums"
            })
    @OneCaseIn(3)
    void changesEachRowOnceIfTasksRunAgain(String statement) throws Exception {
        fillSums();
        assertThat(killedOnceItHasWritten(statement)).isPositive();
        assertThat(sums()).containsOnly(2).hasSize(ROWS);
    }

    /** Rows are read before a shuffle, and changed after it. */
    @Test
    void keepsWhatOthersWriteAfterTheStart() {
        fillSums();
        UDF2<Integer, Integer, Integer> whileOthersWrite = (id, v) -> {
            if (id == 7) {
                TestSpark.cql("UPDATE " + KEYSPACE + ".sums SET v = 50 WHERE id = 7");
            }
            return v + 1;
        };
        TestSpark.spark().udf().register("while_others_write", whileOthersWrite, DataTypes.IntegerType);
        sql("UPDATE @sums SET v = while_others_write(id, v)");
        assertThat(sums().stream().filter(v -> v == 50)).hasSize(1);
        assertThat(sums().stream().filter(v -> v == 2)).hasSize(ROWS - 1);
        TestSpark.spark()
                .table("cass." + KEYSPACE + ".sums")
                .filter("while_others_write(id, v) = 3 OR v = 50")
                .select("id")
                .repartition(2)
                .write()
                .format("cassandra")
                .options(Map.of("keyspace", KEYSPACE, "table", "sums", "delete", "true"))
                .mode("append")
                .save();
        assertThat(sums()).containsExactly(50);
    }

    /** Tasks begin when others have written. */
    @ParameterizedTest
    @ValueSource(strings = {"", "WITH (distribution = 'none') ", "WITH (ifNotExists = 'true') "})
    void readsNoRowsThatTheSameQueryWrites(String options) {
        fillSums();
        sql("INSERT INTO @sums " + options + "(id, v) SELECT id + 1000, v FROM @sums");
        assertThat(sums()).hasSize(2 * ROWS);
        assertThat(planOfTheLastStatement()).contains("the query reads the table that it writes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "UPDATE @t SET v = v + 1 | true",
                "UPDATE @t SET v = length(w), w = 'q' WHERE p = 1 | true",
                "UPDATE @t SET v = 5 WHERE p IN (SELECT p FROM @t WHERE v = 1) | true",
                "UPDATE @t SET v = 5 WHERE v < 3 | false",
                "UPDATE @t SET v = p, w = c | false",
                "UPDATE @t SET v = length(w) | false",
                "DELETE FROM @t WHERE v = (SELECT max(v) FROM @t) | true",
                "DELETE FROM @t WHERE v > 1 | false",
                "MERGE INTO @t t USING changes_source s ON t.p = s.p AND t.c = s.c WHEN MATCHED THEN UPDATE SET v = s.v | true"
            })
    @OneCaseIn(3)
    void shufflesChangesThatDependOnWhatIsChanged(String statement, boolean isShuffled) {
        sql(statement);
        String plan = planOfTheLastStatement();
        assertThat(plan).contains("by primary key");
        assertThat(plan.contains("after a shuffle")).isEqualTo(isShuffled);
        assertThat(plan.matches("(?s).*hashpartitioning\\(p#\\d+, \\d+\\), REPARTITION.*"))
                .isEqualTo(isShuffled);
    }

    /** A writer for each kind of change. */
    @Test
    void reportsAllChangesOfATask() {
        LongAdder records = new LongAdder();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                records.add(end.taskMetrics().outputMetrics().recordsWritten());
            }
        };
        TestSpark.awaitListeners(); // pending events belong to earlier queries
        TestSpark.spark().sparkContext().addSparkListener(listener);
        try {
            sql("MERGE INTO @t t USING changes_source s ON t.p = s.p AND s.c = t.c"
                    + " WHEN MATCHED THEN UPDATE SET v = s.v"
                    + " WHEN NOT MATCHED THEN INSERT (p, c, v, w) VALUES (s.p, s.c, s.v, s.w)"
                    + " WHEN NOT MATCHED BY SOURCE AND t.c != 'c' THEN DELETE");
            TestSpark.awaitListeners();
        } finally {
            TestSpark.spark().sparkContext().removeSparkListener(listener);
        }
        assertThat(rows()).isEqualTo("0c=1/w 1a=10/w 1c=1/w 1z=20/y 2c=1/w 9a=90/null");
        assertThat(records.sum()).isEqualTo(8); // an update, 2 insertions, 5 deletions
        assertThat(TestSpark.metricsOfTheLastQuery()).containsEntry("rows written to Cassandra", "8");
    }

    private static void fillSums() {
        sql("TRUNCATE TABLE @sums");
        sql("INSERT INTO @sums (id, v) SELECT CAST(id AS INT), 1 FROM range(" + ROWS + ")");
    }

    private static List<Integer> sums() {
        return TestSpark.cql("SELECT v FROM " + KEYSPACE + ".sums").stream()
                .map(row -> row.getInt(0))
                .toList();
    }

    /** Runs a statement slowly, kills its tasks once a row is changed, and returns how many were killed. */
    private static int killedOnceItHasWritten(String statement) throws Exception {
        Set<Long> running = ConcurrentHashMap.newKeySet();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                running.add(start.taskInfo().taskId());
            }

            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                running.remove(end.taskInfo().taskId());
            }
        };
        var spark = TestSpark.spark();
        spark.sparkContext().addSparkListener(listener);
        spark.conf().set("spark.overdrive.writeRowsPerSecond", "30");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> done = thread.submit(() -> sql(statement));
            while (!done.isDone() && !sums().contains(2)) {
                LockSupport.parkNanos(1_000_000);
            }
            TestSpark.awaitListeners();
            int killed = 0;
            for (long task : running) {
                killed += spark.sparkContext().killTaskAttempt(task, /* interruptThread */ true, "test") ? 1 : 0;
            }
            done.get();
            return killed;
        } finally {
            thread.shutdown();
            spark.conf().unset("spark.overdrive.writeRowsPerSecond");
            spark.sparkContext().removeSparkListener(listener);
        }
    }

    private static String planOfTheLastStatement() {
        TestSpark.awaitListeners();
        var spark = (org.apache.spark.sql.classic.SparkSession) TestSpark.spark();
        return spark.sharedState().statusStore().executionsList().last().physicalPlanDescription();
    }

    @Test
    void explainsWithoutAChange() {
        String before = rows();
        for (String statement :
                List.of("UPDATE " + TABLE + " SET v = 2 WHERE c = 'a'", "DELETE FROM " + TABLE + " WHERE v = 1")) {
            List<Row> plan = TestSpark.spark().sql("EXPLAIN " + statement).collectAsList();
            assertThat(plan.get(0).getString(0)).contains("WriteDelta");
        }
        assertThat(rows()).isEqualTo(before);
    }
}
