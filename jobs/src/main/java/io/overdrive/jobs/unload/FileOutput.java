package io.overdrive.jobs.unload;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.disk.Location;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.StoredRanges;
import io.overdrive.jobs.journal.StoredRanges.Range;
import io.overdrive.jobs.journal.TailRemoval;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All records in one file, in no particular order.
 *
 * <p>With a journal, a checkpoint also names the parts of the file whose tokens are not complete yet. A resumed run removes them: what
 * remains has each row of the tokens that were reached, and no other.
 */
final class FileOutput extends Output {
    private final Path file;
    private final Chunks chunks;
    private final boolean journaled;
    private final StoredFile stored;

    /** Ranges written after the last position of each split. */
    @GuardedBy("this") private final Map<Integer, StoredRanges> afterPosition = new HashMap<>();

    @GuardedBy("this") private final List<Reached> changed = new ArrayList<>();

    @GuardedBy("this") private boolean finished;

    /** Size of the end of a file that an earlier run has finished: no checkpoint has it. */
    @GuardedBy("this") private long endBytes;

    /** @param journal null if there is none; if it has splits already, the file is continued */
    FileOutput(Path file, Compression compression, RecordWriter records, @Nullable SplitJournal journal) {
        super(Place.ofFile(file, journal), compression, records);
        this.file = file;
        this.chunks = new Chunks(compression);
        this.journaled = journal != null;
        boolean continues = journal != null && journal.isBegun() && journal.shared().length > 0;
        if (!continues) {
            requireNew(file);
        }
        place().open();
        try {
            if (!continues) {
                TailRemoval.forget(unfinished(file));
            }
            long length = continues ? restore(Objects.requireNonNull(journal)) : 0;
            stored = new StoredFile(finished() ? file : unfinished(file), length, storedBytes);
        } catch (IOException e) {
            throw cannotWrite(file.toString(), e);
        }
        if (!continues) {
            writeHeader();
        }
    }

    static void requireNew(Path file) {
        if (Files.exists(file)) {
            throw new OverdriveException(Kind.INPUT, file + ": the file exists; remove it, or name another");
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null && Location.isLocal(file) && !Files.isDirectory(parent)) {
            throw new OverdriveException(Kind.INPUT, parent + ": there is no such directory for " + file.getFileName());
        }
    }

    private void writeHeader() {
        try {
            chunks.pack(header, header.length, (bytes, count) -> stored.write(bytes, 0, count));
        } catch (IOException e) {
            close();
            remove(unfinished(file)); // no checkpoint has it
            throw cannotWrite(file.toString(), e);
        }
    }

    private synchronized boolean finished() {
        return finished;
    }

    /** Removes parts that the last checkpoint does not have, and returns the size of the file. */
    private long restore(SplitJournal journal) throws IOException {
        StoredRanges.Cut cut = StoredRanges.Cut.read(journal.shared());
        Path part = unfinished(file);
        if (!Files.exists(part) && Files.exists(file) && journal.remaining().isEmpty()) {
            long size = namedSize(cut.length());
            synchronized (this) {
                finished = true; // it was named, and the run then killed
                endBytes = size - cut.length();
            }
            addComplete(file, 0);
            return size;
        }
        if (!Files.exists(part)) {
            throw TailRemoval.changed(part, cut.length(), "there is no such file");
        }
        if (Files.exists(file)) {
            throw new OverdriveException(
                    Kind.INPUT, file + ": the file exists, and the run would replace it; remove it, or move it away");
        }
        TailRemoval removal = new TailRemoval(part, cut);
        removal.run();
        journal.checkpoint(List.of(), new StoredRanges.Cut(removal.newLength(), List.of()).toBytes());
        removal.end();
        return removal.newLength();
    }

    /** The size of a file that has its name: its end was written after the last checkpoint. */
    private long namedSize(long length) throws IOException {
        try (FileChannel named = FileChannel.open(file)) {
            long size = named.size();
            if (size < length || size != length + footer(named, length).length) {
                throw TailRemoval.changed(file, length, "the file has " + size + " bytes");
            }
            return size;
        }
    }

    @Override
    Sink split(int number, Position from) {
        return new SplitSink(number);
    }

    private void append(int split, byte[] bytes, int count) {
        writing.begin(System.nanoTime());
        try {
            appendNext(split, bytes, count);
        } finally {
            writing.end(System.nanoTime());
        }
    }

    private synchronized void appendNext(int split, byte[] bytes, int count) {
        long start = stored.length();
        try {
            stored.write(bytes, 0, count);
        } catch (IOException e) {
            throw cannotWrite(file.toString(), e);
        } finally {
            if (journaled) {
                afterPosition.computeIfAbsent(split, s -> new StoredRanges()).add(start, stored.length());
            }
        }
    }

    private synchronized void reached(int split, Position position) {
        if (journaled) {
            afterPosition.remove(split);
            changed.add(position.reached(split));
        }
    }

    @Override
    Checkpoint checkpoint() throws IOException {
        List<Reached> reached;
        StoredRanges.Cut cut;
        synchronized (this) {
            reached = List.copyOf(changed);
            changed.clear();
            List<Range> removed = new ArrayList<>();
            afterPosition.values().forEach(ranges -> removed.addAll(ranges.ranges()));
            cut = new StoredRanges.Cut(stored.length() - endBytes, removed);
        }
        stored.force();
        if (!finished()) {
            place().force(directory());
        }
        return new Checkpoint(reached, cut.toBytes());
    }

    private Path directory() {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    /** The file is named by {@link #finish}. */
    @Override
    void publish() {}

    @Override
    void finish(long rows) {
        try {
            if (!finished()) {
                byte[] end = footer(stored.channel(), stored.length());
                stored.write(end, 0, end.length);
                if (journaled && end.length > 0) {
                    stored.force();
                }
            }
            stored.close();
            if (!finished()) {
                publishAll(List.of(file));
            }
            if (journaled) {
                place().force(directory());
            }
            place().end(/* manifest */ null);
            synchronized (this) {
                finished = true;
            }
        } catch (IOException e) {
            throw cannotWrite(file.toString(), e);
        }
    }

    @Override
    public void close() {
        if (finished()) {
            place().close();
            return;
        }
        try {
            stored.close();
        } catch (IOException e) {
            // it is thrown away
        }
        stored.discard();
        if (!journaled) {
            remove(unfinished(file));
            place().cancel();
        }
    }

    @Override
    long rowsKept(long given, long ended) {
        return finished() ? given : 0;
    }

    private final class SplitSink implements Sink {
        private final int number;

        SplitSink(int number) {
            this.number = number;
        }

        @Override
        public void write(Bytes records) throws IOException {
            chunks.pack(records.array(), records.length(), (bytes, count) -> append(number, bytes, count));
        }

        @Override
        public void reached(Position position) {
            FileOutput.this.reached(number, position);
        }

        @Override
        public void end(Position position) {
            FileOutput.this.reached(number, position);
        }
    }
}
