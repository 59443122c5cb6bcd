package io.overdrive.files;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.PeekableLongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Gives the blocks of all input files, one file after the other, to any number of threads. Thread-safe by its lock: the
 * thread that asks for a block reads it. Reading takes a small part of the time of parsing, so that threads seldom meet here,
 * and no more blocks exist than threads that work on one.
 *
 * <pre>{@code
 * RecordParser parser = new RecordParser();                 // one for each thread
 * for (Block block = reader.next(); block != null; block = reader.next()) {
 *   parser.parse(block, handler);
 *   reader.recycle(block);
 * }
 * }</pre>
 */
public final class InputReader implements AutoCloseable {
    private static final int POOLED_BUFFERS = 64;

    private final List<InputFile> files;
    private final InputFormat format;
    private final int blockBytes;
    private final AtomicLong rawBytes = new AtomicLong();
    private final Queue<byte[]> pool = new ArrayBlockingQueue<>(POOLED_BUFFERS);
    /** The files of which blocks were given, by their first position; guarded by this. */
    private final NavigableMap<Long, FileHeader> started = new TreeMap<>();

    private int nextFile;
    private @Nullable BlockReader current;
    private long position;

    public InputReader(List<InputFile> files, InputFormat format) {
        this(files, format, BlockReader.BLOCK_BYTES);
    }

    InputReader(List<InputFile> files, InputFormat format, int blockBytes) {
        this.files = List.copyOf(files);
        this.format = format;
        this.blockBytes = blockBytes;
        for (InputFile file : files) {
            format.forFile(file); // all files have a known format, or none is read
        }
    }

    /**
     * The next block, or null after the last one.
     *
     * @throws InputException if a file cannot be read on. The caller may go on, with the file after it
     */
    public synchronized @Nullable Block next() {
        while (true) {
            BlockReader reader = current;
            if (reader == null) {
                if (nextFile == files.size()) {
                    return null;
                }
                reader = new BlockReader(files.get(nextFile++), format, blockBytes, pool, rawBytes, position);
                current = reader;
            }
            Block block = null;
            try {
                block = reader.next();
            } finally {
                if (block == null) {
                    current = null;
                }
            }
            position = reader.nextPosition();
            if (block != null) {
                started.put(block.header().firstPosition(), block.header());
                return block;
            }
        }
    }

    /** Gives the memory of a block back, once nothing of it is in use. Optional, and cheap. */
    public void recycle(Block block) {
        if (block.bytes.length == blockBytes) {
            pool.offer(block.bytes);
        }
    }

    /** How much of {@link #totalBytes} has been read: bytes of the files as stored. */
    public long bytesRead() {
        return rawBytes.get();
    }

    /** Size of all files as stored; empty if one of them has none. */
    public OptionalLong totalBytes() {
        long total = 0;
        for (InputFile file : files) {
            if (file.sizeBytes().isEmpty()) {
                return OptionalLong.empty();
            }
            total += file.sizeBytes().getAsLong();
        }
        return OptionalLong.of(total);
    }

    /** Whether {@link #lookUp} works, that is unless something is read that can be read only once. */
    public boolean canLookUp() {
        return files.stream().allMatch(InputFile::isRereadable);
    }

    /**
     * Reads files once more, to find records by their positions: for records that were parsed, and refused later. Each
     * file is read once, up to the last record wanted of it; so gather positions.
     *
     * @throws InputException if a record cannot be found again, because the file is gone, changed, or was standard input
     */
    public void lookUp(Roaring64Bitmap positions, Consumer<RawRecord> found) {
        NavigableMap<Long, FileHeader> sources;
        synchronized (this) {
            sources = new TreeMap<>(started);
        }
        PeekableLongIterator wanted = positions.getLongIterator();
        while (wanted.hasNext()) {
            Map.Entry<Long, FileHeader> source = sources.floorEntry(wanted.peekNext());
            if (source == null) {
                throw new IllegalArgumentException("no record was read at position " + wanted.peekNext());
            }
            Long nextSource = sources.higherKey(source.getKey());
            RecordLookup.find(
                    source.getValue(), blockBytes, wanted, nextSource == null ? Long.MAX_VALUE : nextSource, found);
        }
    }

    @Override
    public synchronized void close() {
        nextFile = files.size();
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
