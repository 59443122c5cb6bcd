package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Reach;
import io.overdrive.Split;
import io.overdrive.internal.estimate.Road;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures as in docs/concepts/large-clusters.md, of 10 TB on a hundred nodes. */
class ReadEstimateTest {
    private static PlannedSplits splits(long bytes) {
        Reach reach = new Reach(
                "shop.orders",
                "prod",
                "dc1",
                Collections.nCopies(100, "a:1"),
                /* nodesDown */ List.of(),
                /* failoverDatacenter */ null,
                Map.of("dc1", 100),
                Map.of("dc1", 3),
                /* replicasAnywhere */ 0,
                DefaultConsistencyLevel.LOCAL_QUORUM,
                /* hasConditions */ false);
        return new PlannedSplits(
                List.of(new Split(List.of(Split.WHOLE_RING), List.of(), bytes)), reach, 524_288, 64_000_000);
    }

    @Test
    void manyExecutorsAreLimitedByTheNodes() {
        ReadEstimate read = ReadEstimate.of(splits(10_000_000_000_000L), Road.READ, /* cores */ 2_000);
        assertThat(ReadEstimate.text(read.packed())).isEqualTo("5 min to 33 min, limited by the nodes");
        assertThat(read)
                .hasToString("5 min to 33 min, limited by the nodes; 10,000,000 MB (as the nodes estimate the table) at"
                        + " 2 replicas, 200,000 MB on each of 100 nodes, with 2,000 cores of executors and one processor"
                        + " of each node (a guess)");
    }

    @Test
    void fewExecutorsLimitThemselves() {
        ReadEstimate read = ReadEstimate.of(splits(10_000_000_000_000L), Road.READ, /* cores */ 16);
        assertThat(ReadEstimate.text(read.packed())).isEqualTo("16 min to 1.3 h, limited by the executors");
    }

    @Test
    void serversThatAggregateTakeLessFromTheExecutors() {
        ReadEstimate read = ReadEstimate.of(splits(10_000_000_000_000L), Road.COUNT, /* cores */ 16);
        assertThat(ReadEstimate.text(read.packed())).isEqualTo("5 min to 21 min, limited by the nodes");
    }

    @Test
    void smallTablesAreShort() {
        ReadEstimate read = ReadEstimate.of(splits(1_000_000), Road.READ, /* cores */ 2);
        assertThat(read.isShort()).isTrue();
        assertThat(ReadEstimate.text(read.packed())).isEqualTo("less than 5 s");
    }

    @Test
    void withoutEstimatesOfTheNodesThereIsNone() {
        ReadEstimate read = ReadEstimate.of(splits(0), Road.READ, /* cores */ 2);
        assertThat(read.isKnown()).isFalse();
        assertThat(read.isShort()).isFalse();
    }
}
