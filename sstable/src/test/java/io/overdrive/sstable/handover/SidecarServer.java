package io.overdrive.sstable.handover;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.apache.commons.codec.digest.XXHash32;
import org.jspecify.annotations.Nullable;

/**
 * A server with the part of Cassandra Sidecar's API for uploads, on 127.0.0.1, with faults of the test. Records all
 * requests. It imports into a map: {@link #imported}. Thread-safe.
 */
final class SidecarServer implements AutoCloseable {
    /** Answers a request in place of the server. */
    interface Fault {
        void answer(HttpExchange exchange) throws IOException;
    }

    private static final Pattern COMPONENT = Pattern.compile(
            "/api/v1/uploads/([^/]+)/keyspaces/([^/]+)/tables/([^/]+)/components/([a-zA-Z0-9_-]+(?:.db|.crc32|.txt))");
    private static final Pattern IMPORT =
            Pattern.compile("/api/v1/uploads/([^/]+)/keyspaces/([^/]+)/tables/([^/]+)/import");
    private static final Pattern STATS = Pattern.compile("/api/v1/cassandra/keyspaces/([^/]+)/tables/([^/]+)/stats");
    private static final Pattern UPLOAD = Pattern.compile("/api/v1/uploads/([^/]+)");
    private static final Pattern ID = Pattern.compile("[0-9a-fA-F\\-:]{36,110}");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String table;
    private final Map<String, Map<String, byte[]>> uploads = new ConcurrentHashMap<>();
    private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
    private final List<String> requests = new ArrayList<>();
    private final Map<Integer, Integer> requestsByPort = new ConcurrentHashMap<>();
    private final AtomicInteger uploading = new AtomicInteger();
    private final AtomicInteger maxUploading = new AtomicInteger();
    private volatile CountDownLatch atOnce = new CountDownLatch(0);

    private final AtomicInteger held = new AtomicInteger();
    final Map<String, byte[]> imported = new TreeMap<>();

    /**
     * @param table the only one, as in the path: {@code keyspace/table}
     * @param tls for https, with a client certificate; null for http
     */
    SidecarServer(String table, @Nullable SSLContext tls) throws IOException {
        this.table = table;
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(address, 0);
        } else {
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters all = getSSLContext().getDefaultSSLParameters();
                    all.setNeedClientAuth(true);
                    parameters.setSSLParameters(all);
                }
            });
            server = https;
        }
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                handle(exchange);
            }
        });
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Has the next requests for a component, {@code import}, {@code cleanup}, {@code health} or {@code stats} end otherwise, in this order. */
    void next(String what, Fault... ends) {
        faults.computeIfAbsent(what, key -> new ArrayDeque<>()).addAll(List.of(ends));
    }

    /** Holds uploads until there are so many at once. */
    void awaitUploadsAtOnce(int count) {
        atOnce = new CountDownLatch(count);
    }

    int maxUploadsAtOnce() {
        return maxUploading.get();
    }

    /** All requests, in the order of their answers, with ID for the uploads. */
    List<String> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    /** Number of requests whose path ends with this. */
    long requests(String end) {
        return requests().stream().filter(request -> request.endsWith(end)).count();
    }

    /** Number of requests that came over the connection from this port. */
    int requestsOf(int port) {
        return requestsByPort.getOrDefault(port, 0);
    }

    /** Number of requests that were {@linkplain #hold held}. */
    int held() {
        return held.get();
    }

    /** Neither reads nor answers, as Sidecar does once it has refused a file. */
    void hold(HttpExchange exchange) throws IOException {
        held.incrementAndGet();
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw new IOException(exchange.getRequestURI() + " was held to the end", e);
        }
    }

    static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    static void fail(HttpExchange exchange, int status, String message) throws IOException {
        answer(exchange, status, "{\"status\":\"Fail\",\"code\":" + status + ",\"message\":\"" + message + "\"}");
    }

    private void handle(HttpExchange exchange) throws IOException {
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        synchronized (requests) {
            requests.add(request.replaceFirst("/uploads/[^/]+", "/uploads/ID"));
        }
        requestsByPort.merge(exchange.getRemoteAddress().getPort(), 1, Integer::sum);
        String path = exchange.getRequestURI().getRawPath();
        Matcher component = COMPONENT.matcher(path);
        Matcher imports = IMPORT.matcher(path);
        Matcher upload = UPLOAD.matcher(path);
        if (component.matches() && request.startsWith("PUT ")) {
            if (!isFault(component.group(4), exchange)) {
                upload(exchange, component);
            }
        } else if (imports.matches() && request.startsWith("PUT ")) {
            if (!isFault("import", exchange)) {
                importUpload(exchange, imports);
            }
        } else if (upload.matches() && request.startsWith("DELETE ")) {
            if (!isFault("cleanup", exchange)) {
                answer(exchange, uploads.remove(upload.group(1)) == null ? 404 : 200, "");
            }
        } else if (STATS.matcher(path).matches() && request.startsWith("GET ")) {
            if (!isFault("stats", exchange)) {
                stats(exchange);
            }
        } else if (path.equals("/api/v1/cassandra/jmx/__health") && request.startsWith("GET ")) {
            if (!isFault("health", exchange)) {
                answer(exchange, 200, "{\"status\":\"OK\"}");
            }
        } else {
            fail(exchange, 404, "no such endpoint: " + request);
        }
    }

    private boolean isFault(String what, HttpExchange exchange) throws IOException {
        Queue<Fault> ends = faults.get(what);
        Fault fault;
        if (ends == null) {
            return false;
        }
        synchronized (ends) {
            fault = ends.poll();
        }
        if (fault != null) {
            fault.answer(exchange);
        }
        return fault != null;
    }

    private void upload(HttpExchange exchange, Matcher path) throws IOException {
        maxUploading.accumulateAndGet(uploading.incrementAndGet(), Math::max);
        try {
            atOnce.countDown();
            if (!atOnce.await(30, TimeUnit.SECONDS)) {
                fail(exchange, 400, "too few uploads at once");
                return;
            }
            byte[] bytes = exchange.getRequestBody().readAllBytes();
            XXHash32 hash = new XXHash32();
            hash.update(bytes, 0, bytes.length);
            String digest = exchange.getRequestHeaders().getFirst("cassandra-content-xxhash32");
            if (!ID.matcher(path.group(1)).matches()) {
                fail(exchange, 400, "Invalid upload id is supplied, uploadId=" + path.group(1));
            } else if (!table.equals(path.group(2) + "/" + path.group(3))) {
                fail(exchange, 400, "Invalid keyspace or table");
            } else if (digest != null && !digest.equals(Long.toHexString(hash.getValue()))) {
                fail(exchange, 455, "Digest mismatch. expected_digest=" + digest + ", algorithm=XXHash32");
            } else if (digest == null
                    && !exchange.getRequestHeaders().getFirst("User-Agent").startsWith("curl")) {
                fail(exchange, 400, "no digest");
            } else {
                uploads.computeIfAbsent(path.group(1), id -> new ConcurrentHashMap<>())
                        .put(path.group(4), bytes);
                answer(
                        exchange,
                        200,
                        "{\"uploadId\":\"" + path.group(1) + "\",\"uploadSizeBytes\":" + bytes.length
                                + ",\"serviceTimeMillis\":1}");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            uploading.decrementAndGet();
        }
    }

    private void importUpload(HttpExchange exchange, Matcher path) throws IOException {
        Map<String, byte[]> files = uploads.remove(path.group(1)); // Sidecar deletes what was imported
        if (files == null) {
            fail(exchange, 404, "/staging/" + path.group(1));
            return;
        }
        imported.putAll(files);
        answer(
                exchange,
                200,
                "{\"success\":true,\"uploadId\":\"" + path.group(1) + "\",\"keyspace\":\"" + path.group(2)
                        + "\",\"tableName\":\"" + path.group(3) + "\"}");
    }

    /** Reports an import that has found nothing. */
    void importNothing(HttpExchange exchange) throws IOException {
        uploads.remove(exchange.getRequestURI().getPath().split("/")[4]);
        answer(exchange, 200, "{\"success\":true}");
    }

    private void stats(HttpExchange exchange) throws IOException {
        long count = imported.keySet().stream()
                .filter(name -> name.endsWith("-Data.db"))
                .count();
        long bytes = imported.values().stream().mapToLong(file -> file.length).sum();
        answer(
                exchange,
                200,
                "{\"keyspace\":\"ks\",\"table\":\"t\",\"sstableCount\":" + (3 + count)
                        + ",\"diskSpaceUsedBytes\":" + (700 + bytes) + ",\"totalDiskSpaceUsedBytes\":" + (900 + bytes)
                        + ",\"snapshotsSizeBytes\":0}");
    }

    /** Uploads that are not deleted. */
    int uploadsLeft() {
        return uploads.size();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
