package io.overdrive.stores;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Access tokens, each of which is used until shortly before its end. Thread-safe. */
final class Tokens implements Credentials {
    private static final long MARGIN_SECONDS = 300;
    private static final String NO_TOKEN = "no access token: ";
    private static final String BEARER = "Bearer ";
    private static final long NANOS = 1_000_000_000;
    private static final JsonMapper JSON = new JsonMapper();

    /** @param seconds from now until its end */
    record Token(String value, long seconds) {
        /** The token of an answer as OAuth 2 has it. */
        static Token of(JsonNode answer) throws IOException {
            return of(answer, "access_token");
        }

        /** @param name of the field that has the token */
        static Token of(JsonNode answer, String name) throws IOException {
            String value = answer.path(name).asText();
            if (value.isEmpty()) {
                throw new IOException("an answer without an access token");
            } else if (answer.has("expires_in")) {
                return new Token(value, answer.get("expires_in").asLong());
            }
            // seconds since 1970, of a function or of the command line of Azure
            long end = answer.path("expires_on").asLong();
            return new Token(
                    value, end == 0 ? MARGIN_SECONDS : end - Instant.now().getEpochSecond());
        }
    }

    /** Requests a token once: a failure is one of the request that needs the token, and is retried with that. */
    @FunctionalInterface
    interface Source {
        Token request() throws IOException;
    }

    private final Source source;

    @GuardedBy("this") private @Nullable String value;

    @GuardedBy("this") private long endNanos;

    Tokens(Source source) {
        this.source = source;
    }

    synchronized String value() throws IOException {
        String known = value;
        if (known == null || System.nanoTime() - endNanos > 0) {
            Token token = request();
            known = token.value;
            value = known;
            endNanos = System.nanoTime() + Math.max(1, token.seconds - MARGIN_SECONDS) * NANOS;
        }
        return known;
    }

    /** A file or an address that is missing is not the object, and a retry does not help. */
    private Token request() throws IOException {
        try {
            return source.request();
        } catch (NoSuchFileException e) {
            throw failure("there is no file " + e.getFile());
        } catch (FileSystemException e) {
            throw failure(e.getReason() == null ? e.toString() : e.getReason());
        } catch (InterruptedIOException e) {
            throw e;
        } catch (PassingException e) {
            throw new PassingException(NO_TOKEN + e.getMessage(), e.retryAfter(), e);
        } catch (IOException e) {
            throw new IOException(NO_TOKEN + e.getMessage(), e);
        } catch (IllegalArgumentException | DateTimeException e) {
            // its message may have a secret
            throw failure("a URL, a header or a date of the credentials is invalid");
        }
    }

    private static FileSystemException failure(String reason) {
        return new FileSystemException("credentials", null, NO_TOKEN + reason);
    }

    @Override
    public HttpRequest sign(HttpRequest request) throws IOException {
        String token = value();
        try {
            return HttpRequest.newBuilder(request, (name, text) -> true)
                    .setHeader("Authorization", BEARER + token)
                    .build();
        } catch (IllegalArgumentException e) {
            // its message has the token
            throw failure("it has characters that a header cannot have");
        }
    }

    @Override
    public synchronized boolean renew(HttpRequest refused) {
        if (refused.headers().firstValue("Authorization").orElse("").equals(BEARER + value)) {
            value = null;
        } // else another request that was refused has renewed it
        return true;
    }

    @Override
    public String advice() {
        return "the access token is not valid any more, or the credentials have no such right";
    }

    /** The answer of a server of tokens; its failure says why. */
    static JsonNode json(HttpResponse<InputStream> answer) throws IOException {
        String text = Http.text(answer);
        if (Http.isDone(answer)) {
            return json(text);
        }
        String why = "";
        try {
            JsonNode error = json(text);
            why = error.path("error").asText() + " "
                    + error.path("error_description").asText();
        } catch (IOException e) {
            // the status is all that is known
        }
        String host = answer.request().uri().getHost();
        throw new FileSystemException(
                host, null, "status " + answer.statusCode() + " of " + host + (why.isBlank() ? "" : ": " + why.trim()));
    }

    /** A text that may have a secret, so that the failure has no part of it. */
    static JsonNode json(String text) throws IOException {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new FileSystemException("credentials", null, "it is no JSON");
        }
    }

    /** A request whose body is a form. */
    static HttpRequest.Builder form(String url, Map<String, String> fields) {
        String body = fields.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return Http.request(url)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }
}
