package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.internal.disk.BlockStream;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes that are read of the input files, as stored, and adds up a checksum of each file if it is to be recognized later.
 * The count can be read by any thread; the rest is used under the lock of the {@link InputReader}.
 */
final class RawBytes {
    /** Bytes read from a file that the decompressor has not taken yet. */
    private static final class ReadAhead extends BufferedInputStream {
        ReadAhead(InputStream file, int bytes) {
            super(file, bytes);
        }

        int waiting() {
            return count - pos;
        }
    }

    private final class Counting extends BlockStream {
        Counting(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = in.read(bytes, offset, length);
            if (read > 0) {
                add(bytes, offset, read);
            }
            return read;
        }
    }

    private static final int BUFFER_BYTES = 64 << 10;

    private final AtomicLong count = new AtomicLong();
    private final boolean sums;
    private final List<InputReader.Prefix> ended = new ArrayList<>();
    private final CRC32C sum = new CRC32C();
    private long bytesOfFile = -1;
    private @Nullable ReadAhead readAhead;

    RawBytes(boolean sums) {
        this.sums = sums;
    }

    /** The next file begins. */
    void startFile() {
        if (bytesOfFile >= 0) {
            ended.add(ofFile());
        }
        bytesOfFile = 0;
        sum.reset();
    }

    /**
     * Reads the rest of a file whose records have all been read, such as the end of a file of columns, and compares its checksum.
     *
     * @throws OverdriveException of kind INPUT if it is not the one that the file has to have
     */
    void endFile(InputFile file) {
        if (sums && file.hasSum()) {
            try (FileChannel rest = file.channel()) {
                addRest(rest);
            } catch (IOException e) {
                throw new OverdriveException(
                        OverdriveException.Kind.INPUT,
                        file.name() + ": cannot be read: " + WritableDirectory.reason(e),
                        e);
            }
            file.checkSum(ofFile());
        }
    }

    /** Reads what follows the bytes that were read, if there is a checksum. */
    void addRest(FileChannel file) throws IOException {
        byte[] buffer = new byte[sums ? BUFFER_BYTES : 0];
        int length;
        while ((length = file.read(ByteBuffer.wrap(buffer), bytesOfFile)) > 0) {
            add(buffer, 0, length);
        }
    }

    void add(byte[] bytes, int offset, int length) {
        count.addAndGet(length);
        if (sums) {
            sum.update(bytes, offset, length);
            bytesOfFile += length;
        }
    }

    /** A buffer for the file that is read from now on, which is counted. */
    InputStream buffer(InputStream file, int bytes) {
        ReadAhead buffer = new ReadAhead(new Counting(file), bytes);
        readAhead = buffer;
        return buffer;
    }

    /** Bytes of all files without those that wait in the buffer. */
    long taken() {
        ReadAhead buffer = readAhead;
        return count() - (buffer == null ? 0 : buffer.waiting());
    }

    /**
     * Counts a file that is read in any order, as far as it is read. For the checksum, it is also read from its beginning to there.
     *
     * @return receives the place up to which it is read, which grows
     */
    LongConsumer upTo(FileChannel file) {
        byte[] buffer = new byte[sums ? BUFFER_BYTES : 0];
        return new LongConsumer() {
            private long at;

            @Override
            public void accept(long end) {
                if (!sums) {
                    count.addAndGet(Math.max(0, end - at));
                    at = Math.max(at, end);
                }
                while (at < end) {
                    try {
                        int length = file.read(ByteBuffer.wrap(buffer, 0, (int) Math.min(buffer.length, end - at)), at);
                        if (length < 0) {
                            return; // the reader reports that the file has become shorter
                        }
                        add(buffer, 0, length);
                        at += length;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        };
    }

    private InputReader.Prefix ofFile() {
        return new InputReader.Prefix(bytesOfFile, (int) sum.getValue());
    }

    /** Bytes of all files. */
    long count() {
        return count.get();
    }

    /** The part of each file that was read, from a file on; the last one may not have been read to its end. */
    List<InputReader.Prefix> prefixes(int from) {
        List<InputReader.Prefix> prefixes = new ArrayList<>(ended.subList(Math.min(from, ended.size()), ended.size()));
        if (bytesOfFile >= 0 && from <= ended.size()) {
            prefixes.add(ofFile());
        }
        return prefixes;
    }
}
