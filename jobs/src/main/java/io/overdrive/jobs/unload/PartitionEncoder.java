package io.overdrive.jobs.unload;

import io.overdrive.RowCursor;
import io.overdrive.formats.columns.PathColumns;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Converts the rows of a split to records of several files, which their values of some columns decide. Few of the files are written at the
 * same time: if a row needs another one, the one that has collected most is written out. Used by one thread at a time; on the hot path.
 */
final class PartitionEncoder implements RowEncoder {
    private static final int MIN_BYTES_OF_A_FILE = 256 << 10;
    private static final int MIN_FILES = 4;

    private final Unloader unload;
    private final List<String> names;
    /** Numbers of the columns that decide. */
    private final int[] by;

    private final ValueText[] texts;
    private final Map<ByteBuffer, Part> parts = new HashMap<>();
    /** Encoders of files that were written out. */
    private final Deque<PageEncoder> free = new ArrayDeque<>();

    private final Bytes key = new Bytes(64);
    private @Nullable Part last;

    /** Rows of a file. */
    private static final class Part {
        final byte[] key;
        final PageEncoder encoder;
        final Output.Target to;
        long bytes;

        Part(byte[] key, PageEncoder encoder, Output.Target to) {
            this.key = key;
            this.encoder = encoder;
            this.to = to;
        }
    }

    PartitionEncoder(Unloader unload) {
        this.unload = unload;
        names = unload.options.format().partitionBy();
        by = names.stream().mapToInt(unload.rows.columns()::indexOf).toArray();
        texts = IntStream.of(by)
                .mapToObj(column -> ValueText.of(unload.rows.types().get(column), ValueFormat.DEFAULT))
                .toArray(ValueText[]::new);
    }

    @Override
    public boolean isBatched() {
        return true;
    }

    @Override
    public void write(RowCursor rows, Unloader.SplitWriter split) throws IOException {
        int half = unload.batchBytes() / 2; // the other one is for files that rows of this page begin
        int maxParts = Math.max(MIN_FILES, half / MIN_BYTES_OF_A_FILE);
        int maxBytes = Math.max(MIN_BYTES_OF_A_FILE, half / Math.max(1, parts.size()));
        parts.values().forEach(part -> part.encoder.limitBatch(maxBytes));
        while (rows.next()) {
            Part part = part(rows, split, maxParts);
            split.add(rows);
            part.bytes += rows.rowEnd() - rows.rowStart();
            if (part.encoder.row(rows, split, part.to)) {
                part.bytes = 0;
            }
        }
        for (Part part : parts.values()) {
            part.encoder.endPage(split, part.to);
        }
    }

    private Part part(RowCursor rows, Unloader.SplitWriter split, int maxParts) throws IOException {
        key.clear();
        for (int column : by) {
            int length = rows.length(column);
            key.putInt(length);
            if (length > 0) {
                key.put(rows.array(), rows.offset(column), length);
            }
        }
        Part before = last;
        if (before != null && Arrays.equals(before.key, 0, before.key.length, key.array(), 0, key.length())) {
            return before;
        }
        Part part = parts.get(ByteBuffer.wrap(key.array(), 0, key.length()));
        if (part == null) {
            if (parts.size() >= maxParts) {
                writeOut(Collections.max(parts.values(), Comparator.comparingLong(each -> each.bytes)), split);
            }
            PageEncoder known = free.poll();
            PageEncoder encoder = known != null ? known : unload.pageEncoder();
            part = new Part(key.toByteArray(), encoder, split.to.target(directory(rows)));
            part.encoder.limitBatch(MIN_BYTES_OF_A_FILE);
            parts.put(ByteBuffer.wrap(part.key), part);
        }
        last = part;
        return part;
    }

    private String directory(RowCursor rows) {
        StringBuilder path = new StringBuilder();
        Bytes text = new Bytes(32);
        for (int i = 0; i < by.length; i++) {
            String value = null;
            if (!rows.isNull(by[i])) {
                text.clear();
                texts[i].write(rows.array(), rows.offset(by[i]), rows.length(by[i]), text);
                value = new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
            }
            path.append(i == 0 ? "" : "/").append(PathColumns.directory(names.get(i), value));
        }
        return path.toString();
    }

    private void writeOut(Part part, Unloader.SplitWriter split) throws IOException {
        part.encoder.flush(split, part.to);
        part.encoder.endPage(split, part.to);
        parts.remove(ByteBuffer.wrap(part.key));
        free.add(part.encoder);
        last = null;
    }

    @Override
    public void flush(Unloader.SplitWriter split) throws IOException {
        for (Part part : List.copyOf(parts.values())) {
            writeOut(part, split);
        }
    }
}
