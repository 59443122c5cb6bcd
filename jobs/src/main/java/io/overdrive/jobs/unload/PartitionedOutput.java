package io.overdrive.jobs.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.PathColumns;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.jobs.journal.Durable;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.TailRemoval;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Directories that are named by values of columns, as Hive does, and in each a file for each split that has rows of it, or several if files
 * have a limit.
 *
 * <p>A file is open only while something is written to it, as a split may have many. With a journal, a split is written by one run: a resumed
 * run deletes the files of splits that had not ended. Thread-safe.
 */
final class PartitionedOutput extends Output {
    private final Path directory;
    private final FileNames names;
    private final List<String> columns;
    private final boolean journaled;
    private final Queue<SplitFiles> open = new ConcurrentLinkedQueue<>();
    private final Queue<SplitFiles> ended = new ConcurrentLinkedQueue<>();
    private final List<SplitFiles> unpublished = new ArrayList<>();

    /**
     * @param columns that the directories are named by
     * @param journal null if there is none; if it has splits already, the others are written
     */
    PartitionedOutput(
            Path directory,
            FileNames names,
            List<String> columns,
            RecordWriter records,
            @Nullable SplitJournal journal) {
        super(Place.ofDirectory(directory, journal), names.compression(), records);
        this.directory = directory;
        this.names = names;
        this.columns = columns;
        this.journaled = journal != null;
        try {
            DirectoryOutput.createMissing(directory);
            if (journal != null && journal.isBegun()) {
                place().open();
                restore(journal);
            } else {
                DirectoryOutput.begin(place(), directory);
            }
        } catch (IOException e) {
            throw cannotWrite(directory.toString(), e);
        }
    }

    /** Checks that the files of splits that have ended are as the journal says, names them, and deletes the others. */
    private void restore(SplitJournal journal) throws IOException {
        Map<Integer, Position.Place> stored = new HashMap<>();
        for (Reached each : journal.reached()) {
            if (each.isFinished()) {
                stored.put(each.split(), Position.of(each).place());
            }
        }
        Pattern name = names.pattern(Place.UNFINISHED);
        Map<Integer, Long> sizes = new HashMap<>();
        List<Path> kept = new ArrayList<>();
        Map<Integer, List<Path>> complete = new HashMap<>();
        for (Path file : allFiles()) {
            Matcher numbered = name.matcher(String.valueOf(file.getFileName()));
            if (!numbered.matches()) {
                continue;
            }
            int split = Integer.parseInt(numbered.group(1));
            if (stored.containsKey(split)) {
                if (isUnfinished(file) || !Files.exists(unfinished(file))) {
                    sizes.merge(split, Files.size(file), Long::sum);
                    kept.add(file);
                    complete.computeIfAbsent(split, number -> new ArrayList<>())
                            .add(isUnfinished(file) ? place().complete(file) : file);
                } // else it was uploaded, and the run killed before it deleted its own copy
            } else {
                remove(file); // no checkpoint has it
            }
        }
        stored.forEach((split, place) -> {
            long size = sizes.getOrDefault(split, 0L);
            if (size != place.stored()) {
                throw TailRemoval.changed(
                        directory,
                        place.stored(),
                        "the files with the number " + names.number(split) + " have " + size + " bytes");
            }
            addSums(complete.getOrDefault(split, List.of()), place.sums());
        });
        for (Path file : kept) {
            if (isUnfinished(file)) {
                storedBytes.add(Files.size(file));
                publishAll(List.of(place().complete(file)));
            } else {
                addComplete(file, Files.size(file));
            }
        }
    }

    private static boolean isUnfinished(Path file) {
        return file.toString().endsWith(Place.UNFINISHED);
    }

    /** The files of a split in the order of their checksums in the journal. */
    private static List<Path> ordered(List<Path> files) {
        return files.stream().sorted(Comparator.comparing(Path::toString)).toList();
    }

    /** @param sums none if the journal is of an earlier version */
    private void addSums(List<Path> files, List<Integer> sums) {
        List<Path> ordered = ordered(files);
        for (int i = 0; i < ordered.size() && sums.size() == ordered.size(); i++) {
            addSum(ordered.get(i), sums.get(i));
        }
    }

    private List<Path> allFiles() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path each : new LinkedHashSet<>(List.of(place().writable(), directory))) {
            try (Stream<Path> all = Files.walk(each)) {
                found.addAll(all.filter(Files::isRegularFile).toList());
            } catch (NoSuchFileException e) {
                // no object yet
            }
        }
        return found;
    }

    @Override
    Sink split(int number, Position from) {
        SplitFiles files = new SplitFiles(number);
        open.add(files);
        return files;
    }

    @Override
    Checkpoint checkpoint() throws IOException {
        List<Reached> reached = new ArrayList<>();
        Set<Path> directories = new HashSet<>();
        for (SplitFiles split = ended.poll(); split != null; split = ended.poll()) {
            split.force(directories);
            unpublished.add(split);
            reached.add(split.position.reached(split.number));
        }
        for (Path each : directories) {
            place().force(each);
        }
        return new Checkpoint(reached, new byte[0]);
    }

    @Override
    void publish() throws IOException {
        List<Path> complete = new ArrayList<>();
        unpublished.forEach(split -> split.addTo(complete));
        publishAll(complete);
        unpublished.clear();
    }

    @Override
    void finish(long rows) throws IOException {
        if (files().isEmpty()) {
            SplitFiles empty = new SplitFiles(0);
            String none = columns.stream()
                    .map(column -> PathColumns.directory(column, null))
                    .collect(Collectors.joining("/"));
            empty.target(none).write(new Bytes(0));
            empty.writeEnds();
            empty.publish();
        }
        if (journaled) {
            place().force(directory);
        }
        end(directory, rows);
    }

    @Override
    public void close() {
        open.forEach(SplitFiles::discard);
        if (!journaled && files().isEmpty()) {
            place().cancel();
        }
        place().close();
    }

    @Override
    long rowsKept(long given, long ofEndedSplits) {
        return ofEndedSplits;
    }

    /** The files of a split, by their directories. */
    private final class SplitFiles implements Sink {
        private final int number;
        private final Map<String, PartitionFile> files = new LinkedHashMap<>();
        private Position position = Position.START;

        SplitFiles(int number) {
            this.number = number;
        }

        @Override
        public Target target(String partition) {
            return files.computeIfAbsent(partition, path -> new PartitionFile(directory(path), number));
        }

        private Path directory(String partition) {
            try {
                return directory.resolve(partition);
            } catch (InvalidPathException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + ": no directory can be named " + partition + " in the locale of this process; set"
                                + " LC_ALL=C.UTF-8",
                        e);
            }
        }

        @Override
        public void write(Bytes records) {
            throw new IllegalStateException("records without a partition");
        }

        @Override
        public void reached(Position now) {
            throw new IllegalStateException("a split is written as a whole");
        }

        @Override
        public void end(Position last) throws IOException {
            long size = writeEnds();
            List<Path> complete = new ArrayList<>();
            addTo(complete);
            List<Integer> sums = ordered(complete).stream()
                    .map(PartitionedOutput.this::sum)
                    .filter(Objects::nonNull)
                    .toList();
            position = last.at(new Position.Place(0, 0, 0, size, sums));
            open.remove(this);
            if (journaled) {
                ended.add(this);
            } else {
                publish();
            }
            place().awaitUploads();
        }

        /** Writes what comes after the last records, and returns the size of all files. */
        private long writeEnds() throws IOException {
            long size = 0;
            for (PartitionFile file : files.values()) {
                size += file.end();
            }
            return size;
        }

        void force(Set<Path> directories) throws IOException {
            for (PartitionFile each : files.values()) {
                for (Path file : each.complete) {
                    Durable.content(unfinished(file));
                }
                for (Path at = each.in; at != null && !at.equals(directory); at = at.getParent()) {
                    directories.add(at);
                }
                directories.add(directory);
            }
        }

        void addTo(List<Path> complete) {
            files.values().forEach(each -> complete.addAll(each.complete));
        }

        private void publish() throws IOException {
            List<Path> complete = new ArrayList<>();
            addTo(complete);
            publishAll(complete);
        }

        /** A resumed run deletes the files itself. */
        void discard() {
            for (PartitionFile each : files.values()) {
                storedBytes.add(-each.lengthBefore - each.length);
                if (!journaled) {
                    each.complete.forEach(file -> remove(unfinished(file)));
                    remove(unfinished(each.file()));
                    removeEmptyDirectories(unfinished(each.file()).getParent());
                }
            }
        }
    }

    private void removeEmptyDirectories(@Nullable Path in) {
        try {
            for (Path at = in; at != null && !at.equals(place().writable()); at = at.getParent()) {
                Files.deleteIfExists(at);
            }
        } catch (IOException e) {
            // others have files in it
        }
    }

    /** The files of a split in a directory, which follow each other. Used by one thread at a time. */
    private final class PartitionFile implements Target {
        private final Path in;
        private final int split;
        private final List<Path> complete = new ArrayList<>();
        /** Size of the complete files. */
        private long lengthBefore;
        /** Rows of the file that is written, if files have a limit. */
        private long rows;

        private long length;
        private final CRC32C sum = new CRC32C();

        PartitionFile(Path in, int split) {
            this.in = in;
            this.split = split;
        }

        private Path file() {
            return in.resolve(names.of(split, complete.size()));
        }

        @Override
        public void write(Bytes records) throws IOException {
            try {
                if (length == 0) {
                    Files.createDirectories(
                            Objects.requireNonNull(unfinished(file()).getParent()));
                    PrivateFile.replace(unfinished(file())).close();
                    append(header, header.length);
                }
                append(records.array(), records.length());
            } catch (IOException e) {
                throw cannotWrite(file().toString(), e);
            }
        }

        private void append(byte[] bytes, int count) throws IOException {
            writing.begin(System.nanoTime());
            try (FileChannel to = FileChannel.open(unfinished(file()), StandardOpenOption.APPEND)) {
                StoredFile.writeAll(to, ByteBuffer.wrap(bytes, 0, count), written -> {
                    length += written;
                    storedBytes.add(written);
                });
                sum.update(bytes, 0, count);
            } finally {
                writing.end(System.nanoTime());
            }
        }

        @Override
        public boolean isLast(int waiting) {
            return names.limit().isReached(++rows, sizeWith(waiting, length));
        }

        @Override
        public void roll() throws IOException {
            try {
                byte[] end;
                try (FileChannel from = FileChannel.open(unfinished(file()))) {
                    end = footer(from, length);
                }
                append(end, end.length);
            } catch (IOException e) {
                throw cannotWrite(file().toString(), e);
            }
            place().completed(length);
            addSum(file(), (int) sum.getValue());
            sum.reset();
            complete.add(file());
            lengthBefore += length;
            length = 0;
            rows = 0;
        }

        /** Completes the last file, and returns the size of all. */
        long end() throws IOException {
            if (length > 0) {
                roll();
            }
            return lengthBefore;
        }
    }
}
