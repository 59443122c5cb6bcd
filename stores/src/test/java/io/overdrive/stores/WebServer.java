package io.overdrive.stores;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A web server whose files are in memory. Thread-safe. */
public final class WebServer implements AutoCloseable {
    /** The abilities of a server. */
    public enum Kind {
        RANGES,
        /** Sends the beginning of a file for any part, as a broken cache does. */
        WRONG_RANGES,
        /** Sends all of a file, and its length. */
        NO_RANGES,
        /** Sends all of a file, and its length is in no header. */
        CHUNKED
    }

    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final Map<String, String> versions = new ConcurrentHashMap<>();
    private final Kind kind;
    private volatile @Nullable String query;

    public WebServer(Kind kind) throws IOException {
        this.kind = kind;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** @param version the ETag; empty for none */
    public void put(String path, byte[] content, String version) {
        files.put(path, content);
        versions.put(path, version);
    }

    /** Refuses requests without this query, and all but GET, as a signed URL does. */
    public void require(String wanted) {
        query = wanted;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] content = files.get(path);
            boolean isSigned = query == null
                    || (exchange.getRequestMethod().equals("GET")
                            && query.equals(exchange.getRequestURI().getRawQuery()));
            if (path.startsWith("/moved/")) {
                exchange.getResponseHeaders().add("Location", path.substring("/moved".length()));
                exchange.sendResponseHeaders(302, -1);
            } else if (!isSigned) {
                exchange.sendResponseHeaders(403, -1);
            } else if (content == null) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                send(exchange, content, versions.getOrDefault(path, ""));
            }
        }
    }

    private void send(HttpExchange exchange, byte[] content, String version) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        if (!version.isEmpty()) {
            headers.add("ETag", version);
        }
        if (exchange.getRequestURI().getPath().startsWith("/page")) {
            headers.add("Content-Type", "text/html; charset=utf-8");
        }
        String wanted = exchange.getRequestHeaders().getFirst("If-Match");
        if (wanted != null && !wanted.equals(version)) {
            exchange.sendResponseHeaders(412, -1);
            return;
        }
        String range = exchange.getRequestHeaders().getFirst("Range");
        Matcher part = RANGE.matcher(range == null ? "" : range);
        boolean hasRanges = kind == Kind.RANGES || kind == Kind.WRONG_RANGES;
        if (!hasRanges || !part.matches()) {
            exchange.sendResponseHeaders(200, kind == Kind.CHUNKED ? 0 : content.length == 0 ? -1 : content.length);
            exchange.getResponseBody().write(content);
            return;
        }
        int from = kind == Kind.WRONG_RANGES ? 0 : Integer.parseInt(part.group(1));
        int to = Math.min(Integer.parseInt(part.group(2)) + 1, content.length);
        if (from >= content.length) {
            headers.add("Content-Range", "bytes */" + content.length);
            exchange.sendResponseHeaders(416, -1);
            return;
        }
        headers.add("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + content.length);
        exchange.sendResponseHeaders(206, to - from);
        exchange.getResponseBody().write(Arrays.copyOfRange(content, from, to));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
