package io.overdrive.cli;

import io.overdrive.files.OutputFormat;
import io.overdrive.files.ValueFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The options that say how records are written. */
final class OutputMixin {
    @Option(
            names = "--format",
            paramLabel = "csv|json",
            description = "CSV, or one JSON object a line. Default: what the name of the output says, else CSV.")
    private OutputFormat.@Nullable Kind format;

    @Option(
            names = "--compress",
            paramLabel = "WHAT",
            description = "gzip, zstd, xz, bzip2, lz4, snappy or none. Default: what the name of the output says.")
    private @Nullable String compress;

    @Option(names = "--no-header", description = "CSV: without the names of the columns in front.")
    private boolean noHeader;

    @Option(names = "--delimiter", paramLabel = "TEXT", description = "CSV: between fields. Default: a comma.")
    private String delimiter = ",";

    @Option(
            names = "--quote",
            paramLabel = "CHAR",
            description = "CSV: around fields that need it; an empty text for none. Default: \".")
    private String quote = "\"";

    @Option(
            names = "--escape",
            paramLabel = "CHAR",
            description = "CSV: before a quote in quotes. Default: none, the quote is doubled.")
    private String escape = "";

    @Option(
            names = "--null",
            paramLabel = "WORD",
            description = "CSV: what stands for a missing value. Default: nothing; an empty text is in quotes.")
    private String nullWord = "";

    @Option(names = "--write-nulls", description = "JSON: write missing values as null. Default: leave them out.")
    private boolean writeNulls;

    @Option(
            names = "--timestamp-format",
            paramLabel = "PATTERN",
            description = "Java pattern, for example \"dd.MM.yyyy HH:mm\". Default: ISO 8601.")
    private @Nullable String timestampPattern;

    @Option(names = "--date-format", paramLabel = "PATTERN", description = "Java pattern. Default: yyyy-MM-dd.")
    private @Nullable String datePattern;

    @Option(names = "--time-format", paramLabel = "PATTERN", description = "Java pattern. Default: HH:mm:ss.nnn.")
    private @Nullable String timePattern;

    @Option(
            names = "--time-zone",
            paramLabel = "ZONE",
            description = "Of timestamps by --timestamp-format, for example Europe/Berlin. Default: UTC.")
    private String timeZone = "UTC";

    @Option(names = "--blob-encoding", paramLabel = "hex|base64", description = "How blobs are written. Default: hex.")
    private ValueFormat.BlobEncoding blobEncoding = ValueFormat.BlobEncoding.AUTO;

    /** @param name of the output, whose ending tells what was not said */
    OutputFormat format(String name) {
        OutputFormat.Kind kind = format != null ? format : kindOf(bareExtension(name));
        return OutputFormat.builder(kind == null ? OutputFormat.Kind.CSV : kind)
                .header(!noHeader)
                .delimiter(delimiter)
                .quote(OptionValues.character("--quote", quote))
                .escape(OptionValues.character("--escape", escape))
                .nullWord(nullWord)
                .writeNulls(writeNulls)
                .build();
    }

    String compression(String name) {
        if (compress != null) {
            return compress;
        }
        String extension = extension(name);
        return isPacked(extension) ? extension : "none";
    }

    /** Whether the name is one of a file of records: it has an ending that says so. */
    static boolean namesAFile(String name) {
        return kindOf(bareExtension(name)) != null;
    }

    private static boolean isPacked(String extension) {
        return switch (extension) {
            case "gz", "gzip", "zst", "zstd", "xz", "bz2", "lz4", "snappy", "sz" -> true;
            default -> false;
        };
    }

    private static OutputFormat.@Nullable Kind kindOf(String extension) {
        return switch (extension) {
            case "csv", "tsv", "txt" -> OutputFormat.Kind.CSV;
            case "json", "jsonl", "ndjson" -> OutputFormat.Kind.JSON;
            default -> null;
        };
    }

    private static String bareExtension(String name) {
        String extension = extension(name);
        return isPacked(extension) ? extension(name.substring(0, name.lastIndexOf('.'))) : extension;
    }

    private static String extension(String name) {
        String file = name.substring(name.lastIndexOf('/') + 1);
        int dot = file.lastIndexOf('.');
        return dot < 0 ? "" : file.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    ValueFormat values() {
        return ValueFormat.builder()
                .timestampPattern(OptionValues.pattern("--timestamp-format", timestampPattern))
                .datePattern(OptionValues.pattern("--date-format", datePattern))
                .timePattern(OptionValues.pattern("--time-format", timePattern))
                .zone(OptionValues.zone("--time-zone", timeZone))
                .blobEncoding(blobEncoding)
                .build();
    }

    /** Refuses options that have no effect. */
    void check(ParseResult given, OutputFormat format) {
        boolean csv = format.kind() == OutputFormat.Kind.CSV;
        OptionValues.checkKind(given, csv, !csv);
        // without a pattern timestamps are written in UTC
        OptionValues.checkNeeds(given, "--time-zone", "--timestamp-format");
    }
}
