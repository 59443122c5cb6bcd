package io.overdrive.sstable.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A new file that is written from its start to its end, and may be closed between writes. Confined to one thread. */
final class OutFile implements Closeable {
    private final Path path;
    private final boolean staysOpen;
    private @Nullable FileChannel open;
    private long length;

    /**
     * @param staysOpen between writes; otherwise each opens it
     * @throws IOException also if it exists
     */
    OutFile(Path path, boolean staysOpen) throws IOException {
        this.path = path;
        this.staysOpen = staysOpen;
        open = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        release();
    }

    private FileChannel channel() throws IOException {
        FileChannel channel = open;
        if (channel == null) {
            channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
            open = channel;
        }
        return channel;
    }

    private void release() throws IOException {
        if (!staysOpen) {
            close();
        }
    }

    Path path() {
        return path;
    }

    long length() {
        return length;
    }

    void write(byte[] bytes, int from, int count) throws IOException {
        if (count == 0) {
            return;
        }
        FileChannel channel = channel();
        ByteBuffer buffer = ByteBuffer.wrap(bytes, from, count);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        length += count;
        release();
    }

    /** Syncs the file to the disk. */
    void sync() throws IOException {
        channel().force(true);
        release();
    }

    @Override
    public void close() throws IOException {
        FileChannel channel = open;
        open = null;
        if (channel != null) {
            channel.close();
        }
    }
}
