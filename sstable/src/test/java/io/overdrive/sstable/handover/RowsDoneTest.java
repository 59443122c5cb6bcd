package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.sstable.sort.TokenOwners;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RowsDoneTest {
    private static final TokenOwners OWNERS = new TokenOwners(
            List.of(0L, 10L, 20L, 30L), List.of(new int[] {2, 0}, new int[] {0, 1}, new int[] {1, 2}, new int[] {0}));

    @Test
    void countsRangesWhoseOwnersAllHaveThem() {
        RowsDone rows = new RowsDone(OWNERS, 3, new long[] {1, 20, 300, 4000});
        assertThat(LongStream.of(rows.add(0, true), rows.add(1, true), rows.add(2, true)))
                .containsExactly(4000L, 4020L, 4321L);
    }

    @Test
    void leavesOutRangesOfAnOwnerThatFailed() {
        RowsDone rows = new RowsDone(OWNERS, 3, new long[] {1, 20, 300, 4000});
        assertThat(LongStream.of(rows.add(0, true), rows.add(1, false), rows.add(2, true)))
                .containsExactly(4000L, 4000L, 4001L);
    }

    @Test
    void countsNothingIfRangesAreUnknown() {
        assertThat(new RowsDone(OWNERS, 3, new long[0]).add(0, true)).isZero();
    }
}
