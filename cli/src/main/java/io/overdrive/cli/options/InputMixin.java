package io.overdrive.cli.options;

import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.formats.text.ValueFormat;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options for reading files and parsing values. */
public final class InputMixin {
    @Option(
            names = "--format",
            paramLabel = "csv|json|arrow|parquet",
            description = "Format of the files. Default: by their names; CSV for standard input.")
    private InputFormat.Kind format = InputFormat.Kind.AUTO;

    @Option(names = "--no-header", description = "CSV: the first record is data; see --fields.")
    private boolean noHeader;

    @Option(
            names = "--delimiter",
            paramLabel = "TEXT",
            description =
                    "CSV: field delimiter, one or more characters, \\t for a tab. Default: a tab for .tsv and .tab, else a comma.")
    private @Nullable String delimiter;

    @Option(
            names = "--quote",
            paramLabel = "CHAR",
            description = "CSV: quote character around fields; an empty text for none. Default: \".")
    private String quote = "\"";

    @Option(
            names = "--escape",
            paramLabel = "CHAR",
            description = "CSV: escape character, for example \\, before any character: \\n is a line feed."
                    + " Default: none; a quote in quotes is doubled.")
    private @Nullable String escape;

    @Option(
            names = "--dialect",
            paramLabel = "dsbulk|spark|cqlsh",
            description =
                    "CSV: read as the tool writes it: a backslash as escape character, which counts only in quotes for"
                            + " dsbulk and spark, and anywhere for cqlsh. Default: none, see --escape.")
    private @Nullable Dialect dialect;

    @Option(
            names = "--trim",
            description = "CSV: leave out spaces around fields that are not in quotes, also no-break spaces. Default:"
                    + " they belong to text, and are skipped, except no-break spaces, by other types.")
    private boolean trim;

    @Option(
            names = "--comment",
            paramLabel = "CHAR",
            description = "CSV: lines that start with it are skipped. Default: none.")
    private @Nullable String comment;

    @Option(names = "--encoding", paramLabel = "NAME", description = "Encoding of the files. Default: UTF-8.")
    private String encoding = "UTF-8";

    @Option(
            names = "--timestamp-format",
            paramLabel = "PATTERN",
            description =
                    "Java pattern of timestamps, for example \"dd.MM.yyyy HH:mm\"; yy is a year from 1970 to 2069, and names of"
                            + " months are English. excel: days as spreadsheets count them. Default: ISO 8601 as in CQL, or a number.")
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
            description = "Time zone of timestamps without one, for example Europe/Berlin. Default: UTC.")
    private String timeZone = "UTC";

    @Option(
            names = "--epoch-unit",
            paramLabel = "UNIT",
            description = "Unit of timestamps that are numbers, which may then have a fraction: seconds, milliseconds,"
                    + " microseconds… Default:"
                    + " milliseconds; numbers that probably have another unit are then rejected: within a year of"
                    + " the epoch (but not 0), or more than 530 years from it.")
    private @Nullable TimeUnit epochUnit;

    @Option(
            names = "--epoch",
            paramLabel = "INSTANT",
            description = "The time from which such numbers count. Default: 1970-01-01T00:00:00Z.")
    private String epoch = "1970-01-01T00:00:00Z";

    @Option(
            names = "--blob-encoding",
            paramLabel = "auto|hex|base64",
            description = "Encoding of blobs. Default: auto, hex after 0x, otherwise Base64.")
    private ValueFormat.BlobEncoding blobEncoding = ValueFormat.BlobEncoding.AUTO;

    @Option(
            names = "--true-words",
            split = ",",
            paramLabel = "WORD",
            description = "Words for true. Default: true,yes,1,t,y in any case.")
    private @Nullable List<String> trueWords;

    @Option(
            names = "--false-words",
            split = ",",
            paramLabel = "WORD",
            description = "Words for false. Default: false,no,0,f,n in any case.")
    private @Nullable List<String> falseWords;

    @Option(
            names = "--json-text",
            description =
                    "JSON, Arrow, Parquet: keep objects, lists and maps for text columns as their JSON. Default: their records are rejected.")
    private boolean jsonText;

    @Option(
            names = "--decimal-separator",
            paramLabel = "CHAR",
            description = "Decimal separator in numbers. Default: a point.")
    private char decimalSeparator = '.';

    @Option(
            names = "--grouping-separator",
            paramLabel = "CHAR",
            description =
                    "Separator of thousands in numbers; a space or ' also stands for the narrow or no-break space, or the"
                            + " apostrophe, that spreadsheets write. Default: none.")
    private char groupingSeparator = ValueFormat.NO_GROUPING;

    /** @param numbers the options of {@link ReadingSetting#ALL} */
    public InputFormat format(SettingOptions numbers) {
        return InputFormat.builder()
                .kind(format)
                .header(!noHeader)
                .delimiter(delimiter)
                .quote(OptionValues.character("--quote", quote))
                .escape(
                        dialect == null
                                ? OptionValues.character("--escape", escape)
                                : Character.valueOf(Dialect.ESCAPE))
                .escaping(dialect == null ? InputFormat.Escaping.ANYWHERE : dialect.escaping)
                .trim(trim)
                .comment(OptionValues.character("--comment", comment))
                .encoding(charset())
                .skipLines(numbers.get(ReadingSetting.SKIP_LINES))
                .skipRecords(numbers.get(ReadingSetting.SKIP_RECORDS))
                .maxRecords(numbers.get(ReadingSetting.MAX_RECORDS))
                .maxFieldLines(numbers.getInt(ReadingSetting.MAX_FIELD_LINES))
                .maxRecordBytes(numbers.getInt(ReadingSetting.MAX_RECORD_BYTES))
                .build();
    }

    private Charset charset() {
        try {
            return Charset.forName(encoding);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new IllegalArgumentException(
                    "--encoding is \"" + encoding + "\", must be an encoding that Java knows, such as ISO-8859-1", e);
        }
    }

    public ValueFormat values() {
        ValueFormat.Builder builder = OptionValues.times(timestampPattern, datePattern, timePattern, timeZone)
                .epoch(OptionValues.instant("--epoch", epoch))
                .epochUnit(epochUnit)
                .blobEncoding(blobEncoding)
                .jsonText(jsonText)
                .decimalSeparator(decimalSeparator)
                .groupingSeparator(groupingSeparator);
        if (trueWords != null || falseWords != null) {
            builder.booleanWords(
                    trueWords != null ? trueWords : ValueFormat.DEFAULT.trueWords(),
                    falseWords != null ? falseWords : ValueFormat.DEFAULT.falseWords());
        }
        return builder.build();
    }

    /** Refuses options that have no effect. */
    public void check(ParseResult given, InputFormat format, List<InputFile> files) {
        Set<String> kinds =
                files.stream().map(file -> format.kindOf(file).label()).collect(Collectors.toSet());
        OptionValues.checkKind(given, kinds, Set.of("--encoding", "--skip-lines", "--max-record-bytes"));
        OptionValues.checkNeeds(given, "--fields", "--no-header");
        OptionValues.checkAlone(given, "--escape", "--dialect");
        OptionValues.checkAlone(given, "--trim", "--dialect");
        OptionValues.checkAlone(given, "--epoch-unit", "--timestamp-format");
        OptionValues.checkAlone(given, "--epoch", "--timestamp-format");
    }

    /** The name of the file of rejected records, without its last extension: the name of the first input. */
    public String rejectName(InputFile first) {
        String extension = format.name().toLowerCase(Locale.ROOT);
        if (first.isStandardInput()) {
            return "stdin." + (format == InputFormat.Kind.AUTO ? "csv" : extension);
        }
        String name = String.valueOf(Path.of(first.name()).getFileName());
        // a pipe often has no extension, and loading the rejected records infers the format from it
        return first.isRereadable() || name.contains(".") || format == InputFormat.Kind.AUTO
                ? name
                : name + "." + extension;
    }
}
