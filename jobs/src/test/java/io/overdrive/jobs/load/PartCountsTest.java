package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.RejectedRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A row of several parts is complete when all of them are acknowledged. */
class PartCountsTest {
    private final List<Long> journal = new ArrayList<>();

    private PartCounts counts(int maxPending) {
        return new PartCounts(positions -> Arrays.stream(positions).forEach(journal::add), maxPending);
    }

    private static RejectedRow rejected(long position) {
        return new RejectedRow(position, /* attachment */ null, "too large");
    }

    @Test
    void aRowIsCompleteWithItsLastPart() {
        PartCounts counts = counts(10);
        counts.begin(1, 1);
        counts.begin(2, 3);
        counts.written(new long[] {2, 1, 2});
        assertThat(journal).containsExactly(1L);
        assertThat(counts.rows()).isEqualTo(1);
        counts.written(new long[] {2});
        assertThat(journal).containsExactly(1L, 2L);
        assertThat(counts.rows()).isEqualTo(2);
    }

    @Test
    void aRowWithoutPartsIsComplete() {
        PartCounts counts = counts(10);
        counts.begin(7, 0);
        assertThat(journal).containsExactly(7L);
        assertThat(counts.rows()).isEqualTo(1);
    }

    @Test
    void aRowIsRejectedOnceAndThenNeverComplete() {
        PartCounts counts = counts(10);
        counts.begin(1, 3);
        counts.written(new long[] {1});
        assertThat(counts.refused(rejected(1))).isTrue();
        assertThat(counts.refused(rejected(1))).isFalse();
        counts.written(new long[] {1});
        assertThat(counts.rows()).isZero();
        assertThat(journal).isEmpty();
        assertThat(counts.refused(rejected(2))).isTrue();
    }

    @Test
    void theJournalGetsNoFurtherPositionsIfTooManyArePending() {
        PartCounts counts = counts(1);
        counts.begin(1, 2);
        counts.begin(2, 2);
        counts.written(new long[] {1, 1, 2, 2, 3});
        assertThat(journal).isEmpty();
        assertThat(counts.rows()).isEqualTo(3);
    }
}
