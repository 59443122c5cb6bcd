package io.overdrive.files;

import com.fasterxml.jackson.core.JsonParser;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Reads a file a second time to find records by their positions. Off the hot path. */
final class RecordLookup implements RecordHandler {
    private final Queue<Long> wanted;
    private final Consumer<RawRecord> found;
    private final RecordParser parser = new RecordParser();
    private FileHeader header;
    private long line;
    private long position;

    private RecordLookup(FileHeader header, List<Long> positions, Consumer<RawRecord> found) {
        this.header = header;
        this.wanted = new ArrayDeque<>(positions);
        this.found = found;
    }

    /** @param positions in ascending order, all of this file */
    static void find(FileHeader header, int blockBytes, List<Long> positions, Consumer<RawRecord> found) {
        if (!header.file().isRereadable()) {
            throw new InputException(header.file().name() + ": cannot be read a second time to find rejected records;"
                    + " load from a file if they are to be kept");
        }
        new RecordLookup(header, positions, found).run(blockBytes);
    }

    private void run(int blockBytes) {
        Queue<byte[]> pool = new ArrayDeque<>();
        // the file's name is what tells the format, and format() has it settled
        try (BlockReader reader = new BlockReader(
                header.file(), header.format(), blockBytes, pool, new AtomicLong(), header.firstPosition())) {
            for (Block block = reader.next(); block != null && !wanted.isEmpty(); block = reader.next()) {
                header = block.header();
                if (wanted.element() < block.endPosition()) {
                    parser.parse(block, this);
                }
                if (block.bytes.length == blockBytes) {
                    pool.add(block.bytes);
                }
            }
        }
        if (!wanted.isEmpty()) {
            throw new InputException(header.file().name() + ": " + wanted.size()
                    + " rejected records cannot be found again; was the file changed during the load?");
        }
    }

    @Override
    public void begin(Block block, long startLine, long startPosition) {
        line = startLine;
        position = startPosition;
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {}

    @Override
    public void field(String name, JsonParser json) {}

    @Override
    public void end(int fieldCount) {
        if (!wanted.isEmpty() && wanted.element() == position) {
            found(parser.raw());
        }
    }

    @Override
    public void malformed(Block block, long startLine, long startPosition, byte[] raw, String reason) {
        if (!wanted.isEmpty() && wanted.element() == position) {
            found(raw);
        }
    }

    private void found(byte[] raw) {
        wanted.remove();
        found.accept(new RawRecord(header, line, position, raw));
    }
}
