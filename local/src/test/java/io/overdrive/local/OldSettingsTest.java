package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OldSettingsTest {
    @Test
    void movesTheUnitFromTheValueToTheName() {
        assertThat(OldSettings.of(Map.of("read_request_timeout", "30s")))
                .containsExactly(Map.entry("read_request_timeout_in_ms", "30000"));
        assertThat(OldSettings.of(Map.of("batch_size_fail_threshold", "16MiB")))
                .containsExactly(Map.entry("batch_size_fail_threshold_in_kb", "16384"));
        assertThat(OldSettings.of(Map.of("native_transport_max_request_data_in_flight_per_ip", "1 MiB")))
                .containsExactly(Map.entry("native_transport_max_concurrent_requests_in_bytes_per_ip", "1048576"));
        assertThat(OldSettings.of(Map.of("cache_load_timeout", "1m")))
                .containsExactly(Map.entry("cache_load_timeout_seconds", "60"));
    }

    @Test
    void keepsSwitchesAndWhatHasTheSameName() {
        assertThat(OldSettings.of(Map.of("materialized_views_enabled", "true")))
                .containsExactly(Map.entry("enable_materialized_views", "true"));
        assertThat(OldSettings.of(Map.of("concurrent_writes", "4")))
                .containsExactly(Map.entry("concurrent_writes", "4"));
    }

    @Test
    void refusesWhatTheOldUnitCannotSay() {
        assertThatThrownBy(() -> OldSettings.of(Map.of("batch_size_fail_threshold", "640B")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cassandra.yaml setting \"batch_size_fail_threshold\" is 640B, but Cassandra 4.0 has it as"
                        + " batch_size_fail_threshold_in_kb: give a multiple of that unit");
        assertThatThrownBy(() -> OldSettings.of(Map.of("read_request_timeout", "3 weeks")))
                .hasMessageContaining("has the unit \"weeks\"");
    }
}
