package io.overdrive.stores;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.stores.Tokens.Token;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Access tokens of Google by Application Default Credentials: the file that GOOGLE_APPLICATION_CREDENTIALS names, the one of {@code gcloud auth
 * application-default login}, or the metadata server of a machine, a container or a function. Thread-safe.
 */
final class GoogleTokens {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
    private static final String TOKEN_URL = "https://oauth2.googleapis.com/token";
    private static final String METADATA_HOST = "metadata.google.internal";
    private static final int JWT_SECONDS = 3_600;
    /** A machine without a metadata server should not wait for it. */
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(2);

    private final Http http = new Http(BackOff.USUAL);
    private final JsonNode file;

    private GoogleTokens(JsonNode file) {
        this.file = file;
    }

    static Credentials none() {
        return Credentials.none("set GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login");
    }

    static Credentials find(Map<String, String> environment) {
        String token = environment.get("CLOUDSDK_AUTH_ACCESS_TOKEN");
        if (token != null && !token.isBlank()) {
            return new Tokens(() -> new Token(token.trim(), JWT_SECONDS));
        }
        Path given = file(environment);
        if (given != null) {
            JsonNode content = read(given);
            return new Tokens(new GoogleTokens(content)::request);
        }
        String host = environment.getOrDefault("GCE_METADATA_HOST", METADATA_HOST);
        Tokens machine = new Tokens(() -> ofMetadata(host));
        try {
            machine.value();
            return machine;
        } catch (PassingException e) {
            return machine; // the server is there, and the requests wait for it
        } catch (IOException e) {
            return none();
        }
    }

    private static @Nullable Path file(Map<String, String> environment) {
        String given = environment.get("GOOGLE_APPLICATION_CREDENTIALS");
        if (given != null && !given.isBlank()) {
            return Path.of(given);
        }
        String configuration = environment.get("CLOUDSDK_CONFIG");
        String windows = environment.get("APPDATA");
        Path directory = configuration != null
                ? Path.of(configuration)
                : windows != null
                        ? Path.of(windows, "gcloud")
                        : Path.of(System.getProperty("user.home", ""), ".config", "gcloud");
        Path file = directory.resolve("application_default_credentials.json");
        return Files.exists(file) ? file : null;
    }

    private static JsonNode read(Path file) {
        try {
            JsonNode content = Tokens.json(Files.readString(file));
            if (!content.has("type")) {
                throw failure("it has no type, such as service_account");
            }
            return content;
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    file + ": no credentials of Google can be read: " + WritableDirectory.reason(e)
                            + "; GOOGLE_APPLICATION_CREDENTIALS names their file",
                    e);
        }
    }

    private static Token ofMetadata(String host) throws IOException {
        Http http = new Http(BackOff.USUAL);
        HttpResponse<InputStream> answer =
                http.send(Http.request("http://" + host + "/computeMetadata/v1/instance/service-accounts/default/token")
                        .header("Metadata-Flavor", "Google")
                        .timeout(METADATA_TIMEOUT));
        return Token.of(Tokens.json(answer));
    }

    private Token request() throws IOException {
        return request(file);
    }

    private Token request(JsonNode from) throws IOException {
        String type = from.path("type").asText();
        return switch (type) {
            case "service_account" -> ofServiceAccount(from);
            case "authorized_user" -> ofUser(from);
            case "external_account" -> ofOtherIdentity(from);
            case "impersonated_service_account" -> impersonated(from, request(from.path("source_credentials")));
            default ->
                throw failure("credentials of type " + type + " are not known here: give a token, as"
                        + " CLOUDSDK_AUTH_ACCESS_TOKEN=$(gcloud auth print-access-token)");
        };
    }

    private Token exchange(String url, Map<String, String> fields) throws IOException {
        return Token.of(Tokens.json(http.send(Tokens.form(url, fields))));
    }

    private Token ofUser(JsonNode from) throws IOException {
        return exchange(
                from.path("token_uri").asText(TOKEN_URL),
                Map.of(
                        "grant_type", "refresh_token",
                        "client_id", from.path("client_id").asText(),
                        "client_secret", from.path("client_secret").asText(),
                        "refresh_token", from.path("refresh_token").asText()));
    }

    private Token ofServiceAccount(JsonNode from) throws IOException {
        String url = from.path("token_uri").asText(TOKEN_URL);
        long now = Instant.now().getEpochSecond();
        String header = base64(JSON.createObjectNode()
                .put("alg", "RS256")
                .put("typ", "JWT")
                .put("kid", from.path("private_key_id").asText())
                .toString()
                .getBytes(StandardCharsets.UTF_8));
        String claims = base64(JSON.createObjectNode()
                .put("iss", from.path("client_email").asText())
                .put("scope", SCOPE)
                .put("aud", url)
                .put("iat", now)
                .put("exp", now + JWT_SECONDS)
                .toString()
                .getBytes(StandardCharsets.UTF_8));
        String signed = header + "." + claims;
        return exchange(
                url,
                Map.of(
                        "grant_type",
                        "urn:ietf:params:oauth:grant-type:jwt-bearer",
                        "assertion",
                        signed + "."
                                + signature(signed, from.path("private_key").asText())));
    }

    private static String signature(String text, String pem) throws IOException {
        try {
            byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
            PrivateKey secret = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key));
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(secret);
            signature.update(text.getBytes(StandardCharsets.UTF_8));
            return base64(signature.sign());
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw failure("the private key of the service account cannot be read");
        }
    }

    /** A failure of these credentials, which no retry ends. */
    private static FileSystemException failure(String reason) {
        return new FileSystemException("credentials of Google", null, reason);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The token of an identity of another cloud, of Kubernetes or of a provider of OpenID: workload identity. */
    private Token ofOtherIdentity(JsonNode from) throws IOException {
        Token token = exchange(
                from.path("token_url").asText(),
                Map.of(
                        "grant_type",
                        "urn:ietf:params:oauth:grant-type:token-exchange",
                        "audience",
                        from.path("audience").asText(),
                        "scope",
                        SCOPE,
                        "requested_token_type",
                        "urn:ietf:params:oauth:token-type:access_token",
                        "subject_token_type",
                        from.path("subject_token_type").asText(),
                        "subject_token",
                        subject(from.path("credential_source"))));
        return from.has("service_account_impersonation_url") ? impersonated(from, token) : token;
    }

    private String subject(JsonNode source) throws IOException {
        String text;
        if (source.has("file")) {
            text = Files.readString(Path.of(source.get("file").asText()));
        } else if (source.has("url") && !source.has("environment_id")) {
            HttpRequest.Builder request = Http.request(source.get("url").asText());
            source.path("headers")
                    .fields()
                    .forEachRemaining(each ->
                            request.header(each.getKey(), each.getValue().asText()));
            HttpResponse<InputStream> answer = http.send(request);
            text = Http.text(answer);
            if (!Http.isDone(answer)) {
                throw failure("status " + answer.statusCode() + " of "
                        + source.get("url").asText());
            }
        } else {
            throw failure("credentials by a program or by AWS are not known here: give a token, as"
                    + " CLOUDSDK_AUTH_ACCESS_TOKEN=$(gcloud auth print-access-token)");
        }
        JsonNode format = source.path("format");
        return format.path("type").asText().equals("json")
                ? Tokens.json(text)
                        .path(format.path("subject_token_field_name").asText())
                        .asText()
                : text.trim();
    }

    private Token impersonated(JsonNode from, Token own) throws IOException {
        String url = from.path("service_account_impersonation_url").asText();
        JsonNode answer = Tokens.json(http.send(Http.request(url)
                .header("Authorization", "Bearer " + own.value())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"scope\": [\"" + SCOPE + "\"]}"))));
        long seconds =
                Instant.now().until(Instant.parse(answer.path("expireTime").asText()), ChronoUnit.SECONDS);
        return new Token(answer.path("accessToken").asText(), seconds);
    }
}
