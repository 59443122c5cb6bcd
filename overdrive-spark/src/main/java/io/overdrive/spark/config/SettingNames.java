package io.overdrive.spark.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All names that settings can have, and those of the connector for Spark 3 that mean nothing here. A name that is neither
 * is a mistake, and never passed over. Thread-safe.
 */
final class SettingNames {
    /** In front of the path of an option of the driver. */
    static final String DRIVER = "driver.";

    private static final Logger LOG = LoggerFactory.getLogger(SettingNames.class);
    private static final String PAGE = "docs/spark-settings.md has them all";
    private static final String BY_DRIVER = "the driver's own option does it: spark.overdrive.driver.";

    /** Names without a meaning here, and why. Those of the connector for Spark 3 are without {@link Setting#CONNECTOR_PREFIX}. */
    static final Map<String, String> UNUSED = unused();

    private static final Set<String> KNOWN = known();
    private static final Set<String> KNOWN_OPTIONS = knownOptions();

    /** Options that Spark passes on. */
    private static final Set<String> SPARKS =
            Set.of("path", "paths", "checkpointlocation", "queryname", "outputmode", "header", "mergeschema");

    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private SettingNames() {}

    private static Map<String, String> unused() {
        Map<String, String> why = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        String inFlight = "the engine bounds requests and bytes under way for each node, not for each task;"
                + " see inFlightRequests and writeMBPerSecond";
        String batches = "what is written together is a partition's rows, up to 64 KiB, and that bound was made for"
                + " 1 KiB; see batchBytes and batchRows";
        String kept = "a connection is kept until the JVM ends";
        String metrics = "metrics are always counted";
        String search = "there is no DSE Search here";
        String paging = "there is no continuous paging here";
        why.put("output.concurrent.writes", inFlight);
        why.put("output.batch.size.bytes", batches);
        why.put("output.batch.grouping.buffer.size", "rows that wait are bounded in bytes; see groupingMemoryMB");
        why.put("output.metrics", metrics);
        why.put("input.metrics", metrics);
        why.put("connection.keepAliveMS", kept);
        why.put("connection.keep_alive_ms", kept);
        why.put("connection.quietPeriodBeforeCloseMS", kept);
        why.put("connection.timeoutBeforeCloseMS", kept);
        why.put("connection.reconnectionDelayMS.min", BY_DRIVER + "advanced.reconnection-policy.base-delay");
        why.put("connection.reconnection_delay_ms.min", BY_DRIVER + "advanced.reconnection-policy.base-delay");
        why.put("connection.reconnectionDelayMS.max", BY_DRIVER + "advanced.reconnection-policy.max-delay");
        why.put("connection.reconnection_delay_ms.max", BY_DRIVER + "advanced.reconnection-policy.max-delay");
        why.put("connection.localConnectionsPerExecutor", BY_DRIVER + "advanced.connection.pool.local.size");
        why.put("connection.remoteConnectionsPerExecutor", BY_DRIVER + "advanced.connection.pool.local.size");
        why.put("connection.compression", BY_DRIVER + "advanced.protocol.compression");
        why.put("connection.resolveContactPoints", "names are looked up when the connection is made");
        why.put("connection.factory", "there is one way to connect; see driverConfig");
        why.put("connection.jmxEnabled", "the driver has no JMX here");
        why.put("connection.ssl.clientAuth.enabled", "a key store that is named is used where the nodes ask for it");
        why.put("connection.ssl.enabledAlgorithms", "the JDK's choice is used, as old ones are not safe any more");
        why.put("connection.ssl.protocol", "the JDK's choice is used");
        why.put("connection.ssl.keyStore.type", "the file itself tells");
        why.put("connection.ssl.trustStore.type", "the file itself tells");
        why.put("auth.conf.factory", "username and password, or the driver's configuration file, say who we are");
        why.put("sql.inClauseToJoinConversionThreshold", "keys are looked up, however few they are");
        why.put("sql.pushdown.additionalClasses", "rules of others cannot be added");
        why.put("table.size.in.bytes", "Cassandra's own estimates are used");
        why.put("dev.customFromDriver", "converters of others cannot be added");
        why.put("spark.dse.continuousPagingEnabled", paging);
        why.put("spark.dse.continuous_paging_enabled", paging);
        why.put("spark.sql.dse.search.enableOptimization", search);
        why.put("spark.sql.dse.search.autoRatio", search);
        why.put("spark.sql.dse.solr.enable_optimization", search);
        why.put("spark.sql.dse.inClauseToJoinConversionThreshold", "keys are looked up, however few they are");
        why.put("spark.sql.dse.inClauseToFullScanConversionThreshold", "see lookupMaxKeys");
        return why;
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
        known.add("ignoreMissingMetaColumns");
        return known;
    }

    /** Whether a name of the session is for this connector. */
    static boolean isOurs(String name) {
        return startsWith(name, Setting.PREFIX)
                || startsWith(name, Setting.CONNECTOR_PREFIX)
                || KNOWN.contains(name)
                || (startsWith(name, "spark.") && UNUSED.containsKey(name));
    }

    /** The path of the driver's option that a name is for; empty where it is none. */
    static String driverPath(String name) {
        String bare = startsWith(name, Setting.PREFIX) ? name.substring(Setting.PREFIX.length()) : name;
        return startsWith(bare, DRIVER) ? bare.substring(DRIVER.length()) : "";
    }

    /**
     * Refuses a name of the session that is none of ours, and says once what is not used.
     *
     * @throws IllegalArgumentException with the nearest names
     */
    static void check(String name) {
        if (KNOWN.contains(name) || !driverPath(name).isEmpty() || isUnused(name, name)) {
            return;
        }
        boolean isTheirs = startsWith(name, Setting.CONNECTOR_PREFIX);
        String bare = name.substring((isTheirs ? Setting.CONNECTOR_PREFIX : Setting.PREFIX).length());
        if (isTheirs && isUnused(name, bare)) {
            return;
        }
        if (isTheirs && bare.equalsIgnoreCase("connection.config.cloud.path")) {
            throw new IllegalArgumentException(
                    "\"" + name + "\": secure connect bundles of Astra are not supported; leave it out");
        }
        throw new IllegalArgumentException(
                "\"" + name + "\" is no setting of this connector" + suggestion(bare, isTheirs) + " (" + PAGE + ")");
    }

    private static String suggestion(String bare, boolean isTheirs) {
        int mistakes = Math.max(2, bare.length() / 3);
        List<String> theirs = new ArrayList<>(UNUSED.keySet());
        List<String> ours = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            theirs.addAll(setting.aliases);
            ours.add(setting.option);
        }
        List<String> near = DidYouMean.to(bare, isTheirs ? theirs : ours, mistakes);
        return isTheirs && !near.isEmpty()
                ? DidYouMean.question(Setting.CONNECTOR_PREFIX, near)
                : DidYouMean.question(Setting.PREFIX, DidYouMean.to(bare, ours, mistakes));
    }

    /** Likewise for an option: one that is far from all of ours may be somebody else's. */
    static void checkOption(String name) {
        if (startsWith(name, Setting.PREFIX) || startsWith(name, Setting.CONNECTOR_PREFIX)) {
            check(name);
            return;
        }
        if (KNOWN_OPTIONS.contains(name)
                || SPARKS.contains(name.toLowerCase(Locale.ROOT))
                || !driverPath(name).isEmpty()
                || startsWith(name, "ttl.")
                || startsWith(name, "writetime.")
                || isUnused(name, name)) {
            return;
        }
        int mistakes = name.length() < 5 ? 1 : name.length() < 12 ? 2 : 3;
        List<String> near = DidYouMean.to(name, KNOWN_OPTIONS, mistakes);
        if (!near.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no option \"" + name + "\"" + DidYouMean.question("", near) + " (" + PAGE + ")");
        }
        if (WARNED.add(name)) {
            LOG.warn("option \"{}\" is none of this connector's, and not used", name);
        }
    }

    private static boolean isUnused(String name, String bare) {
        String why = UNUSED.get(bare);
        if (why != null && WARNED.add(bare)) {
            LOG.warn("{} is not used: {}", name, why);
        }
        return why != null;
    }

    /** Whether the value is in the terms of the connector for Spark 3. */
    static boolean isTheirs(Setting setting, String name) {
        return !name.equals(setting.option) && !startsWith(name, Setting.PREFIX);
    }

    private static boolean startsWith(String name, String prefix) {
        return name.regionMatches(/* ignoreCase */ true, 0, prefix, 0, prefix.length());
    }
}
