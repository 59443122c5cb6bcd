package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A secure connect bundle as Astra has it: the client asks a metadata service for the proxy and the nodes, and reaches each node by the
 * proxy, which chooses it by the server name of the TLS handshake. Service and proxy are the test's own; the node is a real one, which
 * requires TLS and a client certificate, as the service does.
 */
@Timeout(300)
class BundleIT {
    private static final String SECRET = "st0re-s3cret";

    private static Path directory = Path.of("");
    private static @Nullable LocalCluster cluster;
    private static @Nullable Overdrive admin;

    @BeforeAll
    static void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        for (String name : List.of("node", "client")) {
            keytool(
                    name,
                    "-genkeypair",
                    "-keyalg",
                    "RSA",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "SAN=ip:127.0.0.1,dns:localhost");
            keytool(name, "-exportcert", "-rfc", "-file", file(name + ".pem"));
        }
        trust("of-nodes", "client");
        trust("of-clients", "node");
        Files.writeString(
                directory.resolve("client.key"),
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(store("client")
                                        .getKey("client", SECRET.toCharArray())
                                        .getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory.resolve("cluster"))
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .setting(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '" + file("node.jks")
                                + "', keystore_password: " + SECRET + ", truststore: '" + file("of-nodes.jks")
                                + "', truststore_password: " + SECRET + "}")
                .deleteWithJvm(true)
                .build());
        admin = Overdrive.connect(ConnectOptions.builder()
                .contactPoint(node())
                .tls(PemFiles.context(
                        directory.resolve("node.pem"),
                        directory.resolve("client.pem"),
                        directory.resolve("client.key"),
                        null))
                .build());
        admin.session()
                .execute("CREATE KEYSPACE b WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        admin.session().execute("CREATE TABLE b.t (k int PRIMARY KEY, v text)");
    }

    @AfterAll
    static void stop() {
        if (admin != null) {
            admin.close();
        }
        Objects.requireNonNull(cluster).wipe();
    }

    private static InetSocketAddress node() {
        return Objects.requireNonNull(cluster).contactPoints().get(0);
    }

    private static String file(String name) {
        return directory.resolve(name).toString();
    }

    private static void trust(String store, String whom) throws IOException, InterruptedException {
        keytool(store, "-importcert", "-file", file(whom + ".pem"), "-noprompt");
    }

    private static void keytool(String store, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", store, "-storetype", "JKS"));
        command.addAll(List.of("-keystore", file(store + ".jks"), "-storepass", SECRET, "-keypass", SECRET));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static KeyStore store(String name) throws Exception {
        return KeyStore.getInstance(directory.resolve(name + ".jks").toFile(), SECRET.toCharArray());
    }

    private static Path bundle(String name, int port) throws IOException {
        Path bundle = directory.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(bundle))) {
            add(
                    zip,
                    "config.json",
                    ("{\"host\": \"127.0.0.1\", \"port\": " + port + ", \"keyStorePassword\": \"" + SECRET
                                    + "\", \"trustStorePassword\": \"" + SECRET + "\"}")
                            .getBytes(StandardCharsets.UTF_8));
            add(zip, "identity.jks", Files.readAllBytes(directory.resolve("client.jks")));
            add(zip, "trustStore.jks", Files.readAllBytes(directory.resolve("of-clients.jks")));
            add(zip, "ca.crt", Files.readAllBytes(directory.resolve("node.pem")));
            add(zip, "cert", Files.readAllBytes(directory.resolve("client.pem")));
            add(zip, "key", Files.readAllBytes(directory.resolve("client.key")));
        }
        return bundle;
    }

    private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(content);
        zip.closeEntry();
    }

    /** Answers where the proxy is, and which nodes are behind it, to clients with a certificate. */
    private static HttpsServer metadataService(int proxyPort, String hostId) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store("node"), SECRET.toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), PemFiles.trustManagers(directory.resolve("client.pem")), null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters needsCertificate = getSSLContext().getDefaultSSLParameters();
                needsCertificate.setNeedClientAuth(true);
                parameters.setSSLParameters(needsCertificate);
            }
        });
        byte[] answer =
                ("{\"version\": 1, \"region\": \"local\", \"contact_info\": {\"type\": \"sni_proxy\", \"local_dc\": \""
                                + Objects.requireNonNull(cluster).datacenter() + "\", \"contact_points\": [\"" + hostId
                                + "\"], \"sni_proxy_address\": \"127.0.0.1:" + proxyPort + "\"}}")
                        .getBytes(StandardCharsets.UTF_8);
        server.createContext("/metadata", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** Passes connections on to the node, if their TLS handshake names it. */
    private static final class SniProxy implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final String hostId;
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();
        private final List<Boolean> named = new CopyOnWriteArrayList<>();

        SniProxy(String hostId) throws IOException {
            this.hostId = hostId;
            start(this::accept);
        }

        private static void start(Runnable work) {
            Thread thread = new Thread(work, "sni-proxy");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = server.accept();
                    sockets.add(client);
                    start(() -> connect(client));
                }
            } catch (IOException e) {
                // closed
            }
        }

        /** A record of TLS has a type, a version, its length, and its content, which begins the handshake. */
        private void connect(Socket client) {
            try {
                DataInputStream in = new DataInputStream(client.getInputStream());
                byte[] head = in.readNBytes(5);
                byte[] hello = in.readNBytes((head[3] & 0xff) << 8 | head[4] & 0xff);
                boolean isNamed = new String(hello, StandardCharsets.ISO_8859_1).contains(hostId);
                named.add(isNamed);
                if (!isNamed) {
                    client.close();
                    return;
                }
                Socket node = new Socket(node().getAddress(), node().getPort());
                sockets.add(node);
                node.getOutputStream().write(head);
                node.getOutputStream().write(hello);
                start(() -> copy(node, client));
                copy(client, node);
            } catch (IOException e) {
                // one side has closed the connection
            }
        }

        private static void copy(Socket from, Socket to) {
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                in.transferTo(out);
            } catch (IOException e) {
                // one side has closed the connection
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void writesAndReadsByTheProxyOfABundle() throws Exception {
        Node only = Objects.requireNonNull(admin)
                .session()
                .getMetadata()
                .getNodes()
                .values()
                .iterator()
                .next();
        String hostId = String.valueOf(only.getHostId());
        try (SniProxy proxy = new SniProxy(hostId)) {
            HttpsServer service = metadataService(proxy.server.getLocalPort(), hostId);
            try (Overdrive overdrive = Overdrive.connect(ConnectOptions.builder()
                    .bundle(bundle("bundle.zip", service.getAddress().getPort()))
                    .build())) {
                try (RowWriter writer =
                        overdrive.writer(WriteOptions.into("b", "t").build())) {
                    for (int i = 0; i < 10_000; i++) {
                        writer.row().setInt(0, i).setText(1, "v" + i);
                        writer.send();
                    }
                }
                int rows = 0;
                try (Scan scan = overdrive.scan(ScanOptions.from("b", "t").build())) {
                    for (Split split : scan.splits()) {
                        try (RowCursor cursor = scan.open(split)) {
                            while (cursor.next()) {
                                rows++;
                            }
                        }
                    }
                }
                assertThat(rows).isEqualTo(10_000);
                assertThat(overdrive.session().getMetadata().getNodes().values())
                        .singleElement()
                        .satisfies(node -> {
                            assertThat(node.getHostId()).isEqualTo(only.getHostId());
                            assertThat(node.getEndPoint().toString()).contains(hostId);
                        });
                assertThat(proxy.named).isNotEmpty().doesNotContain(false);
            } finally {
                service.stop(0);
            }
        }
    }

    @Test
    void saysWhatIsWrongWithABundle() throws Exception {
        Path notZip = Files.writeString(directory.resolve("not.zip"), "no");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> connect(notZip))
                .withMessage(
                        "cannot connect to the cluster of " + notZip + ": Invalid bundle: missing file config.json")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT));
        Path missing = directory.resolve("missing.zip");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> connect(missing))
                .withMessageStartingWith("cannot connect to the cluster of " + missing + ": ")
                .withMessageContaining("No such file");
        int unused;
        try (ServerSocket free = new ServerSocket(0)) {
            unused = free.getLocalPort();
        }
        Path asleep = bundle("asleep.zip", unused);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> connect(asleep))
                .withMessageStartingWith("cannot connect to the cluster of " + asleep
                        + ": Unable to connect to cloud metadata service. Please make sure your cluster is not parked or"
                        + " terminated");
    }

    private static void connect(Path bundle) {
        Overdrive.connect(ConnectOptions.builder().bundle(bundle).build()).close();
    }
}
