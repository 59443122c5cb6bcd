package io.overdrive.internal.disk;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of a server that are so small that waiting for the server takes longer than their bytes. Each is read at once. */
public final class SmallFile {
    private static final int SHARE_OF_HEAP = 256;

    /** All that are read ahead take at most 16 MiB, or a sixteenth of the heap. */
    private static final long MAX_BYTES = Math.min(1 << 20, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

    private static final int STEP_BYTES = 64 << 10;

    private SmallFile() {}

    /** Whether a file of this size is a small one of a server. */
    public static boolean isSmall(Path path, long bytes) {
        return bytes >= 0 && bytes <= MAX_BYTES && !Location.isLocal(path);
    }

    /** The content of a file. If reading it fails, the stream has the bytes before the failure, and then fails so. */
    public static InputStream read(Path path) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (InputStream from = Files.newInputStream(path)) {
            from.transferTo(content);
            return new ByteArrayInputStream(content.toByteArray());
        } catch (IOException e) {
            return new SequenceInputStream(new ByteArrayInputStream(content.toByteArray()), new Failed(e));
        }
    }

    /** An open file, whose provider has read it and keeps that for later reads. */
    public static FileChannel open(Path path) throws IOException {
        FileChannel file = FileChannel.open(path);
        try {
            ByteBuffer step = ByteBuffer.allocate(STEP_BYTES);
            for (long at = 0; at < file.size(); at += STEP_BYTES) {
                file.read(step.clear(), at);
            }
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** The end of a stream that has failed. */
    private static final class Failed extends BlockStream {
        private final IOException failure;

        Failed(IOException failure) {
            super(InputStream.nullInputStream());
            this.failure = failure;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            throw failure;
        }
    }
}
