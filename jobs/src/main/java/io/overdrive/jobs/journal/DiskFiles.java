package io.overdrive.jobs.journal;

import io.overdrive.internal.disk.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files of a directory on disk, which only their owner can read. Immutable; the files are used by one thread at a time. */
final class DiskFiles implements JournalFiles {
    private final Path directory;

    DiskFiles(Path directory) {
        this.directory = directory;
    }

    @Override
    public Appender open(String name, long length) throws IOException {
        FileChannel channel = PrivateFile.open(directory.resolve(name));
        try {
            if (channel.size() > length) {
                channel.truncate(length);
                channel.force(true);
            }
            channel.position(length);
            return new File(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private record File(FileChannel channel) implements Appender {
        @Override
        public void append(byte[] bytes, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(/* metaData */ true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        try {
            return Files.readAllBytes(directory.resolve(name));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> String.valueOf(each.getFileName())).toList();
        }
    }

    @Override
    public void forceDirectory() throws IOException {
        Durable.directory(directory);
    }
}
