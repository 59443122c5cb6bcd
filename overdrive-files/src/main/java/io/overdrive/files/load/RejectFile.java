package io.overdrive.files.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.files.PrivateFile;
import io.overdrive.files.records.ByteScan;
import io.overdrive.files.records.Compression;
import io.overdrive.files.records.Encodings;
import io.overdrive.files.records.FileHeader;
import io.overdrive.files.records.InputFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Saves rejected records so that they can be repaired and loaded again with the same options, and the reasons beside
 * them. Thread-safe by its lock; many workers write.
 *
 * <p>Records go to {@code <name>.rejected}, unchanged, after the header if the input has one. The reasons go to {@code
 * <name>.rejected.reasons}, as JSON lines. Neither is created before the first reject. If a file of that name exists
 * from an earlier run, the new one gets a number: {@code users-2.csv.rejected}. So does each further file that is
 * needed because inputs have different headers.
 *
 * <p>Two things are not verbatim: input in UTF-16 and the like is written as UTF-8 with a byte order mark, which
 * overrides any option for the encoding; and a JSON record of several lines becomes one line. Leave out options that
 * skip lines or records, or limit their number, when loading rejected records again.
 *
 * <p>Only their owner may read both files.
 */
public final class RejectFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    /** Opens a file that must not exist yet. */
    interface Opener {
        OutputStream open(Path path) throws IOException;
    }

    private final Path directory;
    private final String stem;
    private final String extension;
    private final Opener opener;
    private final List<Target> targets = new ArrayList<>();
    private int nextNumber = 1;
    private long count;
    private boolean closed;

    /**
     * @param directory created if it does not exist
     * @param name of the files, such as {@code users.csv}; its extension should be the input's, which shows the format
     *     when it is loaded again. {@code .rejected} at its end is removed: records rejected a second time go to a file
     *     with a number
     */
    public RejectFile(Path directory, String name) {
        this(directory, name, PrivateFile::create);
    }

    RejectFile(Path directory, String name, Opener opener) {
        this.directory = directory;
        this.opener = opener;
        String unpacked = Compression.strip(name);
        String bare = Compression.extension(unpacked).equals(InputFile.REJECTED_EXTENSION)
                ? unpacked.substring(0, unpacked.length() - InputFile.REJECTED_EXTENSION.length() - 1)
                : unpacked;
        int dot = bare.lastIndexOf('.');
        stem = dot < 0 ? bare : bare.substring(0, dot);
        extension = dot < 0 ? "" : bare.substring(dot);
    }

    /**
     * Adds a record.
     *
     * @param header of the record's file
     * @param line first line of the record, from 1
     * @param raw the record without its line end
     * @param column the column with the bad value; null if the reason is not a single column
     * @param value the bad value as text; null if there is none
     * @throws UncheckedIOException if it cannot be written, with a message for the user
     */
    public synchronized void reject(
            FileHeader header, long line, byte[] raw, @Nullable String column, @Nullable String value, String reason) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        Target target = targetFor(header);
        try {
            target.write(header, line, raw, column, value, reason);
        } catch (IOException e) {
            throw failed(target.path, e);
        }
        count++;
    }

    /** How many records were rejected. */
    public synchronized long count() {
        return count;
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

    private Target targetFor(FileHeader header) {
        for (Target target : targets) {
            if (target.takes(header)) {
                return target;
            }
        }
        Target target = openTarget(header);
        targets.add(target);
        return target;
    }

    private Target openTarget(FileHeader header) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw failed(directory, e);
        }
        while (true) {
            String number = nextNumber == 1 ? "" : "-" + nextNumber;
            nextNumber++;
            Path path = directory.resolve(stem + number + extension + "." + InputFile.REJECTED_EXTENSION);
            OutputStream records = null;
            try {
                records = opener.open(path);
                OutputStream reasons = opener.open(path.resolveSibling(path.getFileName() + ".reasons"));
                return new Target(path, header, buffered(records), buffered(reasons));
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
        private final boolean csv;
        private final Charset encoding;
        private final byte[] head;
        private final @Nullable String delimiter;
        private final OutputStream records;
        private final JsonGenerator reasons;

        Target(Path path, FileHeader header, OutputStream records, OutputStream reasons) throws IOException {
            this.path = path;
            this.records = records;
            csv = header.isCsv();
            encoding = header.encoding();
            delimiter = header.format().delimiter();
            head = header.raw();
            this.reasons = JSON.createGenerator(reasons).setRootValueSeparator(null);
            if (!encoding.equals(header.format().encoding()) && encoding.equals(StandardCharsets.UTF_8)) {
                records.write(Encodings.UTF_8_MARK);
            }
            if (header.names() != null) {
                records.write(head);
                records.write('\n');
            }
        }

        boolean takes(FileHeader header) {
            return csv == header.isCsv()
                    && encoding.equals(header.encoding())
                    && (!csv || String.valueOf(delimiter).equals(header.format().delimiter()))
                    && Arrays.equals(head, header.raw());
        }

        void write(
                FileHeader header,
                long line,
                byte[] raw,
                @Nullable String column,
                @Nullable String value,
                String reason)
                throws IOException {
            records.write(csv ? raw : onOneLine(raw));
            records.write('\n');
            reasons.writeStartObject();
            reasons.writeStringField("file", header.file().name());
            reasons.writeNumberField("line", line);
            if (column != null) {
                reasons.writeStringField("column", column);
            }
            if (value != null) {
                reasons.writeStringField("value", value);
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
