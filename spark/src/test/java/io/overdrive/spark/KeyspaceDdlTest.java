package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyspaceDdlTest {
    private static String create(Map<String, String> properties) {
        return KeyspaceDdl.create("Ks", properties, "dc1", 3);
    }

    @Test
    void replicatesInTheLocalDataCentreIfThePropertiesDoNotSay() {
        assertThat(create(Map.of("owner", "ann")))
                .isEqualTo("CREATE KEYSPACE \"Ks\" WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': '3'}"
                        + " AND durable_writes = true");
        assertThat(create(Map.of("replication_factor", "2", "durable_writes", "false")))
                .endsWith("{'class': 'NetworkTopologyStrategy', 'dc1': '2'} AND durable_writes = false");
    }

    @Test
    void takesReplicationFromTheProperties() {
        assertThat(create(Map.of("dc2", "1", "d'c", "2")))
                .contains("{'class': 'NetworkTopologyStrategy', 'd''c': '2', 'dc2': '1'}");
        assertThat(create(Map.of("class", "SimpleStrategy", "replication_factor", "1")))
                .contains("{'class': 'SimpleStrategy', 'replication_factor': '1'}");
    }

    @Test
    void refusesWhatAKeyspaceDoesNotHave() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("location", "/x")))
                .withMessage("a keyspace has no location: leave LOCATION out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("comment", "x")))
                .withMessage("a keyspace has no comment: leave COMMENT out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("collation", "UTF8_LCASE")))
                .withMessage("a keyspace has no collation: leave DEFAULT COLLATION out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("durable_writes", "yes")))
                .withMessage("durable_writes is \"yes\", must be true or false");
    }
}
