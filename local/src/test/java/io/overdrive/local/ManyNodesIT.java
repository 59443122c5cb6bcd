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

    private LocalCluster start() {
        return LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .nodesPerDatacenter(2)
                .stopWithJvm(true)
                .build());
    }

    @Test
    @Tag("nightly")
    void losesPausesAndBringsBackANode() {
        LocalCluster cluster = start();
        assertThat(cluster.nodes()).extracting(Node::state).containsOnly(Node.State.UP);
        assertThat(cluster.nodes()).allSatisfy(node -> assertThat(RingProbe.upWithTokens(node.jmxPort()))
                .isEqualTo(cluster.state().places().stream()
                        .map(NodePlacement::storage)
                        .collect(Collectors.toSet())));
        Node first = cluster.nodes().get(0);
        Node second = cluster.nodes().get(1);

        first.pause();
        assertThat(first.state()).isEqualTo(Node.State.PAUSED);
        first.resume();
        assertThat(first.state()).isEqualTo(Node.State.UP);

        long pid = second.pid().orElseThrow();
        second.kill();
        assertThat(second.state()).isEqualTo(Node.State.STOPPED);
        assertThat(first.state()).isEqualTo(Node.State.UP);
        second.start();
        assertThat(second.state()).isEqualTo(Node.State.UP);
        assertThat(second.pid().orElseThrow()).isNotEqualTo(pid);

        second.stop();
        first.pause();
        LocalCluster found = start();
        assertThat(found.nodes())
                .as("a start completes what runs")
                .extracting(Node::state)
                .containsOnly(Node.State.UP);

        first.pause();
        assertThat(LocalCluster.stop(directory)).isEqualTo(2);
        assertThat(NodeProcess.under(directory)).isEmpty();
    }
}
