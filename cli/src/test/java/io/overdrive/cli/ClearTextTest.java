package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Options about TLS never let a password travel in clear: with a server that keeps what it gets, and does not answer. */
@Timeout(60)
class ClearTextTest {
    /** The first byte of a TLS connection. */
    private static final int HANDSHAKE = 0x16;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    private void keep(ServerSocket server) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    byte[] bytes = new byte[10_000];
                    int count = client.getInputStream().read(bytes);
                    received.write(bytes, 0, Math.max(count, 0));
                }
            }
        } catch (IOException e) {
            // the test has ended
        }
    }

    @Test
    void anyHostIsOfTls() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> keep(server));
            thread.start();
            Cli failed = Cli.run(
                    Map.of("OVERDRIVE_PASSWORD", "S3cret"),
                    "count",
                    "ks.t",
                    "--host=127.0.0.1:" + server.getLocalPort(),
                    "--user=bob",
                    "--connect-timeout=5",
                    "--tls-any-host");
            server.close();
            thread.join();
            assertThat(failed.code()).isEqualTo(Main.FAILED);
        }
        byte[] bytes = received.toByteArray();
        assertThat(bytes[0]).isEqualTo((byte) HANDSHAKE);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain("bob", "S3cret");
    }
}
