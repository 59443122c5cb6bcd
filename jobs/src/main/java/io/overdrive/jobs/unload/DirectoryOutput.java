package io.overdrive.jobs.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.journal.Durable;
import io.overdrive.jobs.journal.OutputLock;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.TailRemoval;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file for each split that has rows.
 *
 * <p>With a journal, a file that a checkpoint names is forced to disk before, and gets its final name when the journal has that it is
 * complete: a file with its final name is never written again.
 */
final class DirectoryOutput extends Output {
    /** How the files are named. Immutable. */
    record Names(String table, String extension, Compression compression) {
        String of(int split) {
            return table + "-" + number(split) + end();
        }

        String number(int split) {
            return String.format(Locale.ROOT, "%05d", split);
        }

        private String end() {
            return extension + compression.suffix();
        }

        /** Names with the number as a group, which another ending may follow. */
        Pattern pattern(String ending) {
            return Pattern.compile(
                    Pattern.quote(table) + "-(\\d{5,9})" + Pattern.quote(end()) + "(?:" + Pattern.quote(ending) + ")?");
        }
    }

    private final Path directory;
    private final Names names;
    private final boolean journaled;
    private final Queue<FileSink> open = new ConcurrentLinkedQueue<>();
    private final Queue<FileSink> ended = new ConcurrentLinkedQueue<>();
    private final List<FileSink> unpublished = new ArrayList<>();

    /**
     * @param journal null if there is none; if it has splits already, their files are continued
     */
    DirectoryOutput(Path directory, Names names, RecordWriter records, @Nullable SplitJournal journal) {
        super(names.compression, records);
        this.directory = directory;
        this.names = names;
        this.journaled = journal != null;
        try {
            if (journal != null && journal.isBegun()) {
                restore(journal);
                Files.createDirectories(directory); // if the run had written nothing to it
            } else {
                createMissing(directory);
                requireEmpty(directory);
            }
        } catch (IOException e) {
            throw cannotWrite(directory.toString(), e);
        }
    }

    /** Creates the directory of a new run, so that it can be locked. */
    static void createMissing(@Nullable Path directory) {
        if (directory != null) {
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                throw cannotWrite(directory.toString(), e);
            }
        }
    }

    static void requireEmpty(Path directory) throws IOException {
        try (Stream<Path> old = Files.list(directory)) {
            Path first = old.filter(path -> !path.endsWith(OutputLock.NAME))
                    .findFirst()
                    .orElse(null);
            if (first != null) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + ": the directory is not empty, it contains " + first.getFileName()
                                + "; name a new one, so that no old file is mistaken for one of this unload");
            }
        }
    }

    /** Checks that the files are as the journal says, and names those that are complete. */
    private void restore(SplitJournal journal) throws IOException {
        Map<Integer, Position> known = new HashMap<>();
        for (Reached each : journal.reached()) {
            known.put(each.split(), Position.of(each));
        }
        for (int number = 0; number < journal.splits().size(); number++) {
            Position position = known.getOrDefault(number, Position.START);
            Path file = file(number);
            Path part = unfinished(file);
            if (position.stored() == 0) {
                remove(part); // no checkpoint has it
            } else if (!position.isFinished()) {
                requireSize(part, position.stored(), /* mayBeLonger */ true);
            } else if (Files.exists(part)) {
                requireSize(part, position.stored(), /* mayBeLonger */ false);
                rename(file);
                storedBytes.add(position.stored());
            } else {
                requireSize(file, position.stored(), /* mayBeLonger */ false);
                addComplete(file, position.stored());
            }
        }
    }

    private static void requireSize(Path file, long stored, boolean mayBeLonger) throws IOException {
        if (!Files.exists(file)) {
            throw TailRemoval.changed(file, stored, "there is no such file");
        }
        long size = Files.size(file);
        if (size < stored || (size > stored && !mayBeLonger)) {
            throw TailRemoval.changed(file, stored, "the file has " + size + " bytes");
        }
    }

    private Path file(int number) {
        return directory.resolve(names.of(number));
    }

    @Override
    Sink split(int number, Position from) {
        return new FileSink(number, from);
    }

    @Override
    Checkpoint checkpoint() throws IOException {
        List<Reached> reached = new ArrayList<>();
        boolean named = false;
        for (FileSink sink = ended.poll(); sink != null; sink = ended.poll()) {
            Position position = sink.position;
            if (position.stored() > 0) {
                Durable.file(unfinished(sink.file));
                unpublished.add(sink);
                named = true;
            }
            reached.add(position.reached(sink.number));
        }
        for (FileSink sink : open) {
            Position position = sink.force();
            if (position != null) {
                named = true;
                reached.add(position.reached(sink.number));
            }
        }
        if (named) {
            Durable.directory(directory);
        }
        return new Checkpoint(reached, new byte[0]);
    }

    @Override
    void publish() throws IOException {
        for (FileSink sink : unpublished) {
            sink.publish();
        }
        unpublished.clear();
    }

    @Override
    void finish() throws IOException {
        if (files().isEmpty()) {
            FileSink empty = new FileSink(0, Position.START);
            empty.writeEnd(empty.start());
            empty.close();
            empty.publish();
        }
        if (journaled) {
            Durable.directory(directory);
        }
    }

    @Override
    public void close() {
        open.forEach(FileSink::discard);
    }

    @Override
    long rowsKept(long given, long ended) {
        return ended;
    }

    /** Creates the file when the first records come, or continues the file of an earlier run. */
    private final class FileSink implements Sink {
        private final int number;
        private final Path file;
        /** Where the file can be cut. Changed by the thread that writes, under the lock. */
        private volatile Position position;

        private @Nullable StoredFile stored;
        private @Nullable OutputStream stream;
        /** The last position that was forced. Under the lock. */
        private Position forced;

        FileSink(int number, Position from) {
            this.number = number;
            this.file = file(number);
            this.position = from;
            this.forced = from;
        }

        private StoredFile start() throws IOException {
            StoredFile created = new StoredFile(unfinished(file), position.stored(), storedBytes);
            stored = created;
            open.add(this);
            if (created.length() == 0) {
                pack(created).write(header);
            }
            return created;
        }

        /** A compressor of the following output. */
        private OutputStream pack(StoredFile to) throws IOException {
            OutputStream packing = compression.pack(to.withoutClose(writing));
            stream = packing;
            return packing;
        }

        @Override
        public void write(Bytes records) throws IOException {
            try {
                StoredFile known = stored;
                StoredFile to = known != null ? known : start();
                OutputStream started = stream;
                OutputStream packing = started != null ? started : pack(to);
                packing.write(records.array(), 0, records.length());
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
        }

        /** Ends the compressed part, so that the file can be cut here: all formats can follow each other in a file. */
        private long endPart() throws IOException {
            OutputStream packing = stream;
            if (packing != null) {
                packing.close();
                stream = null;
            }
            StoredFile to = stored;
            return to == null ? position.stored() : to.length();
        }

        @Override
        public void reached(Position now) throws IOException {
            try {
                long size = endPart();
                synchronized (this) {
                    position = now.withStored(size);
                }
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
        }

        /**
         * Makes the file durable up to where it can be cut, and returns that; null if it is since the last call, or the file was
         * closed. Called by the thread of the checkpoints.
         */
        synchronized @Nullable Position force() throws IOException {
            Position now = position;
            StoredFile to = stored;
            if (now.equals(forced) || now.isFinished() || to == null) {
                return null;
            }
            to.force();
            forced = now;
            return now;
        }

        @Override
        public void end(Position last) throws IOException {
            try {
                if (stored == null && position.stored() > 0) {
                    start();
                }
                StoredFile to = stored;
                if (to != null) {
                    writeEnd(to);
                }
                long size = endPart();
                synchronized (this) { // while it is forced, it cannot be closed
                    close();
                    position = last.withStored(size);
                }
                if (journaled) {
                    ended.add(this);
                } else if (size > 0) {
                    publish();
                }
                open.remove(this);
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
        }

        /** Writes what comes after the last record. */
        void writeEnd(StoredFile to) throws IOException {
            endPart();
            byte[] end = footer(to.channel(), to.length());
            to.write(end, 0, end.length);
        }

        void close() throws IOException {
            endPart();
            StoredFile to = stored;
            if (to != null) {
                to.close();
            }
        }

        void publish() throws IOException {
            rename(file);
            open.remove(this);
        }

        void discard() {
            try {
                close();
            } catch (IOException e) {
                // it is thrown away
            }
            StoredFile to = stored;
            if (to != null) {
                to.discard();
            }
            if (!journaled) {
                remove(unfinished(file));
            }
        }
    }
}
