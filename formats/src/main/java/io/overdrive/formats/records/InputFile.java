package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.ColumnSource;
import io.overdrive.formats.columns.PathColumns;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.internal.disk.BlockStream;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.disk.SmallFile;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file to read, standard input, or anything else that a path leads to, such as a named pipe. Immutable and can be
 * opened many times, unless it can be read only once: then it is opened by one thread at a time, for samples and then
 * for all of it.
 */
public final class InputFile {
    /** The extension of a file of rejected records, after the one of their format: {@code users.csv.rejected}. */
    public static final String REJECTED_EXTENSION = "rejected";

    private static final int BUFFER_BYTES = 64 * 1024;

    private final @Nullable Path path;
    /** The last part of the path, with the directories whose names may have columns. */
    private final @Nullable Path partitions;

    private final String name;
    private final long sizeBytes;
    private final @Nullable Once once;
    /** The file by the manifest of an unload; null if none lists it. */
    private final Manifest.@Nullable Listed listed;

    private InputFile(@Nullable Path path, @Nullable Path partitions, String name, long sizeBytes) {
        this(path, partitions, name, sizeBytes, sizeBytes < 0 ? new Once(path, /* source */ null) : null, null);
    }

    private InputFile(
            @Nullable Path path,
            @Nullable Path partitions,
            String name,
            long sizeBytes,
            @Nullable Once once,
            Manifest.@Nullable Listed listed) {
        this.listed = listed;
        this.path = path;
        this.partitions = partitions;
        this.name = name;
        this.sizeBytes = sizeBytes;
        this.once = once;
    }

    /**
     * A stream of this process, which its owner closes.
     *
     * @param name for messages
     */
    public static InputFile ofStream(String name, InputStream content) {
        return new InputFile(null, null, name, -1, new Once(/* path */ null, content), /* listed */ null);
    }

    /**
     * A file by itself.
     *
     * @throws OverdriveException of kind INPUT if there is no such file, or it cannot be read
     */
    public static InputFile of(Path path) {
        return of(path, PathColumns.directlyAbove(path));
    }

    /** A file of a directory: directories above it are none of partitions. */
    static InputFile below(Path directory, Path path) {
        return of(path, directory.relativize(path));
    }

    private static InputFile of(Path path, Path partitions) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            if (found.isDirectory()) {
                throw new OverdriveException(Kind.INPUT, path + ": is a directory, not a file");
            }
            path.getFileSystem().provider().checkAccess(path, AccessMode.READ);
            // a named pipe has no size
            return new InputFile(path, partitions, path.toString(), found.isRegularFile() ? found.size() : -1);
        } catch (NoSuchFileException e) {
            throw new OverdriveException(Kind.INPUT, path + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    path
                            + (e.getReason() == null
                                    ? ": this user has no permission to read it; check the file's permissions"
                                    : ": no permission to read it: " + e.getReason()),
                    e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, path + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    public static InputFile standardInput() {
        return new InputFile(null, null, "standard input", -1);
    }

    /** The same file, of which a manifest says this; null if none lists it. */
    InputFile listed(Manifest.@Nullable Listed by) {
        return new InputFile(path, partitions, name, sizeBytes, once, by);
    }

    /** Whether it is known which CRC-32C the file has to have. */
    boolean hasSum() {
        return listed != null && listed.sum() != null;
    }

    /** The time after which all of its cells were written, by the manifest of the unload; empty if it may have others, too. */
    public String writtenAfter() {
        return listed == null ? "" : listed.writtenAfter();
    }

    /**
     * Compares what was read with the manifest of the unload, if that is the whole file.
     *
     * @throws OverdriveException of kind INPUT if it is another content
     */
    public void checkSum(InputReader.Prefix read) {
        Integer sum = listed == null ? null : listed.sum();
        if (sum != null && read.bytes() == sizeBytes && read.sum() != sum) {
            throw new OverdriveException(
                    Kind.INPUT,
                    name + ": the content is not what the unload wrote: its CRC-32C is " + Manifest.hex(read.sum())
                            + ", and " + Manifest.NAME + " says " + Manifest.hex(sum)
                            + ". It was changed or damaged: take another copy, or unload the table again");
        }
    }

    /** The name as the user wrote it; used in messages. */
    public String name() {
        return name;
    }

    /** The size as stored, that is compressed; empty for standard input and pipes. */
    public OptionalLong sizeBytes() {
        return sizeBytes < 0 ? OptionalLong.empty() : OptionalLong.of(sizeBytes);
    }

    public boolean isStandardInput() {
        return path == null;
    }

    /** Whether the file can be read a second time with the same result. */
    public boolean isRereadable() {
        return sizeBytes >= 0;
    }

    /** Whether the file is one of a server, whose answers take time. */
    boolean isRemote() {
        return path != null && !Location.isLocal(path);
    }

    /** Whether the file is one of a server, and so small that it is read before it is needed. */
    public boolean isReadAhead() {
        return path != null && SmallFile.isSmall(path, sizeBytes);
    }

    /** When the file was last changed; empty for standard input and pipes. */
    public Optional<Instant> modified() {
        try {
            return path == null || !isRereadable()
                    ? Optional.empty()
                    : Optional.of(Files.getLastModifiedTime(path).toInstant());
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, name + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    /**
     * Whether the file still begins with the bytes that were read before. Reads that much.
     *
     * @throws OverdriveException of kind INPUT if it cannot be read
     */
    public boolean startsWith(InputReader.Prefix prefix) {
        CRC32C sum = new CRC32C();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(Objects.requireNonNull(path))) {
            long left = prefix.bytes();
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (read < 0) {
                    return false;
                }
                sum.update(buffer, 0, read);
                left -= read;
            }
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, name + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
        return (int) sum.getValue() == prefix.sum();
    }

    /** Distinguishes a file from another one that replaces it, and from itself after a change. */
    record Version(long sizeBytes, long modifiedNanos, @Nullable Object key) {}

    /** The file's current version; null for standard input and pipes, which have none. */
    @Nullable Version version() throws IOException {
        if (path == null || !isRereadable()) {
            return null;
        }
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        return new Version(now.size(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.fileKey());
    }

    /** @throws OverdriveException of kind INPUT if the file was changed or replaced since it was opened */
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
                    ? "it was replaced by another file"
                    : now.sizeBytes == opened.sizeBytes
                            ? "its content was rewritten"
                            : "it had " + opened.sizeBytes + " bytes and now has " + now.sizeBytes;
        } catch (IOException e) {
            change = "it no longer exists (" + e + ")";
        }
        throw new OverdriveException(
                Kind.INPUT,
                name + ": the file was changed while it was read: " + change
                        + ". Load it again when nothing writes to it");
    }

    /** Whether the file, if it begins with these bytes and can be read twice, also ends with them. */
    boolean endsAsItBegins(byte[] magic) throws IOException {
        if (path == null || !isRereadable()) {
            return true;
        }
        try (FileChannel channel = FileChannel.open(path)) {
            ByteBuffer head = ByteBuffer.allocate(magic.length);
            ByteBuffer tail = ByteBuffer.allocate(magic.length);
            channel.read(head, 0);
            channel.read(tail, Math.max(0, channel.size() - magic.length));
            return !Arrays.equals(head.array(), magic)
                    || (Arrays.equals(tail.array(), magic) && channel.size() > 2L * magic.length);
        }
    }

    /** Whether the file, if it can be read twice, begins with these bytes. */
    boolean startsWith(byte[] magic) {
        if (path == null || !isRereadable()) {
            return false;
        }
        try (InputStream in = Files.newInputStream(path)) {
            return Arrays.equals(in.readNBytes(magic.length), magic);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, name + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    /** The columns of the file, and those that the names of its directories have. */
    ColumnSource withPathColumns(ColumnSource columns) {
        return partitions == null ? columns : PathColumns.of(columns, partitions);
    }

    /** The file, to read it in any order. */
    FileChannel channel() throws IOException {
        if (path == null || !isRereadable()) {
            throw new IOException(
                    "Parquet is not read from a pipe, or from a server that sends no parts of a file, as its end says"
                            + " where its rows are: save it in a file first");
        }
        return FileChannel.open(path);
    }

    /**
     * Maps a part of the file as stored into memory, so that it needs no room in the heap; null if the file ends before, or is not one of this machine,
     * or can be read only once.
     */
    @Nullable ByteBuffer map(long position, long length) throws IOException {
        if (path == null || !isRereadable() || !Location.isLocal(path)) {
            return null;
        }
        try (FileChannel channel = FileChannel.open(path)) {
            return position + length > channel.size()
                    ? null
                    : channel.map(FileChannel.MapMode.READ_ONLY, position, length);
        }
    }

    /** Reads a file that is read ahead: its content as a stream, or the file as it is opened for reading in any order. */
    Closeable readAhead(boolean isStream) throws IOException {
        Path known = Objects.requireNonNull(path);
        return isStream ? SmallFile.read(known) : SmallFile.open(known);
    }

    /** Whether {@link #open} has returned the bytes as stored. */
    static boolean isAsStored(InputStream opened) {
        return !(opened instanceof Unpacked);
    }

    /** The extension of the format: {@code csv} for {@code users.csv.gz}. Empty if there is none. */
    String formatExtension() {
        String bare = Compression.strip(name);
        if (Compression.extension(bare).equals(REJECTED_EXTENSION)) {
            bare = bare.substring(0, bare.lastIndexOf('.'));
        }
        return Compression.extension(bare);
    }

    /**
     * Opens the file for its uncompressed content. Its first bytes show the compression, or its name if it is
     * truncated.
     *
     * @param ahead the content, if it was read ahead
     * @param rawBytes counts the bytes read from the file itself, before decompression
     * @param sample whether the file will be opened again, and then from its start
     */
    InputStream open(@Nullable InputStream ahead, RawBytes rawBytes, boolean sample) throws IOException {
        InputStream file = ahead != null
                ? ahead
                : once != null ? once.open(sample) : Files.newInputStream(Objects.requireNonNull(path));
        try {
            InputStream raw = rawBytes.buffer(file, BUFFER_BYTES);
            raw.mark(Compression.MAGIC_BYTES);
            byte[] head = raw.readNBytes(Compression.MAGIC_BYTES);
            raw.reset();
            Compression named = path == null ? Compression.NONE : Compression.of(name);
            if (head.length == 0 && named != Compression.NONE) {
                throw new OverdriveException(
                        Kind.INPUT,
                        name + ": the file is empty, which a compressed file never is, even without records;"
                                + " was it copied completely?");
            }
            Compression compression = Compression.detect(head, named);
            return compression == Compression.NONE ? raw : new Unpacked(compression, raw);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * The content of a compressed file. A decoder that meets damage does not return what it has unpacked in the same call. So the file
     * is then unpacked again, up to the first byte that cannot be had, unless it can be read only once. Confined to one thread.
     */
    private final class Unpacked extends BlockStream {
        private final Compression compression;
        /** How much was returned. */
        private long at;

        private @Nullable IOException damage;

        Unpacked(Compression compression, InputStream packed) throws IOException {
            super(compression.unpack(packed));
            this.compression = compression;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (damage != null) {
                throw damage;
            }
            int read;
            try {
                read = in.read(bytes, offset, length);
            } catch (IOException | RuntimeException e) {
                IOException cause = e instanceof IOException known ? known : new IOException(e.getMessage(), e);
                damage = cause;
                read = isRereadable() && !(cause instanceof FileSystemException) ? readAgain(bytes, offset, length) : 0;
                if (read == 0) {
                    throw cause;
                }
            }
            at += Math.max(0, read);
            return read;
        }

        /** How many bytes come before the damage. */
        private int readAgain(byte[] bytes, int offset, int length) {
            int read = 0;
            try (InputStream packed = Files.newInputStream(Objects.requireNonNull(path));
                    InputStream again = compression.unpack(new BufferedInputStream(packed, BUFFER_BYTES))) {
                again.skipNBytes(at);
                while (read < length) {
                    int b = again.read();
                    if (b < 0) {
                        break;
                    }
                    bytes[offset + read++] = (byte) b;
                }
            } catch (IOException | RuntimeException e) {
                // the same damage
            }
            return read;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * A source that can be read only once. Bytes read for samples are kept, and come first when all of it is read.
     * Confined to the reader that has it open.
     */
    private static final class Once {
        private final @Nullable Path path;
        private final ByteArrayOutputStream sampled = new ByteArrayOutputStream();
        private @Nullable InputStream source;
        private boolean ended;
        private boolean taken;

        Once(@Nullable Path path, @Nullable InputStream source) {
            this.path = path;
            this.source = source;
        }

        InputStream open(boolean sample) throws IOException {
            if (taken) {
                throw new IOException("it can be read only once");
            }
            taken = !sample;
            InputStream from = source;
            if (from == null) {
                // not a channel's stream, which needs a position; a pipe has none
                from = path == null
                        ? System.in
                        : Location.isLocal(path) ? new FileInputStream(path.toFile()) : Files.newInputStream(path);
                source = from;
            }
            InputStream before = new ByteArrayInputStream(sampled.toByteArray());
            if (!sample) {
                sampled.reset();
            }
            return new SequenceInputStream(before, new Rest(from, sample));
        }

        private final class Rest extends BlockStream {
            private final boolean keeps;

            Rest(InputStream in, boolean keeps) {
                super(in);
                this.keeps = keeps;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = ended ? -1 : in.read(bytes, offset, length);
                ended |= read < 0;
                if (keeps && read > 0) {
                    sampled.write(bytes, offset, read);
                }
                return read;
            }

            /** Standard input belongs to the process and stays open; the bytes of a sample are still to be read. */
            @Override
            public void close() throws IOException {
                if (path != null && !keeps) {
                    in.close();
                }
            }
        }
    }
}
