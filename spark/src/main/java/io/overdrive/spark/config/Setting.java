package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.ScanSetting;
import io.overdrive.WriteSetting;
import io.overdrive.internal.connect.ConnectSetting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All settings of the connector. The name of a setting is its short name as an option of a read, a write or a catalog,
 * and {@code spark.overdrive.} followed by the short name in the session or the application. The names that the
 * connector for Spark 3 has for it are accepted everywhere. {@code docs/reference/spark-settings.md} is the same list. Plans (on
 * the driver) and executes (on the executors).
 */
public enum Setting {
    // the rows to read or write
    KEYSPACE("keyspace", Kind.TEXT, null, "Keyspace of the table, not quoted"),
    TABLE("table", Kind.TEXT, null, "Name of the table or materialized view, not quoted"),
    CLUSTER("cluster", Kind.TEXT, "default", "Name of a group of settings: cluster/name overrides name", "sql.cluster"),
    PUSHDOWN("pushdown", Kind.FLAG, "true", "Whether Cassandra evaluates filters"),
    CONFIRM_TRUNCATE(
            "confirm.truncate",
            Kind.FLAG,
            "false",
            "Allows mode overwrite and REPLACE TABLE, which empty or drop the table first",
            "confirm.truncate"),
    TTL(
            "ttl",
            Kind.TEXT,
            null,
            "Time to live of written rows in seconds, forever, or the name of a column that contains it",
            "output.ttl"),
    WRITE_TIME(
            "writetime",
            Kind.TEXT,
            null,
            "Write time in microseconds since 1970, or the name of a column that contains it",
            "output.timestamp"),
    TEXT_COLUMNS(
            "textColumns",
            Kind.TEXT,
            "",
            "Comma-separated varint and decimal columns to read as text; in a session or catalog, other types stay."
                    + " For catalog tables, set it in the session or the catalog"),

    // connection
    HOST("host", ConnectSetting.HOST, "connection.host"),
    PORT("port", ConnectSetting.PORT, "connection.port"),
    DATACENTER("datacenter", ConnectSetting.DATACENTER, "connection.localDC", "connection.local_dc"),
    FAILOVER_DATACENTER("failoverDatacenter", ConnectSetting.FAILOVER_DATACENTER),
    USERNAME("username", ConnectSetting.USERNAME, "auth.username"),
    PASSWORD("password", ConnectSetting.PASSWORD, "auth.password"),
    AUTH_FACTORY(
            "authFactory",
            Kind.TEXT,
            null,
            "Class that gets user and password, an AuthConfFactory as in the connector for Spark 3; see spark-rdd.md",
            "auth.conf.factory"),
    CONNECT_TIMEOUT(
            "connectTimeout",
            ConnectSetting.CONNECT_TIMEOUT,
            Kind.MILLIS,
            "10000",
            "Timeout for connecting, in milliseconds",
            "connection.timeoutMS",
            "connection.timeout_ms"),
    GUARD(
            "guard",
            Kind.GUARD,
            null,
            "Holds jobs back on each executor while the cluster's other users are slow: p99=20ms or 1.2x; see guard.md"),
    BUNDLE("bundle", ConnectSetting.BUNDLE, "connection.config.cloud.path"),
    WIRE_COMPRESSION("wireCompression", ConnectSetting.WIRE_COMPRESSION, "connection.compression"),
    DRIVER_CONFIG("driverConfig", ConnectSetting.DRIVER_CONFIG, "connection.config.profile.path"),
    TLS(
            "tls",
            ConnectSetting.TLS,
            Kind.FLAG,
            null,
            "Whether to encrypt and to verify the nodes' certificates; true by default if a store or a PEM file is set, or"
                    + " tls.checkHost is false",
            "connection.ssl.enabled"),
    TLS_TRUST_STORE("tls.trustStore", ConnectSetting.TLS_TRUSTSTORE, "connection.ssl.trustStore.path"),
    TLS_TRUST_STORE_PASSWORD(
            "tls.trustStorePassword", ConnectSetting.TRUSTSTORE_PASSWORD, "connection.ssl.trustStore.password"),
    TLS_KEY_STORE("tls.keyStore", ConnectSetting.TLS_KEYSTORE, "connection.ssl.keyStore.path"),
    TLS_KEY_STORE_PASSWORD(
            "tls.keyStorePassword", ConnectSetting.KEYSTORE_PASSWORD, "connection.ssl.keyStore.password"),
    TLS_CA("tls.ca", ConnectSetting.TLS_CA),
    TLS_CERT("tls.cert", ConnectSetting.TLS_CERT),
    TLS_KEY("tls.key", ConnectSetting.TLS_KEY),
    TLS_KEY_PASSWORD("tls.keyPassword", ConnectSetting.TLS_KEY_PASSWORD),
    TLS_CHECK_HOST(
            "tls.checkHost",
            Kind.FLAG,
            "true",
            "Whether a node's certificate must be valid for the name or address used to connect"),

    // reading
    SPLIT_MB(
            "splitMB",
            Kind.NUMBER,
            "128",
            "Size of a Spark partition in MB",
            "input.split.sizeInMB",
            "input.split.size_in_mb"),
    SPLIT_COUNT(
            "splitCount",
            Kind.NUMBER,
            null,
            "Number of Spark partitions of a scan; overrides splitMB",
            "input.split.count"),
    SPLIT_PARTITIONS(
            "splitPartitions",
            Kind.FLAG,
            "true",
            "Whether several tasks read a partition of more than twice splitMB, by ranges of a clustering column"),
    TOKEN_BUCKETS(
            "tokenBuckets",
            Kind.NUMBER,
            null,
            "Number of Spark partitions with equal ranges of tokens: tables of a catalog with the same number are grouped"
                    + " and joined by partition key without a shuffle; see spark-reading.md"),
    NEAREST(
            "nearest",
            Kind.TEXT,
            null,
            "Reads only the rows with the most similar vectors, as in ORDER BY embedding ANN OF [0.1, 0.2] LIMIT 10; only as option of a"
                    + " read; see spark-reading.md"),
    FROM_SSTABLES(
            "from.sstables",
            Kind.TEXT,
            null,
            "Directories with SSTables of the table, such as snapshots of all nodes, comma-separated, that are read in place of the"
                    + " cluster; only as option of a read; see spark-reading.md"),
    EMPTY_AS_NULL(
            "emptyAsNull",
            Kind.FLAG,
            "false",
            "Whether a list, set or map without elements, of which Cassandra stores nothing unless it is frozen, is null instead of empty"),
    PAGE_ROWS(
            "pageRows",
            Kind.NUMBER,
            null,
            "Maximum number of rows per page; without it, pages are limited by bytes",
            "input.fetch.sizeInRows",
            "input.fetch.size_in_rows"),
    READ_CONSISTENCY(
            "readConsistency",
            ScanSetting.CONSISTENCY,
            Kind.CONSISTENCY,
            DefaultConsistencyLevel.LOCAL_ONE.name(), // that of the connector for Spark 3
            "Consistency level of reads",
            "input.consistency.level"),
    READ_ROWS_PER_SECOND(
            "readRowsPerSecond",
            ScanSetting.ROWS_PER_SECOND,
            Kind.NUMBER,
            null,
            "Rate limit of a scan on one executor, in rows per second"),
    READ_MB_PER_SECOND(
            "readMBPerSecond",
            ScanSetting.BYTES_PER_SECOND,
            Kind.RATE,
            null,
            "Rate limit of a scan on one executor, in MB per second",
            "input.throughputMBPerSec"),
    LOOKUPS_IN_FLIGHT(
            "lookupsInFlight",
            Kind.NUMBER,
            "256",
            "Maximum number of keys that a task looks up concurrently",
            "concurrent.reads"),
    LOOKUPS_PER_SECOND(
            "lookupsPerSecond",
            Kind.NUMBER,
            null,
            "Rate limit of lookups by a scan or a join on one executor, in keys per second",
            "input.readsPerSec",
            "input.reads_per_sec",
            "input.join.throughput_query_per_sec"),
    LOOKUP_MAX_KEYS(
            "lookupMaxKeys",
            Kind.NUMBER,
            "1000000",
            "Maximum number of keys in a list that is looked up; for a longer list the table is scanned",
            "sql.inClauseToFullScanConversionThreshold"),
    DIRECT_JOIN("directJoin", Kind.SWITCH, "auto", "on, off or auto: whether joins look up keys", "directJoinSetting"),
    DIRECT_JOIN_RATIO(
            "directJoinSizeRatio",
            Kind.RATIO,
            "0.9",
            "For directJoin=auto: maximum ratio of the keys' bytes to the table's bytes; from 0 down, no keys are looked up",
            "directJoinSizeRatio"),

    // both
    REQUEST_TIMEOUT(
            "requestTimeout",
            WriteSetting.REQUEST_TIMEOUT,
            Kind.MILLIS,
            "60000",
            "Timeout of one request, in milliseconds",
            "read.timeoutMS",
            "read.timeout_ms"),
    MAX_ATTEMPTS(
            "maxAttempts",
            WriteSetting.MAX_ATTEMPTS,
            Kind.NUMBER,
            WriteSetting.MAX_ATTEMPTS.defaultText(),
            "Maximum number of attempts per request",
            "query.retry.count"),
    PATIENCE(
            "patience",
            WriteSetting.PATIENCE,
            Kind.SECONDS,
            WriteSetting.PATIENCE.defaultText(),
            "Seconds to keep retrying requests that were surely not applied, as nodes are down, unreachable or"
                    + " overloaded, before a task fails"),
    IN_FLIGHT_CONTROL("inFlightControl", WriteSetting.IN_FLIGHT_CONTROL),

    // writing
    GROUPING(
            "grouping",
            WriteSetting.GROUPING,
            Kind.GROUPING,
            null,
            "partition, replica_set or none: which rows share a batch; default: rows of a partition, and single rows with"
                    + " the same replicas while that is faster",
            "output.batch.grouping.key"),
    BATCH_BYTES(
            "batchBytes",
            WriteSetting.BATCH_BYTES,
            Kind.NUMBER,
            null,
            "Maximum bytes per batch",
            "output.batch.size.bytes"),
    BATCH_ROWS(
            "batchRows",
            WriteSetting.BATCH_ROWS,
            Kind.NUMBER,
            null,
            "Maximum rows per batch",
            "output.batch.size.rows"),
    GROUPING_MEMORY_MB(
            "groupingMemoryMB",
            Kind.NUMBER,
            null,
            "Memory in MB for rows that wait for other rows of their partition, for all tasks of an executor"),
    LINGER(
            "linger",
            WriteSetting.LINGER,
            Kind.MILLIS,
            null,
            "Milliseconds that a row may wait for others of its partition, if a task's rows come slowly; without it,"
                    + " until the task ends, while memory lasts"),
    DISTRIBUTION(
            "distribution",
            Kind.DISTRIBUTION,
            "auto",
            "auto, partition or none: whether Spark clusters rows by partition before they are written"),
    IN_FLIGHT_REQUESTS(
            "inFlightRequests",
            WriteSetting.IN_FLIGHT_REQUESTS,
            Kind.NUMBER,
            null,
            "Maximum number of requests in flight to one node, from all tasks of an executor",
            "output.concurrent.writes"),
    WRITE_CONSISTENCY("writeConsistency", WriteSetting.CONSISTENCY, "output.consistency.level"),
    IF_NOT_EXISTS("ifNotExists", Kind.FLAG, "false", "Writes only rows that do not exist yet", "output.ifNotExists"),
    IGNORE_NULLS(
            "ignoreNulls",
            Kind.FLAG,
            "false",
            "A null leaves the existing value unchanged instead of deleting it",
            "output.ignoreNulls"),
    COLLECTIONS(
            "collections",
            Kind.TEXT,
            "",
            "How existing collections are changed, comma-separated: column=append, prepend, remove or overwrite"),
    DELETE(
            "delete",
            Kind.FLAG,
            "false",
            "Deletes the partitions or rows whose keys a DataFrame has; only as option of a write"),
    ALLOW_NON_IDEMPOTENT(
            "allowNonIdempotent",
            Kind.FLAG,
            "false",
            "Accepts that a task that runs more than once may add to counters and lists, or change rows by their own values,"
                    + " more than once"),
    WRITE_ROWS_PER_SECOND(
            "writeRowsPerSecond",
            WriteSetting.ROWS_PER_SECOND,
            Kind.NUMBER,
            null,
            "Rate limit of writes on one executor, in rows per second"),
    WRITE_MB_PER_SECOND(
            "writeMBPerSecond",
            WriteSetting.BYTES_PER_SECOND,
            Kind.RATE,
            null,
            "Rate limit of writes on one executor, in MB per second",
            "output.throughputMBPerSec",
            "output.throughput_mb_per_sec"),
    SSTABLES(
            "sstables",
            Kind.FLAG,
            "false",
            "Writes rows as SSTables, which the nodes import when the job is done, instead of sending them; see sstables.md"),
    SSTABLES_DIRECTORY(
            "sstables.directory",
            Kind.TEXT,
            null,
            "Directory on a file system that Spark's driver and all executors share, where SSTables are written"),
    SSTABLES_JMX(
            "sstables.jmx",
            Kind.TEXT,
            null,
            "JMX of the nodes, host or host:port, comma-separated: they import from sstables.directory, which they see, too"),
    SSTABLES_JMX_USER("sstables.jmxUser", Kind.TEXT, null, "User for JMX, together with sstables.jmxPassword"),
    SSTABLES_JMX_PASSWORD("sstables.jmxPassword", Kind.SECRET, null, "Password for JMX"),
    SSTABLES_SSH(
            "sstables.ssh",
            Kind.TEXT,
            null,
            "Where Spark's driver copies SSTables over ssh, and has them imported: cassandra@{host}:/var/lib/cassandra/import"),
    SSTABLES_SIDECAR(
            "sstables.sidecar",
            Kind.TEXT,
            null,
            "Cassandra Sidecars that Spark's driver uploads SSTables to, and that import them: https://{host}:9043"),
    SSTABLES_TASKS(
            "sstables.tasks",
            Kind.NUMBER,
            null,
            "Number of tasks of a write by SSTables, each of which makes one SSTable for each node; Spark's parallelism if not set");

    /** Which values are valid. */
    enum Kind {
        TEXT("text", "(?s).*"),
        SECRET("text", "(?s).*"),
        FLAG("true or false", "true|false"),
        NUMBER("a whole number, 1 or greater", "0*[1-9]\\d{0,17}"),
        MILLIS(NUMBER),
        SECONDS(NUMBER),
        RATE("a number above 0", "0*[1-9]\\d{0,11}(\\.\\d*)?|0*\\.\\d*[1-9]\\d*"),
        RATIO("a number", "-?\\d*\\.?\\d+"),
        PORT("a port, 1 to 65535", "[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5]"),
        CONSISTENCY(
                "ANY, ONE, TWO, THREE, QUORUM, ALL, LOCAL_ONE, LOCAL_QUORUM or EACH_QUORUM",
                "any|one|two|three|quorum|all|local_one|local_quorum|each_quorum"),
        GUARD("p99=20ms or 1.2x", "p99=\\d+(\\.\\d+)?m?s|\\d+(\\.\\d+)?x"),
        SWITCH("on, off or auto", "on|off|auto"),
        COMPRESSION("none, lz4 or snappy", "none|lz4|snappy"),
        GROUPING("partition, replica_set or none", "partition|replica_set|none"),
        IN_FLIGHT_CONTROL("round_trips, vegas, gradient, aimd or fixed", "round_trips|vegas|gradient|aimd|fixed"),
        DISTRIBUTION("auto, partition or none", "auto|partition|none");

        final String expected;
        private final Pattern pattern;

        Kind(String expected, String pattern) {
            this.expected = expected;
            this.pattern = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
        }

        /** A setting with the same values and another meaning. */
        Kind(Kind other) {
            expected = other.expected;
            pattern = other.pattern;
        }

        boolean accepts(String value) {
            return pattern.matcher(value).matches();
        }
    }

    static final String PREFIX = "spark.overdrive.";
    static final String CONNECTOR_PREFIX = "spark.cassandra.";

    /** The short name. */
    public final String option;

    /** The setting of the engine that has the same value; null if there is none. */
    final io.overdrive.@Nullable Setting<?> engine;

    final Kind kind;
    final @Nullable String defaultValue;
    /** Null for the help of the engine's setting. */
    private final @Nullable String meaning;
    /** Names of the connector for Spark 3, without {@link #CONNECTOR_PREFIX}. */
    final List<String> aliases;

    /** A setting of this connector only. */
    Setting(String option, Kind kind, @Nullable String defaultValue, String meaning, String... aliases) {
        this(option, null, kind, defaultValue, meaning, aliases);
    }

    /** A setting of the engine, with its kind of values, default and help. */
    Setting(String option, io.overdrive.Setting<?> engine, String... aliases) {
        this(
                option,
                engine,
                ConnectionValues.kind(engine),
                engine.byDefault() == null ? null : engine.defaultText(),
                /* meaning */ null,
                aliases);
    }

    /** A setting of the engine, in another unit or with another default. */
    Setting(
            String option,
            io.overdrive.@Nullable Setting<?> engine,
            Kind kind,
            @Nullable String defaultValue,
            @Nullable String meaning,
            String... aliases) {
        this.option = option;
        this.engine = engine;
        this.kind = kind;
        this.defaultValue = defaultValue;
        this.meaning = meaning;
        this.aliases = List.of(aliases);
    }

    /** Its purpose. */
    public String meaning() {
        if (meaning != null || engine == null) {
            return String.valueOf(meaning);
        }
        String text = defaultValue != null
                ? engine.help(ConnectSetting.ALL, Setting::shown)
                : engine.helpWithDefault(ConnectSetting.ALL, Setting::shown);
        return text.substring(0, text.length() - 1);
    }

    /** The name of a setting of the engine here. */
    private static String shown(io.overdrive.Setting<?> engine) {
        Setting own = of(engine);
        return own == null ? engine.name() : own.option;
    }

    /** Null if this connector does not have a setting of the engine. */
    static @Nullable Setting of(io.overdrive.Setting<?> engine) {
        return Arrays.stream(values())
                .filter(each -> each.engine == engine)
                .findFirst()
                .orElse(null);
    }

    boolean isOfConnection() {
        return isBetween(HOST, TLS_CHECK_HOST);
    }

    /** Whether it concerns reads of any table. */
    public boolean isOfReads() {
        return isBetween(SPLIT_MB, IN_FLIGHT_CONTROL) && this != NEAREST && this != FROM_SSTABLES;
    }

    /** Whether it concerns writes into any table. */
    public boolean isOfWrites() {
        return (isBetween(REQUEST_TIMEOUT, SSTABLES_TASKS) && this != DELETE) || this == TTL || this == WRITE_TIME;
    }

    private boolean isBetween(Setting first, Setting last) {
        return compareTo(first) >= 0 && compareTo(last) <= 0;
    }

    /** All names in a session, in order of precedence. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(PREFIX + option);
        for (String alias : aliases) {
            names.add(CONNECTOR_PREFIX + alias);
            if (alias.indexOf('.') < 0 || alias.equals(option)) {
                names.add(alias);
            }
        }
        return names;
    }

    /** All names of an option of a read, a write or a catalog, in order of precedence. */
    List<String> optionNames() {
        List<String> names = new ArrayList<>();
        names.add(option);
        names.addAll(names());
        names.addAll(aliases);
        return names;
    }
}
