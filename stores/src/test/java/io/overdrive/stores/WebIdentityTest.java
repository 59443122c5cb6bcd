package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A role by the web identity of a file, as on Kubernetes, from a server of tokens of the tests' own. */
@Timeout(120)
class WebIdentityTest {
    private static final int REQUESTS = 8;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final Path token;
    private final List<String> forms = new CopyOnWriteArrayList<>();
    private final AtomicInteger issued = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger();
    private final CyclicBarrier refused = new CyclicBarrier(REQUESTS);
    private volatile String refusal = "";
    private volatile boolean waits;

    WebIdentityTest(@TempDir Path directory) throws IOException {
        token = Files.writeString(directory.resolve("token"), "first");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            if (exchange.getRequestMethod().equals("POST")) {
                issue(exchange);
            } else {
                answer(exchange);
            }
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        set("aws.endpointUrlSts", url);
        set("aws.endpointUrlS3", url);
        set("aws.region", "eu-west-1");
        set("aws.roleArn", "arn:aws:iam::1:role/reader");
        set("aws.webIdentityTokenFile", token.toString());
        set("aws.disableEc2Metadata", "true");
    }

    private void set(String name, String value) {
        properties.put(name, System.getProperty(name, ""));
        System.setProperty(name, value);
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
        properties.forEach((name, value) -> {
            if (value.isEmpty()) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, value);
            }
        });
    }

    private void issue(HttpExchange exchange) throws IOException {
        forms.add(URLDecoder.decode(
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8), StandardCharsets.UTF_8));
        if (!refusal.isEmpty()) {
            send(exchange, 400, "<ErrorResponse><Error>" + refusal + "</Error></ErrorResponse>");
            return;
        }
        int number = issued.incrementAndGet();
        left.set(REQUESTS);
        send(
                exchange,
                200,
                "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>key"
                        + number + "</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session"
                        + number
                        + "</SessionToken><Expiration>" + Instant.now().plus(Duration.ofHours(1))
                        + "</Expiration></Credentials></AssumeRoleWithWebIdentityResult>"
                        + "</AssumeRoleWithWebIdentityResponse>");
    }

    /** Answers requests with the newest credentials, and only some of these. */
    private void answer(HttpExchange exchange) throws IOException {
        String session = exchange.getRequestHeaders().getFirst("x-amz-security-token");
        boolean isNewest = ("session" + issued).equals(session)
                && exchange.getRequestHeaders().getFirst("Authorization").contains("Credential=key" + issued + "/");
        if (isNewest && left.getAndDecrement() > 0) {
            exchange.getResponseHeaders().add("ETag", "\"1\"");
            exchange.getResponseHeaders().add("Content-Length", "3"); // of a HEAD
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
            return;
        }
        if (waits) {
            try {
                refused.await();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
        send(exchange, 400, "");
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static ObjectStore store() {
        return new S3Store(S3Settings.ofEnvironment());
    }

    @Test
    void takesTheRoleAndTakesItAgainWhenItsCredentialsHaveExpired() throws Exception {
        ObjectStore store = store();
        for (int i = 0; i < 3 * REQUESTS; i++) {
            assertThat(store.find("b", "k")).isNotNull();
            Files.writeString(token, "second");
        }
        assertThat(forms).hasSize(3).allSatisfy(each -> assertThat(each)
                .contains("Action=AssumeRoleWithWebIdentity", "RoleArn=arn:aws:iam::1:role/reader"));
        assertThat(forms.get(0)).contains("WebIdentityToken=first");
        assertThat(forms.get(2)).contains("WebIdentityToken=second");
    }

    @Test
    void renewsOnceForAllRequestsThatWereRefusedAtOnce() throws Exception {
        ObjectStore store = store();
        assertThat(store.find("b", "k")).isNotNull();
        left.set(0);
        waits = true;
        List<Future<?>> found = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            found.add(threads.submit(() -> store.find("b", "k")));
        }
        for (Future<?> each : found) {
            assertThat(each.get()).isNotNull();
        }
        assertThat(issued).hasValue(2);
    }

    @Test
    void saysWhyThereIsNoRole() throws IOException {
        refusal = "<Code>InvalidIdentityToken</Code><Message>no such identity provider</Message>";
        assertThatThrownBy(() -> store().find("b", "k"))
                .isInstanceOf(FileSystemException.class)
                .message()
                .startsWith("s3://b/k: ")
                .contains("no such identity provider")
                .doesNotContain("chain", "ProfileCredentialsProvider");
        Files.delete(token);
        assertThatThrownBy(() -> store().find("b", "k"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageStartingWith("s3://b/k: no credentials: " + token + ": there is no such file");
        System.clearProperty("aws.roleArn");
        assertThatThrownBy(() -> store().find("b", "k"))
                .isInstanceOf(FileSystemException.class)
                .message()
                .startsWith("s3://b/k: no credentials: ")
                .contains("aws.roleArn")
                .doesNotContain("chain");
    }
}
