package io.overdrive.cli.options;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.WireCompression;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
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
            names = "--to-password-command",
            paramLabel = "COMMAND",
            description = "Command of the shell; the first line of its output is the password of --to-user.")
    private @Nullable String passwordCommand;

    @Option(names = "--to-password", hidden = true)
    private @Nullable String password;

    @Option(
            names = "--to-tls",
            description = "Encrypt the connection to that cluster, and verify the server's certificate and host name.")
    private boolean tls;

    @Option(names = "--to-tls-any-host", description = "As --to-tls, without verifying host names.")
    private boolean anyHost;

    @Option(names = "--to-tls-ca", paramLabel = "FILE", description = "Certificates to trust for that cluster, PEM.")
    private @Nullable Path authorities;

    @Option(
            names = "--to-tls-cert",
            paramLabel = "FILE",
            description = "Client certificate for that cluster, PEM; needs --to-tls-key.")
    private @Nullable Path certificate;

    @Option(
            names = "--to-tls-key",
            paramLabel = "FILE",
            description = "Key of --to-tls-cert, PEM. If it is encrypted, its password: OVERDRIVE_TO_TLS_KEY_PASSWORD.")
    private @Nullable Path key;

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
            names = "--to-tls-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password of that key and of those stores.")
    private @Nullable Path tlsPasswordFile;

    @Option(
            names = "--to-tls-password-command",
            paramLabel = "COMMAND",
            description =
                    "Command of the shell; the first line of its output is the password of that key and of those stores.")
    private @Nullable String tlsPasswordCommand;

    @Option(names = "--to-truststore-password", hidden = true)
    private @Nullable String trustStorePassword;

    @Option(names = "--to-keystore-password", hidden = true)
    private @Nullable String keyStorePassword;

    @Option(names = "--to-tls-key-password", hidden = true)
    private @Nullable String keyPassword;

    @Option(
            names = "--to-bundle",
            paramLabel = "FILE",
            description = "Secure connect bundle of Astra for that cluster, instead of --to-host.")
    private @Nullable Path bundle;

    @Option(
            names = "--to-wire-compression",
            paramLabel = "none|lz4|snappy",
            description = "Compress requests to that cluster and its answers. Default: none.")
    private WireCompression wireCompression = WireCompression.NONE;

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
    public Pair connect(ConnectMixin from, Flow flow, PrintWriter err) {
        ConnectOptions there = options(from.timeout());
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

    /** Null if it is the cluster of the first table. */
    @Nullable ConnectOptions options(Duration timeout) {
        TlsFiles files = tlsFiles();
        if (hosts.isEmpty() && bundle == null) {
            if (datacenter != null
                    || failoverDatacenter != null
                    || port != null
                    || user != null
                    || passwordFile != null
                    || passwordCommand != null
                    || tls
                    || anyHost
                    || files.isGiven()
                    || driverConfig != null
                    || wireCompression != WireCompression.NONE) {
                throw new IllegalArgumentException("options that begin with --to- need --to-host or --to-bundle");
            }
            return null;
        }
        if (bundle != null && !hosts.isEmpty()) {
            throw new IllegalArgumentException("--to-bundle and --to-host exclude each other: choose one");
        }
        ConnectOptions.Builder builder =
                ConnectOptions.builder().timeout(timeout).wireCompression(wireCompression);
        if (bundle != null) {
            builder.bundle(ConnectMixin.readable("--to-bundle", bundle));
        }
        ConnectMixin.contactPoints(builder, "--to-host", hosts, port);
        if (datacenter != null) {
            builder.datacenter(datacenter);
        }
        if (failoverDatacenter != null) {
            builder.failoverDatacenter(failoverDatacenter);
        }
        if (user != null) {
            builder.credentials(user, Passwords.ofUser(user, "--to-password", password, passwordFile, passwordCommand));
        } else if (passwordFile != null || passwordCommand != null) {
            throw new IllegalArgumentException(
                    (passwordFile != null ? "--to-password-file" : "--to-password-command") + " needs --to-user");
        }
        if (tls || anyHost || files.isGiven()) {
            builder.tls(files.context());
        }
        if (anyHost) {
            builder.anyHostName();
        }
        if (driverConfig != null) {
            builder.driverConfig(ConnectMixin.readable("--to-driver-config", driverConfig));
        }
        return builder.build();
    }

    private TlsFiles tlsFiles() {
        TlsFiles files = new TlsFiles("--to-tls", "OVERDRIVE_TO_");
        files.trustStore = trustStore;
        files.keyStore = keyStore;
        files.authorities = authorities;
        files.certificate = certificate;
        files.key = key;
        files.trustStorePassword = trustStorePassword;
        files.keyStorePassword = keyStorePassword;
        files.keyPassword = keyPassword;
        files.passwordFile = tlsPasswordFile;
        files.passwordCommand = tlsPasswordCommand;
        return files;
    }
}
