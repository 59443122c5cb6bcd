package io.overdrive.formats.records;

import java.nio.charset.Charset;
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
        JSON_DOCUMENT
    }

    private final InputFile file;
    private final InputFormat format;
    private final Layout layout;
    private final Charset encoding;
    private final boolean transcoded;
    private final @Nullable List<String> names;
    private final byte[] raw;
    private final long firstPosition;

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
    }

    public InputFile file() {
        return file;
    }

    public boolean isCsv() {
        return layout == Layout.CSV;
    }

    /** The column names of the CSV header, in the order of the fields; null if the file has none, or is JSON. */
    public @Nullable List<String> names() {
        return names;
    }

    /** The format given by the user, completed from the file's name. */
    public InputFormat format() {
        return format;
    }

    /**
     * The number of a record in its file, from 1; 0 if its line says which one it is, as a line may have many records in a JSON document
     * only.
     */
    public long recordNumber(long position) {
        return layout == Layout.JSON_DOCUMENT ? position - firstPosition + 1 : 0;
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

    /** The header record as in the file, without its line end; empty if there is none. */
    public byte[] raw() {
        return raw;
    }

    /** A scanner for the records in bytes of this file. */
    RecordScanner scanner(boolean inArray) {
        return switch (layout) {
            case CSV -> csvScanner();
            case JSON_LINES -> new JsonLines();
            case JSON_DOCUMENT -> new JsonScanner(inArray);
        };
    }

    CsvScanner csvScanner() {
        return new CsvScanner(format, String.valueOf(format.delimiter()).getBytes(encoding));
    }
}
