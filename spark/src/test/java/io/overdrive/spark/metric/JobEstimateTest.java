package io.overdrive.spark.metric;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Reach;
import io.overdrive.internal.estimate.Estimate.Origin;
import io.overdrive.internal.estimate.Estimate.Requests;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Estimate.Size;
import io.overdrive.internal.estimate.Road;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures as in docs/concepts/large-clusters.md, of 10 TB on a hundred nodes. */
class JobEstimateTest {
    private static final Reach REACH = reach(/* nodes */ 100, /* replicas */ 3);

    private static Reach reach(int nodes, int replicas) {
        return new Reach(
                "shop.orders",
                "prod",
                "dc1",
                Collections.nCopies(nodes, "a:1"),
                /* nodesDown */ List.of(),
                /* failoverDatacenter */ null,
                Map.of("dc1", nodes),
                Map.of("dc1", replicas),
                /* replicasAnywhere */ 0,
                DefaultConsistencyLevel.LOCAL_QUORUM,
                /* hasConditions */ false);
    }

    private static JobEstimate read(long bytes, Road road, int cores) {
        Share share = Share.ofReads("reads", road, REACH, bytes, /* ranges */ 1, 524_288, 64_000_000);
        return JobEstimate.of(share, cores, "the nodes estimate the table");
    }

    @Test
    void manyExecutorsAreLimitedByTheNodes() {
        JobEstimate read = read(10_000_000_000_000L, Road.READ, /* cores */ 2_000);
        assertThat(JobEstimate.text(read.packed())).isEqualTo("5 min to 33 min, limited by the nodes");
        assertThat(read)
                .hasToString("5 min to 33 min, limited by the nodes; 10,000,000 MB (as the nodes estimate the table) at"
                        + " 2 replicas, 200,000 MB on each of 100 nodes, with 2,000 cores of executors and one processor"
                        + " of each node (a guess)");
    }

    @Test
    void fewExecutorsLimitThemselves() {
        JobEstimate read = read(10_000_000_000_000L, Road.READ, /* cores */ 16);
        assertThat(JobEstimate.text(read.packed())).isEqualTo("16 min to 1.3 h, limited by the executors");
    }

    @Test
    void serversThatAggregateTakeLessFromTheExecutors() {
        JobEstimate read = read(10_000_000_000_000L, Road.COUNT, /* cores */ 16);
        assertThat(JobEstimate.text(read.packed())).isEqualTo("5 min to 21 min, limited by the nodes");
    }

    @Test
    void smallTablesAreShort() {
        JobEstimate read = read(1_000_000, Road.READ, /* cores */ 2);
        assertThat(read.isShort()).isTrue();
        assertThat(JobEstimate.text(read.packed())).isEqualTo("less than 5 s");
    }

    @Test
    void countsOneOfAThingInTheSingular() {
        Share share = Share.ofReads(
                "reads", Road.READ, reach(1, 1), /* bytes */ 10_000_000_000L, /* ranges */ 1, 524_288, 64_000_000);
        assertThat(JobEstimate.of(share, /* cores */ 1, JobEstimate.SIZE_OF_NODES)
                        .toString())
                .endsWith(" at 1 replica, 10,000 MB on 1 node, with 1 core of executors and one processor of each"
                        + " node (a guess)");
    }

    @Test
    void allReplicasWriteTheRows() {
        Size size = Size.of(10_000_000_000_000L, Origin.NODES);
        Share share = Share.ofWrites("writes", Road.WRITE, REACH, size, new Requests(0, 0), /* memory */ 0);
        assertThat(JobEstimate.of(share, /* cores */ 2_000, "Spark estimates the rows"))
                .hasToString("18 min to 4.3 h, limited by the nodes; 10,000,000 MB (as Spark estimates the rows) at"
                        + " 3 replicas, 300,000 MB on each of 100 nodes, with 2,000 cores of executors and one processor"
                        + " of each node (a guess)");
    }

    @Test
    void withoutEstimatesOfTheNodesThereIsNone() {
        assertThat(read(0, Road.READ, /* cores */ 2).estimate().hasTime()).isFalse();
    }
}
