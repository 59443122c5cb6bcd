package io.overdrive.jobs.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.scan.RowSource.Way;
import org.junit.jupiter.api.Test;

/** The choice between lookups and a scan. */
class KeyRowsTest {
    @Test
    void scansATableThatIsSmallForTheNumberOfKeys() {
        long bytes = 1 << 30;
        long equal = bytes / KeyRows.SCANNED_BYTES_A_LOOKUP;
        assertThat(KeyRows.way(10, bytes)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(equal, bytes)).isEqualTo(Way.LOOKUPS);
        assertThat(KeyRows.way(equal + 1, bytes)).isEqualTo(Way.SCAN);
        assertThat(KeyRows.way(Long.MAX_VALUE / KeyRows.SCANNED_BYTES_A_LOOKUP, bytes))
                .isEqualTo(Way.SCAN);
    }

    @Test
    void looksKeysUpWhileTheSizeOfTheTableIsUnknown() {
        assertThat(KeyRows.way(1_000_000_000, /* tableBytes */ 0)).isEqualTo(Way.LOOKUPS);
    }
}
