package io.overdrive.cli.options;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for connecting to the cluster of the second table, if it is a different one; named after those of {@link ConnectMixin}. */
public final class ToMixin {
    @Option(
            names = "--to-host",
            split = ",",
            paramLabel = "HOST[:PORT]",
            description = "Contact points of the cluster of the second table. Default: the cluster of the first.")
    private List<String> hosts = new ArrayList<>();

    @Option(names = "--to-port", paramLabel = "PORT", description = "Port of hosts of --to-host given without one.")
    private @Nullable Integer port;

    @Option(
            names = "--to-dc",
            paramLabel = "NAME",
            description = "Local data centre of that cluster. Default: that of the given hosts.")
    private @Nullable String datacenter;

    @Option(
            names = "--to-dc-failover",
            paramLabel = "NAME",
            description = "Data centre of that cluster to fail over to. Default: none.")
    private @Nullable String failoverDatacenter;

    @Option(names = "--to-user", paramLabel = "NAME", description = "User name for that cluster.")
    private @Nullable String user;

    @Option(
            names = "--to-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password of --to-user. Default: the environment variable"
                    + " OVERDRIVE_TO_PASSWORD, or a prompt.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--to-tls",
            description = "Encrypt the connection to that cluster, and verify the server's certificate and host name.")
    private boolean tls;

    @Option(names = "--to-tls-any-host", description = "Do not verify host names of that cluster.")
    private boolean anyHost;

    @Option(
            names = "--to-tls-truststore",
            paramLabel = "FILE",
            description = "Certificates to trust for that cluster, PKCS#12 or JKS. Its password:"
                    + " OVERDRIVE_TO_TRUSTSTORE_PASSWORD.")
    private @Nullable Path trustStore;

    @Option(
            names = "--to-tls-keystore",
            paramLabel = "FILE",
            description = "Client certificate and key for that cluster. Its password: OVERDRIVE_TO_KEYSTORE_PASSWORD.")
    private @Nullable Path keyStore;

    @Option(
            names = "--to-driver-config",
            paramLabel = "FILE",
            description = "Configuration file of the Java driver for that cluster.")
    private @Nullable Path driverConfig;

    /** Both connections, which may be the same one. */
    public record Pair(Overdrive first, Overdrive second) implements AutoCloseable {
        @Override
        public void close() {
            if (second != first) {
                second.close();
            }
            first.close();
        }
    }

    /** Checks the options, then connects. */
    public Pair connect(ConnectMixin from, FlowMixin flow, PrintWriter err) {
        ConnectOptions there = options();
        Overdrive first = flow.connect(from.options(err));
        if (there == null) {
            return new Pair(first, first);
        }
        try {
            return new Pair(first, flow.connect(there));
        } catch (RuntimeException e) {
            first.close();
            throw e;
        }
    }

    private @Nullable ConnectOptions options() {
        if (hosts.isEmpty()) {
            if (datacenter != null
                    || failoverDatacenter != null
                    || port != null
                    || user != null
                    || passwordFile != null
                    || tls
                    || anyHost
                    || trustStore != null
                    || keyStore != null
                    || driverConfig != null) {
                throw new IllegalArgumentException("options that begin with --to- need --to-host");
            }
            return null;
        }
        ConnectOptions.Builder builder = ConnectOptions.builder();
        ConnectMixin.contactPoints(builder, "--to-host", hosts, port);
        if (datacenter != null) {
            builder.datacenter(datacenter);
        }
        if (failoverDatacenter != null) {
            builder.failoverDatacenter(failoverDatacenter);
        }
        if (user != null) {
            builder.credentials(
                    user, ConnectMixin.password(user, "--to-password-file", passwordFile, "OVERDRIVE_TO_PASSWORD"));
        } else if (passwordFile != null) {
            throw new IllegalArgumentException("--to-password-file needs --to-user");
        }
        if (tls || trustStore != null || keyStore != null) {
            builder.tls(ConnectMixin.sslContext("--to-tls", trustStore, keyStore, "OVERDRIVE_TO_"));
        }
        if (anyHost) {
            builder.anyHostName();
        }
        if (driverConfig != null) {
            builder.driverConfig(ConnectMixin.readable("--to-driver-config", driverConfig));
        }
        return builder.build();
    }
}
