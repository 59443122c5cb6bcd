package io.overdrive.stores;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The part of the JSON API of Google Cloud Storage that is used, as its documentation describes it, with one bucket in memory. Thread-safe. */
public final class FakeGcs implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
    private static final Pattern PART = Pattern.compile("bytes (?:(\\d+)-(\\d+)|\\*)/(\\d+)");

    private record Stored(byte[] content, long generation) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String bucket;
    private final TreeMap<String, Stored> objects = new TreeMap<>();
    private final Map<String, ByteArrayOutputStream> uploads = new HashMap<>();
    private final AtomicReference<String> token = new AtomicReference<>("");
    private long generations;

    public FakeGcs(String bucket) throws IOException {
        this.bucket = bucket;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Refuses requests without this token. */
    void require(String wanted) {
        token.set(wanted);
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        try (exchange) {
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            String wanted = String.valueOf(token.get());
            if (!wanted.isEmpty() && !("Bearer " + wanted).equals(authorization)) {
                refuse(exchange, 401, "Invalid Credentials");
                return;
            }
            String path = exchange.getRequestURI().getRawPath();
            Map<String, String> query = query(exchange.getRequestURI());
            String objectsPath = "/storage/v1/b/" + bucket + "/o";
            synchronized (this) {
                if (path.equals("/upload" + objectsPath)) {
                    upload(exchange, query, body);
                } else if (path.equals(objectsPath)) {
                    list(exchange, query);
                } else if (path.startsWith(objectsPath + "/")) {
                    String key = path.substring(objectsPath.length() + 1);
                    object(exchange, URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8), query);
                } else {
                    refuse(exchange, 404, "The specified bucket does not exist.");
                }
            }
        }
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        for (String each :
                uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&")) {
            String[] parts = each.split("=", 2);
            query.put(parts[0], URLDecoder.decode(parts[1].replace("+", "%2B"), StandardCharsets.UTF_8));
        }
        return query;
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    private static void refuse(HttpExchange exchange, int status, String message) throws IOException {
        ObjectNode error = JSON.createObjectNode();
        error.putObject("error").put("code", status).put("message", message);
        answer(exchange, status, JSON.writeValueAsBytes(error));
    }

    private static ObjectNode description(String key, Stored object) {
        return JSON.createObjectNode()
                .put("name", key)
                .put("size", Integer.toString(object.content.length))
                .put("updated", "2026-01-02T03:04:05.678Z")
                .put("generation", Long.toString(object.generation));
    }

    private void upload(HttpExchange exchange, Map<String, String> query, byte[] body) throws IOException {
        String key = String.valueOf(query.get("name"));
        String session = query.get("upload_id");
        if (session != null) {
            part(exchange, key, session, body);
        } else if ("resumable".equals(query.get("uploadType"))) {
            uploads.put("s" + uploads.size(), new ByteArrayOutputStream());
            exchange.getResponseHeaders()
                    .add(
                            "Location",
                            endpoint() + exchange.getRequestURI().toString() + "&upload_id=s" + (uploads.size() - 1));
            answer(exchange, 200, new byte[0]);
        } else if (query.containsKey("ifGenerationMatch") && objects.containsKey(key)) {
            refuse(exchange, 412, "At least one of the pre-conditions you specified did not hold.");
        } else {
            put(exchange, key, body);
        }
    }

    private void put(HttpExchange exchange, String key, byte[] content) throws IOException {
        Stored object = new Stored(content, ++generations);
        objects.put(key, object);
        answer(exchange, 200, JSON.writeValueAsBytes(description(key, object)));
    }

    private void part(HttpExchange exchange, String key, String session, byte[] body) throws IOException {
        ByteArrayOutputStream has = Objects.requireNonNull(uploads.get(session));
        Matcher part = PART.matcher(exchange.getRequestHeaders().getFirst("Content-Range"));
        if (!part.matches() || (part.group(1) != null && Integer.parseInt(part.group(1)) > has.size())) {
            refuse(exchange, 400, "Invalid Content-Range");
            return;
        }
        if (part.group(1) != null) {
            int known = has.size() - Integer.parseInt(part.group(1));
            has.write(body, known, Math.max(0, body.length - known));
        }
        if (has.size() == Integer.parseInt(part.group(3))) {
            put(exchange, key, has.toByteArray());
            return;
        }
        if (has.size() > 0) {
            exchange.getResponseHeaders().add("Range", "bytes=0-" + (has.size() - 1));
        }
        answer(exchange, 308, new byte[0]);
    }

    private void list(HttpExchange exchange, Map<String, String> query) throws IOException {
        String prefix = query.getOrDefault("prefix", "");
        boolean enters = !query.containsKey("delimiter");
        int limit = Integer.parseInt(query.get("maxResults"));
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode items = answer.putArray("items");
        ArrayNode prefixes = answer.putArray("prefixes");
        @Nullable String last = null;
        for (String key :
                objects.tailMap(query.getOrDefault("pageToken", ""), false).keySet()) {
            int slash = key.indexOf('/', prefix.length());
            String directory = enters || slash < 0 ? "" : key.substring(0, slash + 1);
            if (!key.startsWith(prefix) || (last != null && !directory.isEmpty() && last.startsWith(directory))) {
                continue;
            }
            if (items.size() + prefixes.size() == limit) {
                answer.put("nextPageToken", last);
                break;
            }
            last = directory.isEmpty() ? key : directory + '\uFFFF';
            if (directory.isEmpty()) {
                items.add(description(key, Objects.requireNonNull(objects.get(key))));
            } else {
                prefixes.add(directory);
            }
        }
        answer(exchange, 200, JSON.writeValueAsBytes(answer));
    }

    private void object(HttpExchange exchange, String key, Map<String, String> query) throws IOException {
        Stored object = objects.get(key);
        String generation = query.get("generation");
        if (object == null || (generation != null && object.generation != Long.parseLong(generation))) {
            refuse(exchange, 404, "No such object: " + bucket + "/" + key);
        } else if (exchange.getRequestMethod().equals("DELETE")) {
            objects.remove(key);
            answer(exchange, 204, new byte[0]);
        } else if (!"media".equals(query.get("alt"))) {
            answer(exchange, 200, JSON.writeValueAsBytes(description(key, object)));
        } else {
            String range = exchange.getRequestHeaders().getFirst("Range");
            Matcher part = RANGE.matcher(range == null ? "" : range);
            byte[] content = part.matches()
                    ? Arrays.copyOfRange(
                            object.content,
                            Integer.parseInt(part.group(1)),
                            Math.min(object.content.length, Integer.parseInt(part.group(2)) + 1))
                    : object.content;
            answer(exchange, range == null ? 200 : 206, content);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
