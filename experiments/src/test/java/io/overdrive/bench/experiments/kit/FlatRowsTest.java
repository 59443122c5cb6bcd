package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.bench.experiments.kit.FlatRows.Tally;
import org.junit.jupiter.api.Test;

class FlatRowsTest {
    private static final int SUM_OF_NOTHING = 0;

    private static Tally tally(long... keys) {
        Tally tally = new Tally();
        for (long key : keys) {
            Tally.Part part = tally.part();
            part.count(key, SUM_OF_NOTHING);
            part.end();
        }
        return tally;
    }

    @Test
    void acceptsAllRowsReadOnce() {
        assertThat(tally(0, 1, 2).check(3, 3)).isEqualTo(3);
    }

    @Test
    void findsAMissingRow() {
        assertThatThrownBy(() -> tally(0, 1).check(3, 3)).hasMessage("2 rows were read instead of 3");
    }

    @Test
    void findsARowInPlaceOfAnother() {
        assertThatThrownBy(() -> tally(0, 1, 1).check(3, 3)).hasMessageContaining("not every row was read once");
    }

    @Test
    void findsADamagedRow() {
        Tally tally = tally(0, 1);
        Tally.Part part = tally.part();
        part.count(2, SUM_OF_NOTHING + 1);
        part.end();
        assertThatThrownBy(() -> tally.check(3, 3)).hasMessage("rows that differ from what was written: 1");
    }
}
