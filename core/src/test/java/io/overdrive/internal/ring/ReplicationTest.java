package io.overdrive.internal.ring;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.WriteSetting;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicationTest {
    private static final Map<String, String> SIMPLE =
            Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1");
    private static final Map<String, String> TWO_DATACENTERS =
            Map.of("class", "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1", "1", "dc2", "3/1");
    private static final Map<String, String> ELSEWHERE =
            Map.of("class", "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc2", "3");

    private static void require(Map<String, String> replication, DefaultConsistencyLevel level) {
        Node node = answering(Node.class, Map.of("getDistance", NodeDistance.LOCAL, "getDatacenter", "dc1"));
        KeyspaceMetadata keyspace = answering(KeyspaceMetadata.class, Map.of("getReplication", replication));
        Metadata metadata = answering(
                Metadata.class,
                Map.of("getNodes", Map.of(UUID.randomUUID(), node), "getKeyspace", Optional.of(keyspace)));
        Replication.requireEnough(metadata, CqlIdentifier.fromInternal("shop"), level, WriteSetting.CONSISTENCY);
    }

    private static <T> T answering(Class<T> type, Map<String, ?> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> answers.get(method.getName())));
    }

    @Test
    void refusesALevelThatNeedsMoreReplicasThanTheKeyspaceHas() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> require(SIMPLE, DefaultConsistencyLevel.THREE))
                .withMessage("consistency THREE needs 3 replicas, but keyspace \"shop\" has only 1: choose a lower"
                        + " level, or give the keyspace more replicas");
    }

    @Test
    void refusesALocalLevelIfTheKeyspaceHasNoReplicaInTheDatacenter() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> require(ELSEWHERE, DefaultConsistencyLevel.LOCAL_QUORUM))
                .withMessage("consistency LOCAL_QUORUM needs 1 replica in dc1, but keyspace \"shop\" has none there:"
                        + " connect to a data centre that has replicas, choose a level without LOCAL, such as"
                        + " QUORUM, or give the keyspace replicas there");
    }

    @ParameterizedTest
    @CsvSource({"ONE", "QUORUM", "ALL", "TWO", "THREE", "EACH_QUORUM", "LOCAL_ONE", "LOCAL_QUORUM", "ANY"})
    void acceptsWhatCanBeMetIfAllNodesAreUp(DefaultConsistencyLevel level) {
        assertThatCode(() -> require(TWO_DATACENTERS, level)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(DefaultConsistencyLevel.class)
    void leavesOtherStrategiesToTheServer(DefaultConsistencyLevel level) {
        assertThatCode(() -> require(Map.of("class", "com.example.EverywhereStrategy"), level))
                .doesNotThrowAnyException();
        assertThatCode(() -> require(Map.of(), level)).doesNotThrowAnyException();
    }
}
