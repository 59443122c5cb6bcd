package io.overdrive.internal.disk;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that is read in blocks: its subclass reads one, and a single byte, or bytes that are skipped, are one, too. As thread-safe as that. */
public abstract class BlockStream extends FilterInputStream {
    private static final int SKIPPED_BYTES = 64 << 10;

    /** @param in what is closed, and says how much is available */
    protected BlockStream(InputStream in) {
        super(in);
    }

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;

    /** {@inheritDoc} Reads them, unless a subclass knows better. */
    @Override
    public long skip(long count) throws IOException {
        byte[] skipped = new byte[(int) Math.max(0, Math.min(count, SKIPPED_BYTES))];
        return skipped.length == 0 ? 0 : Math.max(0, read(skipped, 0, skipped.length));
    }

    @Override
    public final boolean markSupported() {
        return false;
    }
}
