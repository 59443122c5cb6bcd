package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.internal.names.MessageText;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.PeekableLongIterator;

/** Reads a file a second time to find records by their positions. Off the hot path. */
final class RecordLookup implements RecordHandler {
    private final PeekableLongIterator wanted;
    private final long endPosition;
    private final Consumer<RawRecord> found;
    private final RecordParser parser = new RecordParser();
    private @Nullable FileHeader header;
    private long line;
    private long position;

    private RecordLookup(PeekableLongIterator wanted, long endPosition, Consumer<RawRecord> found) {
        this.wanted = wanted;
        this.endPosition = endPosition;
        this.found = found;
    }

    /**
     * Finds the records of this file and removes their positions from the given ones.
     *
     * @param read the version of the file that was read before
     * @param positions in ascending order, the first of this file
     * @param endPosition where the next file starts
     */
    static void find(
            InputFile file,
            InputFile.@Nullable Version read,
            InputFormat format,
            FileBlocks.Pool pool,
            long firstPosition,
            PeekableLongIterator positions,
            long endPosition,
            Consumer<RawRecord> found) {
        if (!file.isRereadable()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    file.name() + ": cannot be read a second time to find rejected records;"
                            + " load from a file to keep them");
        }
        long first = positions.peekNext() - firstPosition + 1;
        try {
            file.checkVersion(read);
            new RecordLookup(positions, endPosition, found).run(file, format, pool, firstPosition);
        } catch (OverdriveException e) {
            throw new OverdriveException(
                    Kind.INPUT, "rejected records from number " + first + " on cannot be kept: " + e.getMessage(), e);
        }
    }

    private void run(InputFile file, InputFormat format, FileBlocks.Pool pool, long firstPosition) {
        try (FileBlocks reader =
                FileBlocks.of(file, format, pool, new RawBytes(false), firstPosition, /* sample */ false)) {
            while (hasWanted()) {
                Block block = reader.next();
                if (block == null) {
                    break;
                }
                header = block.header();
                if (wanted.peekNext() < block.endPosition()) {
                    parser.parse(block, this);
                }
                pool.recycle(block);
            }
        }
        if (hasWanted()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    file.name() + ": the rejected record number "
                            + (wanted.peekNext() - firstPosition + 1)
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
    public void field(int index, Column column, int row) {}

    @Override
    public void end(int fieldCount) {
        if (hasWanted() && wanted.peekNext() == position) {
            found(parser.raw());
        }
    }

    @Override
    public void malformed(Block block, long startLine, long startPosition, byte[] raw, MessageText reason) {
        if (hasWanted() && wanted.peekNext() == position) {
            found(raw);
        }
    }

    private void found(byte[] raw) {
        FileHeader from = header;
        if (from == null) {
            throw new IllegalStateException("a record before its block");
        }
        wanted.next();
        found.accept(new RawRecord(from, line, position, raw));
    }
}
