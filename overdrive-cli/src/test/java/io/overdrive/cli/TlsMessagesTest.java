package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a certificate or a store is named: with servers that only do the handshake of TLS. */
@Timeout(120)
class TlsMessagesTest {
    private static final String PASSWORD = "s3cret";

    private final Path directory;

    TlsMessagesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A store with a key and its certificate, which is valid between these days from now. */
    private Path store(String name, int first, int days, String... further) throws Exception {
        Path store = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
        command.addAll(List.of("-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=ip:127.0.0.1"));
        command.addAll(List.of("-startdate", first + "d", "-validity", String.valueOf(days)));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD));
        command.addAll(List.of(further));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        return store;
    }

    private static SSLContext context(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    private static void answer(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.getInputStream().read();
            } catch (IOException e) {
                // the client has refused the certificate, or the test has ended
            }
        }
    }

    /** What a client says that trusts the certificate. */
    private String says(Path store) throws Exception {
        try (ServerSocket server =
                context(store).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> answer(server));
            thread.setDaemon(true);
            thread.start();
            return count(server.getLocalPort(), "--tls-truststore=" + store);
        }
    }

    private static String count(int port, String... options) {
        List<String> command = new ArrayList<>(List.of("count", "ks.t", "--host=127.0.0.1:" + port));
        command.addAll(List.of(options));
        Cli failed = Cli.run(Map.of("OVERDRIVE_TRUSTSTORE_PASSWORD", PASSWORD), command.toArray(String[]::new));
        assertThat(failed.code()).isNotZero();
        return failed.err();
    }

    @Test
    void saysThatACertificateHasExpired() throws Exception {
        assertThat(says(store("expired", -10, 5)))
                .contains("(the node's certificate has expired, or the clock of this machine is wrong)");
    }

    @Test
    void saysThatACertificateIsNotValidYet() throws Exception {
        assertThat(says(store("early", 10, 5)))
                .contains("(the node's certificate is not valid yet, or the clock of this machine is wrong)");
    }

    @Test
    void saysThatACertificateIsForClients() throws Exception {
        assertThat(says(store("client", -1, 5, "-ext", "EKU=clientAuth")))
                .contains("(the node's certificate is for clients only: it needs one for servers)");
    }

    @Test
    void waitsForTheHandshakeAsLongAsTheUserSays() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThat(count(silent.getLocalPort(), "--tls", "--connect-timeout=1"))
                    .contains(": it takes connections, and has not answered within 1.0 s (TLS handshake failed:");
        }
    }

    /** Without the password, the certificates of a PKCS#12 store cannot be seen, but its key can. */
    @Test
    void saysThatAStoreOfKeysNeedsItsPassword() throws Exception {
        Path store = store("keys", -1, 5);
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
