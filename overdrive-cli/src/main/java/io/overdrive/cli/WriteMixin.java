package io.overdrive.cli;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.WriteOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@link WriteOptions}, under the same names in kebab case; a test keeps them equal. */
final class WriteMixin {
    @Option(
            names = "--grouping",
            paramLabel = "WHAT",
            description = "Which rows may share a request: partition, replica_set or none. Default: partition, or none"
                    + " if each partition is one row.")
    private @Nullable Grouping grouping;

    @Option(
            names = "--batch-bytes",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Size at which a batch is sent. Default: 64KB; with --grouping replica_set 32KB, or less"
                    + " if the server's batch_size_fail_threshold is below 50 KiB.")
    private @Nullable Long batchBytes;

    @Option(
            names = "--batch-rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Number of rows at which a batch is sent. Default: 1000.")
    private @Nullable Long batchRows;

    @Option(
            names = "--grouping-memory",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Memory for groups: rows that wait for others of their partition. Default: 128MB.")
    private @Nullable Long groupingMemory;

    @Option(
            names = "--spill-directory",
            paramLabel = "DIR",
            description = "Directory for groups that do not fit in that memory. Default: the system's directory for"
                    + " temporary files.")
    private @Nullable Path spillDirectory;

    @Option(
            names = "--in-flight-requests",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of requests in flight per node. Default: 512.")
    private @Nullable Long inFlightRequests;

    @Option(
            names = "--in-flight-bytes",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Maximum number of bytes in flight per node. Default: 2MB.")
    private @Nullable Long inFlightBytes;

    @Option(
            names = "--rows-per-second",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of rows to write per second. Default: unlimited.")
    private @Nullable Long rowsPerSecond;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Maximum number of bytes to write per second, for example 20MB. Default: unlimited.")
    private @Nullable Long bytesPerSecond;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "Consistency level of writes. Default: LOCAL_QUORUM.")
    private @Nullable DefaultConsistencyLevel consistency;

    @Option(names = "--ttl", paramLabel = "SECONDS", description = "Time to live of every row. Default: the table's.")
    private @Nullable Integer ttl;

    @Option(
            names = "--timestamp",
            paramLabel = "MICROS",
            description = "Write time of the first row, in microseconds since 1970. Row n of the input gets n more, so"
                    + " that the last row of a key wins. A second run with the same write time changes nothing, except"
                    + " that it would double the elements of non-frozen lists, which therefore need"
                    + " --allow-non-idempotent. Default: now.")
    private @Nullable Long timestamp;

    @Option(
            names = "--request-timeout",
            paramLabel = "SECONDS",
            converter = Amount.Seconds.class,
            description = "Timeout of a request; it is then retried. Default: 15.")
    private @Nullable Duration requestTimeout;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            description =
                    "Maximum number of attempts for a request that may have been applied, before its rows are rejected; at"
                            + " most 10 for non-frozen lists. Default: 10.")
    private @Nullable Long maxAttempts;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            converter = Amount.Seconds.class,
            description = "How long to wait for nodes that are down, unreachable or overloaded before the run fails."
                    + " Default: 300.")
    private @Nullable Duration patience;

    @Option(
            names = "--allow-non-idempotent",
            description =
                    "Accept counters, appends, conditions, and lists with given write times, whose retries might apply"
                            + " twice: a row whose outcome is unknown is then rejected, not retried.")
    private boolean allowNonIdempotent;

    void apply(WriteOptions.Builder builder) {
        if (grouping != null) {
            builder.grouping(grouping);
        }
        if (batchBytes != null) {
            builder.batchBytes(batchBytes);
        }
        if (batchRows != null) {
            builder.batchRows(batchRows);
        }
        if (groupingMemory != null) {
            builder.groupingMemory(groupingMemory);
        }
        if (spillDirectory != null) {
            builder.spillDirectory(spillDirectory);
        }
        if (inFlightRequests != null) {
            builder.inFlightRequests(inFlightRequests);
        }
        if (inFlightBytes != null) {
            builder.inFlightBytes(inFlightBytes);
        }
        if (rowsPerSecond != null) {
            builder.rowsPerSecond(rowsPerSecond);
        }
        if (bytesPerSecond != null) {
            builder.bytesPerSecond(bytesPerSecond);
        }
        if (consistency != null) {
            builder.consistency(consistency);
        }
        if (ttl != null) {
            builder.ttl(ttl);
        }
        if (timestamp != null) {
            builder.timestamp(OptionValues.micros("--timestamp", timestamp));
        }
        if (requestTimeout != null) {
            builder.requestTimeout(requestTimeout);
        }
        if (maxAttempts != null) {
            builder.maxAttempts(maxAttempts);
        }
        if (patience != null) {
            builder.patience(patience);
        }
        if (allowNonIdempotent) {
            builder.allowNonIdempotent();
        }
    }
}
