package io.overdrive.cli.watch;

import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where Prometheus reads the metrics of a run, in the format that it asks for. Thread-safe.
 *
 * <p>A thread waits for the rest of each request that has begun. So no reader waits for another one until {@link #MAX_READERS} have
 * begun requests; further connections are closed until one of these ends, at the latest when its time is up.
 */
final class MetricsEndpoint implements AutoCloseable {
    private static final int MAX_READERS = 64;
    private static final long IDLE_SECONDS = 10;

    static {
        // the server of the JDK reads these once, and without them waits for as long as a client does
        limit("sun.net.httpserver.maxReqTime");
        limit("sun.net.httpserver.maxRspTime");
    }

    private final HTTPServer server;
    private final String address;

    private MetricsEndpoint(HTTPServer server, String address) {
        this.server = server;
        this.address = address;
    }

    private static void limit(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "10"); // seconds
        }
    }

    private static ExecutorService readers() {
        return new ThreadPoolExecutor(
                0, MAX_READERS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "metrics");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Listens.
     *
     * @param address of this machine
     * @param port 0 for any
     * @throws IllegalArgumentException if that is impossible
     */
    static MetricsEndpoint open(String address, int port, RunMetrics metrics) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("--metrics-port is " + port + ", must be 0 to 65535");
        }
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(metrics);
        try {
            return new MetricsEndpoint(
                    HTTPServer.builder()
                            .inetAddress(InetAddress.getByName(address))
                            .port(port)
                            .registry(registry)
                            .executorService(readers())
                            .buildAndStart(),
                    address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("--metrics-address is \"" + address + "\", which is no address", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "--metrics-port " + port + ": cannot listen on " + address + ":" + port + " (" + e.getMessage()
                            + "); choose another port, or 0 for any free one",
                    e);
        }
    }

    String url() {
        return "http://" + (address.contains(":") ? "[" + address + "]" : address) + ":" + server.getPort()
                + "/metrics";
    }

    @Override
    public void close() {
        server.close();
    }
}
