package io.overdrive.files;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A file to read, or standard input. Immutable; can be opened many times, except standard input. */
public final class InputFile {
    private static final int PACKED_BUFFER_BYTES = 64 * 1024;

    private final @Nullable Path path;
    private final String name;
    private final long sizeBytes;
    private final Compression compression;

    private InputFile(@Nullable Path path, String name, long sizeBytes, Compression compression) {
        this.path = path;
        this.name = name;
        this.sizeBytes = sizeBytes;
        this.compression = compression;
    }

    /** @throws InputException if there is no such file, or it cannot be read */
    public static InputFile of(Path path) {
        if (!Files.exists(path)) {
            throw new InputException(path + ": no such file");
        }
        if (Files.isDirectory(path)) {
            throw new InputException(path + ": is a directory, not a file");
        }
        if (!Files.isReadable(path)) {
            throw new InputException(path + ": may not be read by this user; check the file's permissions");
        }
        try {
            // a named pipe has no size
            long size = Files.isRegularFile(path) ? Files.size(path) : -1;
            String fileName = String.valueOf(path.getFileName());
            return new InputFile(path, path.toString(), size, Compression.of(fileName));
        } catch (IOException e) {
            throw new InputException(path + ": cannot be read: " + e, e);
        }
    }

    public static InputFile standardInput() {
        return new InputFile(null, "standard input", -1, Compression.NONE);
    }

    /** As the user wrote it; what messages call this file. */
    public String name() {
        return name;
    }

    /** The size as stored, that is packed; empty for standard input and pipes. */
    public OptionalLong sizeBytes() {
        return sizeBytes < 0 ? OptionalLong.empty() : OptionalLong.of(sizeBytes);
    }

    public boolean isStandardInput() {
        return path == null;
    }

    /** Whether the file can be read a second time and will give the same. */
    public boolean isRereadable() {
        return sizeBytes >= 0;
    }

    /** What tells a file from another one that takes its place, or from itself after a change. */
    record Version(long sizeBytes, long modifiedNanos, @Nullable Object key) {}

    /** The file as it is now; null for what has no versions, standard input and pipes. */
    @Nullable Version version() throws IOException {
        if (path == null || !isRereadable()) {
            return null;
        }
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        return new Version(now.size(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.fileKey());
    }

    /** @throws InputException where the file is not any more what it was when it was opened */
    void checkVersion(@Nullable Version opened) {
        if (opened == null) {
            return;
        }
        String change;
        try {
            Version now = version();
            if (opened.equals(now)) {
                return;
            }
            change = now == null || !Objects.equals(now.key, opened.key)
                    ? "another file has taken its place"
                    : now.sizeBytes == opened.sizeBytes
                            ? "its content was written again"
                            : "it had " + opened.sizeBytes + " bytes and has " + now.sizeBytes + " now";
        } catch (IOException e) {
            change = "it is gone (" + e + ")";
        }
        throw new InputException(name + ": the file was changed while it was read: " + change
                + ". Load it again when nobody writes to it");
    }

    /** The extension that tells the format: that of {@code users.csv.gz} is {@code csv}. Empty when there is none. */
    String formatExtension() {
        String bare = Compression.strip(name);
        if (Compression.extension(bare).equals(RejectFile.EXTENSION)) {
            bare = bare.substring(0, bare.lastIndexOf('.'));
        }
        return Compression.extension(bare);
    }

    /**
     * Opens the file, unpacked.
     *
     * @param rawBytes grows by what is read from the file itself, before unpacking
     */
    InputStream open(AtomicLong rawBytes) throws IOException {
        InputStream raw = new Counting(path == null ? System.in : Files.newInputStream(path), rawBytes);
        if (compression == Compression.NONE) {
            return raw;
        }
        try {
            return compression.unpack(new BufferedInputStream(raw, PACKED_BUFFER_BYTES));
        } catch (IOException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    private final class Counting extends FilterInputStream {
        private final AtomicLong rawBytes;

        Counting(InputStream in, AtomicLong rawBytes) {
            super(in);
            this.rawBytes = rawBytes;
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            if (value >= 0) {
                rawBytes.incrementAndGet();
            }
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = in.read(bytes, offset, length);
            if (read > 0) {
                rawBytes.addAndGet(read);
            }
            return read;
        }

        @Override
        public long skip(long n) throws IOException {
            long skipped = in.skip(n);
            rawBytes.addAndGet(skipped);
            return skipped;
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        /** Standard input belongs to the process and stays open. */
        @Override
        public void close() throws IOException {
            if (path != null) {
                in.close();
            }
        }
    }
}
