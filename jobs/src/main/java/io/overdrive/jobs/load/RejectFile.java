package io.overdrive.jobs.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.records.ByteScan;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.Encodings;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.jobs.journal.Durable;
import io.overdrive.jobs.journal.RunInfo;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Saves rejected records so that they can be repaired and loaded again with the same options, and the reasons next to
 * them. Thread-safe by its lock; many workers write.
 *
 * <p>Records go to {@code <name>.rejected}, unchanged, after the header if the input has one. The reasons go to {@code
 * <name>.rejected.reasons}, as JSON lines. Neither is created before the first reject. If a file of that name exists
 * from an earlier run, the new one gets a number: {@code users-2.csv.rejected}. So does each further file that is
 * needed because inputs have different headers.
 *
 * <p>Two things are not verbatim: input in UTF-16 and the like is written as UTF-8 with a byte order mark, which
 * overrides any option for the encoding; and a JSON record of several lines becomes one line. A row of a columnar file
 * becomes a line of JSON. Leave out options that skip lines or records, or limit their number, when loading rejected records again.
 *
 * <p>Only their owner may read both files.
 */
public final class RejectFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    /** Opens a file that must not exist yet. */
    interface Opener {
        OutputStream open(Path path) throws IOException;
    }

    /**
     * How records of some inputs are written: those with equal headers share a file.
     *
     * @param delimiter of CSV
     * @param head the header's line, and the one that sets the delimiter; empty if there is neither
     * @param hasHead whether the inputs have one
     * @param hasMark whether the file begins with a byte order mark
     */
    record Shape(boolean csv, String encoding, String delimiter, byte[] head, boolean hasHead, boolean hasMark) {
        static Shape of(FileHeader header) {
            Charset encoding = header.encoding();
            return new Shape(
                    header.isCsv(),
                    encoding.name(),
                    header.isCsv() ? String.valueOf(header.format().delimiter()) : "",
                    header.raw(),
                    header.isCsv() && (header.names() != null || header.raw().length > 0),
                    !encoding.equals(header.format().encoding()) && encoding.equals(StandardCharsets.UTF_8));
        }

        boolean takesRecordsOf(Shape other) {
            return csv == other.csv
                    && encoding.equals(other.encoding)
                    && delimiter.equals(other.delimiter)
                    && Arrays.equals(head, other.head);
        }
    }

    /**
     * A file, and the one of its reasons, as they are at a checkpoint.
     *
     * @param records length in bytes
     * @param reasons length in bytes of the file next to it
     */
    record Saved(Path path, Shape shape, long records, long reasons) {
        Path reasonsPath() {
            return reasonsOf(path);
        }
    }

    /** Null if nothing is saved. */
    private final @Nullable Path directory;

    private final String stem;
    private final String extension;
    private final Opener opener;
    private final MessageText.Words words;
    private final Consumer<Saved> onCreated;
    private final List<Target> targets = new ArrayList<>();
    private int nextNumber = 1;
    private long count;
    private @Nullable String first;
    private boolean closed;

    /**
     * @param directory created if it does not exist
     * @param name of the files, such as {@code users.csv}. Each has the extension of the input, which shows the format when it is
     *     loaded again, or if that has none, the one of this name. {@code .rejected} at its end is removed: records rejected a second
     *     time go to a file with a number
     */
    public RejectFile(Path directory, String name) {
        this(directory, name, NamedOption::javaName, created -> {});
    }

    /**
     * As {@link #RejectFile(Path, String)}.
     *
     * @param directory null to save nothing
     * @param words for options that reasons name
     * @param onCreated called with each file that is created, and is still empty
     */
    RejectFile(@Nullable Path directory, String name, MessageText.Words words, Consumer<Saved> onCreated) {
        this(directory, name, words, onCreated, PrivateFile::create);
    }

    RejectFile(
            @Nullable Path directory, String name, MessageText.Words words, Consumer<Saved> onCreated, Opener opener) {
        this.directory = directory;
        this.words = words;
        this.onCreated = onCreated;
        this.opener = opener;
        String bare = bare(name);
        extension = extension(bare);
        stem = bare.substring(0, bare.length() - extension.length());
    }

    private static String bare(String name) {
        String unpacked = Compression.strip(name);
        return Compression.extension(unpacked).equals(InputFile.REJECTED_EXTENSION)
                ? unpacked.substring(0, unpacked.length() - InputFile.REJECTED_EXTENSION.length() - 1)
                : unpacked;
    }

    private static String extension(String bare) {
        int dot = bare.lastIndexOf('.');
        return dot < 0 || bare.indexOf('/', dot) >= 0 ? "" : bare.substring(dot);
    }

    /**
     * Continues the files of a run, and truncates them to its last checkpoint. Called before the first record.
     *
     * @throws OverdriveException of kind INPUT if one of them is missing or too short
     */
    synchronized void resume(List<Saved> files) {
        for (Saved each : files) {
            try {
                if (each.records == 0) {
                    Files.deleteIfExists(each.path);
                    Files.deleteIfExists(each.reasonsPath());
                } else {
                    targets.add(new Target(
                            each.path,
                            each.shape,
                            buffered(cut(each.path, each.records)),
                            buffered(cut(each.reasonsPath(), each.reasons)),
                            /* isNew */ false));
                }
            } catch (IOException e) {
                throw failed(each.path, e);
            }
        }
    }

    private static OutputStream cut(Path path, long length) throws IOException {
        if (!Files.exists(path) || Files.size(path) < length) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> path + ": the run cannot be resumed, because this file has fewer than the " + length
                            + " bytes that the run wrote to it: put it back, or " + RunInfo.WAY_OUT.in(words));
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
        return Files.newOutputStream(path, StandardOpenOption.APPEND);
    }

    /** Returns the state of each file, after everything is written to it. */
    synchronized List<Saved> save() {
        flush();
        List<Saved> saved = new ArrayList<>();
        for (Target target : targets) {
            try {
                saved.add(new Saved(
                        target.path, target.shape, Files.size(target.path), Files.size(reasonsOf(target.path))));
            } catch (IOException e) {
                throw failed(target.path, e);
            }
        }
        return saved;
    }

    /** Makes the files durable. */
    static void force(List<Saved> files) {
        for (Saved each : files) {
            try {
                Durable.file(each.path);
                Durable.file(each.reasonsPath());
            } catch (IOException e) {
                throw failed(each.path, e);
            }
        }
    }

    /** The file of the reasons next to a file of rejected records. */
    public static Path reasonsOf(Path path) {
        return path.resolveSibling(path.getFileName() + ".reasons");
    }

    /**
     * Adds a record.
     *
     * @throws UncheckedIOException if it cannot be written, with a message for the user
     */
    synchronized void reject(RawRecord record, Problem problem) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        if (directory != null) {
            save(record, problem, directory);
        }
        if (count++ == 0) {
            first = record.header().place(record.line(), record.position()) + ": "
                    + problem.reason().in(words);
        }
    }

    private void save(RawRecord record, Problem problem, Path inDirectory) {
        Target target = targetFor(record.header(), inDirectory);
        try {
            target.write(record, problem, problem.reason().in(words));
        } catch (IOException e) {
            throw failed(target.path, e);
        }
    }

    /** How many records were rejected. */
    public synchronized long count() {
        return count;
    }

    /** Where the first rejected record is, and its reason; null if there is none. */
    public synchronized @Nullable String first() {
        return first;
    }

    /** The files that were created; empty if nothing was rejected. */
    public synchronized List<Path> paths() {
        return targets.stream().map(target -> target.path).toList();
    }

    /** @throws UncheckedIOException if rejected records could not be written completely */
    public synchronized void flush() {
        for (Target target : targets) {
            try {
                target.flush();
            } catch (IOException e) {
                throw failed(target.path, e);
            }
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        UncheckedIOException failure = null;
        for (Target target : targets) {
            try {
                target.close();
            } catch (IOException e) {
                failure = failure == null ? failed(target.path, e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private Target targetFor(FileHeader header, Path inDirectory) {
        Shape shape = Shape.of(header);
        for (Target target : targets) {
            if (target.shape.takesRecordsOf(shape)) {
                return target;
            }
        }
        String own =
                header.isColumnar() ? ".jsonl" : extension(bare(header.file().name()));
        Target target = openTarget(shape, inDirectory, own.isEmpty() ? extension : own);
        targets.add(target);
        return target;
    }

    private Target openTarget(Shape shape, Path inDirectory, String itsExtension) {
        try {
            Files.createDirectories(inDirectory);
        } catch (IOException e) {
            throw failed(inDirectory, e);
        }
        while (true) {
            String number = nextNumber == 1 ? "" : "-" + nextNumber;
            nextNumber++;
            Path path = inDirectory.resolve(stem + number + itsExtension + "." + InputFile.REJECTED_EXTENSION);
            OutputStream records = null;
            try {
                records = opener.open(path);
                OutputStream reasons = opener.open(reasonsOf(path));
                onCreated.accept(new Saved(path, shape, 0, 0));
                return new Target(path, shape, buffered(records), buffered(reasons), /* isNew */ true);
            } catch (FileAlreadyExistsException e) {
                // exists from an earlier run: try the next number
                if (records != null) {
                    discard(path, records);
                }
            } catch (IOException e) {
                throw failed(path, e);
            }
        }
    }

    private static OutputStream buffered(OutputStream out) {
        return new BufferedOutputStream(out, BUFFER_BYTES);
    }

    private static void discard(Path path, OutputStream empty) {
        try {
            empty.close();
            Files.delete(path);
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    private static UncheckedIOException failed(Path path, IOException e) {
        return new UncheckedIOException(
                path + ": rejected records cannot be written: " + e.getMessage()
                        + "; is the disk full, or the directory not writable?",
                e);
    }

    /** The pair of files for inputs with equal headers. */
    private static final class Target {
        private static final JsonFactory JSON = JsonFactory.builder().build();

        private final Path path;
        private final Shape shape;
        private final OutputStream records;
        private final JsonGenerator reasons;

        Target(Path path, Shape shape, OutputStream records, OutputStream reasons, boolean isNew) throws IOException {
            this.path = path;
            this.shape = shape;
            this.records = records;
            this.reasons = JSON.createGenerator(reasons).setRootValueSeparator(null);
            if (isNew && shape.hasMark) {
                records.write(Encodings.UTF_8_MARK);
            }
            if (isNew && shape.hasHead) {
                records.write(shape.head);
                records.write('\n');
            }
        }

        void write(RawRecord record, Problem problem, String reason) throws IOException {
            records.write(shape.csv ? record.bytes() : onOneLine(record.bytes()));
            records.write('\n');
            reasons.writeStartObject();
            reasons.writeStringField("file", record.header().file().name());
            boolean isColumnar = record.header().isColumnar();
            reasons.writeNumberField(isColumnar ? "batch" : "line", record.line());
            long number = record.header().recordNumber(record.position());
            if (number > 0) {
                reasons.writeNumberField(isColumnar ? "row" : "record", number);
            }
            if (problem.column() != null) {
                reasons.writeStringField("column", problem.column());
            }
            if (problem.value() != null) {
                reasons.writeStringField("value", problem.value());
            }
            reasons.writeStringField("reason", reason);
            reasons.writeEndObject();
            reasons.writeRaw('\n');
        }

        /** Replaces line ends within JSON by blanks, unless it is malformed. */
        private static byte[] onOneLine(byte[] raw) {
            if (ByteScan.indexOfLineEnd(raw, 0, raw.length) < 0) {
                return raw;
            }
            byte[] line = raw.clone();
            for (int i = 0; i < line.length; i++) {
                if (line[i] == '\n' || line[i] == '\r') {
                    line[i] = ' ';
                }
            }
            return line;
        }

        void flush() throws IOException {
            records.flush();
            reasons.flush();
        }

        void close() throws IOException {
            try (records;
                    reasons) {
                flush();
            }
        }
    }
}
