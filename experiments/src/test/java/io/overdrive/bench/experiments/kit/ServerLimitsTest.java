package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerLimitsTest {
    private static final ServerLimits SHIPPED = new ServerLimits(Map.of(
            "batch_size_fail_threshold", "50KiB",
            "batch_size_warn_threshold", "5KiB",
            "max_mutation_size", "16384KiB",
            "native_transport_max_frame_size", "16MiB"));

    @Test
    void refusesBatchesBeyondTheThreshold() {
        assertThat(SHIPPED.refusesBatch(32_000)).isEmpty();
        assertThat(SHIPPED.refusesBatch(100_000)).contains("batch_size_fail_threshold = 50KiB");
        assertThat(SHIPPED.refusesRequest(10_000_000)).isEmpty();
        assertThat(SHIPPED.refusesRequest(13_000_000)).isPresent();
    }

    @Test
    void countsTheOverheadAroundValues() {
        ServerLimits limits = new ServerLimits(Map.of("batch_size_fail_threshold", "100000B"));
        assertThat(limits.refusesBatch(70_000)).isEmpty();
        assertThat(limits.refusesBatch(80_000)).isPresent();
    }

    @Test
    void readsTheUnitsOfOlderReleasesFromTheNames() {
        ServerLimits limits = new ServerLimits(
                Map.of("batch_size_fail_threshold_in_kb", "50", "native_transport_max_frame_size_in_mb", "1"));
        assertThat(limits.refusesBatch(32_000)).isEmpty();
        assertThat(limits.refusesBatch(100_000)).contains("batch_size_fail_threshold_in_kb = 50");
        assertThat(limits.refusesRequest(1_000_000)).contains("native_transport_max_frame_size_in_mb = 1");
    }

    @Test
    void refusesNothingIfTheLimitIsUnknown() {
        assertThat(new ServerLimits(Map.of("max_mutation_size", "null")).refusesBatch(1L << 40))
                .isEmpty();
    }
}
