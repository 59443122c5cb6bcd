package io.overdrive.stores;

import com.sun.net.httpserver.Headers;
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
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The part of Azure's Blob Storage that is used, as its documentation describes it, with one container in memory. Thread-safe. */
public final class FakeAzure implements AutoCloseable {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
    private static final Pattern BLOCK = Pattern.compile("<Uncommitted>([^<]+)</Uncommitted>");
    private static final String MODIFIED = "Fri, 02 Jan 2026 03:04:05 GMT";

    /** @param isDirectory as accounts with a hierarchical namespace have them */
    private record Stored(byte[] content, String version, boolean isDirectory) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String root;
    private final TreeMap<String, Stored> objects = new TreeMap<>();
    private final Map<String, byte[]> blocks = new HashMap<>();
    private int versions;

    public FakeAzure(String account, String container) throws IOException {
        root = "/" + account + "/" + container;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    synchronized void createDirectory(String key) {
        objects.put(key, new Stored(new byte[0], "\"0x" + ++versions + "\"", /* isDirectory */ true));
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            Map<String, String> query = query(exchange.getRequestURI());
            synchronized (this) {
                if (path.equals(root) && "list".equals(query.get("comp"))) {
                    list(exchange, query);
                } else if (path.startsWith(root + "/")) {
                    object(exchange, decoded(path.substring(root.length() + 1)), query, body);
                } else {
                    refuse(exchange, 404, "ContainerNotFound");
                }
            }
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        for (String each :
                uri.getRawQuery() == null ? new String[0] : uri.getRawQuery().split("&")) {
            String[] parts = each.split("=", 2);
            query.put(parts[0], decoded(parts[1]));
        }
        return query;
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead) {
            exchange.getResponseHeaders().add("Content-Length", Integer.toString(body.length));
        }
        exchange.sendResponseHeaders(status, isHead || body.length == 0 ? -1 : body.length);
        if (!isHead) {
            exchange.getResponseBody().write(body);
        }
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        exchange.getResponseHeaders().add("x-ms-error-code", code);
        answer(exchange, status, new byte[0]);
    }

    private void object(HttpExchange exchange, String key, Map<String, String> query, byte[] body) throws IOException {
        Headers request = exchange.getRequestHeaders();
        Stored known = objects.get(key);
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                if ("block".equals(query.get("comp"))) {
                    blocks.put(key + " " + query.get("blockid"), body);
                    answer(exchange, 201, new byte[0]);
                } else if ("blocklist".equals(query.get("comp"))) {
                    commit(exchange, key, new String(body, StandardCharsets.UTF_8));
                } else if ("*".equals(request.getFirst("If-None-Match")) && known != null) {
                    refuse(exchange, 409, "BlobAlreadyExists");
                } else {
                    put(exchange, key, body);
                }
            }
            case "DELETE" -> {
                if (objects.remove(key) == null) {
                    refuse(exchange, 404, "BlobNotFound");
                } else {
                    answer(exchange, 202, new byte[0]);
                }
            }
            default -> get(exchange, known);
        }
    }

    private void put(HttpExchange exchange, String key, byte[] content) throws IOException {
        Stored object = new Stored(content, "\"0x" + ++versions + "\"", /* isDirectory */ false);
        objects.put(key, object);
        exchange.getResponseHeaders().add("ETag", object.version);
        answer(exchange, 201, new byte[0]);
    }

    private void commit(HttpExchange exchange, String key, String list) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Matcher each = BLOCK.matcher(list);
        while (each.find()) {
            byte[] block = blocks.remove(key + " " + each.group(1));
            if (block == null) {
                refuse(exchange, 400, "InvalidBlockList");
                return;
            }
            all.write(block);
        }
        put(exchange, key, all.toByteArray());
    }

    private static void get(HttpExchange exchange, @Nullable Stored object) throws IOException {
        Headers request = exchange.getRequestHeaders();
        if (object == null) {
            refuse(exchange, 404, "BlobNotFound");
            return;
        }
        exchange.getResponseHeaders().add("ETag", object.version);
        exchange.getResponseHeaders().add("Last-Modified", MODIFIED);
        if (object.isDirectory) {
            exchange.getResponseHeaders().add("x-ms-meta-hdi_isfolder", "true");
        }
        String wanted = request.getFirst("If-Match");
        if (wanted != null && !wanted.equals(object.version)) {
            refuse(exchange, 412, "ConditionNotMet");
            return;
        }
        Matcher part = RANGE.matcher(request.containsKey("x-ms-range") ? request.getFirst("x-ms-range") : "");
        if (part.matches()) {
            int to = Math.min(object.content.length, Integer.parseInt(part.group(2)) + 1);
            answer(exchange, 206, Arrays.copyOfRange(object.content, Integer.parseInt(part.group(1)), to));
        } else {
            answer(exchange, 200, object.content);
        }
    }

    private void list(HttpExchange exchange, Map<String, String> query) throws IOException {
        String prefix = query.getOrDefault("prefix", "");
        boolean enters = !query.containsKey("delimiter");
        StringBuilder xml = new StringBuilder("\uFEFF<?xml version=\"1.0\" encoding=\"utf-8\"?>")
                .append("<EnumerationResults><Blobs>");
        int count = 0;
        String next = "";
        String last = "";
        for (Map.Entry<String, Stored> each :
                objects.tailMap(query.getOrDefault("marker", ""), true).entrySet()) {
            String key = each.getKey();
            int slash = key.indexOf('/', prefix.length());
            String directory = enters || slash < 0 ? "" : key.substring(0, slash + 1);
            if (!key.startsWith(prefix) || (!directory.isEmpty() && directory.equals(last))) {
                continue;
            }
            if (count++ == Integer.parseInt(query.get("maxresults"))) {
                next = key;
                break;
            }
            last = directory;
            String name = (directory.isEmpty() ? key : directory).replace("&", "&amp;");
            xml.append(
                    directory.isEmpty()
                            ? "<Blob><Name>" + name + "</Name><Properties><Last-Modified>" + MODIFIED
                                    + "</Last-Modified><Etag>"
                                    + each.getValue().version.replace("\"", "")
                                    + "</Etag><Content-Length>" + each.getValue().content.length
                                    + "</Content-Length>"
                                    + (each.getValue().isDirectory ? "<ResourceType>directory</ResourceType>" : "")
                                    + "</Properties></Blob>"
                            : "<BlobPrefix><Name>" + name + "</Name></BlobPrefix>");
        }
        xml.append("</Blobs><NextMarker>").append(next).append("</NextMarker></EnumerationResults>");
        answer(exchange, 200, xml.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
