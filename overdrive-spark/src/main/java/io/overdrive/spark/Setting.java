package io.overdrive.spark;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All settings of the connector. Each has a name of ours, which is {@code spark.overdrive.} and the short name in the
 * session or the application, and the short name alone as an option of a read, a write or a catalog; and maybe names that
 * the connector for Spark 3 has for it, accepted everywhere with and without {@code spark.cassandra.}.
 */
enum Setting {
    // what is read or written
    KEYSPACE("keyspace", null, "Keyspace of the table, not quoted"),
    TABLE("table", null, "Name of the table or materialized view, not quoted"),
    CLUSTER("cluster", "default", "Name of a group of settings: those of cluster/name come before name", "sql.cluster"),
    PUSHDOWN("pushdown", "true", "Whether filters are given to Cassandra"),
    CONFIRM_TRUNCATE("confirm.truncate", "false", "Allows mode overwrite, which empties the table first"),
    TTL("ttl", null, "Seconds to live of what is written, or the column that has them", "output.ttl"),
    WRITE_TIME(
            "writetime", null, "Write time in microseconds since 1970, or the column that has it", "output.timestamp"),
    TEXT_COLUMNS("textColumns", "", "Columns of varint and decimal to read as text, of any size, with commas between"),

    // connection
    HOST("host", "127.0.0.1", "Contact points, host or host:port, with commas between", "connection.host"),
    PORT("port", "9042", "Port of contact points that have none", "connection.port"),
    DATACENTER(
            "datacenter", null, "The local data centre; that of the contact points if not set", "connection.localDC"),
    USERNAME("username", null, "User, together with the password", "auth.username"),
    PASSWORD("password", null, "Password", "auth.password"),
    CONNECT_TIMEOUT("connectTimeout", "10000", "Milliseconds that a connection may take", "connection.timeoutMS"),
    DRIVER_CONFIG(
            "driverConfig", null, "File in the driver's format, before all else", "connection.config.profile.path"),
    TLS("tls", "false", "Whether to encrypt, and to check the nodes' certificates", "connection.ssl.enabled"),
    TLS_TRUST_STORE("tls.trustStore", null, "File with the authorities to trust", "connection.ssl.trustStore.path"),
    TLS_TRUST_STORE_PASSWORD("tls.trustStorePassword", null, "Its password", "connection.ssl.trustStore.password"),
    TLS_TRUST_STORE_TYPE("tls.trustStoreType", "JKS", "JKS or PKCS12", "connection.ssl.trustStore.type"),
    TLS_KEY_STORE("tls.keyStore", null, "File with our own certificate", "connection.ssl.keyStore.path"),
    TLS_KEY_STORE_PASSWORD("tls.keyStorePassword", null, "Its password", "connection.ssl.keyStore.password"),
    TLS_KEY_STORE_TYPE("tls.keyStoreType", "JKS", "JKS or PKCS12", "connection.ssl.keyStore.type"),
    TLS_CHECK_HOST("tls.checkHost", "true", "Whether a node's certificate must have its host name"),

    // reading
    SPLIT_MB("splitMB", "128", "MB of a Spark partition", "input.split.sizeInMB"),
    SPLIT_COUNT("splitCount", null, "Spark partitions of a scan; instead of splitMB", "input.split.count"),
    PAGE_ROWS("pageRows", null, "Rows a page at most; pages are measured in bytes", "input.fetch.sizeInRows"),
    READ_CONSISTENCY("readConsistency", "LOCAL_ONE", "Consistency of reads", "input.consistency.level"),
    READ_ROWS_PER_SECOND("readRowsPerSecond", null, "Ceiling of a scan on one executor", "input.readsPerSec"),
    READ_MB_PER_SECOND("readMBPerSecond", null, "Ceiling of a scan on one executor", "input.throughputMBPerSec"),
    LOOKUPS_IN_FLIGHT("lookupsInFlight", "256", "Keys that a task looks up at once", "concurrent.reads"),
    LOOKUP_MAX_KEYS(
            "lookupMaxKeys",
            "1000000",
            "Keys up to which a list of keys is looked up, not scanned for",
            "sql.inClauseToFullScanConversionThreshold"),
    DIRECT_JOIN("directJoin", "auto", "on, off or auto: joins by looking up keys", "directJoinSetting"),
    DIRECT_JOIN_RATIO(
            "directJoinSizeRatio", "0.9", "auto: bytes of keys to bytes of the table, at most", "directJoinSizeRatio"),

    // both
    REQUEST_TIMEOUT("requestTimeout", "60000", "Milliseconds for one request", "read.timeoutMS"),
    MAX_ATTEMPTS("maxAttempts", "10", "Times that a request is tried", "query.retry.count"),

    // writing
    GROUPING(
            "grouping",
            "partition",
            "partition, replica_set or none: what is written together",
            "output.batch.grouping.key"),
    BATCH_BYTES("batchBytes", null, "Bytes written at once", "output.batch.size.bytes"),
    BATCH_ROWS("batchRows", null, "Rows written at once", "output.batch.size.rows"),
    GROUPING_MEMORY_MB(
            "groupingMemoryMB", null, "MB of rows that wait for their partition, for all tasks of an executor"),
    DISTRIBUTION(
            "distribution",
            "auto",
            "auto, partition or none: whether Spark brings the rows of a partition together before they are written"),
    IN_FLIGHT_REQUESTS("inFlightRequests", null, "Requests under way to one node, of all tasks of an executor"),
    WRITE_CONSISTENCY("writeConsistency", "LOCAL_QUORUM", "Consistency of writes", "output.consistency.level"),
    IF_NOT_EXISTS("ifNotExists", "false", "Writes only rows that are not there yet", "output.ifNotExists"),
    IGNORE_NULLS("ignoreNulls", "false", "A null leaves what is there, and does not delete it", "output.ignoreNulls"),
    WRITE_ROWS_PER_SECOND("writeRowsPerSecond", null, "Ceiling of one executor"),
    WRITE_MB_PER_SECOND("writeMBPerSecond", null, "Ceiling of one executor", "output.throughputMBPerSec");

    static final String OURS = "spark.overdrive.";
    static final String THEIRS = "spark.cassandra.";

    /** The short name. */
    final String option;

    final @Nullable String byDefault;
    final String meaning;
    /** Names of the connector for Spark 3, without {@link #THEIRS}. */
    final List<String> aliases;

    Setting(String option, @Nullable String byDefault, String meaning, String... aliases) {
        this.option = option;
        this.byDefault = byDefault;
        this.meaning = meaning;
        this.aliases = List.of(aliases);
    }
}
