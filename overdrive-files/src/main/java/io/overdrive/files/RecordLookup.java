package io.overdrive.files;

import com.fasterxml.jackson.core.JsonParser;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.roaringbitmap.longlong.PeekableLongIterator;

/** Reads a file a second time to find records by their positions. Off the hot path. */
final class RecordLookup implements RecordHandler {
    private final PeekableLongIterator wanted;
    private final long endPosition;
    private final Consumer<RawRecord> found;
    private final RecordParser parser = new RecordParser();
    private FileHeader header;
    private long line;
    private long position;

    private RecordLookup(FileHeader header, PeekableLongIterator wanted, long endPosition, Consumer<RawRecord> found) {
        this.header = header;
        this.wanted = wanted;
        this.endPosition = endPosition;
        this.found = found;
    }

    /**
     * Takes the positions that are of this file.
     *
     * @param positions in ascending order, the first of this file
     * @param endPosition where the next file starts
     */
    static void find(
            FileHeader header,
            int blockBytes,
            PeekableLongIterator positions,
            long endPosition,
            Consumer<RawRecord> found) {
        if (!header.file().isRereadable()) {
            throw new InputException(header.file().name() + ": cannot be read a second time to find rejected records;"
                    + " load from a file if they are to be kept");
        }
        new RecordLookup(header, positions, endPosition, found).run(blockBytes);
    }

    private void run(int blockBytes) {
        Queue<byte[]> pool = new ArrayDeque<>();
        // the file's name is what tells the format, and format() has it settled
        try (BlockReader reader = new BlockReader(
                header.file(), header.format(), blockBytes, pool, new AtomicLong(), header.firstPosition())) {
            for (Block block = reader.next(); block != null && hasWanted(); block = reader.next()) {
                header = block.header();
                if (wanted.peekNext() < block.endPosition()) {
                    parser.parse(block, this);
                }
                if (block.bytes.length == blockBytes) {
                    pool.add(block.bytes);
                }
            }
        }
        if (hasWanted()) {
            throw new InputException(header.file().name() + ": the rejected record number " + wanted.peekNext()
                    + " cannot be found again; was the file changed during the load?");
        }
    }

    private boolean hasWanted() {
        return wanted.hasNext() && wanted.peekNext() < endPosition;
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
        if (hasWanted() && wanted.peekNext() == position) {
            found(parser.raw());
        }
    }

    @Override
    public void malformed(Block block, long startLine, long startPosition, byte[] raw, String reason) {
        if (hasWanted() && wanted.peekNext() == position) {
            found(raw);
        }
    }

    private void found(byte[] raw) {
        wanted.next();
        found.accept(new RawRecord(header, line, position, raw));
    }
}
