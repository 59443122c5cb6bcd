package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("server")
class SingleNodeIT {
    private final Path directory;

    SingleNodeIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void wipe() {
        LocalCluster.wipe(directory);
        assertThat(NodeProcess.under(directory)).isEmpty();
    }

    private LocalOptions.Builder options() {
        return LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .stopWithJvm(true);
    }

    @Test
    void startsIsFoundAgainStopsAndKeepsItsPlace() {
        LocalOptions options =
                options().setting("authenticator", "PasswordAuthenticator").build();
        LocalCluster first = LocalCluster.start(options);
        Node node = first.nodes().get(0);
        assertThat(CqlProbe.ask(node.address())).isEqualTo(CqlProbe.Answer.LOGIN);
        assertThat(node.state()).isEqualTo(Node.State.UP);
        assertThat(node.cpuTime()).isPositive();
        assertThat(node.logFile()).content().contains("Starting listening for CQL clients");
        assertThatThrownBy(node::start)
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("runs already, as process " + node.pid().orElseThrow());

        try (LocalCluster second = LocalCluster.start(options)) {
            assertThat(second.nodes().get(0).pid()).isEqualTo(node.pid());
            assertThat(second.contactPoints()).isEqualTo(first.contactPoints());
        }
        assertThat(node.state()).as("only its starter ends it").isEqualTo(Node.State.UP);
        assertThatThrownBy(() -> LocalCluster.start(options().build()))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("setting.authenticator is PasswordAuthenticator, requested default");

        first.close();
        first.close();
        assertThat(NodeProcess.under(directory)).isEmpty();
        assertThat(node.state()).isEqualTo(Node.State.STOPPED);

        try (LocalCluster again = LocalCluster.start(options)) {
            assertThat(again.contactPoints()).isEqualTo(first.contactPoints());
        }
    }

    @Test
    void saysWhyCassandraRefusesASetting() {
        assertThatThrownBy(() ->
                        LocalCluster.start(options().setting("no_such_key", "1").build()))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("ended while it started")
                .hasMessageContaining("no_such_key")
                .hasMessageContaining(directory.getFileName().toString());
        assertThat(NodeProcess.under(directory)).isEmpty();
    }

    @Test
    void saysWhichPortIsTaken() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            LocalOptions options = options().port(other.getLocalPort()).build();
            assertThatThrownBy(() -> LocalCluster.start(options))
                    .isInstanceOf(LocalClusterException.class)
                    .hasMessageContaining("127.0.0.1:" + other.getLocalPort() + ": another program does");
        }
    }
}
