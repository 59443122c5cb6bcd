package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.wire.ScriptedTransport;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerSettingsTest {
    private static ServerSettings size(String value) {
        return new ServerSettings(Map.of(ServerSettings.FAIL_SIZE, value));
    }

    @Test
    void readsSizesWithTheirUnitAndThoseInKibibytes() {
        assertThat(size("50").bytes(ServerSettings.FAIL_SIZE)).hasValue(51_200);
        assertThat(size("50KiB").bytes(ServerSettings.FAIL_SIZE)).hasValue(51_200);
        assertThat(size("640 B").bytes(ServerSettings.FAIL_SIZE)).hasValue(640);
        assertThat(size("1MiB").bytes(ServerSettings.FAIL_SIZE)).hasValue(1 << 20);
        assertThat(size("1GiB").bytes(ServerSettings.FAIL_SIZE)).hasValue(1 << 30);
        assertThat(size("null").bytes(ServerSettings.FAIL_SIZE)).isEmpty();
        assertThat(size("-1").bytes(ServerSettings.FAIL_SIZE)).isEmpty();
        assertThat(size("99999999999KiB").bytes(ServerSettings.FAIL_SIZE)).isEmpty();
        assertThat(size("1KiB").bytes(ServerSettings.MUTATION_SIZE)).isEmpty();
    }

    @Test
    void readsTheNamesOfAllVersionsOfCassandra() {
        assertThat(ServerSettings.of(ScriptedTransport.session(
                        "system_views.settings",
                        Map.of("batch_size_fail_threshold", "50KiB", "max_mutation_size", "16384KiB"))))
                .isEqualTo(new ServerSettings(
                        Map.of(ServerSettings.FAIL_SIZE, "50KiB", ServerSettings.MUTATION_SIZE, "16384KiB")));
        assertThat(ServerSettings.of(ScriptedTransport.session(
                        "system_views.settings",
                        Map.of("batch_size_fail_threshold_in_kb", "50", "max_mutation_size_in_kb", "16384"))))
                .isEqualTo(new ServerSettings(
                        Map.of(ServerSettings.FAIL_SIZE, "50", ServerSettings.MUTATION_SIZE, "16384")));
    }

    @Test
    void readsTheTableOfScyllaDb() {
        ServerSettings settings = ServerSettings.of(
                ScriptedTransport.session("system.config", Map.of("batch_size_fail_threshold_in_kb", "1024")));

        assertThat(settings.bytes(ServerSettings.FAIL_SIZE)).hasValue(1 << 20);
    }

    @Test
    void knowsNothingOfServersWithoutEitherTable() {
        assertThat(ServerSettings.of(ScriptedTransport.session("nothing", Map.of()))
                        .values())
                .isEmpty();
    }
}
