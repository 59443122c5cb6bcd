package io.overdrive.cli.watch;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options about how a run is watched, shared by the commands that move data. Confined to the thread of the command. */
public final class WatchMixin {
    private static final String DEFAULT_ADDRESS = "127.0.0.1";

    /** How progress is shown. */
    enum Form {
        LINE,
        JSON,
        NONE
    }

    @Option(
            names = "--progress",
            paramLabel = "line|json|none",
            description =
                    "How to show progress on standard error: a line, an object of JSON each second for programs, or"
                            + " not at all. Default: line.")
    private Form progressForm = Form.LINE;

    @Option(
            names = "--log-file",
            paramLabel = "FILE",
            description = "Append a log of the run to FILE: its options and plan, nodes that go down, retries, rejects,"
                    + " warnings, errors and the summary. A new file is for its owner only.")
    private @Nullable Path logFile;

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description =
                    "Let Prometheus read the metrics of the run at this port, at http://127.0.0.1:PORT/metrics; 0 for"
                            + " any free port.")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--metrics-address",
            paramLabel = "ADDRESS",
            description = "The address of this machine for --metrics-port; 0.0.0.0 for all. Default: 127.0.0.1.")
    private @Nullable String metricsAddress;

    @Option(
            names = "--metrics-file",
            paramLabel = "FILE",
            description =
                    "Write the metrics of the run to FILE, every 15 s and at the end, for the textfile collector of"
                            + " node_exporter, which needs a name that ends in .prom.")
    private @Nullable Path metricsFile;

    /**
     * Begins the log and the metrics that the options ask for.
     *
     * @param named keyspace and name of the table; null for a statement
     * @throws IllegalArgumentException if the endpoint or a file is impossible
     */
    public Watch open(CommandSpec command, CqlIdentifier @Nullable [] named) {
        if (metricsAddress != null && metricsPort == null) {
            throw new IllegalArgumentException("--metrics-address needs --metrics-port");
        }
        return new Watch(command, named, this);
    }

    Form progressForm() {
        return progressForm;
    }

    @Nullable Path logFile() {
        return logFile;
    }

    /** The port of the endpoint; null if there is none. */
    @Nullable Integer metricsPort() {
        return metricsPort;
    }

    String metricsAddress() {
        return metricsAddress == null ? DEFAULT_ADDRESS : metricsAddress;
    }

    @Nullable Path metricsFile() {
        return metricsFile;
    }
}
