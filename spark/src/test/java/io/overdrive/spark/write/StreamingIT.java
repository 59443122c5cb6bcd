package io.overdrive.spark.write;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.spark.TestSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class StreamingIT {
    private static final String KEYSPACE = "spark_streaming";
    private static final int FILES = 6;
    private static final int ROWS_PER_FILE = 2000;
    private static final long POISON = 3 * ROWS_PER_FILE + 1500;
    /** Remaining failures of the task with the bad row; static, as tasks run copies of functions. */
    private static final AtomicInteger FAILURES = new AtomicInteger();

    private final Path directory;

    StreamingIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createKeyspace() {
        TestSpark.keyspace(KEYSPACE);
    }

    private static void table(String name, String columns) {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + name + " (" + columns + ")");
    }

    /** One file per epoch, with the keys of the previous one and 500 new ones. */
    private Dataset<Row> source() throws IOException {
        Path input = Files.createDirectories(directory.resolve("input"));
        for (int f = 0; f < FILES; f++) {
            List<String> lines = new ArrayList<>();
            for (long i = 0; i < ROWS_PER_FILE; i++) {
                long id = f * (long) ROWS_PER_FILE + i;
                lines.add("{\"p\":" + i % 20 + ",\"c\":" + (f * 500L + i) + ",\"id\":" + id + "}");
            }
            Path file = directory.resolve("f" + f);
            Files.write(file, lines);
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_600_000_000_000L + f * 10_000L));
            Files.move(file, input.resolve("f" + f + ".json"));
        }
        return TestSpark.spark()
                .readStream()
                .schema("p int, c int, id bigint")
                .option("maxFilesPerTrigger", 1)
                .json(input.toString());
    }

    private DataStreamWriter<Row> sink(Dataset<Row> rows, String table) {
        return rows.writeStream()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .option("checkpointLocation", directory.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow());
    }

    private static void run(DataStreamWriter<Row> sink) throws Exception {
        StreamingQuery query = sink.start();
        query.awaitTermination();
    }

    private Dataset<Row> lastOfEachKey() {
        return TestSpark.spark()
                .read()
                .schema("p int, c int, id bigint")
                .json(directory.resolve("input").toString())
                .groupBy("p", "c")
                .max("id")
                .toDF("p", "c", "id")
                .orderBy("p", "c");
    }

    @Test
    void resumesFromItsCheckpointAfterAnEpochThatFailedHalfWay() throws Exception {
        table("resumed", "p int, c int, id bigint, l list<bigint>, PRIMARY KEY (p, c)");
        UDF1<Long, Long> poison = id -> {
            if (id == POISON && FAILURES.getAndDecrement() > 0) {
                throw new IllegalStateException("poison");
            }
            return id;
        };
        Dataset<Row> rows = source().withColumn(
                        "id", udf(poison, DataTypes.LongType).apply(col("id")))
                .selectExpr("p", "c", "id", "array(id, id) AS l");
        FAILURES.set(3); // as many as Spark's attempts of a task
        assertThatThrownBy(() -> run(sink(rows, "resumed").option("batchRows", "10")))
                .hasMessageContaining("poison");
        assertThat(TestSpark.cql("SELECT c FROM " + KEYSPACE + ".resumed").size())
                .isBetween(2 * 500 + ROWS_PER_FILE, 4 * 500 + ROWS_PER_FILE);
        run(sink(rows, "resumed"));
        Dataset<Row> written = TestSpark.read(KEYSPACE, "resumed");
        assertThat(written.select("p", "c", "id").orderBy("p", "c").collectAsList())
                .isEqualTo(lastOfEachKey().collectAsList());
        assertThat(written.selectExpr("l = array(id, id) AS same").distinct().collectAsList())
                .extracting(row -> row.getBoolean(0))
                .containsExactly(true);
    }

    @Test
    void writesNothingOfAnEmptyStream() throws Exception {
        table("nothing", "p int PRIMARY KEY, id bigint");
        Path input = Files.createDirectories(directory.resolve("input"));
        Dataset<Row> empty =
                TestSpark.spark().readStream().schema("p int, id bigint").json(input.toString());
        run(sink(empty, "nothing"));
        Files.createFile(input.resolve("empty.json"));
        run(sink(empty, "nothing"));
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".nothing")).isEmpty();
        Files.writeString(input.resolve("one.json"), "{\"p\":1,\"id\":2}\n");
        run(sink(empty, "nothing"));
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".nothing")).hasSize(1);
    }

    @Test
    void updatesTheRowsOfAnAggregation() throws Exception {
        table("updated", "p int PRIMARY KEY, n bigint, most bigint");
        Dataset<Row> counted =
                source().groupBy("p").agg(count("*").as("n"), max("id").as("most"));
        run(sink(counted, "updated").outputMode("update"));
        Dataset<Row> expected = TestSpark.spark()
                .read()
                .schema("p int, c int, id bigint")
                .json(directory.resolve("input").toString())
                .groupBy("p")
                .agg(count("*").as("n"), max("id").as("most"));
        assertThat(TestSpark.read(KEYSPACE, "updated")
                        .select("p", "n", "most")
                        .orderBy("p")
                        .collectAsList())
                .isEqualTo(expected.orderBy("p").collectAsList());
    }

    @Test
    void emptiesTheTableForEachEpochInModeCompleteIfConfirmed() throws Exception {
        table("complete", "most bigint PRIMARY KEY, n bigint");
        Dataset<Row> counted =
                source().groupBy().agg(max("id").as("most"), count("*").as("n"));
        assertThatThrownBy(() -> run(sink(counted, "complete").outputMode("complete")))
                .hasMessageContaining("confirm.truncate");
        run(sink(counted, "complete").outputMode("complete").option("confirm.truncate", "true"));
        long rows = FILES * (long) ROWS_PER_FILE;
        assertThat(TestSpark.read(KEYSPACE, "complete").select("most", "n").collectAsList())
                .containsExactly(RowFactory.create(rows - 1, rows));
    }

    @Test
    void refusesToEmptyATableForEachEpochOfAQueryThatReadsIt() throws Exception {
        table("read_and_written", "p int PRIMARY KEY, n bigint");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".read_and_written (p, n) VALUES (1, 1)");
        Dataset<Row> joined = source().join(TestSpark.read(KEYSPACE, "read_and_written"), "p")
                .groupBy("p")
                .agg(max("id").as("n"));
        assertThatThrownBy(() -> run(
                        sink(joined, "read_and_written").outputMode("complete").option("confirm.truncate", "true")))
                .hasMessageContaining("would be emptied before the query has read its rows");
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".read_and_written"))
                .hasSize(1);
    }

    @Test
    @Tag("nightly")
    void refusesToAddToCountersUnlessWrongSumsAreAccepted() throws Exception {
        table("counted", "p int PRIMARY KEY, n counter");
        Dataset<Row> ones = source().selectExpr("p", "1 AS n");
        assertThatThrownBy(() -> run(sink(ones, "counted")))
                .hasMessageContaining("a stream that fails repeats its last batch");
        run(sink(ones, "counted").option("allowNonIdempotent", "true"));
        assertThat(TestSpark.read(KEYSPACE, "counted")
                        .selectExpr("sum(n)")
                        .first()
                        .getLong(0))
                .isEqualTo(FILES * (long) ROWS_PER_FILE);
    }
}
