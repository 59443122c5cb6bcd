package io.overdrive.files.copy;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.files.FileName;
import io.overdrive.files.PrivateFile;
import io.overdrive.files.records.KeyJson;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * The keys of rows that were not copied, with the reason: one JSON object per line, in a file that is created for the
 * first one, and which only its owner may read. Thread-safe by its lock.
 */
final class CopyRejects implements AutoCloseable {
    private static final String EXTENSION = ".rejected.jsonl";

    private final Path directory;
    private final String name;
    private final KeyJson keys;
    /** Rejected rows: a row may be written in several parts, but is rejected once. */
    private final Roaring64Bitmap positions = new Roaring64Bitmap();

    private @Nullable Writer out;
    private Path file;
    private String firstReason = "";

    CopyRejects(Path directory, String name, KeyJson keys) {
        this.directory = directory;
        this.name = FileName.of(name);
        this.keys = keys;
        this.file = directory.resolve(this.name + EXTENSION);
    }

    /** @throws OverdriveException of kind INPUT if the file cannot be written; the row is counted anyway */
    synchronized void reject(long position, byte[] key, String reason) {
        if (positions.contains(position)) {
            return;
        }
        positions.addLong(position);
        String text = keys.json(key);
        if (firstReason.isEmpty()) {
            firstReason = text + ": " + reason;
        }
        try {
            Writer to = out;
            if (to == null) {
                to = open();
                out = to;
            }
            to.write("{\"key\":" + text + ",\"reason\":" + KeyJson.quoted(reason) + "}\n");
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.INPUT, "the keys of rejected rows cannot be written to " + file + ": " + e.getMessage(), e);
        }
    }

    private Writer open() throws IOException {
        Files.createDirectories(directory.toAbsolutePath());
        for (int number = 2; ; number++) {
            try {
                return new BufferedWriter(new OutputStreamWriter(PrivateFile.create(file), StandardCharsets.UTF_8));
            } catch (FileAlreadyExistsException e) {
                file = directory.resolve(name + "-" + number + EXTENSION); // exists from an earlier run
            }
        }
    }

    synchronized long rows() {
        return positions.getLongCardinality();
    }

    /** The first rejected row, and the reason. */
    synchronized String first() {
        return firstReason;
    }

    synchronized List<Path> paths() {
        return out == null ? List.of() : List.of(file);
    }

    @Override
    public synchronized void close() {
        Writer to = out;
        if (to != null) {
            try {
                to.close();
            } catch (IOException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "the keys of rejected rows cannot be written to " + file + ": " + e.getMessage(),
                        e);
            }
        }
    }
}
