package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.formats.parquet.ParquetReader;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How input files are read. Immutable.
 *
 * @param kind content of the files; {@link Kind#AUTO} goes by each file's extension
 * @param header whether the first record of each CSV file names the columns
 * @param delimiter between CSV fields, one character or several; null for a tab in {@code .tsv} and {@code .tab} files and a comma in
 *     others. A file whose first line is {@code sep=} and a character sets its own, and is refused if another one is given
 * @param quote around CSV fields, ASCII; null for no quoting
 * @param escape escapes the next character, ASCII; null if a quote within quotes is doubled
 * @param escaping where the escape character counts
 * @param trims whether spaces around CSV fields are left out, no-break spaces among them: within quotes they stay
 * @param comment a CSV line that starts with it is skipped, ASCII; null if there are no comments
 * @param encoding of files without a byte order mark, which takes precedence
 * @param maxRecordBytes a longer record stops the load; guards against a quote that is never closed
 * @param maxFieldLines a quoted CSV field with more lines makes its record a reject, and reading resumes at the line
 *     after the opening quote; guards against a quote that is never closed, or by chance far below
 * @param skipLines lines at the start of each file that are ignored; the header comes after them
 * @param skipRecords records (after the header) of each file that are skipped
 * @param maxRecords records of each file that are read, after the skipped ones
 * @throws IllegalArgumentException if a value is out of range, or two contradict each other
 */
public record InputFormat(
        Kind kind,
        boolean header,
        @Nullable String delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        Escaping escaping,
        boolean trims,
        @Nullable Character comment,
        Charset encoding,
        int maxRecordBytes,
        int maxFieldLines,
        long skipLines,
        long skipRecords,
        long maxRecords) {
    /** The content of a file. */
    public enum Kind {
        AUTO,
        CSV,
        JSON,
        /** A file or a stream of Arrow IPC, which their content distinguishes. */
        ARROW,
        PARQUET;

        /** The name in sentences. */
        public String label() {
            return switch (this) {
                case AUTO -> "the format of its name";
                case CSV, JSON -> name();
                case ARROW -> "Arrow";
                case PARQUET -> "Parquet";
            };
        }

        /** Whether files of this content have columns with types, and are read by the batch. */
        public boolean isColumnar() {
            return this == ARROW || this == PARQUET;
        }
    }

    /** Where an escape character counts. */
    public enum Escaping {
        /**
         * Allowed before any character; {@code \n} and the like are control characters. Slower, because it needs
         * another parser.
         */
        ANYWHERE,
        /** Only within quotes, before a quote and before itself; anywhere else it is a character as others. */
        IN_QUOTES
    }

    public InputFormat {
        if (delimiter != null) {
            delimiter = unescape(delimiter);
            if (delimiter.isEmpty()) {
                throw new IllegalOptionException(words -> words.of(JobOption.DELIMITER)
                        + " is empty, must be one character or more, such as ; or \\t" + " for a tab");
            }
            if (delimiter.indexOf('\n') >= 0 || delimiter.indexOf('\r') >= 0) {
                throw new IllegalOptionException(words -> words.of(JobOption.DELIMITER)
                        + " contains a line end, which ends a record: choose another" + " one");
            }
        }
        if (quote != null && quote.equals(escape)) {
            escape = null; // an escape equal to the quote means that quotes are doubled
        }
        if (quote == null && escaping == Escaping.IN_QUOTES) {
            escape = null; // there are no quotes in which it would count
        }
        if (trims && escape != null) {
            throw new IllegalOptionException(words -> words.of(JobOption.TRIM) + " is for files without an escape"
                    + " character, which may stand before a space: leave it out, or the escape character");
        }
        checkSpecial(JobOption.QUOTE, quote, delimiter);
        checkSpecial(JobOption.ESCAPE, escape, delimiter);
        checkSpecial(JobOption.COMMENT, comment, delimiter);
        if (comment != null && (comment.equals(quote) || comment.equals(escape))) {
            throw new IllegalOptionException(
                    words -> (comment.equals(quote) ? words.of(JobOption.QUOTE) : words.of(JobOption.ESCAPE)) + " and "
                            + words.of(JobOption.COMMENT) + " are both '" + comment + "': choose another one");
        }
        ReadingSetting.MAX_RECORD_BYTES.check((long) maxRecordBytes);
        ReadingSetting.MAX_FIELD_LINES.check((long) maxFieldLines);
        ReadingSetting.SKIP_LINES.check(skipLines);
        ReadingSetting.SKIP_RECORDS.check(skipRecords);
        ReadingSetting.MAX_RECORDS.check(maxRecords);
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Decides what the file contains.
     *
     * @throws OverdriveException of kind INPUT if {@link #kind} is {@link Kind#AUTO} and the file's name does not show it
     */
    public Kind kindOf(InputFile file) {
        return kind == Kind.AUTO ? kindOf(file, file.formatExtension()) : kind;
    }

    /** The name of a batch of a columnar file. */
    String batchWord() {
        return kind == Kind.PARQUET ? "row group" : "batch";
    }

    /** The format of one file, with its kind and delimiter resolved, from its name if necessary. */
    InputFormat forFile(InputFile file) {
        String extension = file.formatExtension();
        return with(kindOf(file), delimiter != null ? delimiter : InputFiles.delimiter(extension));
    }

    /** The format of a file that sets its delimiter. */
    InputFormat withDelimiter(String itsDelimiter) {
        return with(kind, itsDelimiter);
    }

    private InputFormat with(Kind itsKind, @Nullable String itsDelimiter) {
        return new InputFormat(
                itsKind,
                header,
                itsDelimiter,
                quote,
                escape,
                escaping,
                trims,
                comment,
                encoding,
                maxRecordBytes,
                maxFieldLines,
                skipLines,
                skipRecords,
                maxRecords);
    }

    private static Kind kindOf(InputFile file, String extension) {
        if (file.isStandardInput() || InputFiles.isCsv(extension)) {
            return Kind.CSV;
        }
        if (InputFiles.isJson(extension)) {
            return Kind.JSON;
        }
        if (InputFiles.isArrow(extension)) {
            return Kind.ARROW;
        }
        if (InputFiles.isParquet(extension) || file.startsWith(ParquetReader.magic())) {
            return Kind.PARQUET;
        }
        throw new OverdriveException(
                OverdriveException.Kind.INPUT,
                words -> file.name() + wayOut(extension).in(words));
    }

    /** Advice for a file whose name shows none of the formats. */
    static MessageText wayOut(String extension) {
        OtherFormat other = OtherFormat.of(extension);
        return other == null
                ? words -> ": cannot infer the format from the file name; give " + words.of(JobOption.FORMAT)
                        + " csv, json, arrow or parquet"
                : words -> " is not CSV, JSON, Arrow or Parquet by its name, and " + other.inPlaceOfReading();
    }

    private static void checkSpecial(JobOption what, @Nullable Character c, @Nullable String delimiter) {
        if (c == null) {
            return;
        }
        if (c > 0x7E || c == '\n' || c == '\r' || c == 0) {
            throw new IllegalOptionException(
                    words -> words.of(what) + " is '" + c + "', must be an ASCII character other than a line end");
        }
        if (delimiter != null && delimiter.indexOf(c) >= 0) {
            throw new IllegalOptionException(words -> words.of(what) + " and " + words.of(JobOption.DELIMITER)
                    + " both contain '" + c + "': choose" + " another one");
        }
    }

    private static String unescape(String text) {
        return text.replace("\\t", "\t");
    }

    /** Starts from RFC 4180: commas, double quotes, a header, UTF-8. */
    public static final class Builder {
        private Kind kind = Kind.AUTO;
        private boolean header = true;
        private @Nullable String delimiter;
        private @Nullable Character quote = '"';
        private @Nullable Character escape;
        private Escaping escaping = Escaping.ANYWHERE;
        private boolean trims;
        private @Nullable Character comment;
        private Charset encoding = StandardCharsets.UTF_8;
        private int maxRecordBytes =
                ReadingSetting.MAX_RECORD_BYTES.requireDefault().intValue();
        private int maxFieldLines =
                ReadingSetting.MAX_FIELD_LINES.requireDefault().intValue();
        private long skipLines = ReadingSetting.SKIP_LINES.requireDefault();
        private long skipRecords = ReadingSetting.SKIP_RECORDS.requireDefault();
        private long maxRecords = ReadingSetting.MAX_RECORDS.requireDefault();

        private Builder() {}

        public Builder kind(Kind kind) {
            this.kind = kind;
            return this;
        }

        public Builder header(boolean header) {
            this.header = header;
            return this;
        }

        /** One character or several; {@code \t} stands for a tab. */
        public Builder delimiter(@Nullable String delimiter) {
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

        public Builder escaping(Escaping escaping) {
            this.escaping = escaping;
            return this;
        }

        public Builder trim(boolean trim) {
            trims = trim;
            return this;
        }

        public Builder comment(@Nullable Character comment) {
            this.comment = comment;
            return this;
        }

        public Builder encoding(Charset encoding) {
            this.encoding = encoding;
            return this;
        }

        public Builder maxRecordBytes(int maxRecordBytes) {
            this.maxRecordBytes = maxRecordBytes;
            return this;
        }

        public Builder maxFieldLines(int maxFieldLines) {
            this.maxFieldLines = maxFieldLines;
            return this;
        }

        public Builder skipLines(long skipLines) {
            this.skipLines = skipLines;
            return this;
        }

        public Builder skipRecords(long skipRecords) {
            this.skipRecords = skipRecords;
            return this;
        }

        public Builder maxRecords(long maxRecords) {
            this.maxRecords = maxRecords;
            return this;
        }

        public InputFormat build() {
            return new InputFormat(
                    kind,
                    header,
                    delimiter,
                    quote,
                    escape,
                    escaping,
                    trims,
                    comment,
                    encoding,
                    maxRecordBytes,
                    maxFieldLines,
                    skipLines,
                    skipRecords,
                    maxRecords);
        }
    }
}
