package io.overdrive.formats.records;

import io.overdrive.formats.columns.ColumnType;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a file that are known before its first record. Immutable; all blocks of a file refer to the same header.
 */
public final class FileHeader {
    /** How records are laid out in the file. */
    enum Layout {
        CSV,
        JSON_LINES,
        JSON_DOCUMENT,
        COLUMNS
    }

    private final InputFile file;
    private final InputFormat format;
    private final Layout layout;
    private final Charset encoding;
    private final boolean transcoded;
    private final @Nullable List<String> names;
    private final byte[] raw;
    private final long firstPosition;
    private final List<ColumnType> columns;

    /** @param firstPosition of the records of the file */
    FileHeader(
            InputFile file,
            InputFormat format,
            Layout layout,
            Charset encoding,
            boolean transcoded,
            @Nullable List<String> names,
            byte[] raw,
            long firstPosition) {
        this.file = file;
        this.format = format;
        this.layout = layout;
        this.encoding = encoding;
        this.transcoded = transcoded;
        this.names = names;
        this.raw = raw;
        this.firstPosition = firstPosition;
        this.columns = List.of();
    }

    /** The header of a columnar file. */
    FileHeader(InputFile file, InputFormat format, List<ColumnType> columns, long firstPosition) {
        this.file = file;
        this.format = format;
        this.layout = Layout.COLUMNS;
        this.encoding = StandardCharsets.UTF_8;
        this.transcoded = false;
        this.names = columns.stream().map(ColumnType::name).toList();
        this.raw = new byte[0];
        this.firstPosition = firstPosition;
        this.columns = columns;
    }

    public InputFile file() {
        return file;
    }

    public boolean isCsv() {
        return layout == Layout.CSV;
    }

    /** Whether the file has columns with types; its rejected records are JSON. */
    public boolean isColumnar() {
        return layout == Layout.COLUMNS;
    }

    /** The columns of a columnar file; empty for others. */
    public List<ColumnType> columns() {
        return columns;
    }

    /**
     * The names of the columns of a columnar file, or of the CSV header, in the order of the fields; null if the file has none, or is
     * JSON.
     */
    public @Nullable List<String> names() {
        return names;
    }

    /** The format given by the user, completed from the file's name. */
    public InputFormat format() {
        return format;
    }

    /**
     * The number of a record in its file, from 1; 0 if its line says which one it is, as a line may have many records in a JSON document
     * only, and a batch in a columnar file.
     */
    public long recordNumber(long position) {
        return layout == Layout.JSON_DOCUMENT || layout == Layout.COLUMNS ? position - firstPosition + 1 : 0;
    }

    /** Where a record is, for messages: the file with the line, or with the batch and the number of the row in the file. */
    public String place(long line, long position) {
        long number = recordNumber(position);
        String batchOrLine = file.name() + (isColumnar() ? " " + format.batchWord() + " " : " line ") + line;
        return number == 0 ? batchOrLine : batchOrLine + (isColumnar() ? ", row " : ", record ") + number;
    }

    Layout layout() {
        return layout;
    }

    /** The encoding of the bytes in blocks, which differs from the file's if {@link #isTranscoded}. */
    public Charset encoding() {
        return encoding;
    }

    boolean isTranscoded() {
        return transcoded;
    }

    /**
     * The header record as in the file, without its line end, after the line that sets the delimiter, if the file has one; empty if it has
     * neither.
     */
    public byte[] raw() {
        return raw;
    }

    /** A scanner for the records in bytes of this file. */
    RecordScanner scanner(boolean inArray) {
        return switch (layout) {
            case CSV -> csvScanner();
            case JSON_LINES -> new JsonLines();
            case JSON_DOCUMENT -> new JsonScanner(inArray);
            case COLUMNS -> throw new IllegalStateException("columns are not scanned");
        };
    }

    CsvScanner csvScanner() {
        return new CsvScanner(format, String.valueOf(format.delimiter()).getBytes(encoding));
    }
}
