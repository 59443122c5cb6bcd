package io.overdrive.jobs;

import io.overdrive.Setting;
import java.time.Duration;

/** The numeric settings of jobs, except settings for reading files. Immutable. */
public final class JobSetting {
    public static final Setting<Long> LOAD_THREADS = threads("Threads that parse.");
    public static final Setting<Long> UNLOAD_THREADS = threads("Threads that format rows as text.");
    public static final Setting<Long> FILE_ROWS = Setting.count(
                    "fileRows",
                    Long.MAX_VALUE,
                    1,
                    Long.MAX_VALUE,
                    "Directories: maximum number of rows of a file; the next row of its split begins another file.")
            .defaultShownAs("no limit");
    public static final Setting<Long> FILE_BYTES = Setting.bytes(
                    "fileBytes",
                    Long.MAX_VALUE,
                    1,
                    Long.MAX_VALUE,
                    "Directories: a file ends with the record with which its size as stored reaches SIZE; compressed files,"
                            + " Arrow and Parquet up to a quarter of SIZE, or 1MB if that is more, later.")
            .defaultShownAs("no limit");
    public static final Setting<Long> COPY_THREADS = threads("Threads that pass rows to the writer.");
    public static final Setting<Duration> CLOCK_SKEW = Setting.duration(
            "clockSkew",
            Duration.ofMinutes(1),
            Duration.ZERO,
            "Margin of a copy of what was written since the last one: it also takes what was written so long before that one"
                    + " began, for clocks of programs that are behind, and for writes that take long.");
    public static final Setting<Long> DIFF_THREADS = Setting.count(
                    "threads",
                    Math.min(16, 2 * Runtime.getRuntime().availableProcessors()),
                    1,
                    Integer.MAX_VALUE,
                    "Token ranges to compare at the same time.")
            .defaultShownAs("two per processor, at most 16");
    public static final Setting<Long> VERIFY_THREADS = Setting.count(
                    "threads",
                    Math.min(16, 2 * Runtime.getRuntime().availableProcessors()),
                    1,
                    Integer.MAX_VALUE,
                    "Threads that parse, and then compare.")
            .defaultShownAs("two per processor, at most 16");
    public static final Setting<Long> PROFILE_THREADS = threads("Threads that parse, or take the rows of a table.");
    public static final Setting<Long> SORT_MEMORY = Setting.bytes(
                    "sortMemory",
                    Math.max(1 << 20, Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 4)),
                    1 << 20,
                    Long.MAX_VALUE,
                    "Memory for the rows of the files; those that do not fit are spilled to disk.")
            .defaultShownAs("256MB, or a quarter of the Java heap if that is less");
    public static final Setting<Long> MAX_DIFFERENCES = Setting.count(
                    "maxDifferences", Long.MAX_VALUE, 1, Long.MAX_VALUE, "Stop after this many differences.")
            .defaultShownAs("no limit");
    public static final Setting<Long> TOP =
            Setting.count("top", 10, 1, Integer.MAX_VALUE, "Number of partitions to show, the largest first.");
    public static final Setting<Long> SPLITS = Setting.<Long>unset(
                    "splits",
                    Setting.Kind.COUNT,
                    "splits of at most 256MB, and down to 16MB so that there are four for each node",
                    "Number of splits, unless there are fewer tokens.")
            .within(1L, 100_000L);

    private JobSetting() {}

    /** The setting of worker threads. Beyond 8 the cluster is the bottleneck. */
    private static Setting<Long> threads(String help) {
        return Setting.count(
                        "threads", Math.min(8, Runtime.getRuntime().availableProcessors()), 1, Integer.MAX_VALUE, help)
                .defaultShownAs("one per processor, at most 8");
    }
}
