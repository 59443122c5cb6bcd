package io.overdrive.spark.config;

import io.overdrive.internal.names.DidYouMean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All names of settings, and names of the connector for Spark 3 that have no effect here. Any other name is reported as
 * a mistake. Plans (on the driver). Thread-safe.
 */
final class SettingNames {
    /** Prefix of the path of an option of the driver. */
    static final String DRIVER = "driver.";

    /** Names a class that makes sessions, in the connector for Spark 3. */
    private static final String CONNECTION_FACTORY = "connection.factory";

    private static final Logger LOG = LoggerFactory.getLogger(SettingNames.class);
    private static final String PAGE = "all settings: docs/reference/spark-settings.md";

    /**
     * Names without effect here, and why. Names of the connector for Spark 3 are without
     * {@link Setting#CONNECTOR_PREFIX}.
     */
    static final Map<String, String> UNUSED = unused();

    /**
     * Options of the driver, by the names that the connector for Spark 3 has for them, without
     * {@link Setting#CONNECTOR_PREFIX}. Its nodes on the executor's own host are "local", all others "remote".
     */
    static final Map<String, DriverOption> DRIVER_OPTIONS = driverOptions();

    /** @param unit follows the value, which is a whole number */
    record DriverOption(String path, String unit) {}

    private static final Set<String> KNOWN = known();
    private static final Set<String> KNOWN_OPTIONS = knownOptions();

    /** Spark's own options, which it passes on. */
    private static final Set<String> SPARK_NAMES =
            Set.of("path", "paths", "checkpointlocation", "queryname", "outputmode", "header", "mergeschema");

    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private SettingNames() {}

    private static Map<String, String> unused() {
        Map<String, String> why = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        String kept = "a connection is kept until the JVM ends";
        String metrics = "metrics are always counted";
        String search = "there is no DSE Search here";
        String paging = "there is no continuous paging here";
        why.put("output.batch.grouping.buffer.size", "waiting rows are limited in bytes; see groupingMemoryMB");
        why.put("output.metrics", metrics);
        why.put("input.metrics", metrics);
        why.put("connection.keepAliveMS", kept);
        why.put("connection.keep_alive_ms", kept);
        why.put("connection.quietPeriodBeforeCloseMS", kept);
        why.put("connection.timeoutBeforeCloseMS", kept);
        why.put("connection.resolveContactPoints", "host names are always resolved when connecting");
        why.put("connection.jmxEnabled", "JMX of the driver is disabled");
        why.put(
                "connection.ssl.clientAuth.enabled",
                "the key store, if set, is used when the nodes require client authentication");
        why.put(
                "connection.ssl.enabledAlgorithms",
                "the JDK's defaults are used, as old algorithms are no longer secure");
        why.put("connection.ssl.protocol", "the JDK's default is used");
        why.put("connection.ssl.keyStore.type", "the type is detected from the file");
        why.put("connection.ssl.trustStore.type", "the type is detected from the file");
        why.put("sql.inClauseToJoinConversionThreshold", "keys are looked up, whatever their number");
        why.put("sql.pushdown.additionalClasses", "custom push-down rules are not supported");
        why.put("ignoreMissingMetaColumns", "ttl or writetime of a column that has none is an error");
        why.put("table.size.in.bytes", "Cassandra's own estimates are used");
        why.put("dev.customFromDriver", "custom converters are not supported");
        why.put("spark.dse.continuousPagingEnabled", paging);
        why.put("spark.dse.continuous_paging_enabled", paging);
        why.put("spark.sql.dse.search.enableOptimization", search);
        why.put("spark.sql.dse.search.autoRatio", search);
        why.put("spark.sql.dse.solr.enable_optimization", search);
        why.put("spark.sql.dse.inClauseToJoinConversionThreshold", "keys are looked up, whatever their number");
        why.put("spark.sql.dse.inClauseToFullScanConversionThreshold", "see lookupMaxKeys");
        return why;
    }

    private static Map<String, DriverOption> driverOptions() {
        DriverOption first = new DriverOption("advanced.reconnection-policy.base-delay", " milliseconds");
        DriverOption max = new DriverOption("advanced.reconnection-policy.max-delay", " milliseconds");
        DriverOption connections = new DriverOption("advanced.connection.pool.local.size", "");
        Map<String, DriverOption> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.put("connection.reconnectionDelayMS.min", first);
        options.put("connection.reconnection_delay_ms.min", first);
        options.put("connection.reconnectionDelayMS.max", max);
        options.put("connection.reconnection_delay_ms.max", max);
        options.put("connection.localConnectionsPerExecutor", connections);
        options.put("connection.remoteConnectionsPerExecutor", connections);
        return options;
    }

    private static Set<String> known() {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (Setting setting : Setting.values()) {
            known.addAll(setting.names());
        }
        return known;
    }

    private static Set<String> knownOptions() {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (Setting setting : Setting.values()) {
            known.addAll(setting.optionNames());
        }
        return known;
    }

    /** Whether it is a name of a setting. */
    static boolean isKnown(String name) {
        return KNOWN_OPTIONS.contains(name);
    }

    /** Whether a name in the session's configuration is for this connector. */
    static boolean isOurs(String name) {
        return startsWith(name, Setting.PREFIX)
                || startsWith(name, Setting.CONNECTOR_PREFIX)
                || KNOWN.contains(name)
                || (startsWith(name, "spark.") && UNUSED.containsKey(name));
    }

    /** The path of the driver's option that a name stands for; empty if it stands for none. */
    static String driverPath(String name) {
        String bare = startsWith(name, Setting.PREFIX) ? name.substring(Setting.PREFIX.length()) : name;
        return startsWith(bare, DRIVER) ? bare.substring(DRIVER.length()) : "";
    }

    /** The driver's option that a name of the connector for Spark 3 stands for; null if it stands for none. */
    static @Nullable DriverOption driverOption(String name) {
        return DRIVER_OPTIONS.get(bareSpark3Name(name));
    }

    private static String bareSpark3Name(String name) {
        return startsWith(name, Setting.CONNECTOR_PREFIX) ? name.substring(Setting.CONNECTOR_PREFIX.length()) : name;
    }

    /**
     * Refuses an unknown name in the session's configuration, and warns once about each one that has no effect.
     *
     * @throws IllegalArgumentException with the closest names, or if the value asks for something that is not possible here
     */
    static void check(String name, String value) {
        if (isConnectionFactory(name, value)) {
            return;
        }
        if (KNOWN.contains(name) || !driverPath(name).isEmpty() || driverOption(name) != null || isUnused(name, name)) {
            return;
        }
        boolean isSpark3Name = startsWith(name, Setting.CONNECTOR_PREFIX);
        String bare = name.substring((isSpark3Name ? Setting.CONNECTOR_PREFIX : Setting.PREFIX).length());
        if (isSpark3Name && isUnused(name, bare)) {
            return;
        }
        throw new IllegalArgumentException("\"" + name + "\" is not a setting of this connector"
                + suggestion(bare, isSpark3Name) + " (" + PAGE + ")");
    }

    private static String suggestion(String bare, boolean isSpark3Name) {
        int mistakes = Math.max(2, bare.length() / 3);
        List<String> spark3Names = new ArrayList<>(UNUSED.keySet());
        spark3Names.addAll(DRIVER_OPTIONS.keySet());
        List<String> ours = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            spark3Names.addAll(setting.aliases);
            ours.add(setting.option);
        }
        List<String> near = DidYouMean.closest(bare, isSpark3Name ? spark3Names : ours, mistakes);
        return isSpark3Name && !near.isEmpty()
                ? DidYouMean.question(Setting.CONNECTOR_PREFIX, near)
                : DidYouMean.question(Setting.PREFIX, DidYouMean.closest(bare, ours, mistakes));
    }

    /** Likewise for an option: one that resembles none of ours may be meant for another system. */
    static void checkOption(String name, String value) {
        if (startsWith(name, Setting.PREFIX) || startsWith(name, Setting.CONNECTOR_PREFIX)) {
            check(name, value);
            return;
        }
        if (isConnectionFactory(name, value)
                || KNOWN_OPTIONS.contains(name)
                || SPARK_NAMES.contains(name.toLowerCase(Locale.ROOT))
                || !driverPath(name).isEmpty()
                || driverOption(name) != null
                || startsWith(name, "ttl.")
                || startsWith(name, "writetime.")
                || isUnused(name, name)) {
            return;
        }
        int mistakes = name.length() < 5 ? 1 : name.length() < 12 ? 2 : 3;
        List<String> near = DidYouMean.closest(name, KNOWN_OPTIONS, mistakes);
        if (!near.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no option \"" + name + "\"" + DidYouMean.question("", near) + " (" + PAGE + ")");
        }
        if (WARNED.add(name)) {
            LOG.warn("option \"{}\" is not an option of this connector and is ignored", name);
        }
    }

    /**
     * Whether the name is the setting of the factory which connects in the connector for Spark 3.
     *
     * @throws IllegalArgumentException if it is, and the factory is another one than the default there
     */
    private static boolean isConnectionFactory(String name, String value) {
        boolean is = bareSpark3Name(name).equalsIgnoreCase(CONNECTION_FACTORY);
        if (is && !value.strip().matches("com\\.datastax\\.spark\\.connector\\.cql\\.DefaultConnectionFactory\\$?")) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is \"" + value + "\", and here sessions are made in one way: remove it;"
                            + " set what it configures as " + Setting.PREFIX + DRIVER
                            + "<path> or in the file of driverConfig, certificates as"
                            + " tls.…, and user and password in an " + Setting.CONNECTOR_PREFIX + "auth.conf.factory ("
                            + PAGE + ")");
        }
        return is;
    }

    private static boolean isUnused(String name, String bare) {
        String why = UNUSED.get(bare);
        if (why != null) {
            warnUnused(name, why);
        }
        return why != null;
    }

    /** Once for each name. */
    static void warnUnused(String name, String why) {
        if (WARNED.add(bareSpark3Name(name))) {
            LOG.warn("{} is not used: {}", name, why);
        }
    }

    /** Whether the value has the meaning and unit of the connector for Spark 3. */
    static boolean isSpark3Name(Setting setting, String name) {
        return !name.equals(setting.option) && !startsWith(name, Setting.PREFIX);
    }

    private static boolean startsWith(String name, String prefix) {
        return name.regionMatches(/* ignoreCase */ true, 0, prefix, 0, prefix.length());
    }
}
