package io.overdrive.cli.watch;

import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where Prometheus reads the metrics of a run, in the format that it asks for. Thread-safe. */
final class MetricsEndpoint implements AutoCloseable {
    private final HTTPServer server;
    private final String address;

    private MetricsEndpoint(HTTPServer server, String address) {
        this.server = server;
        this.address = address;
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
