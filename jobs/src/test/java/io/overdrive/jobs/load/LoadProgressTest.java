package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Repetition;
import io.overdrive.formats.records.InputReader.Prefix;
import io.overdrive.jobs.journal.Journal;
import io.overdrive.jobs.load.LoadProgress.Begin;
import io.overdrive.jobs.load.LoadProgress.Checkpoint;
import io.overdrive.jobs.load.RejectFile.Saved;
import io.overdrive.jobs.load.RejectFile.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadProgressTest {
    private static final Saved REJECTS = new Saved(
            Path.of("a.csv.rejected"), new Shape(true, "UTF-8", ",", new byte[] {'i', 'd'}, true, false), 17, 42);

    private final LoadProgress progress = new LoadProgress();
    private final List<Journal.Record> records = new ArrayList<>();

    private static PositionSet set(long... positions) {
        PositionSet set = new PositionSet();
        for (long position : positions) {
            set.add(position);
        }
        return set;
    }

    private static void assertPositions(PositionSet actual, long... expected) {
        assertThat(actual.count()).isEqualTo(expected.length);
        for (long position : expected) {
            assertThat(actual.in(position, position + 1, new BitSet()))
                    .as("" + position)
                    .isOne();
        }
    }

    private void add(PositionSet positions, long rejected, int firstFile, Prefix... prefixes) {
        records.add(progress.add(
                new Checkpoint(positions, rejected, List.of(REJECTS), firstFile, List.of(prefixes), firstFile)));
    }

    private static LoadProgress replayed(Iterable<Journal.Record> records) {
        LoadProgress replayed = new LoadProgress();
        records.forEach(replayed::replay);
        return replayed;
    }

    private static void assertAll(LoadProgress all) {
        assertThat(all.begin()).isEqualTo(new Begin(99, Repetition.HARMLESS));
        assertThat(all.rejected()).isEqualTo(3);
        assertThat(all.prefixes()).containsExactly(new Prefix(100, 1), new Prefix(250, 3), new Prefix(5, 4));
        assertThat(all.latestWriteTime()).isEqualTo(1);
        Saved rejects = all.rejects().get(0);
        assertThat(rejects.path()).isEqualTo(REJECTS.path());
        assertThat(rejects.records()).isEqualTo(17);
        assertThat(rejects.reasons()).isEqualTo(42);
        assertThat(rejects.shape().takesRecordsOf(REJECTS.shape())).isTrue();
        assertThat(rejects.shape().hasHead()).isTrue();
        assertThat(rejects.shape().hasMark()).isFalse();
        assertPositions(all.takePositions(), 1, 5, 7, 1L << 40);
    }

    @Test
    void recordsAndASnapshotOfThemSayTheSame() {
        records.add(progress.begin(new Begin(99, Repetition.HARMLESS)));
        add(set(5, 1), 0, 0, new Prefix(100, 1), new Prefix(200, 2));
        add(set(7, 1L << 40), 3, 1, new Prefix(250, 3), new Prefix(5, 4));
        assertAll(replayed(records));
        assertAll(replayed(progress.snapshot(new PositionSet())));
        assertAll(progress);
    }

    @Test
    void aSnapshotHasThePositionsOfEarlierRuns() {
        add(set(5, 1), 0, 0);
        LoadProgress replayed = replayed(progress.snapshot(set(2, 9)));
        assertPositions(replayed.takePositions(), 1, 2, 5, 9);
    }

    @Test
    void aLargeSnapshotHasSeveralRecords() {
        PositionSet many = new PositionSet();
        for (long i = 0; i < 3_000_000; i++) {
            many.add(13 * i);
        }
        add(many, 0, 0);
        assertThat(progress.snapshot(new PositionSet())).hasSize(4);
        PositionSet replayed = replayed(progress.snapshot(new PositionSet())).takePositions();
        assertThat(replayed.count()).isEqualTo(3_000_000);
        for (long i = 0; i < 3_000_000; i += 1000) {
            assertThat(replayed.in(13 * i, 13 * i + 13, new BitSet())).isOne();
        }
    }

    /** A resumed run reads from the start, and has read less at first. */
    @Test
    void keepsTheLongerPartOfEachFile() {
        add(new PositionSet(), 0, 0, new Prefix(100, 1), new Prefix(200, 2));
        assertThat(progress.filesEnded()).isEqualTo(1);
        assertThat(progress.longer(List.of())).containsExactly(new Prefix(200, 2));
        assertThat(progress.longer(List.of(new Prefix(150, 7)))).containsExactly(new Prefix(200, 2));
        assertThat(progress.longer(List.of(new Prefix(250, 8), new Prefix(10, 9))))
                .containsExactly(new Prefix(250, 8), new Prefix(10, 9));
    }
}
