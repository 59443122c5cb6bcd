package io.overdrive;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Setting.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The settings of {@link WriteOptions}. Immutable. */
public final class WriteSetting {
    static final long MIN_GROUPING_MEMORY = 1 << 20;
    /** Servers refuse a batch of several partitions from 50 KiB, by their own count. */
    static final long REPLICA_SET_BATCH_BYTES = 32 << 10;
    /** 20 years is the server's own limit (ExpirationDateOverflowHandling, Attributes.MAX_TTL). */
    private static final long MAX_TTL = 20L * 365 * 24 * 3600;
    /** Leaves as much room again for the positions of rows, which are added. */
    static final long MAX_TIMESTAMP = 1L << 62;

    public static final Setting<Grouping> GROUPING = Setting.of(
                    "grouping",
                    Kind.GROUPING,
                    Grouping.PARTITION,
                    "Which rows may share a request: partition, replica_set or none.")
            .defaultShownAs(
                    "partition; and single rows of partitions with the same replicas share requests of up to 10 rows"
                            + " while that proves to be faster");
    public static final Setting<Long> BATCH_BYTES = Setting.bytes(
                    "batchBytes", 64 << 10, 1, 16 << 20, "Size at which a batch is sent.")
            .defaultShownAs(
                    "64KB at first, then what is fastest; if grouped by replica_set, 32KB, or less if the server's"
                            + " batch_size_fail_threshold is below 50 KiB");
    public static final Setting<Long> BATCH_ROWS =
            Setting.count("batchRows", 1000, 1, 65535, "Number of rows at which a batch is sent.");
    public static final Setting<Long> GROUPING_MEMORY = Setting.bytes(
                    "groupingMemory",
                    128 << 20,
                    MIN_GROUPING_MEMORY,
                    Long.MAX_VALUE,
                    "Memory for groups: rows that wait for others of their partition.")
            .withDefault(
                    () -> Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 5 * 2),
                    "128MB, or two fifths of the Java heap if that is less");
    public static final Setting<Duration> LINGER = Setting.duration(
                    "linger",
                    Duration.ofMillis(5),
                    Duration.ofMillis(1),
                    "How long a row may wait for others of its partition before it is sent, for input that comes"
                            + " slowly; rows are then never spilled to disk.")
            .defaultShownAs("none, so that rows wait while memory lasts; 0.005 in Java programs");
    public static final Setting<Path> SPILL_DIRECTORY = Setting.of(
                    "spillDirectory",
                    Kind.DIRECTORY,
                    Path.of(System.getProperty("java.io.tmpdir")),
                    "Directory for groups that do not fit in that memory.")
            .defaultShownAs("the system's directory for temporary files");
    static final long FIXED_REQUESTS = 512;
    static final long FIXED_BYTES = 2 << 20;
    public static final Setting<InFlightControl> IN_FLIGHT_CONTROL = Setting.inFlightControl();
    public static final Setting<Long> IN_FLIGHT_REQUESTS = Setting.count(
                    "inFlightRequests", 4096, 1, 8000, "Maximum number of requests in flight per node.")
            .defaultShownAs("4096, or 512 if the control is fixed");
    public static final Setting<Long> IN_FLIGHT_BYTES = Setting.bytes(
                    "inFlightBytes", 16 << 20, 1024, Long.MAX_VALUE, "Maximum number of bytes in flight per node.")
            .defaultShownAs("16MB, or 2MB if the control is fixed");
    public static final Setting<Long> ROWS_PER_SECOND =
            Setting.rateLimit("rowsPerSecond", Kind.COUNT, "Maximum number of rows to write per second.");
    public static final Setting<Long> BYTES_PER_SECOND = Setting.rateLimit(
            "bytesPerSecond", Kind.BYTES, "Maximum number of bytes to write per second, for example 20MB.");
    public static final Setting<DefaultConsistencyLevel> CONSISTENCY = Setting.of(
            "consistency", Kind.CONSISTENCY, DefaultConsistencyLevel.LOCAL_QUORUM, "Consistency level of writes.");
    public static final Setting<Long> TTL = Setting.<Long>unset(
                    "ttl", Kind.SECONDS, "the table's", "Time to live of every row.")
            .within(0L, MAX_TTL);
    public static final Setting<Long> TIMESTAMP = Setting.<Long>unset(
                    "timestamp",
                    Kind.MICROS,
                    "now",
                    "Write time of the first row, in microseconds since 1970. Row n of the input gets n more, so that"
                            + " the last row of a key wins. A second run with the same write time changes nothing, except"
                            + " that it would double the elements of non-frozen lists, which therefore need"
                            + " {allowNonIdempotent}.")
            .within(-MAX_TIMESTAMP, MAX_TIMESTAMP);
    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.duration(
            "requestTimeout",
            Duration.ofSeconds(15),
            Duration.ofMillis(1),
            "Timeout of a request; it is then retried.");
    public static final Setting<Long> MAX_ATTEMPTS = Setting.count(
            "maxAttempts",
            10,
            1,
            1000,
            "Maximum number of attempts for a request that may have been applied, before its rows are rejected; at"
                    + " most 10 for non-frozen lists.");
    public static final Setting<Duration> PATIENCE = Setting.duration(
            "patience",
            Duration.ofMinutes(5),
            Duration.ZERO,
            "How long to wait for nodes that are down, unreachable or overloaded before the run fails.");
    public static final Setting<Boolean> ALLOW_NON_IDEMPOTENT = Setting.of(
            "allowNonIdempotent",
            Kind.FLAG,
            false,
            "Accept writes that a retry might apply twice: counters, appends, conditions, and lists with given write"
                    + " times. A row whose outcome is unknown is then rejected, not retried; and a resumed run may apply"
                    + " rows twice that were written just before the run was killed.");

    /** All settings, in the order of the help. */
    public static final List<Setting<?>> ALL = List.of(
            GROUPING,
            BATCH_BYTES,
            BATCH_ROWS,
            GROUPING_MEMORY,
            LINGER,
            SPILL_DIRECTORY,
            IN_FLIGHT_CONTROL,
            IN_FLIGHT_REQUESTS,
            IN_FLIGHT_BYTES,
            ROWS_PER_SECOND,
            BYTES_PER_SECOND,
            CONSISTENCY,
            TTL,
            TIMESTAMP,
            REQUEST_TIMEOUT,
            MAX_ATTEMPTS,
            PATIENCE,
            ALLOW_NON_IDEMPOTENT);

    private WriteSetting() {}
}
