package io.overdrive.formats.records;

import io.overdrive.Setting;
import java.util.List;

/** The settings of reading files that are numbers. Immutable. */
public final class ReadingSetting {
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
            "Maximum size of a record with its line end. A longer one stops the load, as it usually means a missing quote."
                    + " Below 256KB, files are also read in pieces of at most this size, which is slower.");
    public static final Setting<Long> MAX_FIELD_LINES = Setting.count(
            "maxFieldLines",
            1000,
            1,
            Integer.MAX_VALUE,
            "CSV: maximum number of lines of a field in quotes. If it has more, its closing quote counts as missing: the"
                    + " record is rejected up to the end of the line where the quote opens, and the next line starts a"
                    + " record.");

    /** All settings, in the order of the help. */
    public static final List<Setting<?>> ALL =
            List.of(SKIP_LINES, SKIP_RECORDS, MAX_RECORDS, MAX_RECORD_BYTES, MAX_FIELD_LINES);

    private ReadingSetting() {}
}
