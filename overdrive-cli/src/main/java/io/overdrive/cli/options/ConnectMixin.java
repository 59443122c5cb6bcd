package io.overdrive.cli.options;

import io.overdrive.ConnectOptions;
import io.overdrive.local.LocalCluster;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
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

    @Option(names = "--tls", description = "Encrypt the connection, and verify the server's certificate and host name.")
    private boolean tls;

    @Option(
            names = "--tls-any-host",
            description = "Do not verify the host name, for certificates without one. Anyone with a trusted certificate"
                    + " can then impersonate the server.")
    private boolean anyHost;

    @Option(
            names = "--tls-truststore",
            paramLabel = "FILE",
            description = "Certificates to trust, PKCS#12 or JKS. Default: those of the JDK. Its password:"
                    + " OVERDRIVE_TRUSTSTORE_PASSWORD.")
    private @Nullable Path trustStore;

    @Option(
            names = "--tls-keystore",
            paramLabel = "FILE",
            description = "Client certificate and key, if the server requires client authentication. Its password:"
                    + " OVERDRIVE_KEYSTORE_PASSWORD.")
    private @Nullable Path keyStore;

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
        return local || !hosts.isEmpty();
    }

    /** Starts the local node if requested. */
    public ConnectOptions options(PrintWriter err) {
        if (local && !hosts.isEmpty()) {
            throw new IllegalArgumentException("--local and --host exclude each other: choose one");
        }
        if (connectTimeout < 1 || connectTimeout > MAX_CONNECT_SECONDS) {
            throw new IllegalArgumentException(
                    "--connect-timeout is " + connectTimeout + ", must be 1 to " + MAX_CONNECT_SECONDS + " seconds");
        }
        ConnectOptions.Builder builder = ConnectOptions.builder().timeout(Duration.ofSeconds(connectTimeout));
        if (local) {
            LocalCluster cluster = LocalCluster.start(LocalClusterOptions.of(
                    /* directory */ null, /* nodes */
                    null, /* dcs */
                    null,
                    port, /* heapMegabytes */
                    null,
                    err::println));
            for (InetSocketAddress address : cluster.contactPoints()) {
                builder.contactPoint(address);
            }
            builder.datacenter(cluster.datacenter());
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
            builder.credentials(user, password(user, "--password-file", passwordFile, "OVERDRIVE_PASSWORD"));
        } else if (passwordFile != null) {
            throw new IllegalArgumentException("--password-file needs --user");
        }
        if (tls || trustStore != null || keyStore != null) {
            builder.tls(sslContext("--tls", trustStore, keyStore, "OVERDRIVE_"));
        }
        if (anyHost) {
            builder.anyHostName();
        }
        if (driverConfig != null) {
            builder.driverConfig(readable("--driver-config", driverConfig));
        }
        return builder.build();
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

    /** From the file, otherwise the environment, otherwise the terminal. */
    public static String password(String name, String option, @Nullable Path file, String variable) {
        if (file != null) {
            try {
                List<String> lines = Files.readAllLines(readable(option, file));
                if (lines.isEmpty() || lines.get(0).isEmpty()) {
                    throw new IllegalArgumentException(option + " " + file + ": its first line is empty");
                }
                return lines.get(0);
            } catch (IOException e) {
                throw new IllegalArgumentException(option + " " + file + ": " + e.getMessage(), e);
            }
        }
        String value = System.getenv(variable);
        if (value != null) {
            return value;
        }
        Console console = System.console();
        if (console == null) {
            throw new IllegalArgumentException(option.replace("password-file", "user") + " needs a password: give "
                    + option + ", or set " + variable);
        }
        char[] typed = console.readPassword("Password of %s: ", name);
        return typed == null ? "" : new String(typed);
    }

    public static Path readable(String option, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(option + " " + file + ": no such file, or it cannot be read");
        }
        return file;
    }

    /** @param variables prefix of the environment variables with passwords */
    static SSLContext sslContext(String option, @Nullable Path trustStore, @Nullable Path keyStore, String variables) {
        try {
            TrustManager @Nullable [] trust = null;
            if (trustStore != null) {
                trust = trustManagers(option + "-truststore", trustStore, variables + "TRUSTSTORE_PASSWORD");
            }
            KeyManager @Nullable [] keys = null;
            if (keyStore != null) {
                keys = keyManagers(option + "-keystore", keyStore, variables + "KEYSTORE_PASSWORD");
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trustManagers(String option, Path file, String variable)
            throws GeneralSecurityException {
        KeyStore store = store(option, file, variable);
        if (store.size() == 0) { // without the password, its certificates cannot be seen
            throw new IllegalArgumentException(option + " " + file + " holds no certificates"
                    + (System.getenv(variable) == null ? "; set " + variable + " to its password" : ""));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] keyManagers(String option, Path file, String variable) throws GeneralSecurityException {
        char[] password = secret(variable);
        if (password == null) {
            throw new IllegalArgumentException(option + " " + file + " needs a password: set " + variable);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        try {
            factory.init(store(option, file, variable), password);
        } catch (UnrecoverableKeyException e) {
            throw new IllegalArgumentException(
                    option + " " + file + ": the key has another password than the file; give both that of " + variable,
                    e);
        }
        return factory.getKeyManagers();
    }

    private static KeyStore store(String option, Path file, String variable) throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = Files.newInputStream(readable(option, file))) {
            store.load(in, secret(variable));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    option + " " + file + " cannot be opened: " + e.getMessage() + " (" + variable
                            + " is its password)",
                    e);
        }
        return store;
    }

    private static char @Nullable [] secret(String variable) {
        String value = System.getenv(variable);
        return value == null ? null : value.toCharArray();
    }
}
