package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Repetition;
import io.overdrive.Totals;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.load.LoadJournal.Rejected;
import io.overdrive.jobs.load.LoadProgress.Begin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads that are killed: their journal is not written any more. */
class LoadJournalTest {
    private static final RunTarget TABLE =
            new RunTarget("prod", List.of("h1"), "shop.users", "id1", List.of("id int"), Map.of());
    private static final String NAME = "users.csv.rejected";

    private final Path directory;
    private final Loads loads;
    private final RunStore store;
    private FileHeader header;
    private @Nullable String id;

    LoadJournalTest(@TempDir Path directory) {
        this.directory = directory;
        loads = new Loads(directory);
        store = new RunStore(directory.resolve("runs"));
    }

    @BeforeEach
    void readTheHeader() {
        loads.file("users.csv", "id,name", "4o,x", "4p,y");
        try (InputReader reader =
                new InputReader(loads.options().files(), loads.options().format())) {
            Block block = Objects.requireNonNull(reader.next());
            header = block.header();
        }
    }

    /** A process that runs the load until it is killed. */
    private final class Process implements AutoCloseable {
        private final LoadJournal journal = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES);
        private final LoadRejects rejects;

        Process(Repetition repetition) {
            RunRequest request = new RunRequest(store, "load", List.of(), directory, "1", id);
            if (id != null) {
                journal.resume(request, loads.options().files());
            }
            journal.begin(request, TABLE, loads.options().files(), new Begin(99, repetition));
            id = journal.id();
            rejects = new LoadRejects(
                    loads.options(), journal, journal::rejectFileCreated, journal::rejectedBefore, failure -> {
                        throw failure;
                    });
            rejects.resume(journal.rejectFiles());
        }

        void reject(long position) {
            byte[] record = ("4" + (char) ('o' + position)).getBytes(StandardCharsets.UTF_8);
            rejects.reject(
                    new RawRecord(header, position + 2, position, record),
                    new Problem("id", "4", MessageText.plain("is int")));
        }

        /** Takes the figures in the order of a checkpoint. */
        void checkpoint() {
            checkpoint(rejects::takeNew);
        }

        void checkpoint(Supplier<Rejected> rejected) {
            journal.checkpoint(new LoadJournal.Load() {
                @Override
                public Rejected rejected() {
                    return rejected.get();
                }

                @Override
                public List<InputReader.Prefix> prefixes(int fromFile) {
                    return List.of();
                }

                @Override
                public long aheadMicros() {
                    return 0;
                }

                @Override
                public LoadSummary summary() {
                    return LoadJournalTest.summary();
                }
            });
        }

        @Override
        public void close() {
            rejects.close();
            journal.close();
        }
    }

    private static LoadSummary summary() {
        return new LoadSummary(
                0,
                0,
                0,
                0,
                OptionalLong.empty(),
                /* rowsExpected */ 0,
                0,
                1,
                Duration.ZERO,
                Totals.NONE,
                /* imports */ null,
                /* writeTimes */ null,
                List.of(),
                /* firstReject */ null,
                Outcome.RUNNING,
                /* failure */ null,
                /* run */ null, /* query */
                null);
    }

    private List<String> records() throws Exception {
        return Files.readAllLines(directory.resolve(NAME));
    }

    private boolean isRunning(String run) {
        return store.find(run).status().state() == State.RUNNING;
    }

    /** A second process would begin a run, too, in the moment between the two locks. */
    @Test
    void theLockOfARunIsKeptUntilTheRunThatTakesItsPlaceHasOne() {
        String old;
        try (Process killed = new Process(Repetition.HARMLESS)) {
            old = Objects.requireNonNull(killed.journal.id());
        }
        loads.file("users.csv", "id,name", "1,other");
        RunRequest request = new RunRequest(store, "load", List.of(), directory, "1", old).ifInputIsSame();
        LoadJournal first = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES);
        assertThat(first.resume(request, loads.options().files())).contains("users.csv");
        try (LoadJournal next = first.inPlace()) {
            assertThat(isRunning(old)).isTrue();
            next.begin(request, TABLE, loads.options().files(), new Begin(99, Repetition.HARMLESS));
            assertThat(isRunning(Objects.requireNonNull(next.id()))).isTrue();
            assertThat(isRunning(old)).isFalse();
        }
        LoadJournal failing = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES);
        failing.resume(request, loads.options().files());
        failing.inPlace().close();
        assertThat(isRunning(old))
                .as("after a failure before the new run has begun")
                .isFalse();
    }

    /** Two schedulers that both find no run to resume. */
    @Test
    void ofTwoRunsThatBeginAtOnceOneIsRefused() {
        RunRequest request = new RunRequest(store, "load", List.of("users.csv"), directory, "1", null).ifInputIsSame();
        Begin begin = new Begin(99, Repetition.HARMLESS);
        try (LoadJournal first = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES);
                LoadJournal second = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES)) {
            first.begin(request, TABLE, loads.options().files(), begin);
            assertThatThrownBy(
                            () -> second.begin(request, TABLE, loads.options().files(), begin))
                    .hasMessage("run " + first.id()
                            + " of this command is still running: stop it, or wait until it has ended");
            assertThat(store.list())
                    .as("the next --resume-if-any resumes the newest run")
                    .extracting(RunStore.Entry::id)
                    .containsExactly(first.id());
            RunRequest other =
                    new RunRequest(store, "load", List.of("others.csv"), directory, "1", null).ifInputIsSame();
            second.begin(other, TABLE, loads.options().files(), begin);
        }
        try (LoadJournal next = new LoadJournal(LoadJournal.MAX_POSITIONS_BYTES)) {
            next.begin(request, TABLE, loads.options().files(), begin);
        }
    }

    @Test
    void aFileOfRejectsIsStartedOverIfTheLoadWasKilledBeforeTheNextCheckpoint() throws Exception {
        try (Process killed = new Process(Repetition.HARMLESS)) {
            killed.reject(0);
            killed.reject(1);
        }
        assertThat(records()).containsExactly("id,name", "4o", "4p");
        try (Process resumed = new Process(Repetition.HARMLESS)) {
            assertThat(directory.resolve(NAME)).doesNotExist();
            resumed.reject(0);
            resumed.reject(1);
        }
        assertThat(loads.rejectFiles()).containsExactly(NAME, NAME + ".reasons");
        assertThat(records()).containsExactly("id,name", "4o", "4p");
    }

    @Test
    void aFileOfRejectsHasWhatItHadAtTheLastCheckpoint() throws Exception {
        try (Process killed = new Process(Repetition.HARMLESS)) {
            killed.reject(0);
            killed.checkpoint();
            killed.reject(1);
        }
        try (Process resumed = new Process(Repetition.HARMLESS)) {
            assertThat(records()).containsExactly("id,name", "4o");
            resumed.reject(1);
        }
        assertThat(records()).containsExactly("id,name", "4o", "4p");
    }

    @Test
    void aFileIsRememberedThatIsCreatedDuringACheckpoint() throws Exception {
        try (Process killed = new Process(Repetition.HARMLESS)) {
            killed.checkpoint(() -> {
                Rejected before = killed.rejects.takeNew();
                killed.reject(0);
                return before;
            });
        }
        try (Process resumed = new Process(Repetition.HARMLESS)) {
            resumed.reject(0);
        }
        assertThat(loads.rejectFiles()).containsExactly(NAME, NAME + ".reasons");
        assertThat(records()).containsExactly("id,name", "4o");
    }

    @Test
    void aLoadThatWritesAllRowsAgainStartsItsFilesOver() throws Exception {
        try (Process killed = new Process(Repetition.NEEDS_LATER_TIMES)) {
            killed.reject(0);
            killed.checkpoint();
            killed.reject(1);
        }
        try (Process resumed = new Process(Repetition.NEEDS_LATER_TIMES)) {
            resumed.reject(0);
            resumed.checkpoint();
            resumed.reject(1);
        }
        assertThat(loads.rejectFiles()).containsExactly(NAME, NAME + ".reasons");
        assertThat(records()).containsExactly("id,name", "4o", "4p");
    }

    /** A run whose file was continued, and which is killed again, before its first checkpoint. */
    @Test
    void aFileIsStartedOverAfterASecondKill() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Process killed = new Process(Repetition.HARMLESS)) {
                killed.reject(0);
            }
        }
        assertThat(loads.rejectFiles()).containsExactly(NAME, NAME + ".reasons");
        assertThat(records()).containsExactly("id,name", "4o");
    }
}
