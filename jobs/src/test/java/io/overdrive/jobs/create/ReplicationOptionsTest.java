package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When a keyspace can have the replication of another one. */
class ReplicationOptionsTest {
    private static final Map<String, Long> NODES = Map.of("dc1", 3L, "dc'2", 1L);

    private static ReplicationOptions network(String... datacentersAndReplicas) {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < datacentersAndReplicas.length; i += 2) {
            options.put(datacentersAndReplicas[i], datacentersAndReplicas[i + 1]);
        }
        options.put("class", "org.apache.cassandra.locator.NetworkTopologyStrategy");
        return new ReplicationOptions(options);
    }

    @Test
    void theStrategyComesFirstAndNumbersAreNumbers() {
        assertThat(network("dc1", "3", "dc'2", "3/1").cql())
                .isEqualTo("{'class': 'NetworkTopologyStrategy', 'dc''2': '3/1', 'dc1': 3}");
        assertThat(new ReplicationOptions(Map.of("class", "com.acme.Strategy")).cql())
                .isEqualTo("{'class': 'com.acme.Strategy'}");
    }

    @Test
    void aClusterNeedsTheDataCentresWithEnoughNodes() {
        assertThat(network("dc1", "3").fits(NODES)).isTrue();
        assertThat(network("dc1", "2", "dc'2", "1").fits(NODES)).isTrue();
        assertThat(network("dc1", "3", "dc'2", "2").fits(NODES)).isFalse();
        assertThat(network("dc1", "3", "dc3", "1").fits(NODES)).isFalse();
        assertThat(network("dc1", "3/1").fits(NODES)).isFalse();
        assertThat(new ReplicationOptions(Map.of("class", "SimpleStrategy", "replication_factor", "1")).fits(NODES))
                .isFalse();
    }

    @Test
    void systemKeyspacesAreNotAModel() {
        assertThat(new ReplicationOptions(Map.of(
                                "class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1"))
                        .isUsualStrategy())
                .isTrue();
        assertThat(network("dc1", "1").isUsualStrategy()).isTrue();
        assertThat(new ReplicationOptions(Map.of("class", "org.apache.cassandra.locator.LocalStrategy"))
                        .isUsualStrategy())
                .isFalse();
        assertThat(new ReplicationOptions(Map.of()).isUsualStrategy()).isFalse();
    }
}
