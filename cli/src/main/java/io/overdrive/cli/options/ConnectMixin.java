package io.overdrive.cli.options;

import io.overdrive.ConnectOptions;
import io.overdrive.WireCompression;
import io.overdrive.local.LocalCluster;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for connecting to the cluster; shared by all commands that need one. */
public final class ConnectMixin {
    private static final long MAX_CONNECT_SECONDS = 3600;

    @Option(
            names = "--host",
            split = ",",
            paramLabel = "HOST[:PORT]",
            description = "Contact points; other nodes are discovered. Default: 127.0.0.1:9042.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port of hosts given without one, and of the --local node. Default: 9042.")
    private @Nullable Integer port;

    @Option(
            names = "--dc",
            paramLabel = "NAME",
            description =
                    "The local data centre, whose nodes get all requests. Those of other data centres get rows only by"
                            + " replication, or if a consistency level without LOCAL waits for them. Default: that of the given"
                            + " hosts.")
    private @Nullable String datacenter;

    @Option(
            names = "--dc-failover",
            paramLabel = "NAME",
            description = "The data centre whose nodes get the requests while no node of the local one is up. Default:"
                    + " none; requests wait for up to --patience.")
    private @Nullable String failoverDatacenter;

    @Option(names = "--local", description = "Connect to the node of overdrive local start, and start it if necessary.")
    private boolean local;

    @Option(names = "--user", paramLabel = "NAME", description = "User name.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password. Default: the environment variable OVERDRIVE_PASSWORD,"
                    + " or a prompt. There is no option for the password itself, because all users of a machine can read"
                    + " its command lines.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--password-command",
            paramLabel = "COMMAND",
            description = "Command of the shell; the first line of its output is the password.")
    private @Nullable String passwordCommand;

    @Option(names = "--password", hidden = true)
    private @Nullable String password;

    @Option(names = "--tls", description = "Encrypt the connection, and verify the server's certificate and host name.")
    private boolean tls;

    @Option(
            names = "--tls-any-host",
            description =
                    "As --tls, without verifying the host name, for certificates without one. Anyone with a trusted"
                            + " certificate can then impersonate the server.")
    private boolean anyHost;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "Certificates to trust, PEM. Default: those of the JDK.")
    private @Nullable Path authorities;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Client certificate, PEM, if the server requires client authentication; needs --tls-key.")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Key of --tls-cert, PEM: PKCS#8, PKCS#1 or SEC 1. If it is encrypted, its password:"
                    + " OVERDRIVE_TLS_KEY_PASSWORD.")
    private @Nullable Path key;

    @Option(
            names = "--tls-truststore",
            paramLabel = "FILE",
            description = "Certificates to trust, PKCS#12 or JKS. Default: those of the JDK. Its password:"
                    + " OVERDRIVE_TRUSTSTORE_PASSWORD.")
    private @Nullable Path trustStore;

    @Option(
            names = "--tls-keystore",
            paramLabel = "FILE",
            description =
                    "Client certificate and key, PKCS#12 or JKS, if the server requires client authentication. Its"
                            + " password: OVERDRIVE_KEYSTORE_PASSWORD.")
    private @Nullable Path keyStore;

    @Option(
            names = "--tls-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password of the key and of the stores.")
    private @Nullable Path tlsPasswordFile;

    @Option(
            names = "--tls-password-command",
            paramLabel = "COMMAND",
            description =
                    "Command of the shell; the first line of its output is the password of the key and of the stores.")
    private @Nullable String tlsPasswordCommand;

    @Option(names = "--truststore-password", hidden = true)
    private @Nullable String trustStorePassword;

    @Option(names = "--keystore-password", hidden = true)
    private @Nullable String keyStorePassword;

    @Option(names = "--tls-key-password", hidden = true)
    private @Nullable String keyPassword;

    @Option(
            names = "--bundle",
            paramLabel = "FILE",
            description = "Secure connect bundle of Astra: hosts, data centre, certificates and key in one file.")
    private @Nullable Path bundle;

    @Option(
            names = "--wire-compression",
            paramLabel = "none|lz4|snappy",
            description = "Compress requests and answers. Default: none.")
    private WireCompression wireCompression = WireCompression.NONE;

    @Option(
            names = "--driver-config",
            paramLabel = "FILE",
            description = "Configuration file of the Java driver (application.conf). Its settings take precedence.")
    private @Nullable Path driverConfig;

    @Option(
            names = "--connect-timeout",
            paramLabel = "SECONDS",
            description = "Timeout for connecting and for each setup request. Default: 30.")
    private long connectTimeout = 30;

    /** Whether the user named a cluster. */
    public boolean isGiven() {
        return local || !hosts.isEmpty() || bundle != null;
    }

    /** Starts the local node if requested. */
    public ConnectOptions options(PrintWriter err) {
        if (local && !hosts.isEmpty()) {
            throw new IllegalArgumentException("--local and --host exclude each other: choose one");
        }
        if (bundle != null && (local || !hosts.isEmpty())) {
            throw new IllegalArgumentException(
                    "--bundle and " + (local ? "--local" : "--host") + " exclude each other: choose one");
        }
        ConnectOptions.Builder builder = ConnectOptions.builder().timeout(timeout());
        if (local) {
            LocalCluster cluster = LocalCluster.start(LocalClusterOptions.of(
                    /* directory */ null, /* cassandra */
                    null, /* nodes */
                    null, /* dcs */
                    null,
                    port, /* heapMegabytes */
                    null,
                    err::println));
            for (InetSocketAddress address : cluster.contactPoints()) {
                builder.contactPoint(address);
            }
            builder.datacenter(cluster.datacenter());
        } else if (bundle != null) {
            builder.bundle(readable("--bundle", bundle));
        } else {
            contactPoints(builder, "--host", hosts.isEmpty() ? List.of("127.0.0.1") : hosts, port);
        }
        if (datacenter != null) {
            builder.datacenter(datacenter);
        }
        if (failoverDatacenter != null) {
            builder.failoverDatacenter(failoverDatacenter);
        }
        if (user != null) {
            builder.credentials(user, Passwords.ofUser(user, "--password", password, passwordFile, passwordCommand));
        } else if (passwordFile != null || passwordCommand != null) {
            throw new IllegalArgumentException(
                    (passwordFile != null ? "--password-file" : "--password-command") + " needs --user");
        }
        TlsFiles files = tlsFiles();
        if (tls || anyHost || files.isGiven()) {
            builder.tls(files.context());
        }
        builder.wireCompression(wireCompression);
        if (anyHost) {
            builder.anyHostName();
        }
        if (driverConfig != null) {
            builder.driverConfig(readable("--driver-config", driverConfig));
        }
        return builder.build();
    }

    /** For connecting and for each setup request. */
    Duration timeout() {
        if (connectTimeout < 1 || connectTimeout > MAX_CONNECT_SECONDS) {
            throw new IllegalArgumentException(
                    "--connect-timeout is " + connectTimeout + ", must be 1 to " + MAX_CONNECT_SECONDS + " seconds");
        }
        return Duration.ofSeconds(connectTimeout);
    }

    private TlsFiles tlsFiles() {
        TlsFiles files = new TlsFiles("--tls", "OVERDRIVE_");
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

    static void contactPoints(
            ConnectOptions.Builder builder, String option, List<String> hosts, @Nullable Integer port) {
        if (port != null && (port < 1 || port > 65535)) {
            throw new IllegalArgumentException(option.replace("host", "port") + " is " + port + ", must be 1 to 65535");
        }
        for (String host : hosts) {
            try {
                builder.contactPoint(port == null ? host : withPort(host, port));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        option + " is \"" + host + "\", must be HOST or HOST:PORT, with a port of 1 to 65535", e);
            }
        }
    }

    /** An IPv6 address is in brackets if a port follows. */
    private static String withPort(String host, int port) {
        int colon = host.lastIndexOf(':');
        if (colon < 0 || host.endsWith("]")) {
            return host + ":" + port;
        }
        return host.indexOf(':') == colon || host.startsWith("[") ? host : "[" + host + "]:" + port;
    }

    /** The password of a user: from the environment or the configuration, or from the file, or from the terminal. */
    public static String password(String user, String option, @Nullable String secret, @Nullable Path file) {
        return Passwords.ofUser(user, option, secret, file, /* command */ null);
    }

    public static Path readable(String option, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(option + " " + file + ": no such file, or it cannot be read");
        }
        return file;
    }
}
