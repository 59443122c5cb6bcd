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
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The content of an object in any order. Small reads are taken from blocks that were read, of which a request reads several if the block
 * before was read, too. All reads are of the same version of the object. Thread-safe.
 */
final class ObjectChannel extends FileChannel {
    private static final int LARGE_BYTES = 1 << 20;
    /** The size of the copy for buffers without an array. */
    private static final int COPY_BYTES = 64 << 10;

    private static final int BLOCKS_IN_SEQUENCE = LARGE_BYTES / BlockCache.BLOCK_BYTES;

    private final ObjectStore store;
    private final BlockCache cache;
    private final StorePath path;
    private final ObjectAttributes object;
    private final AtomicLong position = new AtomicLong();

    ObjectChannel(ObjectStore store, BlockCache cache, StorePath path, ObjectAttributes object) {
        this.store = store;
        this.cache = cache;
        this.path = path;
        this.object = object;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        synchronized (position) {
            int read = read(to, position.get());
            position.addAndGet(Math.max(0, read));
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
        if (wanted >= LARGE_BYTES) {
            return readPart(to, from, wanted);
        }
        long number = from / BlockCache.BLOCK_BYTES;
        byte[] block = block(number);
        int at = (int) (from - number * BlockCache.BLOCK_BYTES);
        int count = Math.min(wanted, block.length - at);
        to.put(block, at, count);
        return count;
    }

    private byte[] block(long number) throws IOException {
        byte[] known = cache.get(this, number);
        if (known != null) {
            return known;
        }
        boolean follows = number > 0 && cache.get(this, number - 1) != null;
        long from = number * BlockCache.BLOCK_BYTES;
        int size = (int)
                Math.min((follows ? BLOCKS_IN_SEQUENCE : 1) * (long) BlockCache.BLOCK_BYTES, object.size() - from);
        byte[] read = new byte[size];
        readPart(ByteBuffer.wrap(read), from, size);
        cache.put(this, number, read);
        return size <= BlockCache.BLOCK_BYTES ? read : Arrays.copyOf(read, BlockCache.BLOCK_BYTES);
    }

    private int readPart(ByteBuffer to, long from, int count) throws IOException {
        byte[] copy = new byte[to.hasArray() ? 0 : COPY_BYTES];
        Retries retries = new Retries(path.toString(), store.backOff());
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
        return position.get();
    }

    @Override
    public FileChannel position(long to) {
        position.set(to);
        return this;
    }

    @Override
    public long size() {
        return object.size();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(LARGE_BYTES, Math.max(0, count)));
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
        cache.remove(this);
    }
}
