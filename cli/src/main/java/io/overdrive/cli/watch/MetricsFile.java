package io.overdrive.cli.watch;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file for node_exporter's textfile collector, which reads Prometheus' text format: replaced as a whole, so that it is never
 * read half-written. Immutable.
 */
final class MetricsFile {
    private final Path path;
    private final Path next;

    MetricsFile(Path path) {
        this.path = path;
        this.next = path.resolveSibling(
                "." + path.getFileName() + "." + ProcessHandle.current().pid());
    }

    Path path() {
        return path;
    }

    /** Replaces the file. Readable for others, as node_exporter runs as another user. */
    void write(MetricSnapshots metrics) throws IOException {
        try {
            try (OutputStream out = Files.newOutputStream(next)) {
                PrometheusTextFormatWriter.create().write(out, metrics);
            }
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
    }
}
