package io.overdrive.files.records;

import io.overdrive.files.InputException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
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
    private final boolean sample;
    private final AtomicLong rawBytes = new AtomicLong();
    /** Asked while the lock may be held for as long as a pipe waits. */
    private final AtomicInteger filesRead = new AtomicInteger();

    private final Queue<byte[]> pool = new ArrayBlockingQueue<>(POOLED_BUFFERS);
    /** Where the positions of each file start, of those that were opened; guarded by this. */
    private final long[] firstPositions;
    /** Which version of each file was read; guarded by this. */
    private final InputFile.@Nullable Version[] versions;

    private int openedFiles;
    private boolean closed;
    private @Nullable BlockReader current;
    private long position;

    public InputReader(List<InputFile> files, InputFormat format) {
        this(files, format, BlockReader.BLOCK_BYTES);
    }

    /** For a look at the beginning: all files can be read again, by another reader, pipes too. */
    public static InputReader sample(List<InputFile> files, InputFormat format) {
        return new InputReader(files, format, BlockReader.BLOCK_BYTES, /* sample */ true);
    }

    InputReader(List<InputFile> files, InputFormat format, int blockBytes) {
        this(files, format, blockBytes, /* sample */ false);
    }

    private InputReader(List<InputFile> files, InputFormat format, int blockBytes, boolean sample) {
        this.files = List.copyOf(files);
        this.format = format;
        this.blockBytes = blockBytes;
        this.sample = sample;
        firstPositions = new long[files.size()];
        versions = new InputFile.Version[files.size()];
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
                if (closed || openedFiles == files.size()) {
                    return null;
                }
                firstPositions[openedFiles] = position;
                reader =
                        new BlockReader(files.get(openedFiles++), format, blockBytes, pool, rawBytes, position, sample);
                current = reader;
            }
            Block block = null;
            try {
                block = reader.next();
            } finally {
                versions[openedFiles - 1] = reader.version();
                position = reader.nextPosition();
                if (block == null) {
                    current = null;
                }
            }
            if (block != null) {
                return block;
            }
            filesRead.incrementAndGet();
        }
    }

    /** Gives the memory of a block back, once nothing of it is in use. Optional, and cheap. */
    public void recycle(Block block) {
        if (block.bytes.length == blockBytes) {
            pool.offer(block.bytes);
        }
    }

    /** Files that were read to their ends. */
    public int filesRead() {
        return filesRead.get();
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
     * @throws InputException if a record cannot be found again, because the file is gone, changed, or was standard input; those
     *     of the other files were found
     */
    public void lookUp(Roaring64Bitmap positions, Consumer<RawRecord> found) {
        int opened;
        synchronized (this) {
            opened = openedFiles;
        }
        InputException failure = null;
        PeekableLongIterator wanted = positions.getLongIterator();
        for (int i = 0; i < opened && wanted.hasNext(); i++) {
            long endPosition = i + 1 < opened ? firstPositions[i + 1] : Long.MAX_VALUE;
            if (wanted.peekNext() >= endPosition) {
                continue;
            }
            try {
                RecordLookup.find(
                        files.get(i), versions[i], format, blockBytes, firstPositions[i], wanted, endPosition, found);
            } catch (InputException e) {
                failure = failure == null ? e : failure;
                wanted.advanceIfNeeded(endPosition);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
