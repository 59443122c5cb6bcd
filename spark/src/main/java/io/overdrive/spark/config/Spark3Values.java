package io.overdrive.spark.config;

import io.overdrive.WriteSetting;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values of settings that were given under names of the connector for Spark 3. Stateless. */
final class Spark3Values {
    /** Defaults of that connector, which jobs often repeat. */
    private static final long DEFAULT_BATCH_BYTES = 1024;

    private static final long DEFAULT_CONCURRENT_WRITES = 5;

    private Spark3Values() {}

    /**
     * Converts a value of a setting, given under a name of the connector for Spark 3; null if it stands for no value.
     *
     * @param cores of an executor: that connector's limits are per core
     * @throws NumberFormatException if it must be a number and is not
     */
    static @Nullable String converted(Setting setting, String value, int cores) {
        return switch (setting) {
            case MAX_ATTEMPTS -> {
                long retries = Long.parseLong(value);
                long max = Objects.requireNonNull(WriteSetting.MAX_ATTEMPTS.max());
                yield String.valueOf(retries < 0 ? max : Math.min(max, retries + 1));
            }
            case READ_MB_PER_SECOND, WRITE_MB_PER_SECOND ->
                new BigDecimal(value).multiply(BigDecimal.valueOf(cores)).toPlainString();
            case LOOKUPS_PER_SECOND -> String.valueOf((long) Math.max(1, Math.ceil(Double.parseDouble(value) * cores)));
            case BATCH_ROWS -> value.toLowerCase(Locale.ROOT).equals("auto") ? null : value;
            case BATCH_BYTES -> Long.parseLong(value) <= DEFAULT_BATCH_BYTES ? null : value;
            case IN_FLIGHT_REQUESTS -> {
                long writes = Long.parseLong(value);
                long max = Objects.requireNonNull(WriteSetting.IN_FLIGHT_REQUESTS.max());
                yield writes == DEFAULT_CONCURRENT_WRITES ? null : String.valueOf(Math.min(max, writes * cores));
            }
            // Its batches then have any rows; ours go to nodes that have all of their rows.
            case GROUPING -> value.toLowerCase(Locale.ROOT).equals("none") ? "replica_set" : value;
            default -> value;
        };
    }

    /** Why {@link #converted} takes a value for none, for the log; null if users need not know. */
    static @Nullable String whyNotUsed(Setting setting) {
        return switch (setting) {
            case BATCH_BYTES ->
                "a batch has rows of one partition and up to 64 KiB; only more than " + DEFAULT_BATCH_BYTES
                        + " bytes, the default of the connector for Spark 3, is a limit here";
            case IN_FLIGHT_REQUESTS ->
                "what is in flight is found by measuring; only a value other than " + DEFAULT_CONCURRENT_WRITES
                        + ", the default of the connector for Spark 3, is a limit here";
            default -> null;
        };
    }
}
