package io.overdrive.formats.records;

import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How rows are written: as records of CSV or JSON lines, in UTF-8, with a line feed after each, or as batches of Arrow or Parquet. Immutable.
 *
 * @param kind of output
 * @param header whether CSV starts with a record that names the columns
 * @param delimiter between CSV fields, one character or several
 * @param quote around those CSV fields that need it, ASCII; null for none: then values that would need it, empty text
 *     included, are refused
 * @param escape written before a quote within quotes, and before itself, ASCII; null to double the quote instead.
 *     Without a quote it is written before delimiters and line ends
 * @param escaping where readers take the escape character for one
 * @param nesting how CSV has collections, tuples, user-defined types and vectors
 * @param comment a first field that starts with it is quoted, for a reader that skips comments; null for none
 * @param nullWord text of a missing value in CSV. If it is empty, readers need no option: empty text is in quotes, a
 *     missing value is not
 * @param writeNulls whether JSON has missing values as null; else they are left out
 * @param batches how Arrow and Parquet are written
 * @param partitionBy columns whose values are in the names of directories, as Hive has them, and not in the files, which are Arrow or
 *     Parquet; empty for none
 * @throws IllegalArgumentException if a value is out of range, or two contradict each other
 */
public record OutputFormat(
        Kind kind,
        boolean header,
        String delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        InputFormat.Escaping escaping,
        Nesting nesting,
        @Nullable Character comment,
        String nullWord,
        boolean writeNulls,
        Batches batches,
        List<String> partitionBy) {

    /** The content of a file. */
    public enum Kind {
        CSV,
        /** One object on each line. */
        JSON,
        /** A file or a stream of Arrow IPC, which {@link Batches} describes. */
        ARROW,
        PARQUET;

        /** The name in sentences. */
        public String label() {
            return InputFormat.Kind.valueOf(name()).label();
        }

        /** Whether rows are written by the batch, as {@link Batches} says. */
        public boolean isColumnar() {
            return this == ARROW || this == PARQUET;
        }
    }

    /**
     * How rows are written by the batch.
     *
     * @param isStream whether the output is a stream, and not a file with a footer
     * @param packing how batches are compressed: {@link Compression#NONE}, {@link Compression#LZ4} or {@link Compression#ZSTD}; for Parquet
     *     {@link Compression#SNAPPY} or {@link Compression#GZIP}, too
     * @param decimals how decimal and varint are written
     * @param decimalsOf the same by column, for those that are written otherwise
     */
    public record Batches(boolean isStream, Compression packing, Decimals decimals, Map<String, Decimals> decimalsOf) {
        public Batches {
            decimalsOf = Map.copyOf(decimalsOf);
        }

        public Batches(boolean isStream, Compression packing, Decimals decimals) {
            this(isStream, packing, decimals, Map.of());
        }

        /** The same, with decimals of columns that have their own size. */
        public Batches withDecimals(Map<String, Decimals> columns) {
            return new Batches(isStream, packing, decimals, columns);
        }

        Decimals decimals(String column) {
            return decimalsOf.getOrDefault(column, decimals);
        }

        private void check(Kind kind) {
            if (!kind.isColumnar()) {
                return;
            }
            List<Compression> known = kind == Kind.ARROW ? OF_ARROW : OF_PARQUET;
            if (!known.contains(packing)) {
                String names = known.stream()
                        .filter(each -> each != Compression.NONE)
                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "));
                throw new IllegalOptionException(words -> words.of(JobOption.COMPRESSION) + " is "
                        + packing.name().toLowerCase(Locale.ROOT)
                        + ", must be " + names + " or none for "
                        + (kind == Kind.ARROW
                                ? "Arrow, which compresses each batch by itself"
                                : "Parquet, which compresses each page by itself"));
            }
            if (kind == Kind.PARQUET && isStream) {
                throw new IllegalOptionException(
                        words ->
                                "Parquet is written to files only, as its end says where its rows are: name a file or a directory");
            }
        }
    }

    private static final List<Compression> OF_ARROW = List.of(Compression.LZ4, Compression.ZSTD, Compression.NONE);
    private static final List<Compression> OF_PARQUET =
            List.of(Compression.ZSTD, Compression.SNAPPY, Compression.GZIP, Compression.LZ4, Compression.NONE);

    /** How a CSV field has a value with parts. */
    public enum Nesting {
        /** A CQL literal. */
        CQL,
        JSON
    }

    /** Characters that mean something else to readers after an escape character: {@code \n} is a line feed. */
    private static final String ESCAPE_LETTERS = "rntbf";

    public OutputFormat {
        batches.check(kind);
        partitionBy = List.copyOf(partitionBy);
        if (!partitionBy.isEmpty() && (!kind.isColumnar() || batches.isStream)) {
            throw new IllegalOptionException(words -> words.of(JobOption.PARTITION_BY)
                    + " is for files of Arrow and Parquet, which are loaded with the columns that their directories name: choose"
                    + " one of them with " + words.of(JobOption.FORMAT));
        }
        InputFormat read = reader(kind, header, delimiter, quote, escape, escaping, comment);
        delimiter = String.valueOf(read.delimiter());
        escape = read.escape();
        if (escape != null && escaping == InputFormat.Escaping.ANYWHERE) {
            checkEscaped(JobOption.ESCAPE, String.valueOf(escape));
            checkEscaped(JobOption.QUOTE, quote == null ? "" : String.valueOf(quote));
            checkEscaped(JobOption.DELIMITER, quote == null ? delimiter : "");
        }
        if (quote == null && delimiter.codePointCount(0, delimiter.length()) != 1) {
            String given = delimiter;
            throw new IllegalOptionException(words -> words.of(JobOption.DELIMITER) + " is \"" + given
                    + "\", must be one character if there is no quote character");
        }
        if (nullWord.contains(delimiter)
                || nullWord.indexOf('\n') >= 0
                || nullWord.indexOf('\r') >= 0
                || (quote != null && nullWord.indexOf(quote) >= 0)
                || (escape != null && nullWord.indexOf(escape) >= 0)
                || (comment != null && nullWord.indexOf(comment) == 0)) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.NULL_WORD) + " is \"" + nullWord + "\", must not need quotes: no delimiter,"
                            + " line end, quote or escape character in it, and no comment character in front");
        }
    }

    /** The extension of files in this format, by which they are read in it. */
    public String extension() {
        return switch (kind) {
            case CSV -> delimiter.equals("\t") ? ".tsv" : ".csv";
            case JSON -> ".jsonl";
            case ARROW -> batches.isStream ? ".arrows" : ".arrow";
            case PARQUET -> ".parquet";
        };
    }

    /** The input format for files written in this format; a null word has to be given in addition. */
    InputFormat reader() {
        return reader(kind, header, delimiter, quote, escape, escaping, comment);
    }

    private static InputFormat reader(
            Kind kind,
            boolean header,
            String delimiter,
            @Nullable Character quote,
            @Nullable Character escape,
            InputFormat.Escaping escaping,
            @Nullable Character comment) {
        return InputFormat.builder()
                .kind(InputFormat.Kind.valueOf(kind.name()))
                .header(header)
                .delimiter(delimiter)
                .quote(quote)
                .escape(escape)
                .escaping(escaping)
                .comment(comment)
                .build();
    }

    private static void checkEscaped(JobOption what, String characters) {
        if (characters.chars().anyMatch(c -> ESCAPE_LETTERS.indexOf(c) >= 0)) {
            throw new IllegalOptionException(words -> words.of(what) + " is \"" + characters
                    + "\", must not be one of the letters " + String.join(", ", ESCAPE_LETTERS.split(""))
                    + ", which have a meaning after an escape character");
        }
    }

    /** The kind of a file by its name, compressed or not; null if the name does not show it. */
    public static @Nullable Kind kindOf(String fileName) {
        String extension = Compression.extension(Compression.strip(fileName));
        if (InputFiles.isParquet(extension)) {
            return Kind.PARQUET;
        }
        return InputFiles.isCsv(extension)
                ? Kind.CSV
                : InputFiles.isJson(extension) ? Kind.JSON : InputFiles.isArrow(extension) ? Kind.ARROW : null;
    }

    /**
     * Why an output whose name is none of a file of CSV or JSON is not taken for a directory: its name is that of a file in a format
     * that is not written here. Null if it may be a directory.
     */
    public static @Nullable String whyNoDirectory(String name) {
        String bare = Compression.strip(name);
        String extension = Compression.extension(bare);
        OtherFormat other = OtherFormat.of(extension);
        if (other != null) {
            return "files are written as CSV, JSON, Arrow or Parquet; " + other.inPlaceOfWriting();
        }
        return bare.equals(name) || bare.endsWith("/")
                ? null
                : "the name says how the file is compressed, and not which format it has";
    }

    /** Whether a file of this name has a stream of Arrow, and not a file of Arrow. */
    public static boolean isStream(String fileName) {
        return Compression.extension(fileName).equals("arrows");
    }

    /** The delimiter with which a CSV file of this name is read: a tab for {@code .tsv} and {@code .tab}, else a comma. */
    public static String delimiterOf(String fileName) {
        return InputFiles.delimiter(Compression.extension(Compression.strip(fileName)));
    }

    /** The same with other batches. */
    public OutputFormat withBatches(Batches others) {
        return new OutputFormat(
                kind,
                header,
                delimiter,
                quote,
                escape,
                escaping,
                nesting,
                comment,
                nullWord,
                writeNulls,
                others,
                partitionBy);
    }

    /** A stream of Arrow IPC, without compression. */
    public static OutputFormat arrowStream(Decimals decimals) {
        return builder(Kind.ARROW)
                .batches(new Batches(/* isStream */ true, Compression.NONE, decimals))
                .build();
    }

    /** Starts from RFC 4180: commas, double quotes, a header. */
    public static Builder builder(Kind kind) {
        return new Builder(kind);
    }

    /** Collects options. Confined to one thread. */
    public static final class Builder {
        private final Kind kind;
        private boolean header = true;
        private String delimiter = ",";
        private @Nullable Character quote = '"';
        private @Nullable Character escape;
        private InputFormat.Escaping escaping = InputFormat.Escaping.ANYWHERE;
        private Nesting nesting = Nesting.CQL;
        private @Nullable Character comment;
        private String nullWord = "";
        private boolean writeNulls;
        private List<String> partitionBy = List.of();
        private Batches batches = new Batches(/* isStream */ false, Compression.NONE, Decimals.TEXT);

        private Builder(Kind kind) {
            this.kind = kind;
        }

        public Builder header(boolean header) {
            this.header = header;
            return this;
        }

        /** One character or several; {@code \t} stands for a tab. */
        public Builder delimiter(String delimiter) {
            this.delimiter = delimiter;
            return this;
        }

        public Builder quote(@Nullable Character quote) {
            this.quote = quote;
            return this;
        }

        public Builder escape(@Nullable Character escape) {
            this.escape = escape;
            return this;
        }

        public Builder escaping(InputFormat.Escaping escaping) {
            this.escaping = escaping;
            return this;
        }

        public Builder nesting(Nesting nesting) {
            this.nesting = nesting;
            return this;
        }

        public Builder comment(@Nullable Character comment) {
            this.comment = comment;
            return this;
        }

        public Builder nullWord(String nullWord) {
            this.nullWord = nullWord;
            return this;
        }

        public Builder writeNulls(boolean writeNulls) {
            this.writeNulls = writeNulls;
            return this;
        }

        public Builder batches(Batches batches) {
            this.batches = batches;
            return this;
        }

        public Builder partitionBy(List<String> partitionBy) {
            this.partitionBy = partitionBy;
            return this;
        }

        public OutputFormat build() {
            return new OutputFormat(
                    kind,
                    header,
                    delimiter,
                    quote,
                    escape,
                    escaping,
                    nesting,
                    comment,
                    nullWord,
                    writeNulls,
                    batches,
                    partitionBy);
        }
    }
}
