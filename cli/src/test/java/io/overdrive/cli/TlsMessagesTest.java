package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages name what is wrong with a store, or with a server that does not answer the handshake of TLS. */
@Timeout(120)
class TlsMessagesTest {
    private static final String PASSWORD = "s3cret";

    private final Path directory;

    TlsMessagesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A store with a key and its certificate. */
    private Path storeOfKeys() throws Exception {
        Path store = directory.resolve("keys.p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
        command.addAll(List.of("-alias", "node", "-keyalg", "EC", "-dname", "CN=node", "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        return store;
    }

    private static String count(int port, String... options) {
        List<String> command = new ArrayList<>(List.of("count", "ks.t", "--host=127.0.0.1:" + port));
        command.addAll(List.of(options));
        Cli failed = Cli.run(Map.of("OVERDRIVE_TRUSTSTORE_PASSWORD", PASSWORD), command.toArray(String[]::new));
        assertThat(failed.code()).isNotZero();
        return failed.err();
    }

    @Test
    void waitsForTheHandshakeAsLongAsTheUserSays() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThat(count(silent.getLocalPort(), "--tls", "--connect-timeout=1"))
                    .contains(": it takes connections, and has not answered within 1.0 s (TLS handshake failed:");
        }
    }

    /** Certificates of a PKCS#12 store cannot be seen without the password, but its key can. */
    @Test
    void saysThatAStoreOfKeysNeedsItsPassword() throws Exception {
        Path store = storeOfKeys();
        Cli failed = Cli.run(Map.of(), "count", "ks.t", "--host=127.0.0.1:1", "--tls-truststore=" + store);
        assertThat(failed.code()).isEqualTo(Main.USAGE);
        assertThat(failed.err())
                .contains("--tls-truststore " + store
                        + " holds no certificates; set OVERDRIVE_TRUSTSTORE_PASSWORD to its password");
    }

    @Test
    void saysWhichOptionTakesPem() throws IOException {
        Path pem = Files.writeString(directory.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----\n");
        assertThat(count(1, "--tls-truststore=" + pem))
                .contains("--tls-truststore " + pem + " is a PEM file: give it by --tls-ca");
        assertThat(count(1, "--tls-keystore=" + pem, "--tls-password-command=echo x"))
                .contains("--tls-keystore " + pem + " is a PEM file: give it by --tls-cert and --tls-key");
    }
}
