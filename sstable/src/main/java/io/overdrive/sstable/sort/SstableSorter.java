package io.overdrive.sstable.sort;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.sstable.format.KeyCount;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.write.Sstable;
import io.overdrive.sstable.write.SstableWriter;
import io.overdrive.sstable.write.WriterBuffers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes rows in any order, sorts them, merges rows of one key as the server would, and writes them as SSTables. Rows that do not fit
 * in memory are spilled to disk. Thread-safe by its pieces; each producer has its {@link SorterPart}.
 *
 * <p>Rows are divided into 256 pieces by the first bits of their tokens, in memory or on disk. {@link #write} sorts one piece after
 * another, and as pieces are ranges of tokens, their sequence is the order of the file.
 */
public final class SstableSorter implements AutoCloseable {
    static final int PIECES = 1 << RecordSorter.PIECE_BITS;
    static final int MIN_CHUNK_BYTES = 512;
    private static final int MAX_CHUNK_BYTES = 8 << 10;
    /** Fewer bytes are not worth several SSTables. */
    private static final long MIN_BYTES_A_THREAD = 8 << 20;

    final SstableSchema schema;
    private final Layout layout;
    private final RecordOrder order;
    private final Path spillDirectory;
    private final long memory;
    final int chunkBytes;
    final int nowSeconds;
    private final RecordPiece[] pieces = new RecordPiece[PIECES];
    private final List<String> columns;
    final int partitionColumns;
    final int keyColumns;
    final int firstRegular;
    private final List<SorterPart> parts = new ArrayList<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong bytesSpilled = new AtomicLong();
    private final AtomicLong rowsDone = new AtomicLong();
    private final WaitTime spilling = new WaitTime();
    private final WaitTime writing = new WaitTime();
    private final WaitTime completing = new WaitTime();
    private volatile boolean stopped;

    /**
     * The result of {@link #write}.
     *
     * @param sstables for each owner those that it gets
     * @param rows for each range of the owners the number of rows that were taken; rows of one key count each time
     */
    public record Written(List<List<Sstable>> sstables, long[] rows) {}

    private SstableSorter(
            SstableSchema schema,
            List<String> columns,
            Path spillDirectory,
            long memory,
            int producers,
            int nowSeconds) {
        this.schema = schema;
        this.layout = Layout.of(schema);
        this.columns = columns;
        this.spillDirectory = spillDirectory;
        this.memory = memory;
        this.nowSeconds = nowSeconds;
        partitionColumns = count(SstableSchema.Kind.PARTITION_KEY);
        keyColumns = partitionColumns + layout.clustering().size();
        firstRegular = keyColumns + layout.statics().size();
        order = new RecordOrder(partitionColumns, Layout.orders(layout.clustering()));
        chunkBytes =
                (int) Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, memory / 4 / ((long) PIECES * producers)));
        for (int i = 0; i < PIECES; i++) {
            pieces[i] = new RecordPiece(spillDirectory, memory / 2 / PIECES);
        }
    }

    private int count(SstableSchema.Kind kind) {
        return (int) schema.columns().stream().filter(c -> c.kind() == kind).count();
    }

    /**
     * A sorter for rows of some columns of a table.
     *
     * @param columns in the order of {@link RowBuffer}: the partition key, and all clustering columns unless only static columns follow
     * @param spillDirectory for rows that do not fit in memory
     * @param memory bytes for rows, at least 1 MiB
     * @param producers how many threads add rows
     * @param nowSeconds the time from which TTLs count, and at which cells are deleted, since 1970
     * @throws IllegalArgumentException if the table cannot be written, as {@link SstableSchema} says
     */
    public static SstableSorter of(
            TableMetadata table,
            List<String> columns,
            Path spillDirectory,
            long memory,
            int producers,
            int nowSeconds) {
        List<CqlIdentifier> needed = new ArrayList<>(
                columns.stream().map(CqlIdentifier::fromInternal).toList());
        for (ColumnMetadata column : table.getPrimaryKey()) {
            if (!needed.contains(column.getName())) {
                needed.add(column.getName());
            }
        }
        return of(SstableSchema.of(table, needed), columns, spillDirectory, memory, producers, nowSeconds);
    }

    /** @param given whose columns that rows do not have are clustering columns, and may be in any order */
    public static SstableSorter of(
            SstableSchema given,
            List<String> columns,
            Path spillDirectory,
            long memory,
            int producers,
            int nowSeconds) {
        List<Column> sorted = given.columns().stream()
                .sorted(Comparator.<Column>comparingInt(c -> group(c.kind()))
                        .thenComparingInt(c -> group(c.kind()) < 2 ? c.position() : 0))
                .toList();
        return new SstableSorter(
                new SstableSchema(sorted, given.compression(), given.bloomFilterFpChance(), given.minIndexInterval()),
                columns,
                spillDirectory,
                memory,
                producers,
                nowSeconds);
    }

    /** The place of a kind of columns in a record. */
    private static int group(SstableSchema.Kind kind) {
        return switch (kind) {
            case PARTITION_KEY -> 0;
            case CLUSTERING, CLUSTERING_DESCENDING -> 1;
            case STATIC -> 2;
            case REGULAR -> 3;
        };
    }

    /** A part for another producer, of rows with all columns. May be called by any thread. */
    public SorterPart part() {
        return part(columns, /* cellsOnly */ false);
    }

    /**
     * A part for rows of another producer, or of another kind. May be called by any thread.
     *
     * @param ofRows some of the columns, in the order of {@link RowBuffer}: the partition key, and all clustering columns unless only
     *     static columns follow. Others are left as they are
     * @param cellsOnly whether its rows have no row marker, as by an UPDATE
     */
    public SorterPart part(List<String> ofRows, boolean cellsOnly) {
        SorterPart part = new SorterPart(this, ofRows, cellsOnly);
        synchronized (parts) {
            parts.add(part);
        }
        return part;
    }

    /** Takes rows of a part for one of the pieces. */
    void take(int piece, byte[] chunk, int length) {
        bytes.addAndGet(length);
        spilling.begin(System.nanoTime());
        try {
            bytesSpilled.addAndGet(pieces[piece].add(chunk, length));
        } catch (IOException e) {
            throw failed("cannot spill rows to " + spillDirectory.toAbsolutePath(), e);
        } finally {
            spilling.end(System.nanoTime());
        }
    }

    /** Bytes of rows that were written to disk because memory was short. */
    public long bytesSpilled() {
        return bytesSpilled.get();
    }

    /** Number of the taken rows that are in SSTables by now; rows of one key count each time. */
    public long rowsDone() {
        return rowsDone.get();
    }

    /**
     * Where threads have spent their time. Immutable.
     *
     * @param spillingNanos producers spilled rows, or waited for others that did
     * @param writingNanos threads of {@link #write} were at work or waited
     * @param completingNanos of this, they completed SSTables and had the disk sync them
     */
    public record Times(long spillingNanos, long writingNanos, long completingNanos) {}

    /** Where threads have spent their time until now. */
    public Times times() {
        long now = System.nanoTime();
        return new Times(spilling.nanos(now), writing.nanos(now), completing.nanos(now));
    }

    /** Makes {@link #write} stop early and delete its SSTables. May be called by any thread. */
    public void stop() {
        stopped = true;
    }

    /**
     * Writes rows that were added, once all producers have ended.
     *
     * @param owners who gets which partitions
     * @param directories of all owners; they exist, and have no SSTables
     * @param maxThreads how many threads may write, each of them one SSTable for each owner
     * @param pass the rows to write
     * @throws OverdriveException as {@link #write(TokenOwners, int, Directories, int, Pass)}
     */
    public Written write(TokenOwners owners, List<Path> directories, int maxThreads, Pass pass) {
        return write(
                owners,
                directories.size(),
                new Directories() {
                    @Override
                    public Path of(int owner) {
                        return directories.get(owner);
                    }

                    @Override
                    public String toString() {
                        return directories.toString();
                    }
                },
                maxThreads,
                pass);
    }

    /** Where SSTables are created. The text is for messages. */
    public interface Directories {
        /** The directory of an owner, which exists and has none; called for each thread before the first partition that the owner gets. */
        Path of(int owner) throws IOException;
    }

    /**
     * Writes rows that were added, once all producers have ended, and deletes their spilled data. Called once for each pass, in their order.
     *
     * @param owners who gets which partitions
     * @param ownerCount number of owners
     * @param directories of those that get some
     * @param maxThreads how many threads may write, each of them one SSTable for each owner
     * @param pass the rows to write
     * @throws OverdriveException of kind DISK if files cannot be read or written; of kind INPUT if rows of one key cannot be merged; of
     *     kind INTERRUPTED if it was stopped. The SSTables of the pass are then deleted, unless that fails, too
     */
    public Written write(TokenOwners owners, int ownerCount, Directories directories, int maxThreads, Pass pass) {
        KeyCount keys = new KeyCount();
        long firstWriteTime = Long.MAX_VALUE;
        long rowsWithoutCells = 0;
        TokenSpan span = TokenSpan.NONE;
        for (SorterPart part : parts) {
            if (pass.isFirst()) {
                part.emitAll();
                rowsWithoutCells += part.rowsWithoutCells;
            }
            keys.addAll(part.keys);
            firstWriteTime = Math.min(firstWriteTime, part.firstWriteTime);
            span = span.and(new TokenSpan(part.firstToken, part.lastToken));
        }
        List<List<Sstable>> sstables = new ArrayList<>();
        for (int owner = 0; owner < ownerCount; owner++) {
            sstables.add(new ArrayList<>());
        }
        TokenSpan ofPass = span.within(TokenSpan.ofPieces(pass.piece(0, 1), pass.piece(1, 1)));
        int threads = Math.min(
                pass.pieces(),
                threads(receiving(owners.shares(ownerCount, ofPass)), maxThreads, bytes.get() / pass.count()));
        Work work = new Work(owners, ownerCount, directories, span, keys.estimate(), firstWriteTime, threads, pass);
        long[] rows = new long[owners.ranges()];
        rows[0] = rowsWithoutCells;
        rowsDone.addAndGet(rowsWithoutCells);
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Run run = new Run(work, t);
            Thread thread = new Thread(
                    () -> {
                        try {
                            run.write(sstables, rows);
                        } catch (RuntimeException e) {
                            failure.compareAndSet(null, e);
                            stop();
                        } catch (Error e) {
                            failure.compareAndSet(
                                    null, new IllegalStateException("a thread that writes ended: " + e, e));
                            stop();
                        }
                    },
                    "overdrive-sstable-" + t);
            thread.setDaemon(true);
            thread.start();
            running.add(thread);
        }
        awaitAll(running);
        RuntimeException failed = failure.get();
        if (failed != null || stopped) {
            sstables.forEach(list -> list.forEach(Sstable::delete));
            throw failed != null
                    ? failed
                    : new OverdriveException(Kind.INTERRUPTED, "the writing of SSTables was stopped");
        }
        return new Written(sstables, rows);
    }

    /** More threads write rows faster, and have more SSTables open at the same time. */
    private int threads(int owners, int maxThreads, long rowBytes) {
        long fitting = memoryOfWriters() / (owners * WriterBuffers.minBytes(schema));
        return (int) Math.max(1, Math.min(Math.min(maxThreads, fitting), rowBytes / MIN_BYTES_A_THREAD));
    }

    private long memoryOfWriters() {
        return memory / 4;
    }

    private void awaitAll(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    stop();
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The number of owners that get partitions, at least 1. */
    private static int receiving(double[] shares) {
        return (int)
                Math.max(1, Arrays.stream(shares).filter(share -> share > 0).count());
    }

    /** Parameters of {@link #write}, and what the rows are like. */
    private record Work(
            TokenOwners owners,
            int ownerCount,
            Directories directories,
            TokenSpan span,
            long keys,
            long firstWriteTime,
            int threads,
            Pass pass) {}

    /** A range of pieces that one thread writes. */
    private final class Run {
        private final Work work;
        private final int number;
        private final int firstPiece;
        private final int endPiece;
        /** Estimate of the number of partitions. */
        private final double keys;
        /** Which part of these each owner gets. */
        private final double[] shares;

        Run(Work work, int number) {
            this.work = work;
            this.number = number;
            firstPiece = work.pass.piece(number, work.threads);
            endPiece = work.pass.piece(number + 1, work.threads);
            TokenSpan span = work.span.within(TokenSpan.ofPieces(firstPiece, endPiece));
            keys = span.isEmpty() ? 0 : work.keys * span.tokens() / work.span.tokens();
            shares = work.owners.shares(work.ownerCount, span);
        }

        void write(List<List<Sstable>> sstables, long[] rows) {
            int maxBytes = (int) Math.min(RecordSorter.MAX_BYTES, memory / 2 / work.threads);
            writing.begin(System.nanoTime());
            int open = receiving(shares) * work.threads;
            long partitions = (long) (keys * Arrays.stream(shares).sum()) * work.threads;
            try (WriterBuffers buffers = WriterBuffers.of(schema, memoryOfWriters(), open, partitions);
                    SortedSstables sorted = new SortedSstables(
                            order, Layout.of(schema), work.owners, work.ownerCount, owner -> open(owner, buffers))) {
                long before = 0;
                for (int i = firstPiece; i < endPiece; i++) {
                    if (stopped) {
                        return;
                    }
                    sorted.write(pieces[i].sorted(order, maxBytes));
                    pieces[i].close();
                    long now = sorted.rowCount();
                    rowsDone.addAndGet(now - before);
                    before = now;
                }
                complete(sorted, sstables);
                synchronized (rows) {
                    sorted.addRowsTo(rows);
                }
            } catch (IOException e) {
                throw failed(
                        "cannot write SSTables to " + work.directories + ", or read spilled rows in "
                                + spillDirectory.toAbsolutePath(),
                        e);
            } finally {
                writing.end(System.nanoTime());
            }
        }

        private void complete(SortedSstables sorted, List<List<Sstable>> sstables) throws IOException {
            completing.begin(System.nanoTime());
            try {
                sorted.finish(sstables);
            } finally {
                completing.end(System.nanoTime());
            }
        }

        private SstableWriter open(int owner, WriterBuffers buffers) throws IOException {
            return SstableWriter.open(
                    schema,
                    new SstableWriter.Options(
                            work.directories.of(owner),
                            number + 1,
                            Math.max(1, (long) (keys * shares[owner] * 1.05) + 16),
                            work.firstWriteTime,
                            nowSeconds),
                    buffers);
        }
    }

    private static OverdriveException failed(String what, IOException e) {
        return new OverdriveException(
                Kind.DISK, what + " (" + e + "); about twice the size of the rows is needed: free disk space", e);
    }

    /** Deletes spilled data. SSTables stay. */
    @Override
    public void close() {
        stop();
        for (RecordPiece piece : pieces) {
            piece.close();
        }
    }
}
