package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectOptionsTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1, 9042",
        "10.0.0.1:9999, 10.0.0.1, 9999",
        "no-such-host.invalid:1, no-such-host.invalid, 1",
        "::1, 0:0:0:0:0:0:0:1, 9042",
        "[::1], 0:0:0:0:0:0:0:1, 9042",
        "[::1]:9043, 0:0:0:0:0:0:0:1, 9043",
        "2001:db8::7, 2001:db8:0:0:0:0:0:7, 9042"
    })
    void readsAContactPoint(String text, String host, int port) {
        var address = ConnectOptions.to(text).contactPoints().get(0);
        assertThat(
                        address.isUnresolved()
                                ? address.getHostString()
                                : address.getAddress().getHostAddress())
                .isEqualTo(host);
        assertThat(address.getPort()).isEqualTo(port);
    }

    @ParameterizedTest
    @CsvSource({
        "host:, the port is not a number",
        "host:cql, the port is not a number",
        "host:0, expected host or host:port",
        "host:65536, expected host or host:port",
        ":9042, expected host or host:port",
        "[]:9042, expected host or host:port"
    })
    void refusesInvalidContactPoints(String text, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.to(text))
                .withMessage("contact point \"" + text + "\": " + why);
    }

    @Test
    void keepsAllButTheDatacenter() throws Exception {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint("127.0.0.1")
                .datacenter("dc1")
                .credentials("me", "secret")
                .tls(SSLContext.getDefault())
                .anyHostName()
                .wireCompression(WireCompression.LZ4)
                .driverConfig(Path.of("file"))
                .driverSetting("a.b", "c")
                .timeout(Duration.ofSeconds(7))
                .connectWhenUsed()
                .build();

        ConnectOptions other = options.inDatacenter("dc2");

        assertThat(other.datacenter()).isEqualTo("dc2");
        assertThat(other)
                .usingRecursiveComparison()
                .ignoringFields("datacenter")
                .isEqualTo(options);
    }

    /** Whoever accepts any host name wants TLS. */
    @Test
    void refusesAnyHostNameInClear() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .contactPoint("127.0.0.1")
                        .anyHostName()
                        .build())
                .withMessage(
                        "anyHostName is about TLS, and the connection would be in clear: set tls, or leave it out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .bundle(Path.of("bundle.zip"))
                        .anyHostName()
                        .build())
                .withMessage("anyHostName has no effect with a bundle, which has its own: leave it out");
    }

    @Test
    void failsOverOnlyIfItIsKnownWhichNodesAreDown() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .contactPoint("127.0.0.1")
                        .failoverDatacenter("dc2")
                        .connectWhenUsed()
                        .build())
                .withMessage(
                        "failoverDatacenter does not go with connectWhenUsed, as it is not known of nodes that are not"
                                + " connected to whether they are down: leave out one of them");
    }

    @Test
    void allAddressesOfANameAreContactPoints() {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint("nodes.example:9999", host -> new InetAddress[] {
                    InetAddress.getByAddress(host, new byte[] {10, 0, 0, 1}),
                    InetAddress.getByAddress(host, new byte[] {10, 0, 0, 2})
                })
                .contactPoint("gone.example", host -> {
                    throw new UnknownHostException(host);
                })
                .build();
        assertThat(options.contactPoints())
                .extracting(Object::toString)
                .containsExactly(
                        "nodes.example/10.0.0.1:9999", "nodes.example/10.0.0.2:9999", "gone.example/<unresolved>:9042");
    }

    @Test
    void aBundleStandsForTheConnection() throws Exception {
        ConnectOptions options =
                ConnectOptions.builder().bundle(Path.of("b.zip")).build();
        assertThat(options.contactPoints()).isEmpty();
        assertThat(options.withGuard(null).bundle()).isEqualTo(Path.of("b.zip"));
        assertThat(options.toString()).startsWith("bundle=b.zip ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .bundle(Path.of("b.zip"))
                        .contactPoint("127.0.0.1")
                        .build())
                .withMessage("contactPoints has no effect with a bundle, which has its own: leave it out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .bundle(Path.of("b.zip"))
                        .tls(SSLContext.getDefault())
                        .build())
                .withMessage("tls has no effect with a bundle, which has its own: leave it out");
    }

    @Test
    void refusesIncompleteOptions() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder().build())
                .withMessage("contactPoints is empty: give at least one host");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .contactPoint("127.0.0.1")
                        .timeout(Duration.ZERO)
                        .build())
                .withMessage("timeout is PT0S, must be more than 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ConnectOptions.builder()
                        .contactPoint("127.0.0.1")
                        .datacenter("dc1")
                        .failoverDatacenter("dc1")
                        .build())
                .withMessage("failoverDatacenter is \"dc1\", which is the local data centre: give another one");
    }

    @Test
    void neverPrintsThePassword() {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint("127.0.0.1")
                .credentials("ann", "s3cret")
                .build();
        assertThat(options.toString()).contains("ann").doesNotContain("s3cret");
    }
}
