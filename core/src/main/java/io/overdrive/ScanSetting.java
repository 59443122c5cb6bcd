package io.overdrive;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Setting.Kind;
import java.time.Duration;
import java.util.List;

/** The settings of {@link ScanOptions}. Immutable. */
public final class ScanSetting {
    public static final Setting<Long> SPLIT_BYTES =
            Setting.bytes("splitBytes", 64 << 20, 1, Long.MAX_VALUE, "Maximum estimated size of a split.");
    public static final Setting<Long> SPLITS_IN_FLIGHT = Setting.count(
                    "splitsInFlight", 4, 1, 4096, "Number of token ranges to read at the same time, per node.")
            .defaultShownAs("4 at first, then what is fastest");
    public static final Setting<InFlightControl> IN_FLIGHT_CONTROL = Setting.inFlightControl();
    public static final Setting<Long> PAGE_BYTES = Setting.bytes(
                    "pageBytes",
                    512 << 10,
                    1024,
                    64 << 20,
                    "Target size of a page; its number of rows follows from the rows read before.")
            .defaultShownAs("512KB at first, then what is fastest");
    public static final Setting<Long> PAGE_ROWS =
            Setting.count("pageRows", 20_000, 1, 1_000_000, "Maximum number of rows in a page.");
    public static final Setting<Long> PAGE_MEMORY = Setting.bytes(
                    "pageMemory",
                    128 << 20,
                    1 << 20,
                    Long.MAX_VALUE,
                    "Memory for all pages; if it is short, pages are smaller.")
            .withDefault(
                    () -> Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 4),
                    "128MB, or a quarter of the Java heap if that is less");
    public static final Setting<Long> ROWS_PER_SECOND =
            Setting.rateLimit("rowsPerSecond", Kind.COUNT, "Maximum number of rows to read per second.");
    public static final Setting<Long> BYTES_PER_SECOND =
            Setting.rateLimit("bytesPerSecond", Kind.BYTES, "Maximum number of bytes to read per second.");
    public static final Setting<DefaultConsistencyLevel> CONSISTENCY = Setting.of(
            "consistency", Kind.CONSISTENCY, DefaultConsistencyLevel.LOCAL_QUORUM, "Consistency level of reads.");
    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.duration(
            "requestTimeout",
            Duration.ofSeconds(15),
            Duration.ofMillis(1),
            "Timeout of a page; it is then requested with fewer rows.");
    public static final Setting<Long> MAX_ATTEMPTS = Setting.count(
            "maxAttempts", 10, 1, 1000, "Maximum number of attempts to read a page before the run fails.");
    public static final Setting<Duration> PATIENCE = Setting.duration(
            "patience",
            Duration.ofMinutes(5),
            Duration.ZERO,
            "How long to wait for nodes that are down, unreachable or overloaded before the run fails.");

    /** All settings, in the order of the help. */
    public static final List<Setting<?>> ALL = List.of(
            SPLIT_BYTES,
            SPLITS_IN_FLIGHT,
            IN_FLIGHT_CONTROL,
            PAGE_BYTES,
            PAGE_ROWS,
            PAGE_MEMORY,
            ROWS_PER_SECOND,
            BYTES_PER_SECOND,
            CONSISTENCY,
            REQUEST_TIMEOUT,
            MAX_ATTEMPTS,
            PATIENCE);

    private ScanSetting() {}
}
