package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TuneCommandTest {
    private static final String TOPOLOGY = "org.apache.cassandra.locator.NetworkTopologyStrategy";

    @Test
    void otherDatacentersWithReplicasGetTheScratchRows() {
        List<String> datacenters = List.of("dc1", "analytics", "dc2");
        assertThat(TuneCommand.otherDatacenters(
                        Map.of("class", TOPOLOGY, "dc1", "3", "dc2", "2", "analytics", "0"), datacenters))
                .containsExactly("dc2");
        assertThat(TuneCommand.otherDatacenters(Map.of("class", TOPOLOGY, "dc1", "3"), datacenters))
                .isEmpty();
    }

    @Test
    void withoutATopologyReplicasMayBeAnywhere() {
        Map<String, String> replication =
                Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1");
        assertThat(TuneCommand.otherDatacenters(replication, List.of("dc1", "dc2")))
                .containsExactly("dc2");
        assertThat(TuneCommand.otherDatacenters(replication, List.of("dc1"))).isEmpty();
    }
}
