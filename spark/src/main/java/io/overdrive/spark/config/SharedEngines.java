package io.overdrive.spark.config;

import io.overdrive.ConnectOptions;
import io.overdrive.GuardLimit;
import io.overdrive.NodeTotals;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.PemFiles;
import io.overdrive.WireCompression;
import io.overdrive.internal.wire.TrustStores;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One engine for each cluster in this JVM, shared by all reads and writes, and kept until the JVM ends. Its threads are
 * daemons. Plans (on the driver) and executes (on the executors). Thread-safe.
 */
public final class SharedEngines {
    private static final Logger LOG = LoggerFactory.getLogger(SharedEngines.class);
    private static final OpenOnce<Map<String, String>, Shared> ENGINES = new OpenOnce<>();

    private static final int MANY_USERS = 10;
    private static final List<Setting> TLS_FILES =
            List.of(Setting.TLS_TRUST_STORE, Setting.TLS_KEY_STORE, Setting.TLS_CA, Setting.TLS_CERT, Setting.TLS_KEY);

    private SharedEngines() {}

    /** An engine, and the passwords with which the cluster has accepted its user. */
    private static final class Shared {
        final Overdrive engine;
        /** The settings on which its connections depend, without user and password. */
        private final Map<String, String> cluster;

        private final AcceptedPasswords accepted = new AcceptedPasswords();

        Shared(Overdrive engine, Map<String, String> cluster, @Nullable String password) {
            this.engine = engine;
            this.cluster = cluster;
            if (password != null) {
                accepted.add(password);
            }
        }

        /** Logs in with the password, and uses it for the connections to nodes that are opened from now on. */
        private synchronized void accept(Settings settings, String password) {
            if (!accepted.contains(password)) {
                connect(settings).close();
                engine.password(password);
                accepted.add(password);
            }
        }
    }

    /**
     * The engine for the cluster that the settings name; the first call connects. The engine of a user stays the same if the password
     * changes, as it does if a vault gives one for a time.
     *
     * @throws IllegalStateException if both jars of the connector are on the class path
     */
    public static Overdrive of(Settings settings) {
        Map<String, String> key = settings.connection();
        String password = key.remove(Setting.PASSWORD.name());
        if (password == null) {
            key.put(Setting.PASSWORD.name(), "");
        }
        Shared shared = ENGINES.get(key, () -> {
            Map<String, String> cluster = new HashMap<>(key);
            cluster.remove(Setting.USERNAME.name());
            warnOfUsers(cluster);
            return new Shared(connect(settings), cluster, password);
        });
        if (password != null && !shared.accepted.contains(password)) {
            shared.accept(settings, password);
        }
        return shared.engine;
    }

    /** Whether jobs still use an engine is not known, so none is closed. */
    private static void warnOfUsers(Map<String, String> cluster) {
        long others = ENGINES.opened().stream()
                .filter(shared -> shared.cluster.equals(cluster))
                .count();
        if (others >= MANY_USERS) {
            LOG.warn(
                    "connections of {} users of the same cluster are open in this process, and another user connects: they stay open until"
                            + " the process ends; let \"{}\" give new passwords of one user instead of new users",
                    others,
                    Setting.AUTH_FACTORY.option);
        }
    }

    private static Overdrive connect(Settings settings) {
        Bundles.requireOne();
        try {
            Overdrive engine = Overdrive.connect(options(settings));
            EngineMetrics.registerIfLate();
            awaitNode(engine, settings);
            return engine;
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /** Each query asks the nodes of the local data centre for more before its tasks, which wait for them, begin. */
    private static void awaitNode(Overdrive engine, Settings settings) {
        try {
            engine.awaitNode(Duration.ofSeconds(settings.number(Setting.PATIENCE)));
        } catch (OverdriveException e) {
            engine.close();
            throw e;
        }
    }

    /** What each node was sent by this process, by address. */
    static Map<String, NodeTotals> nodes() {
        Map<String, NodeTotals> nodes = new TreeMap<>();
        ENGINES.opened()
                .forEach(shared ->
                        shared.engine.nodes().forEach(node -> nodes.merge(node.node(), node, NodeTotals::plus)));
        return nodes;
    }

    /**
     * Connects in the background if the application's configuration names a cluster, so that its first query waits
     * less. A failure is not reported: the first query that needs the cluster meets it and reports it.
     *
     * @param application its configuration
     */
    public static void connectAhead(Map<String, String> application) {
        Thread thread = new Thread(() -> {
            try {
                Settings settings = Settings.of(Map.of(), application);
                if (settings.find(Setting.HOST) != null || settings.find(Setting.BUNDLE) != null) {
                    of(settings);
                }
            } catch (Exception e) { // Scala code may throw checked exceptions
                LOG.debug("cannot connect ahead", e);
            }
        });
        thread.setName("overdrive-connect");
        thread.setDaemon(true);
        thread.start();
    }

    static ConnectOptions options(Settings settings) {
        ConnectOptions.Builder options =
                ConnectOptions.builder().timeout(Duration.ofMillis(settings.number(Setting.CONNECT_TIMEOUT)));
        Path bundle = SettingFiles.find(settings, Setting.BUNDLE);
        if (bundle != null) {
            options.bundle(bundle);
        } else {
            contactPoints(settings).forEach(options::contactPoint);
        }
        options.wireCompression(
                WireCompression.valueOf(settings.get(Setting.WIRE_COMPRESSION).toUpperCase(Locale.ROOT)));
        String datacenter = settings.find(Setting.DATACENTER);
        if (datacenter != null) {
            options.datacenter(datacenter);
        }
        String failover = settings.find(Setting.FAILOVER_DATACENTER);
        if (failover != null) {
            options.failoverDatacenter(failover);
        }
        String username = settings.find(Setting.USERNAME);
        String password = settings.find(Setting.PASSWORD);
        if (username != null || password != null) {
            options.credentials(required(username, Setting.USERNAME), required(password, Setting.PASSWORD));
        }
        Path file = SettingFiles.find(settings, Setting.DRIVER_CONFIG);
        if (file != null) {
            options.driverConfig(file);
        }
        String guard = settings.find(Setting.GUARD);
        if (guard != null) {
            options.guard(GuardLimit.parse(guard.toLowerCase(Locale.ROOT)));
        }
        settings.driver().forEach(options::driverSetting);
        if (isEncrypted(settings)) {
            options.tls(tls(settings));
            if (!settings.isOn(Setting.TLS_CHECK_HOST)) {
                options.anyHostName();
            }
        }
        return options.build();
    }

    /** The nodes that the settings name. */
    public static List<InetSocketAddress> contactPoints(Settings settings) {
        ConnectOptions.Builder options = ConnectOptions.builder();
        for (String host : settings.get(Setting.HOST).split(",", -1)) {
            options.contactPoint(withPort(host.strip(), settings.number(Setting.PORT)));
        }
        return options.build().contactPoints();
    }

    /** Whether the settings ask for TLS. */
    public static boolean isEncrypted(Settings settings) {
        return settings.find(Setting.TLS) != null
                ? settings.isOn(Setting.TLS)
                : !settings.isOn(Setting.TLS_CHECK_HOST)
                        || TLS_FILES.stream().anyMatch(each -> settings.find(each) != null);
    }

    /** The host with this port, unless it has one. An IPv6 address is in brackets if a port follows. */
    private static String withPort(String host, long port) {
        if (host.matches("\\[.*]:\\d+|[^:\\[]+:\\d+")) {
            return host;
        }
        boolean isBareAddress = !host.startsWith("[") && host.indexOf(':') != host.lastIndexOf(':');
        return (isBareAddress ? "[" + host + "]" : host) + ":" + port;
    }

    private static String required(@Nullable String value, Setting setting) {
        if (value == null) {
            throw new IllegalArgumentException("options \"username\" and \"password\" must be set together, and \""
                    + setting.option + "\" is missing");
        }
        return value;
    }

    /**
     * The certificates and keys of the settings, and the authorities of the JDK if none are set.
     *
     * @throws IllegalArgumentException if a file cannot be read, or settings do not go together
     */
    public static SSLContext tls(Settings settings) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(settings), trustManagers(settings), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static TrustManager @Nullable [] trustManagers(Settings settings) throws GeneralSecurityException {
        Path authorities = SettingFiles.find(settings, Setting.TLS_CA);
        Path store = SettingFiles.find(settings, Setting.TLS_TRUST_STORE);
        exclude(authorities, Setting.TLS_CA, store, Setting.TLS_TRUST_STORE);
        if (authorities != null) {
            return PemFiles.trustManagers(authorities);
        }
        if (store == null) {
            return null;
        }
        KeyStore trusted = store(settings, Setting.TLS_TRUST_STORE, store, Setting.TLS_TRUST_STORE_PASSWORD);
        if (!TrustStores.holdsCertificates(trusted)) {
            throw new IllegalArgumentException("option \"" + Setting.TLS_TRUST_STORE.option + "\": " + store
                    + " holds no certificates"
                    + (settings.find(Setting.TLS_TRUST_STORE_PASSWORD) == null
                            ? "; set \"" + Setting.TLS_TRUST_STORE_PASSWORD.option + "\" to its password"
                            : ""));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers();
    }

    private static KeyManager @Nullable [] keyManagers(Settings settings) throws GeneralSecurityException {
        Path certificate = SettingFiles.find(settings, Setting.TLS_CERT);
        Path key = SettingFiles.find(settings, Setting.TLS_KEY);
        Path store = SettingFiles.find(settings, Setting.TLS_KEY_STORE);
        exclude(certificate, Setting.TLS_CERT, store, Setting.TLS_KEY_STORE);
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("options \"" + Setting.TLS_CERT.option + "\" and \""
                    + Setting.TLS_KEY.option + "\" must be set together");
        }
        if (certificate != null && key != null) {
            String password = settings.find(Setting.TLS_KEY_PASSWORD);
            return PemFiles.keyManagers(certificate, key, password == null ? null : password.toCharArray());
        }
        if (store == null) {
            return null;
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(
                store(settings, Setting.TLS_KEY_STORE, store, Setting.TLS_KEY_STORE_PASSWORD),
                settings.get(Setting.TLS_KEY_STORE_PASSWORD).toCharArray());
        return factory.getKeyManagers();
    }

    private static void exclude(@Nullable Path one, Setting its, @Nullable Path other, Setting others) {
        if (one != null && other != null) {
            throw new IllegalArgumentException(
                    "options \"" + its.option + "\" and \"" + others.option + "\" exclude each other: set one");
        }
    }

    /** JKS or PKCS#12, detected from the file. */
    private static KeyStore store(Settings settings, Setting setting, Path file, Setting password)
            throws GeneralSecurityException {
        String secret = settings.find(password);
        try {
            return KeyStore.getInstance(file.toFile(), secret == null ? null : secret.toCharArray());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "option \"" + setting.option + "\": " + file + " cannot be opened: " + e.getMessage() + " (\""
                            + password.option + "\" " + (secret == null ? "is not set" : "is its password") + ")",
                    e);
        }
    }
}
