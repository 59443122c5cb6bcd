package io.overdrive.spark.config;

import io.overdrive.ConnectOptions;
import io.overdrive.GuardLimit;
import io.overdrive.NodeTotals;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.internal.connect.ConnectValues;
import io.overdrive.internal.connect.Connecting;
import io.overdrive.internal.connect.TlsFiles;
import io.overdrive.internal.names.IllegalOptionException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.apache.spark.SparkEnv;
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
                    "connections of {} users of the same cluster are open in this process, and another user connects:"
                            + " they stay open until the process ends; let \"{}\" give new passwords of one user instead"
                            + " of new users",
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

    /** Requests of this process to each node, by address. */
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
                if (settings.isGiven(Setting.HOST) || settings.isGiven(Setting.BUNDLE)) {
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
        ConnectOptions.Builder options = ConnectOptions.builder();
        ConnectValues given = new ConnectionValues(settings);
        Connecting.setServers(options, given);
        Connecting.setOthers(options, given);
        settings.driver().forEach(options::driverSetting);
        if (ExecutorConnections.isExecutor(SparkEnv.get()) && settings.find(Setting.FAILOVER_DATACENTER) == null) {
            options.connectWhenUsed(); // hundreds of executors have connections to the cluster
        }
        String guard = settings.find(Setting.GUARD);
        try {
            if (guard != null) {
                options.guard(GuardLimit.parse(guard.toLowerCase(Locale.ROOT)));
            }
            return options.build();
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        }
    }

    /** The nodes that the settings name. */
    public static List<InetSocketAddress> contactPoints(Settings settings) {
        ConnectOptions.Builder options = ConnectOptions.builder();
        Connecting.setContactPoints(options, new ConnectionValues(settings));
        return options.build().contactPoints();
    }

    /** Whether the settings ask for TLS. */
    public static boolean isEncrypted(Settings settings) {
        return Connecting.isEncrypted(new ConnectionValues(settings));
    }

    /**
     * The certificates and keys of the settings, and the authorities of the JDK if none are set.
     *
     * @throws IllegalArgumentException if a file cannot be read, or settings do not go together
     */
    public static SSLContext tls(Settings settings) {
        return TlsFiles.context(new ConnectionValues(settings));
    }
}
