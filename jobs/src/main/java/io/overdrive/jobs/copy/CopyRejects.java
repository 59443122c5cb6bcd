package io.overdrive.jobs.copy;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.FileName;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.journal.Durable;
import io.overdrive.jobs.journal.StoredRanges;
import io.overdrive.jobs.journal.StoredRanges.Cut;
import io.overdrive.jobs.journal.TailRemoval;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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

    /** The ranges of the file that belong to each unfinished split. */
    private final Map<Integer, StoredRanges> unfinished = new HashMap<>();

    private final Map<Integer, Long> rowsOfUnfinished = new HashMap<>();
    private @Nullable OutputStream out;
    private long length;
    private Path file;
    private @Nullable String firstReason;

    CopyRejects(Path directory, String name, KeyJson keys) {
        this.directory = directory;
        this.name = FileName.of(name);
        this.keys = keys;
        this.file = directory.resolve(this.name + EXTENSION);
    }

    /**
     * Continues the file of an earlier run, without its records of splits that it had not finished.
     *
     * @param saved as {@link #save} returned it; empty if there was no file
     * @param journaled called when the file is cut, with what {@link #save} would return now
     */
    synchronized void restore(byte[] saved, Consumer<byte[]> journaled) {
        if (saved.length == 0) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(saved);
        byte[] path = new byte[in.getInt()];
        in.get(path);
        byte[] cut = new byte[in.remaining()];
        in.get(cut);
        file = directory.resolve(new String(path, StandardCharsets.UTF_8));
        try {
            if (!Files.exists(file)) {
                throw TailRemoval.changed(file, Cut.read(cut).length(), "there is no such file");
            }
            TailRemoval removal = new TailRemoval(file, Cut.read(cut));
            removal.run();
            length = removal.newLength();
            journaled.accept(saved(new Cut(length, List.of())));
            removal.end();
            out = new BufferedOutputStream(
                    Files.newOutputStream(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Makes the file durable, and returns how it is to be continued by a resumed run. */
    synchronized byte[] save() {
        OutputStream to = out;
        if (to == null) {
            return new byte[0];
        }
        try {
            to.flush();
            Durable.file(file);
        } catch (IOException e) {
            throw failed(e);
        }
        List<StoredRanges.Range> removed = new ArrayList<>();
        unfinished.values().forEach(ranges -> removed.addAll(ranges.ranges()));
        return saved(new Cut(length, removed));
    }

    private byte[] saved(Cut cut) {
        byte[] path = String.valueOf(file.getFileName()).getBytes(StandardCharsets.UTF_8);
        byte[] bytes = cut.toBytes();
        return ByteBuffer.allocate(Integer.BYTES + path.length + bytes.length)
                .putInt(path.length)
                .put(path)
                .put(bytes)
                .array();
    }

    /** Whether it has a file: there is one from the first rejected row on. */
    synchronized boolean hasFile() {
        return out != null;
    }

    /**
     * Creates the file.
     *
     * @throws OverdriveException of kind INPUT if it cannot be created
     */
    synchronized void createFile() {
        try {
            out = open();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** A split is copied, and its rows are acknowledged or rejected; returns how many were rejected. */
    synchronized long finish(int split) {
        unfinished.remove(split);
        Long rejected = rowsOfUnfinished.remove(split);
        return rejected == null ? 0 : rejected;
    }

    /** @throws OverdriveException of kind INPUT if the file cannot be written; the row is counted anyway */
    synchronized void reject(int split, long position, byte[] key, String reason) {
        if (positions.contains(position)) {
            return;
        }
        positions.addLong(position);
        rowsOfUnfinished.merge(split, 1L, Long::sum);
        String text = keys.json(key);
        if (firstReason == null) {
            firstReason = text + ": " + reason;
        }
        byte[] line =
                ("{\"key\":" + text + ",\"reason\":" + KeyJson.quoted(reason) + "}\n").getBytes(StandardCharsets.UTF_8);
        try {
            OutputStream to = out;
            if (to == null) {
                to = open();
                out = to;
            }
            to.write(line);
            unfinished.computeIfAbsent(split, s -> new StoredRanges()).add(length, length + line.length);
            length += line.length;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private OverdriveException failed(IOException e) {
        return new OverdriveException(
                Kind.INPUT, "the keys of rejected rows cannot be written to " + file + ": " + e.getMessage(), e);
    }

    private OutputStream open() throws IOException {
        Files.createDirectories(directory.toAbsolutePath());
        for (int number = 2; ; number++) {
            try {
                OutputStream created = new BufferedOutputStream(PrivateFile.create(file));
                TailRemoval.forget(file);
                return created;
            } catch (FileAlreadyExistsException e) {
                file = directory.resolve(name + "-" + number + EXTENSION); // exists from an earlier run
            }
        }
    }

    synchronized long rows() {
        return positions.getLongCardinality();
    }

    /** The first rejected row, and the reason; null if there is none. */
    synchronized @Nullable String first() {
        return firstReason;
    }

    synchronized List<Path> paths() {
        return out == null ? List.of() : List.of(file);
    }

    @Override
    public synchronized void close() {
        OutputStream to = out;
        if (to != null) {
            try {
                to.close();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }
}
