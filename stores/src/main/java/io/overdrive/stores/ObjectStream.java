package io.overdrive.stores;

import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The content of an object, from its start to its end. A connection that is cut is replaced by another one from there, and all are for the
 * same version of the object. Used by one thread at a time.
 */
final class ObjectStream extends BlockStream {
    private final ObjectStore store;
    private final StorePath path;
    private final ObjectAttributes object;
    private final Retries retries;
    private long position;
    private @Nullable InputStream body;

    ObjectStream(ObjectStore store, StorePath path, ObjectAttributes object) {
        super(InputStream.nullInputStream());
        this.store = store;
        this.path = path;
        this.object = object;
        this.retries = new Retries(path.toString(), store.backOff());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!object.hasParts() || position < object.size()) {
            try {
                int read = body().read(bytes, offset, (int) Math.min(length, left()));
                if (read > 0) {
                    position += read;
                    retries.progressed();
                    return read;
                }
                if (!object.hasParts()) {
                    return -1;
                }
                throw new IOException("the connection ended after byte " + position + " of " + object.size());
            } catch (IOException e) {
                close();
                requireSame(e);
                retries.failed(e);
            }
        }
        return -1;
    }

    private long left() {
        return object.hasParts() ? object.size() - position : Integer.MAX_VALUE;
    }

    private InputStream body() throws IOException {
        InputStream from = body;
        if (from == null) {
            long count = object.hasParts() ? left() : -1;
            from = store.read(path.bucket(), path.key(), position, count, object.version());
            body = from;
        }
        return from;
    }

    /** A stream without a version cannot be continued: the rest could be of another content. */
    private void requireSame(IOException e) throws IOException {
        if (position > 0 && object.version().isEmpty()) {
            throw new IOException(
                    e.getMessage()
                            + "; the server does not say whether the file is still the same, so its rest is not read",
                    e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        if (!object.hasParts()) {
            return super.skip(count);
        }
        long skipped = Math.max(0, Math.min(count, left()));
        if (skipped > 0) {
            close();
            position += skipped;
        }
        return skipped;
    }

    @Override
    public int available() throws IOException {
        InputStream from = body;
        return from == null ? 0 : from.available();
    }

    /** {@inheritDoc} Never fails: nothing was written. */
    @Override
    public void close() {
        InputStream open = body;
        body = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // the connection is not used again
            }
        }
    }
}
