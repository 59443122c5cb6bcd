package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import io.overdrive.OverdriveException;
import io.overdrive.stores.Tokens.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
                int status = path.startsWith("/refused/")
                        ? 401
                        : path.startsWith("/missing/") ? 404 : path.startsWith("/busy/") ? 503 : 200;
                String token = path.equals("/line") ? "s3cr3t\\ns3cr3t" : "of " + path;
                byte[] answer = (status == 401
                                ? "{\"error\": \"invalid_client:\", \"error_description\": \"it is another one\"}"
                                : "{\"access_token\": \"" + token + "\", \"expires_in\": \"3600\"}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, answer.length);
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
                .hasMessageContaining("no access token: status 401 of 127.0.0.1: invalid_client: it is another one")
                .hasMessageNotContaining("s3cr3t");
    }

    /** It is not the object that is missing, and no retry helps. */
    @Test
    void saysThatATenantOrAFileIsMissing() {
        assertThatThrownBy(() -> token(Map.of("AZURE_AUTHORITY_HOST", url("/missing"), "AZURE_CLIENT_SECRET", "s")))
                .isExactlyInstanceOf(FileSystemException.class)
                .hasMessageContaining("no access token: status 404 of 127.0.0.1");
        assertThatThrownBy(() -> token(Map.of("AZURE_FEDERATED_TOKEN_FILE", "/none/of/these")))
                .isExactlyInstanceOf(FileSystemException.class)
                .hasMessageContaining("no access token: there is no file /none/of/these");
        assertThatThrownBy(() -> token(Map.of("AZURE_AUTHORITY_HOST", url("/busy"), "AZURE_CLIENT_SECRET", "s")))
                .isInstanceOf(PassingException.class)
                .hasMessage("no access token: status 503");
    }

    @Test
    void showsNoSecretThatARequestCannotHave() {
        List<Map<String, String>> wrong = List.of(
                Map.of("AZURE_STORAGE_SAS_TOKEN", "sig=s3cr3t s3cr3t"),
                Map.of("AZURE_STORAGE_CONNECTION_STRING", "SharedAccessSignature=sig=s3cr3t%2"),
                Map.of("AZURE_STORAGE_CONNECTION_STRING", "s3cr3t"),
                Map.of("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint=s3cr3t"),
                Map.of("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint=https://x.blob.core.windows.net/?sig=s3cr3t"));
        for (Map<String, String> each : wrong) {
            assertThatThrownBy(() -> token(each))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining(each.keySet().iterator().next())
                    .hasMessageNotContaining("s3cr3t");
        }
        assertThatThrownBy(() -> token(Map.of("IDENTITY_ENDPOINT", url("/line"), "IDENTITY_HEADER", "h")))
                .hasMessageContaining("no access token: it has characters that a header cannot have")
                .hasNoCause();
    }

    @Test
    void readsWhenATokenEnds() throws Exception {
        JsonNode ofFunction = new JsonMapper().readTree("{\"access_token\": \"t\", \"expires_on\": \"4102444800\"}");
        assertThat(Token.of(ofFunction).seconds()).isGreaterThan(1_000_000);
        JsonNode withoutEnd = new JsonMapper().readTree("{\"accessToken\": \"t\"}");
        assertThat(Token.of(withoutEnd, "accessToken").seconds()).isEqualTo(300);
    }
}
