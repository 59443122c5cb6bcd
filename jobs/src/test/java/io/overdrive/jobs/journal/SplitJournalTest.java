package io.overdrive.jobs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SplitJournalTest {
    private static final RunTarget TABLE =
            new RunTarget("c", List.of("h"), "ks.t", "id", List.of("p int PARTITION_KEY"), Map.of());
    private static final List<Split> SPLITS = List.of(
            new Split(List.of(new Range(0, 10), new Range(20, 30)), List.of("10.0.0.1", "10.0.0.2"), 77),
            new Split(List.of(new Range(10, 20)), List.of("10.0.0.2"), 0),
            new Split(List.of(new Range(30, Long.MAX_VALUE)), List.of(), 5));

    private final RunStore store;

    SplitJournalTest(@TempDir Path directory) {
        store = new RunStore(directory.resolve("runs"));
    }

    private SplitJournal open(@Nullable String resumes, RunTarget target) {
        return SplitJournal.open(
                new RunRequest(store, "unload", List.of(), Path.of("/"), "1", resumes), List.of(target));
    }

    @Test
    void aResumedRunHasWhatTheCheckpointsSay() {
        String id;
        try (SplitJournal journal = open(null, TABLE)) {
            id = journal.id();
            assertThat(journal.isBegun()).isFalse();
            journal.begin(SPLITS);
            journal.checkpoint(List.of(new Reached(1, 15, false, new long[] {3, 30})), new byte[] {1});
            journal.checkpoint(
                    List.of(
                            new Reached(0, Long.MAX_VALUE, true, new long[] {4, 40}),
                            new Reached(1, 17, false, new long[] {5, 50})),
                    new byte[] {2});
            journal.status(State.STOPPED, 9, null);
        }
        assertThat(store.find(id).status().done()).isEqualTo(1 / 3.0);
        try (SplitJournal journal = open(id, TABLE)) {
            assertThat(journal.isBegun()).isTrue();
            assertThat(journal.splits()).isEqualTo(SPLITS);
            assertThat(journal.finished()).isOne();
            assertThat(journal.sum(0)).isEqualTo(9);
            assertThat(journal.sum(1)).isEqualTo(90);
            assertThat(journal.shared()).containsExactly(2);
            List<Remaining> remaining = journal.remaining();
            assertThat(remaining.stream().map(Remaining::number)).containsExactly(1, 2);
            assertThat(remaining.get(0).split()).isEqualTo(new Split(List.of(new Range(17, 20)), List.of(), 0));
            assertThat(remaining.get(1)).isEqualTo(new Remaining(2, SPLITS.get(2), null));
        }
    }

    @Test
    void aLongJournalIsReplacedByItsState() {
        String id;
        try (SplitJournal journal = open(null, TABLE)) {
            id = journal.id();
            journal.begin(SPLITS);
            for (int i = 1; i <= 100; i++) {
                journal.checkpoint(List.of(new Reached(i % 2, i / 20, false, new long[] {i})), new byte[30_000]);
            }
        }
        assertThat(store.find(id).status().state()).isEqualTo(State.KILLED);
        try (SplitJournal journal = open(id, TABLE)) {
            List<Long> figures = new ArrayList<>();
            journal.reached().forEach(each -> figures.add(each.figures()[0]));
            assertThat(figures).containsExactly(100L, 99L);
            assertThat(journal.shared()).hasSize(30_000);
            assertThat(journal.splits()).isEqualTo(SPLITS);
        }
    }

    @Test
    void refusesTheRunOfAnotherCommand() {
        String id;
        try (SplitJournal journal = open(null, TABLE)) {
            id = journal.id();
            journal.begin(SPLITS);
        }
        RunRequest count = new RunRequest(store, "count", List.of(), Path.of("/"), "1", id);
        for (int i = 0; i < 2; i++) { // the lock is released
            assertThatThrownBy(() -> SplitJournal.open(count, List.of(TABLE)))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage("run " + id + " is a run of overdrive unload, and cannot be resumed by overdrive count;"
                            + " to resume it: overdrive resume " + id);
        }
    }

    @Test
    void refusesAnotherTable() {
        String id;
        try (SplitJournal journal = open(null, TABLE)) {
            id = journal.id();
            journal.begin(SPLITS);
        }
        RunTarget changed = new RunTarget("c", List.of("h"), "ks.t", "id2", TABLE.columns(), Map.of());
        for (int i = 0; i < 2; i++) { // the lock is released
            assertThatThrownBy(() -> open(id, changed))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("the table was dropped and created since the run began: ks.t");
        }
    }
}
