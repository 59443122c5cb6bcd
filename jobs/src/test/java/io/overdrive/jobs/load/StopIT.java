package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loads that end before their input: no row is lost, and every row is counted. */
@Timeout(240)
class StopIT {
    private static final String KEYSPACE = "files_stop";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final int ROWS = 100_000;

    private final Loads loads;

    StopIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    private void create(String table) {
        OVERDRIVE
                .session()
                .execute("CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, t text, PRIMARY KEY (p, c))");
    }

    /** Partitions of 100 rows in rotation: rows wait long for others of their partition. */
    private Loads manyRows() {
        StringBuilder text = new StringBuilder("p,c,t\n");
        int partitions = ROWS / 100;
        for (int i = 0; i < ROWS; i++) {
            text.append(i % partitions)
                    .append(',')
                    .append(i / partitions)
                    .append(",text of row ")
                    .append(i);
            text.append('\n');
        }
        return loads.file(loads.write("x.csv", text.toString()));
    }

    private static void await(Loader loader, Predicate<LoadSummary> reached) throws InterruptedException {
        while (!reached.test(loader.progress()) && loader.progress().outcome() == Outcome.RUNNING) {
            Thread.sleep(1);
        }
    }

    private static long count(String table) {
        Row row = OVERDRIVE
                .session()
                .execute("SELECT count(*) FROM " + KEYSPACE + "." + table)
                .one();
        return Objects.requireNonNull(row).getLong(0);
    }

    @Test
    void stopWritesTheRowsThatWereRead() throws Exception {
        create("stopped");
        // After 10 rows of each partition, rows are read only as others are sent: all of them would take ten seconds.
        WriteOptions.Builder write =
                WriteOptions.into(KEYSPACE, "stopped").batchRows(10).rowsPerSecond(10_000);
        try (Loader loader = Loader.open(OVERDRIVE, write, manyRows().options())) {
            CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
            await(loader, progress -> progress.rowsRead() > 0);
            loader.stop();
            LoadSummary summary = run.get(180, TimeUnit.SECONDS);
            assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
            assertThat(summary.failure()).isNull();
            assertThat(summary.rowsRejected()).isZero();
            assertThat(summary.rowsRead()).isEqualTo(summary.rowsWritten()).isBetween(1L, ROWS - 1L);
            assertThat(count("stopped")).isEqualTo(summary.rowsWritten());
        }
    }

    @Test
    void recordsOfASlowPipeAreWrittenAsTheyCome() throws Exception {
        create("slow");
        InputStream before = System.in;
        try (PipedOutputStream out = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(out, 1 << 16)) {
            System.setIn(in);
            out.write("p,c,t\n1,1,a\n1,2,\"b".getBytes(StandardCharsets.UTF_8));
            out.flush();
            loads.standardInput();
            try (Loader loader = Loader.open(OVERDRIVE, WriteOptions.into(KEYSPACE, "slow"), loads.options())) {
                CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
                await(loader, progress -> progress.rowsWritten() == 1);
                assertThat(count("slow")).isEqualTo(1);
                out.write("\nb\"\n1,3,c\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                await(loader, progress -> progress.rowsWritten() == 3);
                assertThat(loader.progress().failure()).isNull();
                assertThat(count("slow")).isEqualTo(3);
                loader.stop();
                assertThat(run.get(60, TimeUnit.SECONDS).rowsWritten()).isEqualTo(3);
            }
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void stopDoesNotWaitForInputThatNeverComes() throws Exception {
        create("waiting");
        InputStream before = System.in;
        try (PipedOutputStream out = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(out, 1 << 16)) {
            System.setIn(in);
            out.write("p,c,t\n1,1,a\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            CountDownLatch stopped = new CountDownLatch(1);
            Thread feeder = new Thread(() -> feed(out, stopped));
            feeder.start();
            loads.standardInput();
            LoadSummary summary;
            try (Loader loader = Loader.open(OVERDRIVE, WriteOptions.into(KEYSPACE, "waiting"), loads.options())) {
                CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
                await(loader, progress -> progress.rowsRead() > 0);
                loader.stop();
                summary = run.get(180, TimeUnit.SECONDS);
                stopped.countDown();
            } // close() must not wait either
            assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
            assertThat(summary.rowsRead()).isEqualTo(summary.rowsWritten()).isPositive();
            assertThat(count("waiting")).isEqualTo(summary.rowsWritten());
        } finally {
            System.setIn(before);
        }
    }

    /** Keeps the writer open: without one, the pipe would be at its end. */
    private static void feed(PipedOutputStream out, CountDownLatch end) {
        try {
            for (int i = 2; i < 2_000; i++) {
                out.write(("1," + i + ",row\n").getBytes(StandardCharsets.UTF_8));
            }
            out.flush();
            end.await();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void recordsBeforeTheEndOfIncompleteInputAreWritten() {
        create("incomplete");
        loads.threads(4).file("x.json", "[{\"p\":1,\"c\":1},{\"p\":1,\"c\":2},");
        for (int i = 0; i < 20; i++) {
            LoadSummary summary = loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "incomplete"));
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure()).hasMessageContaining("its ] is missing");
            assertThat(summary.rowsWritten()).isEqualTo(2);
        }
    }

    @Test
    void aLoadWhoseTableIsDroppedEndsWithTheCauseAndRejectsNothing() throws Exception {
        create("dropped");
        Loads many = manyRows().threads(2);
        // At this rate most rows are still pending when the table is dropped.
        WriteOptions.Builder write = WriteOptions.into(KEYSPACE, "dropped").rowsPerSecond(2_000);
        LoadSummary summary;
        try (Loader loader = Loader.open(OVERDRIVE, write, many.options())) {
            CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
            await(loader, progress -> progress.rowsWritten() > 1000);
            OVERDRIVE.session().execute("DROP TABLE " + KEYSPACE + ".dropped");
            summary = run.get(180, TimeUnit.SECONDS);
        }
        assertThat(summary.rowsWritten()).isPositive();
        assertThat(summary.rowsRejected()).isZero();
        assertThat(summary.rowsRead()).isGreaterThan(summary.rowsWritten());
        assertThat(summary.rejectFiles()).isEmpty();
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessageMatching("(?s)\\[files_stop.dropped] cannot write: .*(does not exist|unconfigured).*");
    }
}
