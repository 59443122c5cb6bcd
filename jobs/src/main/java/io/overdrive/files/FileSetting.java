package io.overdrive.files;

import io.overdrive.Setting;
import java.util.List;
import java.util.Objects;

/** The settings of the jobs that are numbers. Immutable. */
public final class FileSetting {
    public static final Setting<Long> LOAD_THREADS = threads("Threads that parse.");
    public static final Setting<Long> UNLOAD_THREADS = threads("Threads that format rows as text.");
    public static final Setting<Long> COPY_THREADS = threads("Threads that pass rows to the writer.");
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

    public static final Setting<Long> SKIP_LINES = Setting.count(
            "skipLines", 0, 0, Long.MAX_VALUE, "Lines to skip at the start of each file, before the header.");
    public static final Setting<Long> SKIP_RECORDS =
            Setting.count("skipRecords", 0, 0, Long.MAX_VALUE, "Records to skip in each file.");
    public static final Setting<Long> MAX_RECORDS = Setting.count(
                    "maxRecords",
                    Long.MAX_VALUE,
                    0,
                    Long.MAX_VALUE,
                    "Maximum number of records to load from each file.")
            .defaultShownAs("all");
    public static final Setting<Long> MAX_RECORD_BYTES = Setting.bytes(
            "maxRecordBytes",
            16 << 20,
            1,
            1 << 30,
            "Maximum size of a record. A longer one stops the load, as it usually means a missing quote.");
    public static final Setting<Long> MAX_FIELD_LINES = Setting.count(
            "maxFieldLines",
            1000,
            1,
            Integer.MAX_VALUE,
            "CSV: maximum number of lines of a field in quotes. If it has more, its closing quote counts as missing: the"
                    + " record is rejected up to the end of the line where the quote opens, and the next line starts a"
                    + " record.");

    /** Those of reading files, in the order of the help. */
    public static final List<Setting<?>> READING =
            List.of(SKIP_LINES, SKIP_RECORDS, MAX_RECORDS, MAX_RECORD_BYTES, MAX_FIELD_LINES);

    private FileSetting() {}

    /** Beyond 8 the cluster is the bottleneck. */
    private static Setting<Long> threads(String help) {
        return Setting.count(
                        "threads", Math.min(8, Runtime.getRuntime().availableProcessors()), 1, Integer.MAX_VALUE, help)
                .defaultShownAs("one per processor, at most 8");
    }

    /** The default of a setting that has one. */
    public static long defaultOf(Setting<Long> setting) {
        return Objects.requireNonNull(setting.byDefault());
    }
}
