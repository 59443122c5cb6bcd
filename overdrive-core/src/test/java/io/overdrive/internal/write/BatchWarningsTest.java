package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchWarningsTest {
    @Test
    void readsTheThresholdsOfAllVersions() {
        assertThat(BatchWarnings.of(Map.of(
                        "unlogged_batch_across_partitions_warn_threshold",
                        "30",
                        "batch_size_warn_threshold",
                        "8KiB",
                        "batch_size_fail_threshold",
                        "50KiB")))
                .isEqualTo(new BatchWarnings(30, 8 << 10));
        assertThat(BatchWarnings.of(Map.of("batch_size_warn_threshold_in_kb", "3")))
                .isEqualTo(new BatchWarnings(10, 3 << 10));
    }

    @Test
    void takesThresholdsToBeAsShippedIfTheServerDoesNotReportThem() {
        assertThat(BatchWarnings.of(Map.of())).isEqualTo(new BatchWarnings(10, 5 << 10));
        assertThat(BatchWarnings.of(Map.of("batch_size_fail_threshold", "4KiB")))
                .isEqualTo(new BatchWarnings(10, 4 << 10));
        assertThat(BatchWarnings.of(Map.of("unlogged_batch_across_partitions_warn_threshold", "null")))
                .isEqualTo(new BatchWarnings(10, 5 << 10));
    }

    @Test
    void staysBelowTheSizeThatIsRefused() {
        assertThat(BatchWarnings.of(Map.of("batch_size_warn_threshold", "64KiB", "batch_size_fail_threshold", "50KiB")))
                .isEqualTo(new BatchWarnings(10, 50 << 10));
    }

    @Test
    void leavesNoRoomIfTheServerWarnsOfEachBatch() {
        assertThat(BatchWarnings.of(Map.of(
                        "unlogged_batch_across_partitions_warn_threshold", "0", "batch_size_warn_threshold", "0KiB")))
                .isEqualTo(new BatchWarnings(0, 0));
        assertThat(BatchWarnings.of(Map.of("unlogged_batch_across_partitions_warn_threshold", "-1"))
                        .partitions())
                .isNegative();
    }
}
