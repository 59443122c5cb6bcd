package io.overdrive.jobs.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Copies that end early and are resumed, compared with one copy that does not. After a kill, the journal has less than was written: here
 * it gets back an earlier state of itself.
 */
@Timeout(600)
class CopyResumeIT {
    private static final String KEYSPACE = "copy_resume";
    private static final int PARTITIONS = 800;
    private static final int ROWS_EACH = 15;
    private static final int ROWS = PARTITIONS * ROWS_EACH;
    /** So that a copy takes several checkpoints. Half of that if this machine was too busy to see it at work. */
    private static final int ROWS_PER_SECOND = 2_000;

    private static final String REJECTS = "rows.rejected.jsonl";
    private static final int UNCONVERTIBLE = PARTITIONS / 40;
    private static final int REFUSED = PARTITIONS / 100;
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Path directory;
    private final RunStore store;
    /** The cells that are copied; null for all. */
    private @Nullable WrittenAfter after;

    CopyResumeIT(@TempDir Path directory) {
        this.directory = directory;
        store = new RunStore(directory.resolve("runs"));
    }

    /** How rows are copied. */
    private enum Way {
        /** Static columns and lists, with the write times of the copy. */
        PLAIN("* = [-life, -t]", "l"),
        /** A copy with given write times, which lists must not have. */
        TIMESTAMP("* = [-life, -t, -l]", "w"),
        KEPT_TIMES("* = [-life, -t, -l]", "writetime(s), writetime(v), writetime(w)"),
        TIMES_OF_COLUMNS("life = ttl(), t = writetime(), * = -l", "writetime(v), writetime(w)");

        private final String map;
        /** Other columns that are compared. */
        private final String more;

        Way(String map, String more) {
            this.map = map;
            this.more = more;
        }
    }

    @BeforeAll
    static void fill() {
        OVERDRIVE.changeSchema("CREATE TABLE " + KEYSPACE
                + ".source (p int, c int, k text, s text static, l list<int>, v text, w int, t bigint, life int,"
                + " PRIMARY KEY (p, c))");
        try (RowWriter writer = OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "source")
                .columns("p", "c", "k", "s", "l", "v", "w", "t", "life")
                .build())) {
            for (int p = 0; p < PARTITIONS; p++) {
                for (int c = 0; c < ROWS_EACH; c++) {
                    RowBuffer row = writer.row().setInt(0, p).setInt(1, c);
                    // no clustering column is longer than 65,535 bytes
                    row.setText(2, p % 100 == 50 && c == 7 ? "k".repeat(70_000) : "k");
                    row.setText(3, "static " + p).set(4, List.of(c, p, c));
                    row.setText(5, p % 40 == 20 && c == 3 ? "four" : String.valueOf(c));
                    if (c % 2 == 0) {
                        row.setInt(6, c);
                    }
                    row.setLong(7, 1_000_000L + c);
                    if (c % 3 == 0) {
                        row.setInt(8, 100_000);
                    }
                    writer.send();
                }
            }
        }
    }

    private static void createTarget(String name) {
        OVERDRIVE.changeSchema("CREATE TABLE " + KEYSPACE + "." + name
                + " (p int, c int, k text, s text static, l list<int>, v int, w int, PRIMARY KEY (p, c, k))");
    }

    private Copier open(Way way, String target, int rowsPerSecond, @Nullable RunRequest request) {
        ScanOptions.Builder read = ScanOptions.from(KEYSPACE, "source")
                .pageRows(100)
                .splitsInFlight(1)
                .rowsPerSecond(rowsPerSecond);
        WriteOptions.Builder write = WriteOptions.into(KEYSPACE, target);
        if (way == Way.TIMESTAMP) {
            write.timestamp(1_000_000_000_000_000L);
        }
        CopyOptions options = new CopyOptions(
                Mapping.parse(way.map),
                way == Way.KEPT_TIMES,
                RejectLimit.parse("none"),
                directory.resolve(target),
                "rows",
                2);
        return Copier.of(OVERDRIVE, read, OVERDRIVE, write, options.writtenAfter(after))
                .journal(request)
                .open();
    }

    private RunRequest request(@Nullable String resumes) {
        return new RunRequest(store, "copy", List.of(), directory, "1", resumes);
    }

    /** False if the run has ended before. */
    private static boolean awaits(CompletableFuture<CopySummary> run, BooleanSupplier moment) throws Exception {
        while (!moment.getAsBoolean()) {
            if (run.isDone()) {
                assertThat(run.get().failure()).isNull();
                return false;
            }
            Thread.sleep(5);
        }
        return !run.isDone();
    }

    private static void copyJournal(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String name : List.of("run.json", "status.json", "journal")) {
            if (Files.exists(from.resolve(name))) {
                Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** When the state of the journal that a resumed run finds was taken. */
    private interface Moment {
        boolean isReached(Copier copier);
    }

    /** Begins a copy, and returns its run as it is after a kill. */
    private String killed(Way way, String target, Moment lastCheckpoint) throws Exception {
        for (int rate = ROWS_PER_SECOND; ; rate /= 2) {
            createTarget(target);
            String id = killed(way, target, rate, lastCheckpoint);
            if (id != null) {
                return id;
            }
            OVERDRIVE.changeSchema("DROP TABLE " + KEYSPACE + "." + target);
            Files.deleteIfExists(directory.resolve(target).resolve(REJECTS));
        }
    }

    /** Null if the copy ended before this thread saw it at work. */
    private @Nullable String killed(Way way, String target, int rowsPerSecond, Moment lastCheckpoint) throws Exception {
        Path saved = directory.resolve("saved");
        String id;
        Path journal;
        try (Copier copier = open(way, target, rowsPerSecond, request(null))) {
            id = Objects.requireNonNull(copier.runId());
            journal = directory.resolve("runs").resolve(id);
            CompletableFuture<CopySummary> run = CompletableFuture.supplyAsync(copier::run);
            if (!awaits(run, () -> lastCheckpoint.isReached(copier))) {
                return null;
            }
            copyJournal(journal, saved);
            long rows = copier.progress().rowsRead() + ROWS / 8;
            if (!awaits(run, () -> copier.progress().rowsRead() >= rows)) {
                return null;
            }
            copier.stop();
            if (run.get(120, TimeUnit.SECONDS).outcome() != Outcome.STOPPED) {
                return null;
            }
        }
        copyJournal(saved, journal);
        return id;
    }

    private boolean hasRowsDone(Copier copier) {
        return store.find(Objects.requireNonNull(copier.runId())).status().rows() > 0;
    }

    private static CopySummary run(Copier copier) {
        try (copier) {
            CopySummary summary = copier.run();
            assertThat(summary.failure()).isNull();
            assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            assertThat(summary.rowsRead()).isEqualTo(ROWS);
            assertThat(summary.rowsRejected()).isEqualTo(UNCONVERTIBLE + REFUSED);
            assertThat(summary.rowsWritten()).isEqualTo(ROWS - UNCONVERTIBLE - REFUSED);
            return summary;
        }
    }

    private List<String> rejects(String target) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve(target))) {
            List<Path> all = files.toList();
            assertThat(all).containsExactly(directory.resolve(target).resolve(REJECTS));
            for (String line : Files.readAllLines(all.get(0))) {
                lines.add(line.replaceAll("k{100,}", "k…"));
            }
        }
        lines.sort(null);
        return lines;
    }

    private static List<String> rows(Way way, String target) {
        List<String> rows = new ArrayList<>();
        for (Row row : OVERDRIVE
                .session()
                .execute("SELECT p, c, k, s, v, w, ttl(v) AS life, " + way.more + " FROM " + KEYSPACE + "." + target)) {
            String life = row.isNull("life") ? "stays" : "expires";
            StringBuilder cells = new StringBuilder(life);
            for (int i = 0; i < row.size(); i++) {
                if (i != 6) {
                    cells.append(' ').append(row.getObject(i));
                }
            }
            rows.add(cells.toString());
        }
        rows.sort(null);
        return rows;
    }

    private void assertSame(Way way, String resumed, String clean) throws IOException {
        List<String> expected = rows(way, clean);
        assertThat(expected).hasSize(ROWS - UNCONVERTIBLE - REFUSED);
        List<String> found = rows(way, resumed);
        List<String> wrong = new ArrayList<>(found);
        wrong.removeAll(new HashSet<>(expected));
        assertThat(wrong.stream().limit(5)).isEmpty();
        assertThat(found).hasSameSizeAs(expected);
        assertThat(rejects(resumed))
                .hasSize(UNCONVERTIBLE + REFUSED)
                .doesNotHaveDuplicates()
                .isEqualTo(rejects(clean));
    }

    @Test
    void aCatchUpIsResumedWithWhatItHadLeftOut() throws Exception {
        after = new WrittenAfter(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), "");
        try (RowWriter writer = OVERDRIVE.writer(
                WriteOptions.into(KEYSPACE, "source").columns("p", "c", "v").build())) {
            for (int i = 0; i < ROWS / 2; i++) {
                int p = i / ROWS_EACH * 2;
                int c = i % ROWS_EACH;
                writer.row().setInt(0, p).setInt(1, c).setText(2, p % 40 == 20 && c == 3 ? "four" : String.valueOf(c));
                writer.send();
            }
        }
        String id = killed(Way.KEPT_TIMES, "killed_catch_up", this::hasRowsDone);
        try (Copier copier = open(Way.KEPT_TIMES, "killed_catch_up", Integer.MAX_VALUE, request(id))) {
            CopySummary resumed = copier.run();
            assertThat(resumed.outcome()).isEqualTo(Outcome.DONE);
            assertThat(resumed.rowsBefore()).isPositive();
            assertThat(resumed.rowsRead()).isEqualTo(ROWS);
            assertThat(resumed.rowsLeftOut()).isEqualTo(ROWS / 2);
            assertThat(resumed.rowsRejected()).isEqualTo(UNCONVERTIBLE + REFUSED);
            assertThat(resumed.rowsWritten()).isEqualTo(ROWS / 2 - UNCONVERTIBLE - REFUSED);
        }
        assertThat(TestCluster.count(KEYSPACE + ".killed_catch_up", "p")).isEqualTo(ROWS / 2 - UNCONVERTIBLE - REFUSED);
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(4)
    void theTargetIsThatOfOneCopy(Way way) throws Exception {
        String name = way.name().toLowerCase(Locale.ROOT);
        createTarget("clean_" + name);
        run(open(way, "clean_" + name, Integer.MAX_VALUE, null));
        String id = killed(way, "killed_" + name, this::hasRowsDone);
        CopySummary resumed = run(open(way, "killed_" + name, Integer.MAX_VALUE, request(id)));
        assertThat(resumed.rowsBefore()).isPositive();
        assertThat(resumed.splitsBefore()).isPositive();
        assertSame(way, "killed_" + name, "clean_" + name);
    }

    /** The file of rejected rows was created after the last checkpoint. */
    @Test
    @Tag("nightly")
    void theFileOfRejectedRowsIsContinuedFromItsStart() throws Exception {
        String id = killed(Way.PLAIN, "from_start", copier -> copier.progress().rowsRejected() > 0);
        assertThat(run(open(Way.PLAIN, "from_start", Integer.MAX_VALUE, request(id)))
                        .rejectFiles())
                .containsExactly(directory.resolve("from_start").resolve(REJECTS));
        assertThat(rejects("from_start")).hasSize(UNCONVERTIBLE + REFUSED).doesNotHaveDuplicates();
    }

    /** Sets the write times of the copies before in the journal, as if this machine's clock had been set back since. */
    private void setLastWriteTime(String id, String target, long micros) {
        List<RunTarget> targets = Stream.of("source", target)
                .map(table -> RunTarget.of(OVERDRIVE, OVERDRIVE.table(KEYSPACE, table)))
                .toList();
        try (SplitJournal journal = SplitJournal.open(request(id), targets)) {
            ByteBuffer shared = ByteBuffer.wrap(journal.shared());
            shared.putLong(Long.BYTES, micros);
            journal.checkpoint(List.of(), shared.array());
        }
    }

    @Test
    void rowsHaveLaterWriteTimesThanBeforeAlsoIfTheClockWasSetBack() throws Exception {
        String id = killed(Way.PLAIN, "later", this::hasRowsDone);
        long hour = micros(Duration.ofHours(1));
        setLastWriteTime(id, "later", hour);
        assertThatThrownBy(() -> open(Way.PLAIN, "later", ROWS_PER_SECOND, request(id)))
                .isInstanceOf(OverdriveException.class)
                .hasMessageMatching("the run cannot be resumed yet: its last write times are 3[0-9]{3} s in the future;"
                        + " wait until they have passed");
        long last = micros(Duration.ofSeconds(2));
        setLastWriteTime(id, "later", last);
        run(open(Way.PLAIN, "later", Integer.MAX_VALUE, request(id)));
        int later = 0;
        for (Row row : OVERDRIVE.session().execute("SELECT writetime(v) FROM " + KEYSPACE + ".later")) {
            later += row.getLong(0) > last ? 1 : 0;
        }
        // those of the splits that the copy before had not finished
        assertThat(later).isBetween(ROWS / 8, ROWS);
    }

    private static long micros(Duration fromNow) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(fromNow));
    }
}
