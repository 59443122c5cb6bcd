package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.internal.disk.Ahead;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.PeekableLongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Gives the blocks of all input files, in sequence, to any number of threads. Thread-safe by its lock: the thread that
 * requests a block reads it. Reading takes a fraction of the time of parsing, so threads seldom contend here, and at
 * most one block per thread exists.
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
    /** Stands for the content of a file that is opened when its turn comes. */
    private static final Closeable NOT_AHEAD = () -> {};

    private final List<InputFile> files;
    private final InputFormat format;
    private final boolean sample;
    private final RawBytes rawBytes;
    /** Atomic because it is read while another thread may hold the lock and wait for a pipe. */
    private final AtomicInteger filesRead = new AtomicInteger();

    private final FileBlocks.Pool pool;
    /** Small files of servers; guarded by this. */
    private final Ahead<Closeable> ahead;
    /** First position of each file opened so far; guarded by this. */
    private final long[] firstPositions;
    /** The version of each file that was read; guarded by this. */
    private final InputFile.@Nullable Version[] versions;

    /** Positions, and bytes as stored, of the blocks returned so far; atomic for the same reason. */
    private final AtomicLong cutPositions = new AtomicLong();

    private final AtomicLong cutBytes = new AtomicLong();
    /** Bytes of the files before the current one; guarded by this. */
    private long storedBefore;

    /** Guarded by this. */
    private Function<FileHeader, BitSet> wantedColumns = InputReader::allColumns;

    private int openedFiles;
    private boolean closed;
    private @Nullable FileBlocks current;
    private long position;

    /**
     * The part of a file that was read.
     *
     * @param bytes as stored, from the beginning
     * @param sum their CRC-32C
     */
    public record Prefix(long bytes, int sum) {}

    /**
     * A record as it is in its file.
     *
     * @param line where it starts, from 1
     * @param position its position in the whole input
     * @param bytes the record without its line end; never changed
     */
    @SuppressWarnings("ArrayRecordComponent") // written to a file, never compared
    public record RawRecord(FileHeader header, long line, long position, byte[] bytes) {}

    public InputReader(List<InputFile> files, InputFormat format) {
        this(files, format, BlockReader.BLOCK_BYTES);
    }

    /** A reader whose {@link #prefixes} show later whether the files are the same. */
    public static InputReader summing(List<InputFile> files, InputFormat format) {
        return new InputReader(files, format, BlockReader.BLOCK_BYTES, /* sample */ false, /* sums */ true);
    }

    /**
     * A reader for a sample of the beginning: all files, pipes too, can then be read from their start by another
     * reader.
     */
    public static InputReader sample(List<InputFile> files, InputFormat format) {
        return new InputReader(files, format, BlockReader.BLOCK_BYTES, /* sample */ true, /* sums */ false);
    }

    InputReader(List<InputFile> files, InputFormat format, int blockBytes) {
        this(files, format, blockBytes, /* sample */ false, /* sums */ false);
    }

    private InputReader(List<InputFile> files, InputFormat format, int blockBytes, boolean sample, boolean sums) {
        this.rawBytes = new RawBytes(sums || !sample && files.stream().anyMatch(InputFile::hasSum));
        this.files = List.copyOf(files);
        this.format = format;
        this.pool =
                new FileBlocks.Pool(Math.min(blockBytes, format.maxRecordBytes())); // no buffer holds a longer record
        this.sample = sample;
        firstPositions = new long[files.size()];
        versions = new InputFile.Version[files.size()];
        ahead = new Ahead<>(files.size(), number -> files.get(number).isReadAhead(), this::readAhead);
        files.forEach(format::forFile); // fails before any file is read
        checkEnds();
    }

    private Closeable readAhead(int number) throws IOException {
        InputFile file = files.get(number);
        return file.isReadAhead() ? file.readAhead(format.kindOf(file) != InputFormat.Kind.PARQUET) : NOT_AHEAD;
    }

    private void checkEnds() {
        List<InputFile> columnar =
                files.stream().filter(each -> format.kindOf(each).isColumnar()).toList();
        try (Ahead<InputFile> checks =
                new Ahead<>(columnar.size(), number -> columnar.get(number).isRemote(), number -> {
                    InputFile file = columnar.get(number);
                    ColumnBlockReader.checkEnd(file, format.kindOf(file));
                    return file;
                })) {
            for (int i = 0; i < columnar.size(); i++) {
                checks.take(i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // interrupted
        }
    }

    private static BitSet allColumns(FileHeader header) {
        BitSet all = new BitSet();
        all.set(0, header.columns().size());
        return all;
    }

    /**
     * Leaves columns of columnar files out from now on, where that saves work: records then have no values for them. {@link #lookUp} finds
     * them still.
     *
     * @param wanted receives the header of a file, and returns the numbers of the columns that are wanted
     */
    public synchronized void restrict(Function<FileHeader, BitSet> wanted) {
        wantedColumns = wanted;
        if (current != null) {
            current.restrict(wanted);
        }
    }

    /**
     * The next block, or null after the last one.
     *
     * @throws OverdriveException of kind INPUT if reading a file fails. The caller may continue with the next file
     */
    public synchronized @Nullable Block next() {
        while (true) {
            FileBlocks reader = current;
            if (reader == null) {
                if (closed || openedFiles == files.size()) {
                    return null;
                }
                firstPositions[openedFiles] = position;
                rawBytes.startFile();
                int number = openedFiles++;
                reader = FileBlocks.of(files.get(number), format, pool, rawBytes, position, sample);
                reader.readAhead(() -> {
                    Closeable content = ahead.take(number);
                    return content == NOT_AHEAD ? null : content;
                });
                reader.restrict(wantedColumns);
                current = reader;
            }
            Block block = null;
            try {
                block = reader.next();
                if (block == null && format.maxRecords() == Long.MAX_VALUE) {
                    rawBytes.endFile(files.get(openedFiles - 1));
                }
            } finally {
                versions[openedFiles - 1] = reader.version;
                position = reader.position;
                cutPositions.set(position);
                cutBytes.set(storedBefore + reader.storedBytes());
                if (block == null) {
                    storedBefore = rawBytes.count();
                    current = null;
                }
            }
            if (block != null) {
                return block;
            }
            filesRead.incrementAndGet();
        }
    }

    /**
     * The part of each file that was read so far, from the file with this number on; empty for files that were not
     * opened yet.
     */
    public synchronized List<Prefix> prefixes(int fromFile) {
        return rawBytes.prefixes(fromFile);
    }

    /** Returns the memory of a block that is no longer in use. Optional, and cheap. */
    public void recycle(Block block) {
        pool.recycle(block);
    }

    /** Number of files read completely. */
    public int filesRead() {
        return filesRead.get();
    }

    /** How much of {@link #totalBytes} has been read. */
    public long bytesRead() {
        return rawBytes.count();
    }

    /**
     * How many positions all files have, as an estimate from the blocks returned so far; exact at the end, and 0 while it is unknown.
     */
    public long expectedPositions() {
        long bytes = cutBytes.get();
        OptionalLong total = totalBytes();
        return bytes == 0 || total.isEmpty()
                ? 0
                : Math.round(cutPositions.get() * Math.max(1, (double) total.getAsLong() / bytes));
    }

    /** Size of all files as stored; empty if it is unknown for one of them. */
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

    /** Whether {@link #lookUp} works: unless an input can be read only once. */
    public boolean canLookUp() {
        return files.stream().allMatch(InputFile::isRereadable);
    }

    /**
     * Reads files again to find records by their positions, for records that were rejected after parsing. Each call
     * reads each file once, up to its last wanted record; so collect positions first.
     *
     * @throws OverdriveException of kind INPUT if a record cannot be found again because its file is missing, was changed, or was
     *     standard input; records of the other files were found
     */
    public void lookUp(Roaring64Bitmap positions, Consumer<RawRecord> found) {
        int opened;
        synchronized (this) {
            opened = openedFiles;
        }
        OverdriveException failure = null;
        PeekableLongIterator wanted = positions.getLongIterator();
        for (int i = 0; i < opened && wanted.hasNext(); i++) {
            long endPosition = i + 1 < opened ? firstPositions[i + 1] : Long.MAX_VALUE;
            if (wanted.peekNext() >= endPosition) {
                continue;
            }
            try {
                RecordLookup.find(
                        files.get(i), versions[i], format, pool, firstPositions[i], wanted, endPosition, found);
            } catch (OverdriveException e) {
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
        ahead.close();
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
