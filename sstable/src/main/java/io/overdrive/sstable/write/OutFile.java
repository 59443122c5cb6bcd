package io.overdrive.sstable.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A new file that is written from its start to its end. Confined to one thread. */
final class OutFile implements Closeable {
    private final Path path;
    private final FileChannel channel;
    private long length;

    /** @throws IOException also if it exists */
    OutFile(Path path) throws IOException {
        this.path = path;
        channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    Path path() {
        return path;
    }

    long length() {
        return length;
    }

    void write(byte[] bytes, int from, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, from, count);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        length += count;
    }

    /** Syncs the file to the disk. */
    void sync() throws IOException {
        channel.force(true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
