package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.formats.columns.Column;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of reading an input: a handler that keeps everything. */
public final class Read implements RecordHandler {
    public static final ObjectMapper MAPPER = new ObjectMapper();

    /** @param fields of CSV as text, of JSON as {@code name=value} */
    public record Rec(
            long line, long position, List<String> fields, List<Boolean> quoted, String raw, @Nullable String reason) {}

    public final List<Rec> records = new ArrayList<>();
    final List<@Nullable List<String>> headers = new ArrayList<>();
    int blocks;
    private final RecordParser parser = new RecordParser();
    private List<String> fields = List.of();
    private List<Boolean> quoted = List.of();
    private long line;
    private long position;

    public static Read all(List<InputFile> files, InputFormat format, int blockBytes) {
        Read read = new Read();
        try (InputReader reader = reader(files, format, blockBytes)) {
            read.rest(reader);
        }
        return read;
    }

    /** A reader with blocks of another size. */
    public static InputReader reader(List<InputFile> files, InputFormat format, int blockBytes) {
        return new InputReader(files, format, blockBytes);
    }

    public static Read file(Path file, InputFormat format) {
        return all(List.of(InputFile.of(file)), format, BlockReader.BLOCK_BYTES);
    }

    static Read bytes(Path directory, String name, byte[] bytes, InputFormat format, int blockBytes) {
        try {
            Path file = directory.resolve(name);
            Files.deleteIfExists(file); // ext4 writes to the disk at once what replaces the content of a file
            Files.write(file, bytes);
            return all(List.of(InputFile.of(file)), format, blockBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Read text(Path directory, String text, InputFormat format, int blockBytes) {
        return bytes(directory, "input", text.getBytes(StandardCharsets.UTF_8), format, blockBytes);
    }

    public void rest(InputReader reader) {
        while (block(reader)) {}
    }

    /** Returns whether there was one. */
    boolean block(InputReader reader) {
        Block block = reader.next();
        if (block != null) {
            blocks++;
            headers.add(block.header().names());
            parser.parse(block, this);
            reader.recycle(block);
        }
        return block != null;
    }

    public List<List<String>> fields() {
        return records.stream().map(Rec::fields).toList();
    }

    List<String> raws() {
        return records.stream().map(Rec::raw).toList();
    }

    List<Rec> malformed() {
        return records.stream().filter(each -> each.reason != null).toList();
    }

    @Override
    public void begin(Block block, long line, long position) {
        this.line = line;
        this.position = position;
        fields = new ArrayList<>();
        quoted = new ArrayList<>();
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean inQuotes) {
        if (index != fields.size()) {
            throw new AssertionError("field " + index + " after " + fields);
        }
        fields.add(new String(chars, from, to - from));
        quoted.add(inQuotes);
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
        fields.add(name + "=" + MAPPER.readTree(json));
    }

    /** Values of columns are in {@link Rec#raw} only. */
    @Override
    public void field(int index, Column column, int row) {
        fields.add(column.type().name());
        quoted.add(false);
    }

    @Override
    public void end(int fieldCount) {
        if (fieldCount != fields.size()) {
            throw new AssertionError(fieldCount + " fields, but got " + fields);
        }
        add(text(parser.raw()), null);
    }

    @Override
    public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
        if (line != this.line || position != this.position) {
            throw new AssertionError("began at line " + this.line + ", malformed at " + line);
        }
        fields = List.of();
        quoted = List.of();
        add(text(raw), reason.inJava());
    }

    private void add(String raw, @Nullable String reason) {
        if (!records.isEmpty() && position <= records.get(records.size() - 1).position) {
            throw new AssertionError("position " + position + " after " + records.get(records.size() - 1));
        }
        records.add(new Rec(line, position, List.copyOf(fields), List.copyOf(quoted), raw, reason));
    }

    /** Keeps bytes that are not valid UTF-8 distinct. */
    private static String text(byte[] raw) {
        String text = new String(raw, StandardCharsets.UTF_8);
        return text.indexOf('\uFFFD') < 0 ? text : new String(raw, StandardCharsets.ISO_8859_1);
    }
}
