package io.overdrive.sql;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Writes to a stream in large pieces, while those of the JDK take 8 KiB at a time. Confined to one thread. */
final class OutputChannel implements WritableByteChannel {
    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 18];
    private int filled;

    OutputChannel(OutputStream out) {
        this.out = out;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int count = from.remaining();
        while (from.hasRemaining()) {
            if (filled == buffer.length) {
                flush();
            }
            int part = Math.min(from.remaining(), buffer.length - filled);
            from.get(buffer, filled, part);
            filled += part;
        }
        return count;
    }

    void flush() throws IOException {
        if (filled > 0) {
            out.write(buffer, 0, filled);
            filled = 0;
        }
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
