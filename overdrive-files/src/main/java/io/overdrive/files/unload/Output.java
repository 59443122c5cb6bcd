package io.overdrive.files.unload;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.files.PrivateFile;
import io.overdrive.files.records.Compression;
import io.overdrive.files.records.WritableDirectory;
import io.overdrive.internal.codec.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where records go: a directory with a file for each split, one file, or standard output. Thread-safe.
 *
 * <p>A file is named {@code NAME.part} until it is complete, so that an incomplete file is recognisable. Until then only its owner
 * may read it; the complete file has the permissions of any new one.
 */
abstract class Output implements AutoCloseable {
    private static final String UNFINISHED = ".part";

    final Compression compression;
    final byte[] header;
    /** Size of the files as stored. */
    final LongAdder storedBytes = new LongAdder();

    final ConcurrentLinkedQueue<Path> files = new ConcurrentLinkedQueue<>();

    Output(Compression compression, byte[] header) {
        this.compression = compression;
        this.header = header;
    }

    /** Receives the records of one split, from one thread at a time. */
    interface Sink {
        void write(Bytes records) throws IOException;

        /** Called when all records of the split were written. */
        void end() throws IOException;
    }

    /** @param number of the split, from 0 */
    abstract Sink split(int number);

    /** Completes the output, once all splits have ended. */
    abstract void finish() throws IOException;

    /** Deletes incomplete files. */
    @Override
    public abstract void close();

    /**
     * The number of rows in the output that remains once this is closed.
     *
     * @param given number of all rows written
     * @param ended number of rows of splits that have ended
     */
    abstract long rowsKept(long given, long ended);

    /** A file for each split that has rows. */
    static Output directory(Path directory, String name, Compression compression, byte[] header) {
        try {
            Files.createDirectories(directory);
            try (Stream<Path> old = Files.list(directory)) {
                Path first = old.findFirst().orElse(null);
                if (first != null) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            directory + ": the directory is not empty, it contains " + first.getFileName()
                                    + "; name a new one, so that no old file is mistaken for one of this unload");
                }
            }
        } catch (IOException e) {
            throw cannotWrite(directory.toString(), e);
        }
        return new Directory(directory, name, compression, header);
    }

    /** All records in one file, in no particular order. */
    static Output file(Path file, Compression compression, byte[] header) {
        if (Files.exists(file)) {
            throw new OverdriveException(Kind.INPUT, file + ": the file exists; remove it, or name another");
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new OverdriveException(Kind.INPUT, parent + ": there is no such directory for " + file.getFileName());
        }
        return new OneFile(file, compression, header);
    }

    /** All records to a stream that is not closed, in no particular order. */
    static Output stream(PrintStream stream, Compression compression, byte[] header) {
        return new Stdout(stream, compression, header);
    }

    static OverdriveException cannotWrite(String where, IOException e) {
        return new OverdriveException(Kind.INPUT, where + ": cannot be written: " + WritableDirectory.reason(e), e);
    }

    private static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    final Counting create(Path file) throws IOException {
        return new Counting(PrivateFile.replace(unfinished(file)));
    }

    final void rename(Path file) throws IOException {
        PrivateFile.share(unfinished(file));
        Files.move(unfinished(file), file, StandardCopyOption.ATOMIC_MOVE);
        files.add(file);
    }

    final class Counting extends OutputStream {
        private final OutputStream to;
        private long count;

        Counting(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int b) throws IOException {
            to.write(b);
            count++;
            storedBytes.increment();
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            to.write(bytes, from, count);
            this.count += count;
            storedBytes.add(count);
        }

        /** The file is deleted. */
        void discard() {
            storedBytes.add(-count);
            count = 0;
        }

        @Override
        public void flush() throws IOException {
            to.flush();
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }

    private static final class Directory extends Output {
        private final Path directory;
        private final String name;
        private final ConcurrentLinkedQueue<FileSink> open = new ConcurrentLinkedQueue<>();

        Directory(Path directory, String name, Compression compression, byte[] header) {
            super(compression, header);
            this.directory = directory;
            this.name = name;
        }

        @Override
        public Sink split(int number) {
            String extension = name.substring(name.lastIndexOf('.'));
            String bare = name.substring(0, name.lastIndexOf('.'));
            return new FileSink(directory.resolve(
                    String.format(Locale.ROOT, "%s-%05d%s%s", bare, number, extension, compression.suffix())));
        }

        @Override
        public void finish() throws IOException {
            if (files.isEmpty()) {
                FileSink empty = (FileSink) split(0);
                empty.start();
                empty.end();
            }
        }

        @Override
        public void close() {
            open.forEach(FileSink::discard);
        }

        @Override
        public long rowsKept(long given, long ended) {
            return ended;
        }

        /** Creates the file when the first records come. */
        private final class FileSink implements Sink {
            private final Path file;
            private @Nullable OutputStream stream;
            private @Nullable Counting stored;

            FileSink(Path file) {
                this.file = file;
            }

            OutputStream start() throws IOException {
                Counting created = create(file);
                stored = created;
                stream = created;
                open.add(this);
                OutputStream started = compression.pack(created);
                stream = started;
                started.write(header);
                return started;
            }

            @Override
            public void write(Bytes records) throws IOException {
                try {
                    OutputStream to = stream;
                    if (to == null) {
                        to = start();
                    }
                    to.write(records.array(), 0, records.length());
                } catch (IOException e) {
                    throw cannotWrite(file.toString(), e);
                }
            }

            @Override
            public void end() throws IOException {
                OutputStream to = stream;
                if (to == null) {
                    return;
                }
                try {
                    to.close();
                    rename(file);
                    open.remove(this);
                } catch (IOException e) {
                    throw cannotWrite(file.toString(), e);
                }
            }

            void discard() {
                try {
                    OutputStream to = stream;
                    if (to != null) {
                        to.close();
                    }
                } catch (IOException e) {
                    // it is thrown away
                }
                if (stored != null) {
                    stored.discard();
                }
                remove(unfinished(file));
            }
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Records of all splits in one stream; each chunk is compressed separately, by the thread that writes it. */
    private abstract static class OneStream extends Output implements Output.Sink {
        private final ThreadLocal<ByteArrayOutputStream> packed =
                ThreadLocal.withInitial(() -> new ByteArrayOutputStream(1 << 16));

        OneStream(Compression compression, byte[] header) {
            super(compression, header);
        }

        abstract void append(byte[] bytes, int count) throws IOException;

        @Override
        public Sink split(int number) {
            return this;
        }

        @Override
        public void write(Bytes records) throws IOException {
            write(records.array(), records.length());
        }

        final void write(byte[] bytes, int count) throws IOException {
            if (count == 0) {
                return;
            }
            if (compression == Compression.NONE) {
                append(bytes, count);
                return;
            }
            ByteArrayOutputStream buffer = packed.get();
            buffer.reset();
            try (OutputStream packing = compression.pack(buffer)) {
                packing.write(bytes, 0, count);
            }
            append(buffer.toByteArray(), buffer.size());
        }

        @Override
        public void end() {}
    }

    private static final class OneFile extends OneStream {
        private final Path file;
        private final Counting stream;
        private boolean finished;

        OneFile(Path file, Compression compression, byte[] header) {
            super(compression, header);
            this.file = file;
            try {
                stream = create(file);
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
            try {
                write(header, header.length);
            } catch (IOException e) {
                close();
                throw cannotWrite(file.toString(), e);
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        @Override
        synchronized void append(byte[] bytes, int count) {
            try {
                stream.write(bytes, 0, count);
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
        }

        @Override
        public void finish() {
            try {
                stream.close();
                rename(file);
                finished = true;
            } catch (IOException e) {
                throw cannotWrite(file.toString(), e);
            }
        }

        @Override
        public void close() {
            if (!finished) {
                try {
                    stream.close();
                } catch (IOException e) {
                    // it is thrown away
                }
                stream.discard();
                remove(unfinished(file));
            }
        }

        @Override
        public long rowsKept(long given, long ended) {
            return finished ? given : 0;
        }
    }

    private static final class Stdout extends OneStream {
        private final PrintStream stream;

        Stdout(PrintStream stream, Compression compression, byte[] header) {
            super(compression, header);
            this.stream = stream;
            try {
                write(header, header.length);
            } catch (IOException e) {
                throw cannotWrite("standard output", e);
            }
        }

        @Override
        synchronized void append(byte[] bytes, int count) {
            stream.write(bytes, 0, count);
            storedBytes.add(count);
            // a print stream does not report what went wrong
            if (stream.checkError()) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "standard output cannot be written: its reader has ended, or the disk is" + " full");
            }
        }

        @Override
        public void finish() {}

        @Override
        public void close() {}

        @Override
        public long rowsKept(long given, long ended) {
            return given;
        }
    }

    List<Path> files() {
        return List.copyOf(files);
    }
}
