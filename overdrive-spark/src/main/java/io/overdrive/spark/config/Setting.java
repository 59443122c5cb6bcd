package io.overdrive.spark.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All settings of the connector. Each has a name of ours, which is {@code spark.overdrive.} and the short name in the
 * session or the application, and the short name alone as an option of a read, a write or a catalog; and maybe names that
 * the connector for Spark 3 has for it, accepted everywhere. {@code docs/spark-settings.md} is the same list.
 */
public enum Setting {
    // what is read or written
    KEYSPACE("keyspace", Kind.TEXT, null, "Keyspace of the table, not quoted"),
    TABLE("table", Kind.TEXT, null, "Name of the table or materialized view, not quoted"),
    CLUSTER(
            "cluster",
            Kind.TEXT,
            "default",
            "Name of a group of settings: those of cluster/name come before name",
            "sql.cluster"),
    PUSHDOWN("pushdown", Kind.FLAG, "true", "Whether filters are given to Cassandra"),
    CONFIRM_TRUNCATE("confirm.truncate", Kind.FLAG, "false", "Allows mode overwrite, which empties the table first"),
    TTL("ttl", Kind.TEXT, null, "Seconds to live of what is written, or the column that has them", "output.ttl"),
    WRITE_TIME(
            "writetime",
            Kind.TEXT,
            null,
            "Write time in microseconds since 1970, or the column that has it",
            "output.timestamp"),
    TEXT_COLUMNS(
            "textColumns",
            Kind.TEXT,
            "",
            "Columns of varint and decimal to read as text, of any size, with commas between"),

    // connection
    HOST("host", Kind.TEXT, "127.0.0.1", "Contact points, host or host:port, with commas between", "connection.host"),
    PORT("port", Kind.PORT, "9042", "Port of contact points that have none", "connection.port"),
    DATACENTER(
            "datacenter",
            Kind.TEXT,
            null,
            "The local data centre; that of the contact points if not set",
            "connection.localDC",
            "connection.local_dc"),
    USERNAME("username", Kind.TEXT, null, "User, together with the password", "auth.username"),
    PASSWORD("password", Kind.SECRET, null, "Password", "auth.password"),
    CONNECT_TIMEOUT(
            "connectTimeout",
            Kind.NUMBER,
            "10000",
            "Milliseconds that a connection may take",
            "connection.timeoutMS",
            "connection.timeout_ms"),
    DRIVER_CONFIG(
            "driverConfig",
            Kind.TEXT,
            null,
            "File in the driver's format, with options of the driver",
            "connection.config.profile.path"),
    TLS(
            "tls",
            Kind.FLAG,
            null,
            "Whether to encrypt, and to check the nodes' certificates; on where a store is named",
            "connection.ssl.enabled"),
    TLS_TRUST_STORE(
            "tls.trustStore",
            Kind.TEXT,
            null,
            "File with the authorities to trust, JKS or PKCS12; those of the JDK if not set",
            "connection.ssl.trustStore.path"),
    TLS_TRUST_STORE_PASSWORD(
            "tls.trustStorePassword", Kind.SECRET, null, "Its password", "connection.ssl.trustStore.password"),
    TLS_KEY_STORE(
            "tls.keyStore",
            Kind.TEXT,
            null,
            "File with our own certificate and key, JKS or PKCS12, where the nodes ask for one",
            "connection.ssl.keyStore.path"),
    TLS_KEY_STORE_PASSWORD(
            "tls.keyStorePassword", Kind.SECRET, null, "Its password", "connection.ssl.keyStore.password"),
    TLS_CHECK_HOST(
            "tls.checkHost",
            Kind.FLAG,
            "true",
            "Whether a node's certificate must have the name or address that is connected to"),

    // reading
    SPLIT_MB(
            "splitMB", Kind.NUMBER, "128", "MB of a Spark partition", "input.split.sizeInMB", "input.split.size_in_mb"),
    SPLIT_COUNT("splitCount", Kind.NUMBER, null, "Spark partitions of a scan; instead of splitMB", "input.split.count"),
    PAGE_ROWS(
            "pageRows",
            Kind.NUMBER,
            null,
            "Rows a page at most; pages are measured in bytes",
            "input.fetch.sizeInRows",
            "input.fetch.size_in_rows"),
    READ_CONSISTENCY(
            "readConsistency", Kind.CONSISTENCY, "LOCAL_ONE", "Consistency of reads", "input.consistency.level"),
    READ_ROWS_PER_SECOND("readRowsPerSecond", Kind.NUMBER, null, "Ceiling of a scan on one executor"),
    READ_MB_PER_SECOND(
            "readMBPerSecond", Kind.NUMBER, null, "Ceiling of a scan on one executor", "input.throughputMBPerSec"),
    LOOKUPS_IN_FLIGHT("lookupsInFlight", Kind.NUMBER, "256", "Keys that a task looks up at once", "concurrent.reads"),
    LOOKUPS_PER_SECOND(
            "lookupsPerSecond",
            Kind.NUMBER,
            null,
            "Ceiling of keys that a scan or a join looks up on one executor",
            "input.readsPerSec",
            "input.reads_per_sec",
            "input.join.throughput_query_per_sec"),
    LOOKUP_MAX_KEYS(
            "lookupMaxKeys",
            Kind.NUMBER,
            "1000000",
            "Keys up to which a list of keys is looked up, not scanned for",
            "sql.inClauseToFullScanConversionThreshold"),
    DIRECT_JOIN("directJoin", Kind.SWITCH, "auto", "on, off or auto: joins by looking up keys", "directJoinSetting"),
    DIRECT_JOIN_RATIO(
            "directJoinSizeRatio",
            Kind.AMOUNT,
            "0.9",
            "auto: bytes of keys to bytes of the table, at most",
            "directJoinSizeRatio"),

    // both
    REQUEST_TIMEOUT(
            "requestTimeout",
            Kind.NUMBER,
            "60000",
            "Milliseconds for one request",
            "read.timeoutMS",
            "read.timeout_ms"),
    MAX_ATTEMPTS("maxAttempts", Kind.NUMBER, "10", "Times that a request is tried", "query.retry.count"),
    PATIENCE(
            "patience",
            Kind.NUMBER,
            "300",
            "Seconds to wait for nodes that are down, unreachable or overloaded before a task fails"),

    // writing
    GROUPING(
            "grouping",
            Kind.GROUPING,
            "partition",
            "partition, replica_set or none: what is written together",
            "output.batch.grouping.key"),
    BATCH_BYTES("batchBytes", Kind.NUMBER, null, "Bytes written at once"),
    BATCH_ROWS("batchRows", Kind.NUMBER, null, "Rows written at once", "output.batch.size.rows"),
    GROUPING_MEMORY_MB(
            "groupingMemoryMB",
            Kind.NUMBER,
            null,
            "MB of rows that wait for their partition, for all tasks of an executor"),
    DISTRIBUTION(
            "distribution",
            Kind.DISTRIBUTION,
            "auto",
            "auto, partition or none: whether Spark brings the rows of a partition together before they are written"),
    IN_FLIGHT_REQUESTS(
            "inFlightRequests", Kind.NUMBER, null, "Requests under way to one node, of all tasks of an executor"),
    WRITE_CONSISTENCY(
            "writeConsistency", Kind.CONSISTENCY, "LOCAL_QUORUM", "Consistency of writes", "output.consistency.level"),
    IF_NOT_EXISTS("ifNotExists", Kind.FLAG, "false", "Writes only rows that are not there yet", "output.ifNotExists"),
    IGNORE_NULLS(
            "ignoreNulls",
            Kind.FLAG,
            "false",
            "A null leaves what is there, and does not delete it",
            "output.ignoreNulls"),
    COLLECTIONS(
            "collections",
            Kind.TEXT,
            "",
            "What to do with collections that are there: column=append, prepend, remove or overwrite, with commas between"),
    ALLOW_NON_IDEMPOTENT(
            "allowNonIdempotent",
            Kind.FLAG,
            "false",
            "Accepts that tasks which run again add to counters and lists again"),
    WRITE_ROWS_PER_SECOND("writeRowsPerSecond", Kind.NUMBER, null, "Ceiling of one executor"),
    WRITE_MB_PER_SECOND(
            "writeMBPerSecond",
            Kind.NUMBER,
            null,
            "Ceiling of one executor",
            "output.throughputMBPerSec",
            "output.throughput_mb_per_sec");

    /** What a value must be. */
    enum Kind {
        TEXT("text", "(?s).*"),
        SECRET("text", "(?s).*"),
        FLAG("true or false", "true|false"),
        NUMBER("a whole number from 1 on", "0*[1-9]\\d{0,17}"),
        AMOUNT("a number above 0", "(?!0*\\.?0*$)\\d*\\.?\\d+"),
        PORT("a port, 1 to 65535", "[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5]"),
        CONSISTENCY(
                "ANY, ONE, TWO, THREE, QUORUM, ALL, LOCAL_ONE, LOCAL_QUORUM or EACH_QUORUM",
                "any|one|two|three|quorum|all|local_one|local_quorum|each_quorum"),
        SWITCH("on, off or auto", "on|off|auto"),
        GROUPING("partition, replica_set or none", "partition|replica_set|none"),
        DISTRIBUTION("auto, partition or none", "auto|partition|none");

        final String expected;
        private final Pattern pattern;

        Kind(String expected, String pattern) {
            this.expected = expected;
            this.pattern = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
        }

        boolean accepts(String value) {
            return pattern.matcher(value).matches();
        }
    }

    static final String PREFIX = "spark.overdrive.";
    static final String CONNECTOR_PREFIX = "spark.cassandra.";
    /** More than a request can usefully be tried, and what the engine takes at most. */
    private static final long ATTEMPTS_BOUND = 1000;

    /** The short name. */
    public final String option;

    final Kind kind;
    final @Nullable String byDefault;
    public final String meaning;
    /** Names of the connector for Spark 3, without {@link #CONNECTOR_PREFIX}. */
    final List<String> aliases;

    Setting(String option, Kind kind, @Nullable String byDefault, String meaning, String... aliases) {
        this.option = option;
        this.kind = kind;
        this.byDefault = byDefault;
        this.meaning = meaning;
        this.aliases = List.of(aliases);
    }

    /** All names in a session, the one that goes first in front. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        names.add(PREFIX + option);
        for (String alias : aliases) {
            names.add(CONNECTOR_PREFIX + alias);
            if (alias.indexOf('.') < 0) {
                names.add(alias);
            }
        }
        return names;
    }

    /** All names of an option of a read, a write or a catalog, the one that goes first in front. */
    List<String> optionNames() {
        List<String> names = new ArrayList<>();
        names.add(option);
        names.addAll(names());
        names.addAll(aliases);
        return names;
    }

    /**
     * What a value under one of their names is under ours; null where it is none.
     *
     * @param cores of an executor: their ceilings hold for each
     * @throws NumberFormatException where it is no number and must be one
     */
    @Nullable String converted(String value, int cores) {
        return switch (this) {
            case MAX_ATTEMPTS -> {
                long retries = Long.parseLong(value);
                yield String.valueOf(retries < 0 ? ATTEMPTS_BOUND : Math.min(ATTEMPTS_BOUND, retries + 1));
            }
            case READ_MB_PER_SECOND, WRITE_MB_PER_SECOND, LOOKUPS_PER_SECOND ->
                String.valueOf((long) Math.max(1, Math.ceil(Double.parseDouble(value) * cores)));
            case BATCH_ROWS -> value.toLowerCase(Locale.ROOT).equals("auto") ? null : value;
            default -> value;
        };
    }
}
