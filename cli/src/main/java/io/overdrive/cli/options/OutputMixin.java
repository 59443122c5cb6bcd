package io.overdrive.cli.options;

import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.unload.UnloadOptions;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options for writing records. */
public final class OutputMixin {
    private static final Pattern DECIMAL = Pattern.compile("([1-9]\\d?),(\\d\\d?)");
    private static final OutputFormat.Batches NO_BATCHES =
            new OutputFormat.Batches(/* isStream */ false, Compression.NONE, Decimals.TEXT);

    @Option(
            names = "--format",
            paramLabel = "csv|json|arrow|parquet",
            description =
                    "CSV, one JSON object per line, Arrow IPC (files, and a stream on standard output) or Parquet (files). Default: by the name of the output, else CSV.")
    private OutputFormat.@Nullable Kind format;

    @Option(
            names = "--compress",
            paramLabel = "WHAT",
            completionCandidates = Compressions.class,
            description =
                    "gzip, zstd, xz, bzip2, lz4, snappy or none; batches of Arrow: lz4, zstd or none; pages of Parquet:"
                            + " zstd, snappy, gzip, lz4 or none. Default: by the name of the output; Parquet: zstd.")
    private @Nullable String compress;

    @Option(names = "--no-header", description = "CSV: write no header with the names of the columns.")
    private boolean noHeader;

    @Option(
            names = "--delimiter",
            paramLabel = "TEXT",
            description = "CSV: field delimiter, \\t for a tab. Default: a tab for .tsv and .tab, else a comma.")
    private @Nullable String delimiter;

    @Option(
            names = "--quote",
            paramLabel = "CHAR",
            description = "CSV: quote character around fields that need it; an empty text for none. Default: \".")
    private String quote = "\"";

    @Option(
            names = "--escape",
            paramLabel = "CHAR",
            description = "CSV: escape character before a quote in quotes. Default: none, the quote is doubled.")
    private String escape = "";

    @Option(
            names = "--dialect",
            paramLabel = "dsbulk|spark|cqlsh",
            description = "CSV: write as the tool reads it: a backslash as escape character; collections, tuples and"
                    + " user-defined types as JSON for dsbulk and spark, as in CQL for cqlsh; and for cqlsh,"
                    + " timestamps as COPY TO writes them. Default: none.")
    private @Nullable Dialect dialect;

    @Option(
            names = "--null",
            paramLabel = "WORD",
            description = "CSV: word for a missing value. Default: nothing; an empty text is in quotes.")
    private String nullWord = "";

    @Option(
            names = "--decimal",
            paramLabel = "P,S",
            description =
                    "Arrow, Parquet: write decimal and varint as numbers of P digits, S of them after the point of a decimal, such"
                            + " as 38,9. A value that does not fit ends the unload. Default: as text, which is exact.")
    private @Nullable String decimal;

    @Option(
            names = "--partition-by",
            paramLabel = "NAMES",
            description = "Arrow, Parquet: directories named by the values of these columns, as Hive names them"
                    + " (year=2020/month=3): a,b,\"C\". Few values at a time: each is a file for each split.")
    private @Nullable String partitionBy;

    @Option(names = "--write-nulls", description = "JSON: write missing values as null. Default: leave them out.")
    private boolean writeNulls;

    @Option(
            names = "--timestamp-format",
            paramLabel = "PATTERN",
            description =
                    "Java pattern of timestamps, for example \"dd.MM.yyyy HH:mm\", or excel for days as spreadsheets count them."
                            + " Default: ISO 8601.")
    private @Nullable String timestampPattern;

    @Option(
            names = "--date-format",
            paramLabel = "PATTERN",
            description = "Java pattern of dates, or excel. Default: yyyy-MM-dd.")
    private @Nullable String datePattern;

    @Option(
            names = "--time-format",
            paramLabel = "PATTERN",
            description = "Java pattern of times, or excel. Default: HH:mm:ss.nnn.")
    private @Nullable String timePattern;

    @Option(
            names = "--time-zone",
            paramLabel = "ZONE",
            description = "Time zone for --timestamp-format, for example Europe/Berlin. Default: UTC.")
    private String timeZone = "UTC";

    @Option(
            names = "--decimal-separator",
            paramLabel = "CHAR",
            description = "Decimal separator in numbers, except in collections. Default: a point.")
    private char decimalSeparator = '.';

    @Option(names = "--blob-encoding", paramLabel = "hex|base64", description = "Encoding of blobs. Default: hex.")
    private BlobForm blobEncoding = BlobForm.HEX;

    /** Text forms of blobs that can be written; reading has another one besides. */
    private enum BlobForm {
        HEX(ValueFormat.BlobEncoding.HEX),
        BASE64(ValueFormat.BlobEncoding.BASE64);

        private final ValueFormat.BlobEncoding encoding;

        BlobForm(ValueFormat.BlobEncoding encoding) {
            this.encoding = encoding;
        }
    }

    /** @param name of the output, which decides what the options leave open */
    public OutputFormat format(String name) {
        OutputFormat.Kind kind = format != null ? format : OutputFormat.kindOf(name);
        return OutputFormat.builder(kind == null ? OutputFormat.Kind.CSV : kind)
                .header(!noHeader)
                .delimiter(delimiter != null ? delimiter : OutputFormat.delimiterOf(name))
                .quote(OptionValues.character("--quote", quote))
                .escape(
                        dialect == null
                                ? OptionValues.character("--escape", escape)
                                : Character.valueOf(Dialect.ESCAPE))
                .escaping(dialect == null ? InputFormat.Escaping.ANYWHERE : dialect.escaping)
                .nesting(dialect == null ? OutputFormat.Nesting.CQL : dialect.nesting)
                .nullWord(nullWord)
                .writeNulls(writeNulls)
                .batches(kind != null && kind.isColumnar() ? batches(kind, name) : NO_BATCHES)
                .partitionBy(partitionBy == null ? List.of() : ScanMixin.columns("--partition-by", partitionBy))
                .build();
    }

    private OutputFormat.Batches batches(OutputFormat.Kind kind, String name) {
        if (Compression.of(name) != Compression.NONE) {
            throw new IllegalArgumentException("the output is " + name
                    + ", but files of " + kind.label()
                    + " are not compressed as a whole: name it without this extension, and compress its"
                    + (kind == OutputFormat.Kind.ARROW ? " batches" : " pages") + " with --compress zstd or lz4");
        }
        return new OutputFormat.Batches(
                name.equals("-") || OutputFormat.isStream(name),
                compress != null
                        ? Compression.named(compress)
                        : kind == OutputFormat.Kind.PARQUET ? Compression.ZSTD : Compression.NONE,
                decimals());
    }

    private Decimals decimals() {
        if (decimal == null) {
            return Decimals.TEXT;
        }
        Matcher size = DECIMAL.matcher(decimal);
        if (!size.matches()) {
            throw new IllegalArgumentException("--decimal is \"" + decimal
                    + "\", must be the number of digits, and how many of them are after the point, such as 38,9");
        }
        return new Decimals(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
    }

    public String compression(String name) {
        return compress != null ? compress : UnloadOptions.compressionOf(name);
    }

    public ValueFormat values(OutputFormat format) {
        String ofTool = dialect == null || format.kind() != OutputFormat.Kind.CSV ? null : dialect.timestampPattern;
        ValueFormat.Builder times = timestampPattern == null && ofTool != null
                ? OptionValues.times(ofTool, datePattern, timePattern, "UTC")
                : OptionValues.times(timestampPattern, datePattern, timePattern, timeZone);
        return times.blobEncoding(blobEncoding.encoding)
                .decimalSeparator(decimalSeparator)
                .build();
    }

    /** Refuses options that have no effect. */
    public void check(ParseResult given, OutputFormat format) {
        OptionValues.checkKind(
                given,
                Set.of(format.kind().label()),
                Set.of(
                        "--timestamp-format",
                        "--date-format",
                        "--time-format",
                        "--time-zone",
                        "--decimal-separator",
                        "--blob-encoding"));
        OptionValues.checkAlone(given, "--escape", "--dialect");
        // without a pattern timestamps are written in UTC
        OptionValues.checkNeeds(given, "--time-zone", "--timestamp-format");
    }

    /** Words that the completion of shells offers. Stateless. */
    static final class Compressions implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Compression.values()).map(Choices::word).iterator();
        }
    }
}
