package io.overdrive.sstable.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Records on local disk. Guarded by its owner. The file is readable by its owner only, and is deleted when opened, if the
 * system allows it, so that not even a killed process leaves it behind.
 */
final class RecordFile implements AutoCloseable {
    private final FileChannel file;
    private long length;

    RecordFile(Path directory) throws IOException {
        // the JDK makes a temporary file readable by its owner only
        file = FileChannel.open(
                Files.createTempFile(
                        directory, "overdrive-sort-" + ProcessHandle.current().pid() + "-", ".tmp"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Appends bytes. If that fails, they are not part of the file. */
    void append(byte[] bytes, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, count);
        long at = length;
        while (buffer.hasRemaining()) {
            at += file.write(buffer, at);
        }
        length = at;
    }

    long length() {
        return length;
    }

    /** Reads exactly this many bytes. */
    void read(long from, byte[] to, int at, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(to, at, count);
        long next = from;
        while (buffer.hasRemaining()) {
            int n = file.read(buffer, next);
            if (n <= 0) {
                throw new IOException("the file was truncated");
            }
            next += n;
        }
    }

    /** The records of a part of the file. */
    Records records(long from, long to, int bufferBytes) {
        return new Reader(from, to, bufferBytes);
    }

    /** Deletes the file. Nothing is lost if that fails: its records have been read, or are not needed any more. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // the file is deleted already, or stays in a directory for temporary files
        }
    }

    private final class Reader implements Records {
        private final int bufferBytes;
        /** Where to read next in the file. */
        private long from;

        private final long to;
        private byte[] buffer = {};
        private int at;
        private int next;
        private int end;

        Reader(long from, long to, int bufferBytes) {
            this.from = from;
            this.to = to;
            this.bufferBytes = bufferBytes;
        }

        @Override
        public boolean next() throws IOException {
            if (!has(Integer.BYTES)) {
                return false;
            }
            int size = RowRecord.size(buffer, next);
            if (!has(size)) {
                throw new IOException("the file ends in the middle of a row");
            }
            at = next;
            next += size;
            return true;
        }

        /** Whether there are this many bytes, which are then in the buffer; it is replaced, as records of the old one may be in use. */
        private boolean has(int count) throws IOException {
            if (end - next >= count) {
                return true;
            }
            int rest = end - next;
            long size = Math.min(Math.max(bufferBytes, count), rest + (to - from));
            if (size < count) {
                return false;
            }
            byte[] larger = new byte[(int) size];
            System.arraycopy(buffer, next, larger, 0, rest);
            int part = larger.length - rest;
            read(from, larger, rest, part);
            from += part;
            buffer = larger;
            next = 0;
            end = larger.length;
            return true;
        }

        private void read(long position, byte[] into, int offset, int count) throws IOException {
            RecordFile.this.read(position, into, offset, count);
        }

        @Override
        public byte[] array() {
            return buffer;
        }

        @Override
        public int at() {
            return at;
        }
    }
}
