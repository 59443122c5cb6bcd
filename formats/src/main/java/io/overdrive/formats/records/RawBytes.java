package io.overdrive.formats.records;

import java.io.BufferedInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

    void add(byte[] bytes, int offset, int length) {
        count.addAndGet(length);
        if (sums) {
            sum.update(bytes, offset, length);
            bytesOfFile += length;
        }
    }

    /** A buffer for the file that is read from now on. */
    InputStream buffer(InputStream file, int bytes) {
        ReadAhead buffer = new ReadAhead(file, bytes);
        readAhead = buffer;
        return buffer;
    }

    /** Bytes of all files without those that wait in the buffer. */
    long taken() {
        ReadAhead buffer = readAhead;
        return count() - (buffer == null ? 0 : buffer.waiting());
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
