package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeProbeTest {
    /** Like a port that a firewall lets through and nothing serves. */
    @Test
    void givesUpOnAServerThatAcceptsAndDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            BenchCluster.Jmx jmx = new BenchCluster.Jmx(silent.getLocalPort(), null, null);
            assertThatThrownBy(() -> NodeProbe.open("127.0.0.1", jmx, Duration.ofSeconds(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no answer within 1 s");
        }
    }

    @Test
    void reportsThatNothingListens() throws IOException {
        int port;
        try (ServerSocket closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        BenchCluster.Jmx jmx = new BenchCluster.Jmx(port, null, null);
        assertThatThrownBy(() -> NodeProbe.open("127.0.0.1", jmx, Duration.ofSeconds(30)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Connection refused");
    }
}
