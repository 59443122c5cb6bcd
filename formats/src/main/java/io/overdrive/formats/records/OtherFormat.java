package io.overdrive.formats.records;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats that are neither read nor written here, known by the names of their files, with advice on what to use instead. */
enum OtherFormat {
    TABLE(
            "other formats are not read here: read it in Spark, and write it to the table with Overdrive's connector",
            "for other formats read the table in Spark with Overdrive's connector",
            "orc",
            "avro"),
    CONTAINER(
            "it is an archive or a spreadsheet: take CSV or JSON files out of it, which may be compressed one by one"
                    + " as .gz, .zst and the like",
            "archives and spreadsheets are not written",
            "zip",
            "7z",
            "rar",
            "tar",
            "tgz",
            "xlsx",
            "xls",
            "ods"),
    COMPRESSION(
            "files that are compressed like this are not read here: unpack it first",
            "files that are compressed like this are not written",
            "z",
            "br",
            "bz",
            "lzma",
            "lzo");

    private final String inPlaceOfReading;
    private final String inPlaceOfWriting;
    private final List<String> extensions;

    OtherFormat(String inPlaceOfReading, String inPlaceOfWriting, String... extensions) {
        this.inPlaceOfReading = inPlaceOfReading;
        this.inPlaceOfWriting = inPlaceOfWriting;
        this.extensions = List.of(extensions);
    }

    /** The format of files with this extension; null if none of these is known by it. */
    static @Nullable OtherFormat of(String extension) {
        for (OtherFormat format : values()) {
            if (format.extensions.contains(extension)) {
                return format;
            }
        }
        return null;
    }

    String inPlaceOfReading() {
        return inPlaceOfReading;
    }

    String inPlaceOfWriting() {
        return inPlaceOfWriting;
    }
}
