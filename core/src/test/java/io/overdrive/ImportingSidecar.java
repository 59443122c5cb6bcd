package io.overdrive;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The part of Cassandra Sidecar that has a node of this host import uploads, over JMX. Thread-safe. Public for the tests of overdrive-cli
 * and overdrive-spark.
 */
public final class ImportingSidecar implements AutoCloseable {
    private interface Call {
        Object on(MBeanServerConnection node) throws IOException, JMException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Path staging;
    private final JMXServiceURL jmx;
    private final Map<String, Boolean> imports = new HashMap<>();
    private volatile boolean refuses;
    private volatile boolean ignores;

    /**
     * @param staging an empty directory
     * @param jmx address and port of the node's JMX
     */
    public ImportingSidecar(Path staging, String jmx) throws IOException {
        this.staging = staging;
        this.jmx = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + jmx + "/jmxrmi");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/api/v1/cassandra/jmx/__health", exchange -> answer(exchange, 200));
        server.createContext("/api/v1/cassandra/keyspaces/", this::stats);
        server.createContext("/api/v1/uploads/", this::handle);
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Whether imports fail. */
    public void refuse(boolean value) {
        refuses = value;
    }

    /** Whether imports do nothing, and are reported as done. */
    public void ignore(boolean value) {
        ignores = value;
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        answer(exchange, status, "{}");
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(status, json.length());
            exchange.getResponseBody().write(json.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** {@code /api/v1/uploads/ID[/keyspaces/KS/tables/T/(import|components/FILE)]}. */
    private void handle(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/");
        Path upload = staging.resolve(path[4]);
        if (exchange.getRequestMethod().equals("DELETE")) {
            delete(upload);
            answer(exchange, 200);
            return;
        }
        Path directory = upload.resolve(path[6]).resolve(path[8]);
        if (path[9].equals("components")) {
            Files.createDirectories(directory);
            Files.copy(exchange.getRequestBody(), directory.resolve(path[10]));
            answer(exchange, 200);
        } else {
            int status = importFrom(path[4], path[6], path[8], directory);
            if (status == 200) {
                delete(upload);
            }
            answer(exchange, status, status == 500 ? "{\"message\":\"Failed to import from directories\"}" : "{}");
        }
    }

    /** The first call begins the import, the second says how it ended. */
    private synchronized int importFrom(String id, String keyspace, String table, Path directory) throws IOException {
        Boolean isImported = imports.get(id);
        if (isImported != null) {
            return isImported ? 200 : 500;
        }
        imports.put(id, !refuses && (ignores || importByJmx(keyspace, table, directory)));
        return 202;
    }

    private boolean importByJmx(String keyspace, String table, Path directory) throws IOException {
        Object[] arguments = {Set.of(directory.toString()), true, true, true, true, true, false, false};
        String[] types = Stream.concat(
                        Stream.of(Set.class.getName()), IntStream.range(1, 8).mapToObj(i -> boolean.class.getName()))
                .toArray(String[]::new);
        String bean = "org.apache.cassandra.db:type=Tables,keyspace=" + keyspace + ",table=" + table;
        return ((Collection<?>) call(node -> node.invoke(new ObjectName(bean), "importNewSSTables", arguments, types)))
                .isEmpty();
    }

    @SuppressWarnings("BanJNDI") // of a node that the test has started
    private Object call(Call call) throws IOException {
        try (JMXConnector connector = JMXConnectorFactory.connect(jmx)) {
            return call.on(connector.getMBeanServerConnection());
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    /** {@code /api/v1/cassandra/keyspaces/KS/tables/T/stats}. */
    private void stats(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/");
        String body = "{\"sstableCount\":" + metric(path[5], path[7], "LiveSSTableCount", "Value")
                + ",\"totalDiskSpaceUsedBytes\":" + metric(path[5], path[7], "TotalDiskSpaceUsed", "Count") + "}";
        answer(exchange, 200, body);
    }

    private Object metric(String keyspace, String table, String name, String attribute) throws IOException {
        String bean =
                "org.apache.cassandra.metrics:type=Table,keyspace=" + keyspace + ",scope=" + table + ",name=" + name;
        return call(node -> node.getAttribute(new ObjectName(bean), attribute));
    }

    private static void delete(Path top) throws IOException {
        if (Files.exists(top)) {
            List<Path> all;
            try (Stream<Path> walk = Files.walk(top)) {
                all = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path each : all) {
                Files.delete(each);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
