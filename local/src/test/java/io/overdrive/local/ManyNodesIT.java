package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class ManyNodesIT {
    private final Path directory;

    ManyNodesIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void wipe() {
        LocalCluster.wipe(directory);
        assertThat(NodeProcess.under(directory)).isEmpty();
    }

    private LocalCluster start(int datacenters, int nodesOfEach) {
        return LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .datacenters(datacenters)
                .nodesPerDatacenter(nodesOfEach)
                .stopWithJvm(true)
                .build());
    }

    @Test
    void losesPausesAndBringsBackANode() {
        LocalCluster cluster = start(1, 3);
        assertThat(cluster.nodes()).extracting(Node::state).containsOnly(Node.State.UP);
        Node second = cluster.nodes().get(1);
        Node third = cluster.nodes().get(2);

        second.pause();
        assertThat(second.state()).isEqualTo(Node.State.PAUSED);
        second.resume();
        assertThat(second.state()).isEqualTo(Node.State.UP);

        long pid = third.pid().orElseThrow();
        third.kill();
        assertThat(third.state()).isEqualTo(Node.State.STOPPED);
        assertThat(cluster.nodes().get(0).state()).isEqualTo(Node.State.UP);
        third.start();
        assertThat(third.state()).isEqualTo(Node.State.UP);
        assertThat(third.pid().orElseThrow()).isNotEqualTo(pid);

        third.stop();
        second.pause();
        LocalCluster found = start(1, 3);
        assertThat(found.nodes())
                .as("a start completes what runs")
                .extracting(Node::state)
                .containsOnly(Node.State.UP);

        second.pause();
        assertThat(LocalCluster.stop(directory)).isEqualTo(3);
        assertThat(NodeProcess.under(directory)).isEmpty();
    }

    @Test
    void startsTwoDatacenters() {
        try (LocalCluster cluster = start(2, 2)) {
            assertThat(cluster.nodes()).hasSize(4).extracting(Node::state).containsOnly(Node.State.UP);
            assertThat(cluster.nodes()).extracting(Node::datacenter).containsExactly("dc1", "dc1", "dc2", "dc2");
            assertThat(cluster.contactPoints()).hasSize(2);
            for (Node node : cluster.nodes()) {
                assertThat(RingProbe.upWithTokens(node.jmxPort()))
                        .isEqualTo(cluster.state().places().stream()
                                .map(NodePlacement::storage)
                                .collect(Collectors.toSet()));
            }
        }
    }
}
