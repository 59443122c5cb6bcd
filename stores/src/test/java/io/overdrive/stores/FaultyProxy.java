package io.overdrive.stores;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Passes requests to a server that checks no signatures, apart from those that a test wants to fail. Thread-safe. */
final class FaultyProxy implements AutoCloseable {
    /** The end of a request. */
    enum Fault {
        NONE,
        /** The answer of a store that throttles. */
        SLOW_DOWN,
        /** The answer of a store whose server has failed. */
        INTERNAL_ERROR,
        /** The answer to credentials that were valid before. */
        EXPIRED,
        /** The answer to a token that was valid before. */
        UNAUTHORIZED,
        /** Half of the body, and then the end of the connection. */
        CUT_BODY,
        /** The end of the connection, without an answer. */
        CUT,
        /** The end of the connection after the request was carried out. */
        ANSWER_LOST
    }

    private static final Set<String> OWN =
            Set.of("connection", "content-length", "expect", "host", "upgrade", "transfer-encoding");
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final int SERVER_ERROR = 500;
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = HttpClient.newHttpClient();
    private final URI target;
    private final IntFunction<Fault> faults;
    private final AtomicInteger requests = new AtomicInteger();

    /** @param faults of each request by its number, from 1 */
    FaultyProxy(URI target, IntFunction<Fault> faults) throws IOException {
        this.target = target;
        this.faults = faults;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    int requests() {
        return requests.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        Fault fault = faults.apply(requests.incrementAndGet());
        byte[] body = exchange.getRequestBody().readAllBytes();
        switch (fault) {
            case SLOW_DOWN -> refuse(exchange, SERVICE_UNAVAILABLE, "SlowDown");
            case INTERNAL_ERROR -> refuse(exchange, SERVER_ERROR, "InternalError");
            case UNAUTHORIZED -> refuse(exchange, UNAUTHORIZED, "Unauthorized");
            case EXPIRED -> refuse(exchange, BAD_REQUEST, "ExpiredToken");
            case CUT -> exchange.close();
            default -> pass(exchange, body, fault);
        }
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        byte[] error = ("<Error><Code>" + code + "</Code><Message>as the test wants</Message></Error>")
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/xml");
        exchange.getResponseHeaders().add("Retry-After", "2");
        exchange.sendResponseHeaders(status, error.length);
        try (OutputStream to = exchange.getResponseBody()) {
            to.write(error);
        }
    }

    private void pass(HttpExchange exchange, byte[] body, Fault fault) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(target + exchange.getRequestURI().toString()))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        HttpResponse<byte[]> answer;
        try {
            answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            exchange.close();
            return;
        }
        if (fault == Fault.ANSWER_LOST) {
            exchange.close();
            return;
        }
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        answer.headers().map().forEach((name, values) -> {
            if (isHead || !OWN.contains(name.toLowerCase(Locale.ROOT))) {
                // the place of an upload is here, too
                values.forEach(value -> exchange.getResponseHeaders()
                        .add(name, value.replace(target.toString(), endpoint().toString())));
            }
        });
        int length = answer.body().length;
        exchange.sendResponseHeaders(answer.statusCode(), isHead || length == 0 ? -1 : length);
        if (!isHead && length > 0) {
            exchange.getResponseBody().write(answer.body(), 0, fault == Fault.CUT_BODY ? length / 2 : length);
            exchange.getResponseBody().flush();
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
