package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables of the environment, and a server of tokens. */
class AzureAccessTest {
    private final Path directory;
    private final HttpServer server;
    /** The last request, by its path. */
    private final Map<String, String> requests = new ConcurrentHashMap<>();

    AzureAccessTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                String path = exchange.getRequestURI().getPath();
                requests.put(
                        path,
                        exchange.getRequestURI().getQuery() + " "
                                + exchange.getRequestHeaders().getFirst("X-IDENTITY-HEADER") + " "
                                + URLDecoder.decode(
                                        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                                        StandardCharsets.UTF_8));
                byte[] answer = ("{\"access_token\": \"of " + path + "\", \"expires_in\": \"3600\"}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(path.startsWith("/refused/") ? 401 : 200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static String token(Map<String, String> environment) throws IOException {
        HttpRequest request =
                Http.request("https://a.blob.core.windows.net/c/k").build();
        return AzureAccess.find(environment)
                .credentials()
                .apply("a")
                .sign(request)
                .headers()
                .firstValue("Authorization")
                .orElseThrow();
    }

    @Test
    void logsInAsAServicePrincipal() throws Exception {
        Map<String, String> environment = Map.of(
                "AZURE_AUTHORITY_HOST",
                url("/"),
                "AZURE_TENANT_ID",
                "tenant",
                "AZURE_CLIENT_ID",
                "client",
                "AZURE_CLIENT_SECRET",
                "s/1");
        assertThat(token(environment)).isEqualTo("Bearer of /tenant/oauth2/v2.0/token");
        assertThat(requests.get("/tenant/oauth2/v2.0/token"))
                .contains("client_secret=s/1", "client_id=client", "scope=https://storage.azure.com/.default");
    }

    @Test
    void logsInByTheTokenOfAWorkload() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "jwt\n");
        assertThat(token(Map.of(
                        "AZURE_AUTHORITY_HOST",
                        url(""),
                        "AZURE_TENANT_ID",
                        "t",
                        "AZURE_CLIENT_ID",
                        "c",
                        "AZURE_FEDERATED_TOKEN_FILE",
                        file.toString())))
                .isEqualTo("Bearer of /t/oauth2/v2.0/token");
        assertThat(requests.get("/t/oauth2/v2.0/token")).containsPattern("client_assertion=jwt(&|$)");
    }

    @Test
    void takesTheIdentityOfAFunction() throws Exception {
        assertThat(token(Map.of("IDENTITY_ENDPOINT", url("/msi"), "IDENTITY_HEADER", "h")))
                .isEqualTo("Bearer of /msi");
        assertThat(requests.get("/msi")).contains("resource=https://storage.azure.com/ h ");
    }

    @Test
    void saysWhyThereIsNoToken() {
        assertThatThrownBy(() -> token(Map.of(
                        "AZURE_AUTHORITY_HOST",
                        url("/refused"),
                        "AZURE_TENANT_ID",
                        "t",
                        "AZURE_CLIENT_SECRET",
                        "s3cr3t")))
                .hasMessageContaining("credentials of Azure: status 401: no token")
                .hasMessageNotContaining("s3cr3t");
    }
}
