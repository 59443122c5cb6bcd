package io.overdrive.jobs.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.scan.RowSource.Way;
import org.junit.jupiter.api.Test;

/** The choice between lookups and a scan. */
class KeyRowsTest {
    @Test
    void scansATableThatHasFewRowsForTheNumberOfKeys() {
        assertThat(KeyRows.way(10, 1_000_000_000, 100)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(749_000, 1_000_000_000, 100)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(751_000, 1_000_000_000, 100)).isEqualTo(Way.SCAN);
        assertThat(KeyRows.way(10_000_000, 1_000_000_000, 100)).isEqualTo(Way.SCAN);
        assertThat(KeyRows.way(Long.MAX_VALUE, Long.MAX_VALUE, 1)).isEqualTo(Way.SCAN);
    }

    @Test
    void aLookupStandsForFewerRowsIfTheyAreLarge() {
        assertThat(KeyRows.way(751_000, 10_000_000_000L, 1_000)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(1_876_000, 10_000_000_000L, 1_000)).isEqualTo(Way.SCAN);
        assertThat(KeyRows.way(1_874_000, 10_000_000_000L, 1_000)).isEqualTo(Way.LOOKUPS);
    }

    @Test
    void looksKeysUpWhileTheSizeOfTheTableIsUnknown() {
        assertThat(KeyRows.way(1_000_000_000, /* tableBytes */ 0, 100)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(1_000_000_000, 1_000_000, /* rowBytes */ 0)).isEqualTo(Way.LOOKUPS);
    }
}
