package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchWarningsTest {
    private static ServerSettings settings(String... namesAndValues) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new ServerSettings(values);
    }

    @Test
    void readsTheThresholdsOfAllVersions() {
        assertThat(BatchWarnings.of(settings(
                        "unlogged_batch_across_partitions_warn_threshold",
                        "30",
                        "batch_size_warn_threshold",
                        "8KiB",
                        "batch_size_fail_threshold",
                        "50KiB")))
                .isEqualTo(new BatchWarnings(30, 8 << 10));
        assertThat(BatchWarnings.of(settings("batch_size_warn_threshold", "3")))
                .isEqualTo(new BatchWarnings(10, 3 << 10));
    }

    @Test
    void takesThresholdsToBeAsShippedIfTheServerDoesNotReportThem() {
        assertThat(BatchWarnings.of(settings())).isEqualTo(new BatchWarnings(10, 5 << 10));
        assertThat(BatchWarnings.of(settings("batch_size_fail_threshold", "4KiB")))
                .isEqualTo(new BatchWarnings(10, 4 << 10));
        assertThat(BatchWarnings.of(settings("unlogged_batch_across_partitions_warn_threshold", "null")))
                .isEqualTo(new BatchWarnings(10, 5 << 10));
    }

    @Test
    void staysBelowTheSizeThatIsRefused() {
        assertThat(BatchWarnings.of(
                        settings("batch_size_warn_threshold", "64KiB", "batch_size_fail_threshold", "50KiB")))
                .isEqualTo(new BatchWarnings(10, 50 << 10));
    }

    @Test
    void leavesNoRoomIfTheServerWarnsOfEachBatch() {
        assertThat(BatchWarnings.of(settings(
                        "unlogged_batch_across_partitions_warn_threshold", "0", "batch_size_warn_threshold", "0KiB")))
                .isEqualTo(new BatchWarnings(0, 0));
        assertThat(BatchWarnings.of(settings("unlogged_batch_across_partitions_warn_threshold", "-1"))
                        .partitions())
                .isNegative();
    }
}
