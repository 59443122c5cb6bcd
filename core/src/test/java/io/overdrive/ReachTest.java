package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Reach.Quorum;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReachTest {
    private static Reach reach(DefaultConsistencyLevel level, Map<String, Integer> replicas, int anywhere) {
        return new Reach(
                "ks.t",
                "prod",
                "dc1",
                List.of("a:1"),
                List.of(),
                null,
                new TreeMap<>(Map.of("dc1", 3, "dc2", 3)),
                new TreeMap<>(replicas),
                anywhere,
                level,
                /* hasConditions */ false);
    }

    @ParameterizedTest
    @CsvSource({
        "ANY, 1, 5, true",
        "ONE, 1, 5, true",
        "TWO, 2, 5, true",
        "THREE, 3, 5, true",
        "QUORUM, 3, 5, true",
        "ALL, 5, 5, true",
        "LOCAL_ONE, 1, 3, false",
        "LOCAL_QUORUM, 2, 3, false"
    })
    void countsTheReplicasThatALevelWaitsFor(DefaultConsistencyLevel level, int needed, int of, boolean others) {
        Reach reach = reach(level, Map.of("dc1", 3, "dc2", 2), /* anywhere */ 0);
        assertThat(reach.waitsFor())
                .containsExactly(new Quorum(needed, of, others ? List.of("dc1", "dc2") : List.of("dc1")));
        assertThat(reach.waitsForOthers()).isEqualTo(others);
    }

    @Test
    void countsEachDatacentreByItselfIfTheLevelDoes() {
        Reach reach = reach(DefaultConsistencyLevel.EACH_QUORUM, Map.of("dc1", 3, "dc2", 2), /* anywhere */ 0);
        assertThat(reach.waitsFor())
                .containsExactly(new Quorum(2, 3, List.of("dc1")), new Quorum(2, 2, List.of("dc2")));
    }

    @ParameterizedTest
    @EnumSource(DefaultConsistencyLevel.class)
    void waitsForNobodyElseIfOnlyTheLocalDatacentreHasReplicas(DefaultConsistencyLevel level) {
        assertThat(reach(level, Map.of("dc1", 3), /* anywhere */ 0).waitsForOthers())
                .isFalse();
    }

    @Test
    void doesNotKnowWhereReplicasAreThatMayBeAnywhere() {
        Reach quorum = reach(DefaultConsistencyLevel.QUORUM, Map.of(), /* anywhere */ 3);
        assertThat(quorum.waitsFor()).containsExactly(new Quorum(2, 3, List.of("dc1", "dc2")));
        assertThat(quorum.otherDatacenters()).containsExactly("dc2");
        assertThat(quorum.waitsForOthers()).isTrue();
        assertThat(reach(DefaultConsistencyLevel.LOCAL_ONE, Map.of(), /* anywhere */ 3)
                        .waitsFor())
                .isEmpty();
        assertThat(reach(DefaultConsistencyLevel.QUORUM, Map.of(), /* anywhere */ 0)
                        .waitsFor())
                .as("an unknown strategy")
                .isEmpty();
    }
}
