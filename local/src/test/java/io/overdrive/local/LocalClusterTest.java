package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting and ending nodes, with shells in their place. */
class LocalClusterTest {
    private final Path temporary;
    private final Path directory;
    /** A free port, so that these tests run beside the user's Cassandra. */
    private final int port;

    LocalClusterTest(@TempDir Path temporary) throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        this.temporary = temporary;
        this.directory = temporary.toRealPath().resolve("cluster");
    }

    private LocalOptions.Builder options() {
        return LocalOptions.builder()
                .directory(directory)
                .port(0)
                .startTimeout(Duration.ofSeconds(60))
                .progress(line -> {});
    }

    private LocalCluster start(LocalOptions options, String script) throws IOException {
        Server server = Fakes.server(temporary.resolve("jdk"), script);
        return LocalCluster.start(options, () -> server);
    }

    private void writeState(boolean complete) throws IOException {
        LocalOptions options = options().port(port).heapMegabytes(512).build();
        Files.createDirectories(directory);
        new ClusterState(options, NodePlacement.layOut(options, true, new Random(1)), complete).write(directory);
    }

    @Test
    void refusesADirectoryWithOtherFiles() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("thesis.txt"), "…");

        assertThatThrownBy(() -> start(options().build(), "exit 1"))
                .isInstanceOf(LocalClusterException.class)
                .hasMessage(directory + " holds other files, for example thesis.txt;"
                        + " choose an empty directory for the cluster");
        LocalCluster.wipe(directory);
        assertThat(directory.resolve("thesis.txt")).exists();
    }

    @Test
    void refusesAPathWhereNoDirectoryCanBeCreated() throws IOException {
        Files.writeString(directory, "a file");

        assertThatThrownBy(() -> start(options().build(), "exit 1"))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining(directory + " cannot be written");
    }

    @Test
    void refusesDataOfAnotherCluster() throws IOException {
        writeState(/* complete */ true);

        assertThatThrownBy(() -> start(options().nodesPerDatacenter(3).build(), "exit 1"))
                .isInstanceOf(LocalClusterException.class)
                .hasMessage("the data in " + directory
                        + " belongs to another cluster: nodesPerDatacenter is 1, requested 3;"
                        + " `local wipe` removes it, or choose another directory");
    }

    @Test
    void refusesOtherOptionsWhileItRuns() throws IOException {
        writeState(/* complete */ true);
        Process node = Fakes.node(directory.resolve("node1"), "");
        try {
            assertThatThrownBy(() -> start(options().heapMegabytes(1024).build(), "exit 1"))
                    .isInstanceOf(LocalClusterException.class)
                    .hasMessage("a cluster with other options runs in " + directory
                            + ": heapMegabytes is 512, requested 1024; `local stop` ends it,"
                            + " and the next start takes the new options");
            assertThatThrownBy(() -> start(options().tokensPerNode(8).build(), "exit 1"))
                    .as("an unset heap is no difference")
                    .hasMessageContaining(directory + ": tokensPerNode is 16, requested 8; `local stop`");
            assertThat(node.isAlive()).isTrue();
            assertThat(LocalCluster.stop(directory)).isEqualTo(1);
            assertThat(LocalCluster.stop(directory)).isZero();
        } finally {
            node.destroyForcibly();
        }
    }

    @Test
    void refusesToStartBesideNodesWhoseFilesAreGone() throws IOException {
        Process node = Fakes.node(directory.resolve("node1"), "");
        try {
            assertThatThrownBy(() -> start(options().build(), "exit 1"))
                    .isInstanceOf(LocalClusterException.class)
                    .hasMessageContaining("cluster.properties is gone; `local stop` ends them");
        } finally {
            LocalCluster.wipe(directory);
        }
        assertThat(node.onExit()).succeedsWithin(Duration.ofSeconds(60)); // this JVM is notified a moment later
    }

    @Test
    void waitsForAnotherStartOnlyForATime() throws IOException {
        try (DirectoryLock lock = DirectoryLock.take(directory, Duration.ZERO, line -> {})) {
            assertThat(lock).isNotNull();
            LocalOptions options =
                    options().startTimeout(Duration.ofMillis(300)).build();
            assertThatThrownBy(() -> start(options, "exit 1"))
                    .isInstanceOf(LocalClusterException.class)
                    .hasMessageContaining(directory + " has been held by process "
                            + ProcessHandle.current().pid());
        }
    }

    @Test
    void showsTheLogOfANodeThatDiesAndForgetsTheAttempt() throws IOException {
        assertThatThrownBy(() -> start(options().build(), "echo fine; echo Error: no such flag; exit 3"))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("node1 (dc1, 127.0.0.1:")
                .hasMessageContaining("ended while it started, with code 3; its log says:\nError: no such flag\n")
                .hasMessageContaining(directory.resolve("node1/logs").toString());

        assertThatThrownBy(() -> start(options().nodesPerDatacenter(2).build(), "exit 4"))
                .as("an incomplete cluster does not bind the next one")
                .hasMessageContaining("with code 4");
    }

    @Test
    void saysWhyANodeThatItStartsAgainHadEnded() throws IOException {
        writeState(/* complete */ true);
        Path logs = Files.createDirectories(directory.resolve("node1/logs"));
        Files.writeString(
                logs.resolve("console.log"), "Terminating due to java.lang.OutOfMemoryError: Java heap space\n");
        List<String> lines = new ArrayList<>();

        assertThatThrownBy(() -> start(options().progress(lines::add).build(), "exit 1"))
                .hasMessageContaining("ended while it started, with code 1");
        assertThat(lines)
                .anyMatch(line ->
                        line.matches("node1 \\(dc1, 127\\.0\\.0\\.1:" + port + "\\) had ended: Terminating due to"
                                + " java\\.lang\\.OutOfMemoryError: Java heap"
                                + " space; a larger Java heap gives it more"
                                + " memory"));
    }

    @Test
    void leavesNothingOfATemporaryClusterThatDoesNotStart() {
        assertThatThrownBy(() -> start(options().deleteWithJvm(true).build(), "echo Error: no such flag; exit 3"))
                .hasMessageContaining("its log says:\nError: no such flag\n");
        assertThat(directory).doesNotExist();
    }

    @Test
    void endsANodeThatTakesTooLong() throws IOException {
        LocalOptions options =
                options().startTimeout(Duration.ofMillis(300)).stopWithJvm(true).build();

        assertThatThrownBy(() -> start(options, "while :; do sleep 0.1; done"))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("does not answer CQL after 0 s");
        assertThat(NodeProcess.under(directory)).isEmpty();
    }

    @Test
    void findsNothingInAnEmptyDirectory() {
        assertThat(LocalCluster.at(directory)).isEmpty();
        assertThat(LocalCluster.stop(directory)).isZero();
        LocalCluster.wipe(directory);
        assertThat(directory).doesNotExist();
    }

    @Test
    void reportsTheStateOfAClusterThatDoesNotRun() throws IOException {
        writeState(/* complete */ true);
        LocalCluster cluster = LocalCluster.at(directory).orElseThrow();
        Node node = cluster.nodes().get(0);

        assertThat(node.state()).isEqualTo(Node.State.STOPPED);
        assertThat(node.pid()).isEmpty();
        assertThat(node.cpuTime()).isZero();
        assertThat(cluster.datacenter()).isEqualTo("dc1");
        assertThat(cluster.contactPoints()).containsExactly(node.address());
        node.stop();
        node.kill();
        assertThatThrownBy(node::pause).hasMessage("node1 (dc1, 127.0.0.1:" + port + ") does not run; start it first");
        cluster.wipe();
        assertThat(LocalCluster.at(directory)).isEmpty();
    }

    @Test
    void refusesSettingsThatFollowFromOptions() {
        assertThatThrownBy(() -> options().setting("num_tokens", "4").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"num_tokens\" follows from the other options");
        assertThatThrownBy(() -> options().port(70_000).build())
                .hasMessage("port is 70000, must be between 0 and 65535");
    }
}
