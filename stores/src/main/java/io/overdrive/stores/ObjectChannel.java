package io.overdrive.stores;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The content of an object in any order. Small reads that follow each other are taken from larger ones, which grow up to a megabyte.
 * All reads are of the same version of the object. Thread-safe.
 */
final class ObjectChannel extends FileChannel {
    private static final int FIRST_BYTES = 64 << 10;
    private static final int MAX_BYTES = 1 << 20;

    private final ObjectStore store;
    private final StorePath path;
    private final ObjectAttributes object;

    private final Object lock = new Object();
    private long position;
    /** Bytes of the object from {@link #aheadFrom} on. */
    private byte[] ahead = new byte[0];

    private int aheadBytes;
    private long aheadFrom;

    ObjectChannel(ObjectStore store, StorePath path, ObjectAttributes object) {
        this.store = store;
        this.path = path;
        this.object = object;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        synchronized (lock) {
            int read = read(to, position);
            position += Math.max(0, read);
            return read;
        }
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int count) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + count; i++) {
            while (to[i].hasRemaining()) {
                int read = read(to[i]);
                if (read < 0) {
                    return total == 0 ? -1 : total;
                }
                total += read;
            }
        }
        return total;
    }

    @Override
    public int read(ByteBuffer to, long from) throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        int wanted = (int) Math.min(to.remaining(), object.size() - from);
        if (!to.hasRemaining() || wanted <= 0) {
            return to.hasRemaining() ? -1 : 0;
        }
        if (wanted >= MAX_BYTES) {
            byte[] bytes = new byte[MAX_BYTES];
            return readLarge(to, from, wanted, bytes);
        }
        synchronized (lock) {
            if (from < aheadFrom || from >= aheadFrom + aheadBytes) {
                readAhead(from, wanted);
            }
            int at = (int) (from - aheadFrom);
            int count = Math.min(wanted, aheadBytes - at);
            to.put(ahead, at, count);
            return count;
        }
    }

    private void readAhead(long from, int wanted) throws IOException {
        boolean follows = aheadBytes > 0 && from == aheadFrom + aheadBytes;
        int size = Math.max(wanted, follows ? Math.min(MAX_BYTES, 2 * ahead.length) : FIRST_BYTES);
        if (ahead.length != size) {
            ahead = new byte[size];
        }
        aheadBytes = 0;
        int count = (int) Math.min(size, object.size() - from);
        readLarge(ByteBuffer.wrap(ahead), from, count, new byte[0]);
        aheadFrom = from;
        aheadBytes = count;
    }

    /**
     * Reads a part of the object.
     *
     * @param copy for buffers without an array
     */
    private int readLarge(ByteBuffer to, long from, int count, byte[] copy) throws IOException {
        Retries retries = new Retries(path.toString(), store.pause());
        int done = 0;
        while (done < count) {
            try (InputStream body =
                    store.read(path.bucket(), path.key(), from + done, count - done, object.version())) {
                while (done < count) {
                    int read;
                    if (to.hasArray()) {
                        read = body.read(to.array(), to.arrayOffset() + to.position(), count - done);
                    } else {
                        read = body.read(copy, 0, Math.min(copy.length, count - done));
                    }
                    if (read <= 0) {
                        throw new IOException(
                                "the connection ended after byte " + (from + done) + " of " + object.size());
                    }
                    if (to.hasArray()) {
                        to.position(to.position() + read);
                    } else {
                        to.put(copy, 0, read);
                    }
                    done += read;
                    retries.progressed();
                }
            } catch (IOException e) {
                if (done < count) {
                    retries.failed(e);
                }
            }
        }
        return count;
    }

    @Override
    public long position() {
        synchronized (lock) {
            return position;
        }
    }

    @Override
    public FileChannel position(long to) {
        synchronized (lock) {
            position = to;
            return this;
        }
    }

    @Override
    public long size() {
        return object.size();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(MAX_BYTES, Math.max(0, count)));
        int read = read(buffer, from);
        buffer.flip();
        while (buffer.hasRemaining()) {
            target.write(buffer);
        }
        return Math.max(0, read);
    }

    @Override
    public int write(ByteBuffer from) {
        throw new NonWritableChannelException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int count) {
        throw new NonWritableChannelException();
    }

    @Override
    public int write(ByteBuffer from, long at) {
        throw new NonWritableChannelException();
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long at, long count) {
        throw new NonWritableChannelException();
    }

    @Override
    public FileChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public void force(boolean metaData) {}

    @Override
    public MappedByteBuffer map(MapMode mode, long from, long count) {
        throw new UnsupportedOperationException("objects are not mapped into memory");
    }

    @Override
    public FileLock lock(long from, long count, boolean shared) {
        throw new UnsupportedOperationException("objects are not locked");
    }

    @Override
    public FileLock tryLock(long from, long count, boolean shared) {
        throw new UnsupportedOperationException("objects are not locked");
    }

    @Override
    protected void implCloseChannel() {
        synchronized (lock) {
            ahead = new byte[0];
            aheadBytes = 0;
        }
    }
}
