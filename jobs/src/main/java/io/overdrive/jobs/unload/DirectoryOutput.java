package io.overdrive.jobs.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.Manifest;
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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file for each split that has rows, or several if files have a limit.
 *
 * <p>With a journal, a file that a checkpoint names is forced to disk before, and gets its final name when the journal has that it is
 * complete: a file with its final name is never written again. Without, the files of a split get their names when it has ended.
 */
final class DirectoryOutput extends Output {
    private final Path directory;
    private final FileNames names;
    private final boolean journaled;
    private final Queue<FileSink> open = new ConcurrentLinkedQueue<>();
    private final Queue<FileSink> ended = new ConcurrentLinkedQueue<>();
    /** Files that the last checkpoint has as complete. */
    private final List<Path> unpublished = new ArrayList<>();

    /**
     * @param journal null if there is none; if it has splits already, their files are continued
     */
    DirectoryOutput(Path directory, FileNames names, RecordWriter records, @Nullable SplitJournal journal) {
        super(Place.ofDirectory(directory, journal), names.compression(), records);
        this.directory = directory;
        this.names = names;
        this.journaled = journal != null;
        try {
            if (journal != null && journal.isBegun()) {
                place().open();
                restore(journal);
                Files.createDirectories(directory); // if the run had written nothing to it
            } else {
                createMissing(directory);
                begin(place(), directory);
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

    /** Begins a new run in a directory without files. */
    static void begin(Place place, Path directory) throws IOException {
        place.open();
        try {
            requireEmpty(directory);
        } catch (IOException | RuntimeException e) {
            place.cancel();
            throw e;
        }
    }

    static void requireEmpty(Path directory) throws IOException {
        try (Stream<Path> old = Files.list(directory)) {
            Path first = old.filter(path -> !path.endsWith(OutputLock.NAME) && !path.endsWith(Manifest.UNFINISHED))
                    .findFirst()
                    .orElse(null);
            if (first != null) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + ": the directory is not empty, it contains " + first.getFileName()
                                + "; name a new one, so that no old file is mistaken for one of this unload");
            }
        } catch (NoSuchFileException e) {
            // an object store has no empty directories
        }
    }

    /** Checks that the files are as the journal says, names those that are complete, and deletes later ones. */
    private void restore(SplitJournal journal) throws IOException {
        Map<Integer, Position> known = new HashMap<>();
        for (Reached each : journal.reached()) {
            known.put(each.split(), Position.of(each));
        }
        if (Files.exists(place().writable())) {
            removeLater(known);
        }
        for (int number = 0; number < journal.splits().size(); number++) {
            restore(number, known.getOrDefault(number, Position.START));
        }
    }

    /** Removes files that no checkpoint has. */
    private void removeLater(Map<Integer, Position> known) throws IOException {
        Pattern name = names.pattern(Place.UNFINISHED);
        List<Path> all;
        try (Stream<Path> files = Files.list(place().writable())) {
            all = files.toList();
        }
        for (Path file : all) {
            String text = String.valueOf(file.getFileName());
            Matcher numbers = name.matcher(text);
            if (numbers.matches() && text.endsWith(Place.UNFINISHED)) {
                int split = Integer.parseInt(numbers.group(1));
                int number = numbers.group(2).isEmpty() ? 0 : Integer.parseInt(numbers.group(2));
                Position.Place place = known.getOrDefault(split, Position.START).place();
                if (number > place.file() || (number == place.file() && place.stored() == 0)) {
                    remove(file);
                }
            }
        }
    }

    private void restore(int split, Position position) throws IOException {
        Position.Place place = position.place();
        restoreComplete(split, place);
        Path file = file(split, place.file());
        if (place.stored() == 0) {
            return;
        }
        Path part = unfinished(file);
        if (!position.isFinished()) {
            requireSize(part, place.stored(), /* mayBeLonger */ true);
        } else {
            requireSize(Files.exists(part) ? part : file, place.stored(), /* mayBeLonger */ false);
            nameComplete(file, place.sum(place.file()));
        }
    }

    /** The files before the one that was written last. */
    private void restoreComplete(int split, Position.Place place) throws IOException {
        long size = 0;
        for (int number = 0; number < place.file(); number++) {
            Path file = file(split, number);
            Path found = Files.exists(file) ? file : unfinished(file);
            size += Files.exists(found) ? Files.size(found) : 0;
        }
        if (size != place.storedBefore()) {
            throw TailRemoval.changed(
                    directory,
                    place.storedBefore(),
                    "the complete files with the number " + names.number(split) + " have " + size + " bytes");
        }
        for (int number = 0; number < place.file(); number++) {
            nameComplete(file(split, number), place.sum(number));
        }
    }

    /**
     * Names a file, unless the run has done it before it was killed.
     *
     * @param sum its CRC-32C; null if it is not known
     */
    private void nameComplete(Path file, @Nullable Integer sum) throws IOException {
        if (sum != null) {
            addSum(file, sum);
        }
        Path part = unfinished(file);
        if (Files.exists(part)) {
            storedBytes.add(Files.size(part));
            publishAll(List.of(file));
        } else {
            addComplete(file, Files.size(file));
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

    private Path file(int split, int number) {
        return directory.resolve(names.of(split, number));
    }

    @Override
    Sink split(int number, Position from) {
        FileSink sink = new FileSink(number, from);
        open.add(sink);
        return sink;
    }

    @Override
    Checkpoint checkpoint() throws IOException {
        List<Reached> reached = new ArrayList<>();
        List<Path> complete = new ArrayList<>();
        boolean hasFiles = false;
        for (FileSink sink = ended.poll(); sink != null; sink = ended.poll()) {
            hasFiles |= sink.force(sink.position, complete);
            reached.add(sink.position.reached(sink.split));
        }
        for (FileSink sink : open) {
            Position position = sink.position;
            if (!position.equals(sink.forced) && !position.isFinished()) {
                hasFiles |= sink.force(position, complete);
                reached.add(position.reached(sink.split));
            }
        }
        if (hasFiles) {
            place().force(directory);
        }
        unpublished.addAll(complete);
        return new Checkpoint(reached, new byte[0]);
    }

    @Override
    void publish() throws IOException {
        publishAll(unpublished);
        unpublished.clear();
    }

    @Override
    void finish(long rows) throws IOException {
        if (files().isEmpty()) {
            FileSink empty = new FileSink(0, Position.START);
            empty.start();
            empty.complete();
            empty.publish();
        }
        if (journaled) {
            place().force(directory);
        }
        end(directory, rows);
    }

    @Override
    public void close() {
        open.forEach(FileSink::discard);
        if (!journaled && files().isEmpty()) {
            place().cancel();
        }
        place().close();
    }

    @Override
    long rowsKept(long given, long ended) {
        return ended;
    }

    /** A file that has its end, and no name yet. */
    private record Complete(int number, Path file, long length) {}

    /**
     * Creates a file when its first records come, or continues the file of an earlier run. Used by the thread that writes, apart from
     * {@link #force}.
     */
    private final class FileSink implements Sink {
        private final int split;
        /** Complete files without a name, by number. */
        private final Queue<Complete> complete = new ConcurrentLinkedQueue<>();
        /** Where the files can be cut. It is set after the files before it are among the complete ones. */
        private volatile Position position;
        /** The last position that was forced. Used by the thread of the checkpoints. */
        private Position forced;

        /** Number of the file. */
        private int number;

        private long rowsBefore;
        private long storedBefore;
        /** Rows of the file, if files have a limit. */
        private long rows;
        /** Size of the file in an earlier run; 0 if it is a new one. */
        private long lengthBefore;
        /** CRC-32C of the complete files; not known if the journal of an earlier run does not have it. */
        private final List<Integer> sumsBefore = new ArrayList<>();

        /** CRC-32C of the file in an earlier run; null if it is not known, or a new one. */
        private @Nullable Integer sumBefore;

        private @Nullable StoredFile stored;
        private @Nullable OutputStream stream;

        FileSink(int split, Position from) {
            this.split = split;
            this.position = from;
            this.forced = from;
            this.number = from.place().file();
            this.rowsBefore = from.place().rowsBefore();
            this.storedBefore = from.place().storedBefore();
            this.rows = from.rows() - rowsBefore;
            this.lengthBefore = from.place().stored();
            this.sumBefore = lengthBefore == 0 ? null : from.place().sum(number);
            this.sumsBefore.addAll(from.place().sums().stream().limit(number).toList());
        }

        private Path file() {
            return DirectoryOutput.this.file(split, number);
        }

        private OverdriveException cannotWriteFile(IOException e) {
            return cannotWrite(file().toString(), e);
        }

        StoredFile start() throws IOException {
            StoredFile created = new StoredFile(unfinished(file()), lengthBefore, storedBytes);
            stored = created;
            created.requireSum(sumBefore);
            if (created.length() == 0) {
                pack(created).write(header);
            }
            return created;
        }

        private StoredFile started() throws IOException {
            StoredFile known = stored;
            return known != null ? known : start();
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
                StoredFile to = started();
                OutputStream known = stream;
                OutputStream packing = known != null ? known : pack(to);
                packing.write(records.array(), 0, records.length());
            } catch (IOException e) {
                throw cannotWriteFile(e);
            }
        }

        private long length() {
            StoredFile to = stored;
            return to == null ? lengthBefore : to.length();
        }

        @Override
        public boolean isLast(int waiting) {
            return names.limit().isReached(++rows, sizeWith(waiting, length()));
        }

        @Override
        public void roll() throws IOException {
            try {
                storedBefore += complete();
            } catch (IOException e) {
                throw cannotWriteFile(e);
            }
            rowsBefore += rows;
            rows = 0;
            lengthBefore = 0;
            sumBefore = null;
            number++;
            if (!journaled && place().isRemote()) {
                publish(); // so that the stage is small
            }
        }

        /** @param size of the last file, which may be complete */
        private Position.Place cut(long size) {
            List<Integer> sums = new ArrayList<>(sumsBefore);
            StoredFile to = stored;
            Integer last = to != null ? (Integer) to.sum() : sumBefore;
            if (sums.size() == number && size > 0 && last != null) {
                sums.add(last);
            }
            return new Position.Place(number, rowsBefore, storedBefore, size, sums);
        }

        /** Ends the compressed part, so that the file can be cut here: all formats can follow each other in a file. */
        private long endPart() throws IOException {
            OutputStream packing = stream;
            if (packing != null) {
                packing.close();
                stream = null;
            }
            return length();
        }

        @Override
        public void reached(Position now) throws IOException {
            try {
                position = now.at(cut(endPart()));
                place().awaitUploads();
            } catch (IOException e) {
                throw cannotWriteFile(e);
            }
        }

        /**
         * Makes the files durable up to where they can be cut. Called by the thread of the checkpoints.
         *
         * @param named gets files that are complete then
         * @return whether there are files
         */
        boolean force(Position to, List<Path> named) throws IOException {
            boolean hasFiles = false;
            for (Complete next = complete.peek();
                    next != null && (next.number < to.place().file() || to.isFinished());
                    next = complete.peek()) {
                Durable.content(unfinished(next.file));
                named.add(next.file);
                complete.remove();
                hasFiles = true;
            }
            if (!to.isFinished() && to.place().stored() > 0) {
                Durable.content(
                        unfinished(DirectoryOutput.this.file(split, to.place().file())));
                hasFiles = true;
            }
            forced = to;
            return hasFiles;
        }

        @Override
        public void end(Position last) throws IOException {
            try {
                long size = length() > 0 || stored != null ? complete() : 0;
                position = last.at(cut(size));
                if (journaled) {
                    ended.add(this);
                } else {
                    publish();
                }
                open.remove(this);
                place().awaitUploads();
            } catch (IOException e) {
                throw cannotWriteFile(e);
            }
        }

        /** Writes what comes after the last record, closes the file, and returns its size. */
        long complete() throws IOException {
            StoredFile to = started();
            endPart();
            byte[] end = footer(to.channel(), to.length());
            to.write(end, 0, end.length);
            to.close();
            stored = null;
            complete.add(new Complete(number, file(), to.length()));
            addSum(file(), to.sum());
            if (sumsBefore.size() == number) {
                sumsBefore.add(to.sum());
            }
            place().completed(to.length());
            return to.length();
        }

        void publish() throws IOException {
            for (Complete next = complete.poll(); next != null; next = complete.poll()) {
                publishAll(List.of(next.file));
            }
        }

        void discard() {
            StoredFile to = stored;
            if (to != null) {
                try (to) {
                    endPart();
                } catch (IOException e) {
                    // it is thrown away
                }
                to.discard();
            }
            complete.forEach(each -> storedBytes.add(-each.length));
            if (!journaled) {
                complete.forEach(each -> remove(unfinished(each.file)));
                remove(unfinished(file()));
            }
        }
    }
}
