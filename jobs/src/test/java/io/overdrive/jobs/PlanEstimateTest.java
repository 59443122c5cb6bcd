package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Estimate.Origin;
import io.overdrive.internal.estimate.Estimate.Requests;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Estimate.Size;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.Plan.Encoded;
import io.overdrive.jobs.Plan.Extent;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures that were computed by hand from those of PERFORMANCE.md. */
class PlanEstimateTest {
    private static final long BYTES = 10_000_000_000L;
    private static final Client CLIENT = new Client(2, 320_000_000, 5, 1024);
    private static final ScanOptions READS = ScanOptions.from("shop", "orders").build();
    private static final WriteOptions WRITES =
            WriteOptions.into("shop", "orders").batchBytes(65_536).build();

    private static Reach reach(String cluster, int nodes, Map<String, Integer> replicas, int replicasAnywhere) {
        return new Reach(
                "shop.orders",
                cluster,
                "dc1",
                Collections.nCopies(nodes, "a:1"),
                /* nodesDown */ Collections.emptyList(),
                /* failoverDatacenter */ null,
                Map.of("dc1", nodes, "dc2", 2),
                replicas,
                replicasAnywhere,
                DefaultConsistencyLevel.LOCAL_QUORUM,
                /* hasConditions */ false);
    }

    private static Plan.Reads reads(int nodes, long bytes) {
        Reach reach = reach("prod", nodes, Map.of("dc1", 3), 0);
        return new Plan.Reads("reads", reach, READS, 90, 12, new Extent(100, bytes, 524_288, 64_000_000));
    }

    private static Plan.Writes writes(Reach reach) {
        return new Plan.Writes("writes", reach, Grouping.PARTITION, /* gathersSingles */ true, WRITES);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    @Test
    void ofReading() {
        Estimate estimate = PlanEstimate.of(new Plan(reads(4, BYTES)), Road.READ, CLIENT);
        Share share = estimate.shares().get(0);
        assertThat(share.copies()).as("two of three replicas answer").isEqualTo(2);
        assertThat(share.bytesANode()).isEqualTo(5_000_000_000L);
        assertThat(share.requests().min()).isEqualTo(100);
        assertThat(share.requests().expected())
                .as("10^10 / 524,288, and a page for each range")
                .isEqualTo(19_173);
        assertThat(estimate.memory()).isEqualTo(64_000_000);
        // the nodes: 5,000 MB at 15.3 us for 10 kB, and at 1.4 us for 140 B
        assertThat(estimate.fastest()).isEqualTo(seconds(7.65));
        assertThat(estimate.slowest()).isEqualTo(seconds(50));
        assertThat(estimate.isLimitedByClient()).isFalse();
    }

    @Test
    void oneClientLimitsAHundredNodes() {
        Estimate estimate = PlanEstimate.of(new Plan(reads(100, BYTES)), Road.READ, CLIENT);
        assertThat(estimate.isLimitedByClient()).isTrue();
        // 10,000 MB on two processors at 15.3 us for 10 kB, and at 4.2 us for 566 B
        assertThat(estimate.fastest()).isEqualTo(seconds(7.65));
        assertThat(estimate.slowest()).isEqualTo(seconds(37.102));
    }

    @Test
    void aCountNeedsOneRequestForEachRange() {
        Estimate estimate = PlanEstimate.of(new Plan(reads(4, BYTES)), Road.COUNT, CLIENT);
        assertThat(estimate.shares().get(0).requests().expected()).isEqualTo(100);
        // the nodes: 5,000 MB at 0.9 us for 140 B
        assertThat(estimate.slowest()).isEqualTo(seconds(32.143));
    }

    @Test
    void ofACopyWithinAClusterTheNodesReadAndWrite() {
        Plan plan = new Plan(reads(4, BYTES), writes(reach("prod", 4, Map.of("dc1", 3, "dc2", 1), 0)));
        Estimate estimate = PlanEstimate.of(plan, Road.READ, CLIENT);
        Share written = estimate.shares().get(1);
        assertThat(written.copies()).as("replicas of the local data centre").isEqualTo(3);
        assertThat(written.bytesANode()).isEqualTo(7_500_000_000L);
        assertThat(written.requests().min()).as("10^10 / 65,536").isEqualTo(152_588);
        assertThat(estimate.memory()).isEqualTo(64_000_000 + WRITES.groupingMemory());
        // the nodes: the time to read, and 7,500 MB at 35 us for 10 kB, and at 29.1 us for 566 B
        assertThat(estimate.fastest()).isEqualTo(seconds(7.65 + 26.25));
        assertThat(estimate.slowest()).isEqualTo(seconds(50 + 385.601));
    }

    @Test
    void ofACopyToAnotherClusterTheSlowerOneCounts() {
        Plan plan = new Plan(reads(4, BYTES), writes(reach("other", 4, Map.of("dc1", 3), 0)));
        Estimate estimate = PlanEstimate.of(plan, Road.READ, CLIENT);
        assertThat(estimate.fastest()).isEqualTo(seconds(26.25));
        assertThat(estimate.slowest()).isEqualTo(seconds(385.601));
    }

    @Test
    void replicasAnywhereAreOnTheNodesOfAllDatacenters() {
        Plan plan = new Plan(reads(4, BYTES), writes(reach("other", 4, Map.of(), 3)));
        Share written = PlanEstimate.of(plan, Road.READ, CLIENT).shares().get(1);
        assertThat(written.nodes()).isEqualTo(6);
        assertThat(written.copies()).isEqualTo(3);
    }

    private static Estimate ofLoad(Plan.Part writes) {
        return PlanEstimate.of(new Plan(writes), Road.READ, CLIENT);
    }

    private static Plan.Writes load(Encoded encoded) {
        Reach reach = reach("prod", 3, Map.of("dc1", 3), 0);
        return new Plan.Writes("writes", reach, Grouping.PARTITION, /* gathersSingles */ true, WRITES, encoded);
    }

    @Test
    void ofLoads() {
        Encoded rows = new Encoded(/* rows */ 1_000_000, /* bytes */ 200_000_000, /* partitions */ 5_000, 5_000, 6_000);
        Estimate overCql = ofLoad(load(rows));
        assertThat(overCql.shares().get(0).requests()).isEqualTo(new Requests(5_000, 6_000));
        assertThat(overCql.shares().get(0).size().rows()).isEqualTo(1_000_000);
        assertThat(overCql.shares().get(0).bytesANode()).isEqualTo(200_000_000);
        // a row of 200 B: 5.8 us as one of 140 B, to 29.1 us as one of 566 B
        assertThat(overCql.fastest()).isEqualTo(seconds(5.8));
        assertThat(overCql.slowest()).isEqualTo(seconds(29.1));
        Reach reach = reach("prod", 3, Map.of("dc1", 3), 0);
        Estimate bySstables = ofLoad(new Plan.WritesSstables("writes", reach, 3, 1, rows));
        assertThat(bySstables.shares().get(0).requests().min()).isZero();
        // two processors of the client: 1.43 us for a row of 140 B, and 7.9 us for one of 566 B
        assertThat(bySstables.fastest()).isEqualTo(seconds(0.715));
        assertThat(bySstables.slowest()).isEqualTo(seconds(3.95));
        assertThat(bySstables.isLimitedByClient()).isTrue();
    }

    @Test
    void rowsThatAreSmallerOrLargerThanAllMeasuredOnesCostByTheByte() {
        Estimate small =
                ofLoad(load(new Encoded(/* rows */ 1_000_000, /* bytes */ 14_000_000, /* partitions */ 10_000, 1, 1)));
        assertThat(small.fastest()).as("a tenth of 5.8 us").isEqualTo(seconds(0.58));
        assertThat(small.slowest()).isEqualTo(seconds(5.8));
        Estimate large = ofLoad(load(new Encoded(/* rows */ 1_000, /* bytes */ 100_000_000, /* partitions */ 1, 1, 1)));
        assertThat(large.fastest()).as("at least 5.8 us").isEqualTo(seconds(0.006));
        assertThat(large.slowest()).as("ten times 35 us").isEqualTo(seconds(0.35));
    }

    @Test
    void aRowByItselfMayCostAsMuchAsALargerOne() {
        Estimate single = ofLoad(load(new Encoded(1_000_000, 140_000_000, /* partitions */ 1_000_000, 1, 1)));
        assertThat(single.fastest()).isEqualTo(seconds(5.8));
        assertThat(single.slowest()).as("29.1 us").isEqualTo(seconds(29.1));
        Estimate grouped = ofLoad(load(new Encoded(1_000_000, 140_000_000, /* partitions */ 10_000, 1, 1)));
        assertThat(grouped.slowest()).isEqualTo(grouped.fastest()).isEqualTo(seconds(5.8));
    }

    @Test
    void aLoadTakesAtLeastTheTimeToReadItsInput() {
        Estimate estimate = ofLoad(load(new Encoded(1_000_000, 200_000_000, 5_000, 5_000, 6_000)))
                .withInputTime(Duration.ofSeconds(7));
        assertThat(estimate.fastest()).isEqualTo(seconds(7));
        assertThat(estimate.slowest()).isEqualTo(seconds(29.1));
        assertThat(estimate.isLimitedByClient()).isFalse();
        assertThat(estimate.withInputTime(Duration.ofSeconds(60)).isLimitedByClient())
                .isTrue();
    }

    @Test
    void anEmptyInputIsKnownToTakeNothing() {
        Estimate estimate = ofLoad(load(new Encoded(0, 0, 0, 0, 0)));
        assertThat(estimate.hasTime()).isTrue();
        assertThat(estimate.slowest()).isEqualTo(Duration.ZERO);
        assertThat(estimate.shares().get(0).requests().expected()).isZero();
    }

    @Test
    void aCopyOfSstablesWritesTheirBytes() {
        Reach reach = reach("prod", 3, Map.of("dc1", 3), 0);
        Plan.Part source = new Plan.ReadsSource(
                "reads", reach, READS, new RowSource.Content("SSTable", 3, BYTES, RowSource.Way.FILES), 3);
        Share share = PlanEstimate.of(new Plan(source, writes(reach)), Road.READ, CLIENT)
                .shares()
                .get(0);
        assertThat(share.size()).isEqualTo(new Size(BYTES, 0, 0, Origin.SSTABLES));
    }

    @Test
    void withoutSizesThereIsNoTime() {
        assertThat(PlanEstimate.of(new Plan(reads(4, 0)), Road.READ, CLIENT).hasTime())
                .isFalse();
        assertThat(PlanEstimate.of(new Plan(), Road.READ, CLIENT).hasTime()).isFalse();
    }

    @Test
    void theHeapForClustersFollowsConnectionsAndTokens() {
        assertThat(CLIENT.bytesOfClusters()).isEqualTo(5 * 17_000 + 1024 * 664);
    }
}
