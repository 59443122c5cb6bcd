package io.overdrive.stores;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Access tokens, each of which is used until shortly before its end. Thread-safe. */
final class Tokens implements Credentials {
    private static final long MARGIN_SECONDS = 300;
    private static final long NANOS = 1_000_000_000;

    /** @param seconds from now until its end */
    record Token(String value, long seconds) {
        /** The token of an answer as OAuth 2 has it. */
        static Token of(JsonNode answer) throws IOException {
            String value = answer.path("access_token").asText();
            if (value.isEmpty()) {
                throw new IOException("an answer without an access token");
            }
            return new Token(value, answer.path("expires_in").asLong(MARGIN_SECONDS));
        }
    }

    /** Requests a token. */
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
            Token token = source.request();
            known = token.value;
            value = known;
            endNanos = System.nanoTime() + Math.max(1, token.seconds - MARGIN_SECONDS) * NANOS;
        }
        return known;
    }

    @Override
    public HttpRequest sign(HttpRequest request) throws IOException {
        return HttpRequest.newBuilder(request, (name, text) -> true)
                .setHeader("Authorization", "Bearer " + value())
                .build();
    }

    @Override
    public synchronized boolean renew() {
        value = null;
        return true;
    }

    @Override
    public String advice() {
        return "the credentials have no such right";
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
