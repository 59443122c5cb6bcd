package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scans of two data centres of two nodes with 16 tokens each, of which only the first is read. */
@Timeout(600)
class ScanDatacentersIT {
    @Test
    void readsEachRowOnceFromTheLocalDatacentre(@TempDir Path directory) {
        LocalCluster cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .datacenters(2)
                .nodesPerDatacenter(2)
                .tokensPerNode(16)
                .stopWithJvm(true)
                .build());
        try (Overdrive overdrive = TestCluster.connect(cluster)) {
            Set<String> local = cluster.contactPoints().stream()
                    .map(address -> address.getHostString())
                    .collect(Collectors.toSet());
            List<LoadedTable> tables = List.of(
                    new LoadedTable(overdrive, "one", "'dc1': 1", 500),
                    new LoadedTable(overdrive, "two", "'dc1': 2, 'dc2': 1", 500),
                    new LoadedTable(overdrive, "each", "'dc1': 1, 'dc2': 1", 500));
            for (LoadedTable table : tables) {
                try (Scan scan = overdrive.scan(table.options().build())) {
                    int replicas = table.keyspace.equals("two") ? 2 : 1;
                    assertThat(scan.splits()).hasSizeBetween(32, 100).allSatisfy(split -> assertThat(split.replicas())
                            .hasSize(replicas)
                            .isSubsetOf(local));
                }
                table.assertRead(table.options().pageRows(7));
                table.assertCounted(ScanOptions.from(table.keyspace, "t"));
            }
            LoadedTable far = new LoadedTable(overdrive, "far", "'dc2': 2", 200);
            far.assertRead(far.options().consistency(DefaultConsistencyLevel.ONE));
            far.assertCounted(ScanOptions.from("far", "t").consistency(DefaultConsistencyLevel.ONE));

            LoadedTable each = tables.get(2);
            LoadedTable.Found found = each.new Found();
            try (Scan scan = overdrive.scan(each.options()
                    .maxAttempts(1)
                    .requestTimeout(Duration.ofSeconds(60))
                    .build())) {
                assertThat(scan.splits()).isNotEmpty();
                List<Node> others = cluster.nodes().subList(2, 4);
                others.forEach(Node::pause);
                try {
                    scan.forEach(2, found::add);
                } finally {
                    others.forEach(Node::resume);
                }
            }
            found.assertAll();
        } finally {
            cluster.wipe();
        }
    }
}
