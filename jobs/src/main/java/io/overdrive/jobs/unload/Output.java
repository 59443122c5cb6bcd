package io.overdrive.jobs.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.disk.FileName;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Where records go: a directory with a file for each split, one file, or standard output. Thread-safe.
 *
 * <p>A file is named {@code NAME.part} until it is complete, so that an incomplete file is recognisable. Until then only its owner
 * may read it; the complete file has the permissions of any new one.
 */
abstract class Output implements AutoCloseable {
    private final @Nullable Place place;
    final Compression compression;
    final byte[] header;
    private final RecordWriter records;
    /** Size of the files as stored. */
    final LongAdder storedBytes = new LongAdder();
    /** Time of threads that write output to the disk, or wait for others that do. */
    final WaitTime writing = new WaitTime();

    private final ConcurrentLinkedQueue<Path> files = new ConcurrentLinkedQueue<>();
    private final Map<Path, Integer> sums = new ConcurrentHashMap<>();
    /** The time that the manifest has. */
    private String writtenAfter = "";
    /** Whether a checkpoint is being taken, or has failed. Used by one thread at a time. */
    private boolean isCheckpointOpen;

    /**
     * @param place of the files; null for standard output
     * @param records what writes the records, and here the beginning and the end of files
     */
    Output(@Nullable Place place, Compression compression, RecordWriter records) {
        this.place = place;
        this.compression = compression;
        this.records = records;
        Bytes start = new Bytes(256);
        records.header(start);
        header = start.toByteArray();
    }

    /**
     * The end of a file or of a stream; empty for most formats.
     *
     * @param file null for a stream
     * @param length of what was written to it
     */
    final byte[] footer(@Nullable FileChannel file, long length) throws IOException {
        Bytes end = new Bytes(256);
        records.footer(file, length, end);
        return end.toByteArray();
    }

    /**
     * The output that the options choose.
     *
     * @param table for the names of files
     * @param records writes the beginning and the end of files
     * @param journal null for none
     */
    static Output of(UnloadOptions options, String table, RecordWriter records, @Nullable SplitJournal journal) {
        Path directory = options.directory();
        Path file = options.file();
        PrintStream stream = options.stream();
        if (directory != null) {
            List<String> columns = options.format().partitionBy();
            FileNames names =
                    new FileNames(FileName.of(table), options.format().extension(), options.packing(), options.limit());
            return columns.isEmpty()
                    ? new DirectoryOutput(directory, names, records, journal)
                    : new PartitionedOutput(directory, names, columns, records, journal);
        }
        if (file != null) {
            return new FileOutput(file, options.packing(), records, journal);
        }
        return new StreamOutput(Objects.requireNonNull(stream), options.packing(), records);
    }

    /**
     * Checks that {@link #of} could make the output of a new run, and leaves nothing behind.
     *
     * @throws OverdriveException of kind INPUT if it could not
     */
    static void check(UnloadOptions options) {
        Path directory = options.directory();
        Path file = options.file();
        if (file != null) {
            FileOutput.requireNew(file);
        }
        Place place =
                directory != null ? Place.ofDirectory(directory, null) : file == null ? null : Place.ofFile(file, null);
        String whyNot = place == null ? null : place.whyNot();
        if (place != null && whyNot != null) {
            throw new OverdriveException(Kind.INPUT, place.root() + ": cannot be written: " + whyNot);
        }
        if (directory != null && Files.exists(directory)) {
            try {
                DirectoryOutput.requireEmpty(directory);
            } catch (IOException e) {
                throw cannotWrite(directory.toString(), e);
            }
        }
    }

    /** Receives records of one split, from one thread at a time. */
    interface Target {
        void write(Bytes records) throws IOException;

        /**
         * Counts a row, if files have a limit, and returns whether it is the last one of its file.
         *
         * @param waiting size of records that are not written yet
         */
        default boolean isLast(int waiting) {
            return false;
        }

        /** Completes the file; following records begin the next one. */
        default void roll() throws IOException {
            throw new IllegalStateException("the output has one file");
        }
    }

    /** Receives the records of one split, from one thread at a time. */
    interface Sink extends Target {
        /**
         * The part for records of a directory, if the output has directories for them.
         *
         * @param partition path of the directory within the output
         */
        default Target target(String partition) {
            throw new IllegalStateException("the output has no directory " + partition);
        }

        /** Called when everything up to this position is written, so that a resumed run can continue from it. */
        void reached(Position position) throws IOException;

        /** Called when all records of the split were written. */
        void end(Position position) throws IOException;
    }

    /**
     * A state of the output that is durable: the output can be truncated to it.
     *
     * @param reached how far the splits are written whose state has changed
     * @param shared other state that is needed to truncate it
     */
    record Checkpoint(List<Reached> reached, byte[] shared) {}

    /**
     * @param number of the split, from 0
     * @param from how far the split was written by an earlier run
     */
    abstract Sink split(int number, Position from);

    /**
     * Takes a checkpoint: the output first, then the journal, and then the names of complete files. After one that failed there is no
     * other, as it would lack what the failed one had. Called by one thread at a time.
     *
     * @throws IOException if it fails, or one before has failed
     */
    final void checkpoint(SplitJournal to) throws IOException {
        if (isCheckpointOpen) {
            throw new IOException("an earlier checkpoint has failed");
        }
        isCheckpointOpen = true;
        try {
            Checkpoint durable = checkpoint();
            to.checkpoint(durable.reached(), durable.shared());
            publish();
            isCheckpointOpen = false;
        } finally {
            if (isCheckpointOpen && place != null) {
                place.failed();
            }
        }
    }

    /** Makes durable the output that was written up to the positions that were given until now. Called by one thread at a time. */
    abstract Checkpoint checkpoint() throws IOException;

    /** Gives complete files their names, once the journal has what the last {@link #checkpoint} returned. */
    abstract void publish() throws IOException;

    /**
     * Completes the output, once all splits have ended, and with a journal, after the last {@link #publish}.
     *
     * @param rows of all splits
     */
    abstract void finish(long rows) throws IOException;

    /** As {@link #finish(long)}, and lists the files, if the options say so. */
    final void finish(long rows, UnloadOptions options) throws IOException {
        WrittenAfter after = options.after();
        writtenAfter = after == null ? "" : after.time().toString();
        finish(rows);
        Path directory = options.directory();
        if (directory != null && options.listsFiles() && !place().isRemote()) {
            Place.replace(
                    directory.resolve(Manifest.NAME), manifest(directory, rows).toJson());
        }
    }

    /** Ends the output: deletes incomplete files, unless a resumed run can complete them. */
    @Override
    public abstract void close();

    /**
     * The number of rows in the output that remains once this is closed.
     *
     * @param given number of all rows written
     * @param ended number of rows of splits that have ended
     */
    abstract long rowsKept(long given, long ended);

    /** The complete files. */
    final List<Path> files() {
        return List.copyOf(files);
    }

    /** The size of a file with records that are not written yet, as far as it is known before they are compressed. */
    final long sizeWith(int waiting, long stored) {
        return compression == Compression.NONE ? Math.max(stored, header.length) + waiting : stored;
    }

    static OverdriveException cannotWrite(String where, IOException e) {
        return new OverdriveException(Kind.INPUT, where + ": cannot be written: " + WritableDirectory.reason(e), e);
    }

    final Place place() {
        return Objects.requireNonNull(place);
    }

    /** Ends waiting for uploads. For any thread. */
    final void stop() {
        if (place != null) {
            place.stop();
        }
    }

    final Path unfinished(Path file) {
        return place().unfinished(file);
    }

    final void publishAll(List<Path> complete) throws IOException {
        place().publishAll(complete, files::add);
    }

    /** Lists the complete files, for readers of an object store. */
    final void end(Path directory, long rows) throws IOException {
        if (place().isRemote()) {
            place().end(manifest(directory, rows));
        }
    }

    private Manifest manifest(Path directory, long rows) throws IOException {
        Map<String, Manifest.Content> contents = new HashMap<>();
        for (Path each : files) {
            Integer known = sums.get(each);
            contents.put(
                    directory.relativize(each).toString(),
                    new Manifest.Content(Files.size(each), known != null ? known : Manifest.sum(each)));
        }
        return new Manifest(rows, contents, writtenAfter);
    }

    /** The CRC-32C of a file that is complete; null if it is not known. */
    final @Nullable Integer sum(Path file) {
        return sums.get(file);
    }

    /** Keeps the CRC-32C of a file that this process or an earlier one of the run has completed. */
    final void addSum(Path file, int sum) {
        sums.put(file, sum);
    }

    /** Adds a file that an earlier run has completed. */
    final void addComplete(Path file, long size) {
        files.add(file);
        storedBytes.add(size);
    }

    static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw cannotWrite(file.toString(), e);
        }
    }
}
