package io.overdrive.jobs.tables;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.WriteSummary;
import io.overdrive.jobs.journal.Journal;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.TableResult.Kept;
import io.overdrive.jobs.tables.TablesJob.Table;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several jobs as one, with jobs that do nothing but end. */
class TablesJobTest {
    private static final CqlIdentifier SHOP = CqlIdentifier.fromInternal("shop");

    private final Path directory;
    private final List<String> began = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, RuntimeException> failures = new HashMap<>();
    /** Rows that a table has written, if they are not those that were read. */
    private final Map<String, Long> written = new HashMap<>();
    /** Failures of the last step. */
    private List<String> notDone = List.of();
    /** The id of each table on the server. */
    private String tableId = "1";
    /** The tables whose jobs wait until they are stopped. */
    private final Map<String, CountDownLatch> waiting = new HashMap<>();

    TablesJobTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A summary of ten rows. */
    private record Rows(Outcome outcome, long rowsWritten, @Nullable RuntimeException failure) implements WriteSummary {
        @Override
        public long rowsRead() {
            return 10;
        }

        @Override
        public long rowsRejected() {
            return 0;
        }

        @Override
        public @Nullable ImportFigures imports() {
            return null;
        }

        @Override
        public Duration elapsed() {
            return Duration.ofSeconds(1);
        }

        @Override
        public Figures figures() {
            return new Figures(
                    elapsed(),
                    10,
                    100,
                    /* inFlight */ 1,
                    Duration.ofMillis(3),
                    /* rejected */ -1,
                    /* done */ 1,
                    /* waiting */ null,
                    new Figures.Counts(10, -1, -1, -1, 100, -1, -1, -1));
        }
    }

    private final class Fake implements Job<Rows> {
        private final String table;
        private volatile boolean isStopped;

        Fake(String table) {
            this.table = table;
        }

        @Override
        public Rows run() {
            began.add(table);
            CountDownLatch until = waiting.get(table);
            if (until != null) {
                await(until);
            }
            return progress();
        }

        @Override
        public Rows progress() {
            RuntimeException failure = failures.get(table);
            return new Rows(
                    failure != null
                            ? Summary.Outcome.FAILED
                            : isStopped ? Summary.Outcome.STOPPED : Summary.Outcome.DONE,
                    written.getOrDefault(table, 10L),
                    failure);
        }

        @Override
        public boolean stop() {
            isStopped = true;
            CountDownLatch until = waiting.get(table);
            if (until != null) {
                until.countDown();
            }
            return true;
        }

        @Override
        public JobTimes times() {
            return JobTimes.NONE;
        }

        @Override
        public Plan plan() {
            return new Plan();
        }

        @Override
        public String effectOfStop() {
            return "stops";
        }

        @Override
        public void close() {}
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Table table(String name, long bytes) {
        return new Table(SHOP, CqlIdentifier.fromInternal(name), bytes);
    }

    private TablesJob<Rows> job(@Nullable TablesJournal journal, int smallAtOnce, Table... tables) {
        TablesJob.Listener<Rows> silent = new TablesJob.Listener<>() {
            @Override
            public void begins(Table table, Job<Rows> job) {}

            @Override
            public void ended(TableResult<Rows> result) {}

            @Override
            public List<String> last(List<TableResult<Rows>> results) {
                return notDone;
            }
        };
        return new TablesJob<>(
                List.of(tables),
                new Plan(),
                (table, request) -> {
                    boolean ends = !waiting.containsKey(table.name().asInternal());
                    if (request != null && request.isResume()) {
                        request.resume().close();
                    } else if (request != null && ends) {
                        runOfTable(request, table);
                    }
                    return open(table);
                },
                silent,
                (table, rows) -> new Kept(10, 0, "10 rows", "{\"rowsWritten\":10}"),
                journal,
                smallAtOnce,
                "stops");
    }

    private Fake open(Table table) {
        String name = table.name().asInternal();
        if (name.startsWith("missing")) {
            throw new OverdriveException(Kind.SCHEMA, "there is no table " + name);
        }
        return new Fake(name);
    }

    private TablesJournal journal(@Nullable String resumes) {
        RunRequest request =
                new RunRequest(new RunStore(directory), "count", List.of("--", "shop"), Path.of("/"), "1", resumes);
        RunTarget target = new RunTarget("c", List.of("h"), "shop", /* tableId */ null, List.of(), Map.of());
        return TablesJournal.open(request, List.of(target), this::targets);
    }

    private List<RunTarget> targets(CqlIdentifier table) {
        return List.of(
                new RunTarget("c", List.of("h"), "shop." + table.asInternal(), tableId, List.of(), /* drops */ null));
    }

    /** Begins the run of a table as its job does, which is done at once. */
    private void runOfTable(RunRequest request, Table table) {
        try (RunDirectory run = request.begin(targets(table.name()), List.of(), Map.of())) {
            run.status(new RunStatus(RunStatus.State.DONE, Instant.now(), 10, 1, ""));
        }
    }

    @Test
    void largeTablesComeOneAfterAnotherTheLargestFirst() {
        TablesJob<Rows> job = job(null, 0, table("a", 1), table("b", 1L << 30), table("c", 1L << 40));
        TablesSummary<Rows> summary = job.run();
        assertThat(began).containsExactly("c", "b", "a");
        assertThat(summary.outcome()).isEqualTo(Summary.Outcome.DONE);
        assertThat(summary.done()).isEqualTo(1);
        assertThat(summary.results())
                .extracting(each -> each.table().asInternal())
                .containsExactly("a", "b", "c");
        Figures figures = summary.figures();
        assertThat(figures.rows()).isEqualTo(30);
        assertThat(figures.rejected()).isEqualTo(-1);
        assertThat(figures.counts().rowsRead()).isEqualTo(30);
        assertThat(figures.counts().rowsWritten()).isEqualTo(-1);
    }

    @Test
    void smallTablesDoNotWaitForALargeOne() {
        CountDownLatch large = new CountDownLatch(1);
        waiting.put("large", large);
        TablesJob<Rows> job = job(null, 1, table("large", 1L << 40), table("a", 1), table("b", 0));
        Thread run = new Thread(job::run);
        run.start();
        while (job.progress().results().size() < 2 || job.progress().running().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(job.progress().running()).hasSize(1);
        large.countDown();
        join(run);
        assertThat(job.progress().results()).hasSize(3);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aTableThatFailsDoesNotEndTheOthers() {
        failures.put("b", new OverdriveException(Kind.READ, "no answer"));
        TablesSummary<Rows> summary = job(null, 0, table("a", 3), table("b", 2), table("missing", 2), table("c", 1))
                .run();
        assertThat(began).containsExactly("a", "b", "c");
        assertThat(summary.outcome()).isEqualTo(Summary.Outcome.FAILED);
        assertThat(summary.count(Summary.Outcome.DONE)).isEqualTo(2);
        assertThat(summary.failure()).hasMessage("2 of 4 tables failed: b, missing");
    }

    @Test
    void aFailureThatTheOthersShareEndsTheRun() {
        failures.put("a", new OverdriveException(Kind.DISK, "the disk is full"));
        TablesSummary<Rows> summary =
                job(null, 0, table("a", 3), table("b", 2), table("c", 1)).run();
        assertThat(began).containsExactly("a");
        assertThat(summary.failure()).hasMessage("1 of 3 tables failed, and 2 did not begin: a: the disk is full");
    }

    @Test
    void aStoppedRunIsResumedWithTheTablesThatAreLeft() {
        CountDownLatch second = new CountDownLatch(1);
        waiting.put("b", second);
        notDone = List.of("a step that a stopped run does not come to");
        String id;
        try (TablesJob<Rows> job = job(journal(null), 0, table("a", 3), table("b", 2), table("c", 1))) {
            id = String.valueOf(job.runId());
            Thread stops = new Thread(() -> {
                while (began.size() < 2) {
                    Thread.onSpinWait();
                }
                job.stop();
            });
            stops.start();
            assertThat(job.run().outcome()).isEqualTo(Summary.Outcome.STOPPED);
            join(stops);
        }
        assertThat(began).containsExactly("a", "b");
        waiting.clear();
        notDone = List.of();
        try (TablesJob<Rows> job = job(journal(id), 0, table("a", 3), table("b", 2), table("c", 1))) {
            assertThat(job.resumed().inJava()).isEqualTo("1 of 3 tables were done before");
            TablesSummary<Rows> summary = job.run();
            assertThat(summary.outcome()).isEqualTo(Summary.Outcome.DONE);
            assertThat(summary.before()).containsExactly(new Kept(10, 0, "10 rows", "{\"rowsWritten\":10}"));
            assertThat(summary.rowsBefore()).isEqualTo(10);
        }
        assertThat(began).containsExactly("a", "b", "b", "c");
        assertThat(new RunStore(directory).find(id).status().rows()).isEqualTo(30);
    }

    @Test
    void aTableThatWasCreatedAgainIsNotDone() {
        failures.put("b", new OverdriveException(Kind.READ, "no answer"));
        String id;
        try (TablesJob<Rows> job = job(journal(null), 0, table("a", 3), table("b", 2))) {
            id = String.valueOf(job.runId());
            assertThat(job.run().outcome()).isEqualTo(Summary.Outcome.FAILED);
        }
        failures.clear();
        tableId = "2";
        try (TablesJob<Rows> job = job(journal(id), 0, table("a", 3))) {
            assertThat(job.run().failure())
                    .hasMessage("2 of 2 tables failed: a, b")
                    .rootCause()
                    .hasMessageContaining("the table was dropped and created since the run began: shop.a");
        }
        assertThat(began).containsExactly("a", "b");
    }

    @Test
    void aTableThatWasDroppedIsMissedByAResumedRun() {
        failures.put("b", new OverdriveException(Kind.READ, "no answer"));
        String id;
        try (TablesJob<Rows> job = job(journal(null), 0, table("a", 3), table("b", 2), table("c", 1))) {
            id = String.valueOf(job.runId());
            assertThat(job.run().count(Summary.Outcome.DONE)).isEqualTo(2);
        }
        failures.clear();
        for (int attempt = 0; attempt < 2; attempt++) {
            try (TablesJob<Rows> job = job(journal(id), 0, table("c", 1), table("later", 1))) {
                TablesSummary<Rows> summary = job.run();
                assertThat(summary.failure())
                        .hasMessage("1 of 4 tables failed: b")
                        .hasRootCauseMessage(
                                "the table was dropped since the run began, and is not complete: begin a new"
                                        + " run without it");
                assertThat(summary.count(Summary.Outcome.DONE)).isEqualTo(3);
            }
        }
        assertThat(began).containsExactly("a", "b", "c", "later");
    }

    /** The state after a kill between the end of the table's run and the record that the whole run keeps of it. */
    @Test
    void aTableThatWasDoneWhenTheRunWasKilledIsAskedHowItEnded() {
        String id;
        TablesJournal killed = journal(null);
        id = killed.id();
        killed.gone(List.of(table("a", 3).name()));
        RunRequest request = killed.request(SHOP, table("a", 3).name());
        try (RunDirectory run = request.begin(targets(table("a", 3).name()), List.of(), Map.of())) {
            Journal.open(run.files(), "a", record -> {}).close();
            run.status(new RunStatus(RunStatus.State.DONE, Instant.now(), 10, 1, ""));
        }
        killed.close();
        try (TablesJob<Rows> job = job(journal(id), 0, table("a", 3))) {
            TablesSummary<Rows> summary = job.run();
            assertThat(summary.outcome()).isEqualTo(Summary.Outcome.DONE);
            assertThat(summary.before()).isEmpty();
            assertThat(summary.rows()).isEqualTo(10);
        }
        assertThat(began).containsExactly("a");
        RunStore ofTables = new RunStore(directory).ofTables(id);
        assertThat(ofTables.list()).hasSize(1).noneMatch(each -> ofTables.hasJournal(each.id()));
    }

    @Test
    void theRunIsNotDoneBeforeItsLastStep() {
        notDone = List.of("index i: no");
        String id;
        try (TablesJob<Rows> job = job(journal(null), 0, table("a", 3))) {
            id = String.valueOf(job.runId());
            TablesSummary<Rows> summary = job.run();
            assertThat(summary.outcome()).isEqualTo(Summary.Outcome.FAILED);
            assertThat(summary.failure()).hasMessage("index i: no");
            assertThat(summary.notDone()).containsExactly("index i: no");
        }
        notDone = List.of();
        try (TablesJob<Rows> job = job(journal(id), 0, table("a", 3))) {
            assertThat(job.run().outcome()).isEqualTo(Summary.Outcome.DONE);
        }
        assertThat(began).containsExactly("a");
    }

    @Test
    void aTableThatDoesNotAccountForItsRowsHasFailed() {
        written.put("a", 9L);
        TablesSummary<Rows> summary = job(null, 0, table("a", 3), table("b", 2)).run();
        assertThat(summary.outcome()).isEqualTo(Summary.Outcome.FAILED);
        assertThat(summary.count(Summary.Outcome.DONE)).isEqualTo(1);
        assertThat(summary.failure())
                .hasMessage("1 of 2 tables failed: a")
                .hasRootCauseMessage(WriteSummary.NOT_ACCOUNTED);
    }
}
