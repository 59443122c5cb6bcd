package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import io.overdrive.OverdriveException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of credentials as Google's documentation has them, and a server of tokens. */
class GoogleTokensTest {
    private final Path directory;
    private final HttpServer server;
    /** The last form, by its path. */
    private final Map<String, String> forms = new ConcurrentHashMap<>();

    GoogleTokensTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                String path = exchange.getRequestURI().getPath();
                forms.put(
                        path,
                        exchange.getRequestHeaders().getFirst("Authorization") + " "
                                + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                byte[] answer = (path.equals("/impersonate")
                                ? "{\"accessToken\": \"of another\", \"expireTime\": \"2099-01-01T00:00:00Z\"}"
                                : "{\"access_token\": \"of " + path + "\", \"expires_in\": 3600}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(path.equals("/refused") ? 400 : 200, answer.length);
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

    private String token(Object json) throws IOException {
        Path file = directory.resolve("credentials.json");
        Files.write(file, new JsonMapper().writeValueAsBytes(json));
        Credentials found = GoogleTokens.find(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file.toString()));
        return found.sign(Http.request(url("/object")).build())
                .headers()
                .firstValue("Authorization")
                .orElseThrow();
    }

    private Map<String, String> form(String path) {
        Map<String, String> fields = new HashMap<>();
        String form = String.valueOf(forms.get(path));
        for (String each : form.substring(form.indexOf(' ') + 1).split("&")) {
            String[] parts = each.split("=", 2);
            fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return fields;
    }

    @Test
    void signsForAServiceAccount() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        String pem = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
        assertThat(token(Map.of(
                        "type", "service_account",
                        "client_email", "me@project",
                        "private_key_id", "7",
                        "private_key", pem,
                        "token_uri", url("/token"))))
                .isEqualTo("Bearer of /token");
        String[] parts = String.valueOf(form("/token").get("assertion")).split("\\.");
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(pair.getPublic());
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.UTF_8));
        assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
        JsonNode claims = new JsonMapper().readTree(Base64.getUrlDecoder().decode(parts[1]));
        assertThat(claims.get("iss").asText()).isEqualTo("me@project");
        assertThat(claims.get("aud").asText()).isEqualTo(url("/token"));
        assertThat(claims.get("exp").asLong() - claims.get("iat").asLong()).isEqualTo(3_600);
    }

    @Test
    void refreshesTheTokenOfAUser() throws Exception {
        assertThat(token(Map.of(
                        "type", "authorized_user",
                        "client_id", "c",
                        "client_secret", "s",
                        "refresh_token", "r/1",
                        "token_uri", url("/user"))))
                .isEqualTo("Bearer of /user");
        assertThat(form("/user")).containsEntry("refresh_token", "r/1").containsEntry("client_secret", "s");
    }

    @Test
    void exchangesTheTokenOfAnotherIdentity() throws Exception {
        Path subject = Files.writeString(directory.resolve("subject"), "{\"id_token\": \"jwt\"}");
        assertThat(token(Map.of(
                        "type",
                        "external_account",
                        "audience",
                        "//iam.googleapis.com/pool",
                        "subject_token_type",
                        "urn:ietf:params:oauth:token-type:jwt",
                        "token_url",
                        url("/sts"),
                        "service_account_impersonation_url",
                        url("/impersonate"),
                        "credential_source",
                        Map.of(
                                "file",
                                subject.toString(),
                                "format",
                                Map.of("type", "json", "subject_token_field_name", "id_token")))))
                .isEqualTo("Bearer of another");
        assertThat(form("/sts")).containsEntry("subject_token", "jwt");
        assertThat(forms.get("/impersonate")).startsWith("Bearer of /sts ");
    }

    @Test
    void saysWhyThereIsNoToken() {
        assertThatThrownBy(() -> token(Map.of("type", "authorized_user", "token_uri", url("/refused"))))
                .hasMessageContaining("status 400");
        assertThatThrownBy(() -> token(Map.of("type", "gdch_service_account")))
                .hasMessageContaining("credentials of type gdch_service_account")
                .hasMessageContaining("gcloud auth print-access-token")
                .isExactlyInstanceOf(FileSystemException.class);
    }

    @Test
    void saysWhatIsWrongWithAFile() throws Exception {
        Map<String, String> wrong = Map.of("", "it has no type", "[]", "it has no type", "s3cr3t{", "it is no JSON");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            Path file = Files.writeString(directory.resolve("wrong.json"), each.getKey());
            assertThatThrownBy(() -> GoogleTokens.find(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file.toString())))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("wrong.json: no credentials of Google can be read: " + each.getValue())
                    .hasMessageNotContaining("s3cr3t");
        }
        assertThatThrownBy(() -> GoogleTokens.find(Map.of("GOOGLE_APPLICATION_CREDENTIALS", "none.json")))
                .hasMessageContaining("none.json: no credentials of Google can be read: there is no such file")
                .hasMessageContaining("GOOGLE_APPLICATION_CREDENTIALS names their file");
    }

    @Test
    void showsNoSecretThatIsInvalid() throws Exception {
        Path subject = Files.writeString(directory.resolve("subject"), "s3cr3t");
        assertThatThrownBy(() -> token(Map.of(
                        "type",
                        "external_account",
                        "token_url",
                        url("/sts"),
                        "credential_source",
                        Map.of("file", subject.toString(), "format", Map.of("type", "json")))))
                .isExactlyInstanceOf(FileSystemException.class)
                .hasMessageContaining("no access token: ")
                .hasMessageNotContaining("s3cr3t");
        assertThatThrownBy(() -> token(Map.of("type", "authorized_user", "token_uri", "s3cr3t")))
                .isExactlyInstanceOf(FileSystemException.class)
                .hasMessageContaining("no access token: ")
                .hasMessageNotContaining("s3cr3t");
    }
}
