package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.SeparateNode;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The last row of a key wins, whatever the order in which rows leave: several threads, groups, spilled rows, retries. */
@Timeout(300)
class DuplicateKeysIT {
    private static final String KEYSPACE = SeparateNode.keyspace("files_duplicates");
    private static final Overdrive OVERDRIVE = SeparateNode.overdrive();
    private static final int ROWS = 100_000;
    private static final int PARTITIONS = 10_000;
    private static final int ROWS_A_PARTITION = 5;

    private final Loads loads;

    DuplicateKeysIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    @ParameterizedTest
    @CsvSource({"1, 'p, c'", "4, 'p, c'", "4, '(p, c)'"})
    @OneCaseIn(3)
    void theLastRowOfAKeyWins(int threads, String key) {
        String table = "k" + threads + (key.startsWith("(") ? "alone" : "grouped");
        OVERDRIVE
                .session()
                .execute(
                        "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, n int, PRIMARY KEY (" + key + "))");
        Random random = new Random(threads);
        int[] expected = new int[PARTITIONS * ROWS_A_PARTITION];
        Arrays.fill(expected, -1);
        StringBuilder text = new StringBuilder("p,c,n\n");
        for (int i = 0; i < ROWS; i++) {
            int row = random.nextInt(expected.length);
            expected[row] = i;
            text.append(row / ROWS_A_PARTITION).append(',').append(row % ROWS_A_PARTITION);
            text.append(',').append(i).append('\n');
        }
        loads.file(loads.write("x.csv", text.toString())).threads(threads);
        LoadSummary summary =
                loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, table).groupingMemory(1 << 20));
        assertThat(summary.rowsRead()).isEqualTo(ROWS);
        assertThat(summary.rowsWritten()).isEqualTo(ROWS);
        if (!key.startsWith("(")) {
            assertThat(summary.writes().rowsSpilled()).isPositive();
        }
        int[] found = new int[expected.length];
        Arrays.fill(found, -1);
        for (Row row : OVERDRIVE.session().execute("SELECT p, c, n FROM " + KEYSPACE + "." + table)) {
            found[row.getInt(0) * ROWS_A_PARTITION + row.getInt(1)] = row.getInt(2);
        }
        assertThat(found).isEqualTo(expected);
    }

    /** The node stops some times for longer than the timeout: requests that it has applied are resent. */
    @Test
    void theLastRowOfAKeyWinsWhenRequestsAreSentAgain() throws Exception {
        int keys = 8_000;
        int versions = 4;
        int maxStops = 10;
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".again (p int, c int, n int, PRIMARY KEY (p, c))");
        StringBuilder text = new StringBuilder("p,c,n\n");
        for (int i = 0; i < versions * keys; i++) {
            int key = i % keys;
            text.append(key / ROWS_A_PARTITION).append(',').append(key % ROWS_A_PARTITION);
            text.append(',').append(i).append('\n');
        }
        loads.file(loads.write("x.csv", text.toString()));
        WriteOptions.Builder write = WriteOptions.into(KEYSPACE, "again")
                .batchRows(ROWS_A_PARTITION)
                .requestTimeout(Duration.ofMillis(200))
                .maxAttempts(1_000)
                .rowsPerSecond(10_000);
        int stops = 0;
        LoadSummary summary;
        try (Loader loader = Loader.open(OVERDRIVE, write, loads.options())) {
            CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
            while (!run.isDone() && stops < maxStops) {
                await(run, loader, Totals::rowsWritten, 1_000);
                SeparateNode.node().pause();
                try {
                    await(run, loader, Totals::retries, 3); // a silent node gets only a few
                } finally {
                    SeparateNode.node().resume();
                }
                stops++;
            }
            summary = run.get();
        }
        assertThat(stops).isGreaterThan(5);
        assertThat(summary.outcome()).isEqualTo(Summary.Outcome.DONE);
        assertThat(summary.rowsWritten()).isEqualTo((long) versions * keys);
        int[] found = new int[keys];
        int rows = 0;
        for (Row row : OVERDRIVE.session().execute("SELECT p, c, n FROM " + KEYSPACE + ".again")) {
            found[row.getInt(0) * ROWS_A_PARTITION + row.getInt(1)] = row.getInt(2);
            rows++;
        }
        assertThat(rows).isEqualTo(keys);
        assertThat(found)
                .isEqualTo(
                        IntStream.range((versions - 1) * keys, versions * keys).toArray());
    }

    private static void await(
            CompletableFuture<LoadSummary> run, Loader loader, ToLongFunction<Totals> figure, long more)
            throws InterruptedException {
        long before = figure.applyAsLong(loader.progress().writes());
        while (!run.isDone() && figure.applyAsLong(loader.progress().writes()) < before + more) {
            Thread.sleep(5);
        }
    }
}
