package io.overdrive.stores;

import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A part of a file of this machine. Used by one thread at a time. */
final class FilePart extends BlockStream {
    private long left;

    private FilePart(InputStream in, long count) {
        super(in);
        left = count;
    }

    static InputStream open(Path file, long from, long count) throws IOException {
        FileChannel channel = FileChannel.open(file);
        channel.position(from);
        return new FilePart(Channels.newInputStream(channel), count);
    }

    /** The part as the body of a request, read again for each try. */
    static BodyPublisher body(Path file, long from, long count) {
        if (count == 0) {
            return BodyPublishers.noBody();
        }
        return BodyPublishers.fromPublisher(
                BodyPublishers.ofInputStream(() -> {
                    try {
                        return open(file, from, count);
                    } catch (IOException e) {
                        throw new UncheckedIOException(file + ": cannot be read: " + e.getMessage(), e);
                    }
                }),
                count);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = left == 0 ? -1 : in.read(bytes, offset, (int) Math.min(left, length));
        left -= Math.max(0, read);
        return read;
    }
}
