package io.overdrive.jobs.unload;

import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.internal.flow.WaitTime;
import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A file that is being written, as stored. Used by one thread at a time, apart from {@link #force}. */
final class StoredFile extends OutputStream {
    private static final int BUFFER_BYTES = 64 << 10;

    private final FileChannel channel;
    private final LongAdder total;
    private final CRC32C sum = new CRC32C();
    private long length;

    /**
     * Opens the file.
     *
     * @param length to truncate it to; 0 to create it
     * @param total to which the size of the file is added
     */
    StoredFile(Path file, long length, LongAdder total) throws IOException {
        this.total = total;
        this.length = length;
        if (length == 0) {
            PrivateFile.replace(file).close();
        }
        channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (length > 0) {
                channel.truncate(length);
                sumBeginning(length);
                channel.position(length);
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        total.add(length);
    }

    /**
     * Requires that the beginning, which an earlier run has written, is the same.
     *
     * @param then its CRC-32C; null if it is not known
     */
    void requireSum(@Nullable Integer then) throws IOException {
        if (then != null && then != sum()) {
            throw new IOException(
                    "its first " + length
                            + " bytes are not those that the run has written: the file was changed or damaged since; begin a new run");
        }
    }

    private void sumBeginning(long bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        for (long at = 0; at < bytes; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - at));
            int read = channel.read(buffer, at);
            if (read < 0) {
                throw new EOFException("the file has become shorter");
            }
            sum.update(buffer.flip());
            at += read;
        }
    }

    /** The CRC-32C of what was written, also by an earlier run. */
    int sum() {
        return (int) sum.getValue();
    }

    /** The file, whose content the thread that writes may read. */
    FileChannel channel() {
        return channel;
    }

    long length() {
        return length;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        writeAll(channel, ByteBuffer.wrap(bytes, from, count), written -> {
            length += written;
            total.add(written);
        });
        sum.update(bytes, from, count);
    }

    /**
     * Writes the rest of a buffer.
     *
     * @param counts called with each number of bytes that were written, also if the next ones cannot be
     */
    static void writeAll(WritableByteChannel to, ByteBuffer buffer, IntConsumer counts) throws IOException {
        while (buffer.hasRemaining()) {
            counts.accept(to.write(buffer));
        }
    }

    /** Makes durable the output that was written. For any thread. */
    void force() throws IOException {
        channel.force(/* metaData */ true);
    }

    /** The file is deleted, or is not complete: it does not count. */
    void discard() {
        total.add(-length);
        length = 0;
    }

    /**
     * The same file for a compressor, whose end is not the end of the file.
     *
     * @param writing counts the time that writing takes
     */
    OutputStream withoutClose(WaitTime writing) {
        return new FilterOutputStream(this) {
            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                writing.begin(System.nanoTime());
                try {
                    out.write(bytes, from, count);
                } finally {
                    writing.end(System.nanoTime());
                }
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
