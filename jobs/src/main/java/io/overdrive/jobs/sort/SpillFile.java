package io.overdrive.jobs.sort;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/**
 * A sorted run on disk, of which {@link SpillMarks} finds a range of tokens. The file is readable by its owner only, and is deleted
 * when opened, if the system allows it, so that not even a killed process leaves it behind.
 */
final class SpillFile implements SortedRun, AutoCloseable {
    private static final int WRITE_BYTES = 256 << 10;
    static final int BYTES_BETWEEN_MARKS = 64 << 10;

    private final EntryLayout layout;
    private final SpillPlace place;
    private final FileChannel file;
    private final SpillMarks marks;
    private long length;

    private SpillFile(EntryLayout layout, SpillPlace place, int bytesBetweenMarks) throws IOException {
        this.layout = layout;
        this.place = place;
        marks = new SpillMarks(bytesBetweenMarks);
        // the JDK makes a temporary file readable by its owner only
        file = FileChannel.open(
                Files.createTempFile(
                        place.directory(),
                        "overdrive-sort-" + ProcessHandle.current().pid() + "-",
                        ".tmp"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    /**
     * Writes all that is left of the entries.
     *
     * @param bytesBetweenMarks about as much more than a range is read when the range is opened
     * @throws OverdriveException of kind DISK; there is then no file
     */
    static SpillFile write(EntryLayout layout, SpillPlace place, EntryMerge entries, int bytesBetweenMarks) {
        SpillFile run = null;
        try {
            run = new SpillFile(layout, place, bytesBetweenMarks);
            run.write(entries);
            return run;
        } catch (IOException e) {
            if (run != null) {
                run.close();
            }
            throw failed("cannot write", place, e);
        } catch (RuntimeException | Error e) {
            if (run != null) {
                run.close();
            }
            throw e;
        }
    }

    private void write(EntryMerge entries) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(WRITE_BYTES);
        for (; !entries.isEmpty(); entries.remove()) {
            Entry entry = entries.first();
            if (marks.isDue(length + buffer.position())) {
                if (marks.isBlockFull()) {
                    put(marks.block(length + buffer.position()).array(), 0, SpillMarks.BLOCK_BYTES, buffer);
                }
                marks.add(entry.token(), length + buffer.position());
            }
            put(entry.array(), entry.start(), entry.size(), buffer);
        }
        flush(buffer);
    }

    private void put(byte[] array, int start, int count, ByteBuffer buffer) throws IOException {
        int from = start;
        int left = count;
        while (left > 0) {
            if (!buffer.hasRemaining()) {
                flush(buffer);
            }
            int part = Math.min(left, buffer.remaining());
            buffer.put(array, from, part);
            from += part;
            left -= part;
        }
    }

    private void flush(ByteBuffer buffer) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            length += file.write(buffer, length);
        }
        buffer.clear();
    }

    /** Size in bytes. */
    long length() {
        return length;
    }

    @Override
    public EntryReader open(long after, long upTo, int bufferBytes) {
        try {
            return new Reader(marks.from(after, file), marks.to(upTo, file, length), after, upTo, bufferBytes);
        } catch (IOException e) {
            throw failed("cannot read", place, e);
        }
    }

    /** Deletes the file. Nothing is lost if that fails: its entries have been read, or are not needed any more. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // the file is deleted already, or stays in a directory for temporary files
        }
    }

    private static OverdriveException failed(String what, SpillPlace place, IOException e) {
        return new OverdriveException(
                Kind.DISK,
                words -> what + " spilled " + place.content() + " in "
                        + place.directory().toAbsolutePath() + " (" + e.toString() + "); "
                        + place.wayOut().in(words),
                e);
    }

    private final class Reader implements EntryReader {
        private final Entry entry = new Entry(layout);
        private final long after;
        private final long upTo;
        /** Where to read next in the file. */
        private long fileAt;

        private final long fileEnd;
        private byte[] buffer;
        private int at;
        private int end;

        Reader(long fileAt, long fileEnd, long after, long upTo, int bufferBytes) {
            this.fileAt = fileAt;
            this.fileEnd = fileEnd;
            this.after = after;
            this.upTo = upTo;
            buffer = new byte[(int) Math.min(bufferBytes, fileEnd - fileAt)];
        }

        @Override
        public boolean next() {
            try {
                while (has(Integer.BYTES)) {
                    int sizeOrBlock = Entry.size(buffer, at);
                    int size = Math.abs(sizeOrBlock);
                    if (!has(size)) {
                        throw new IOException("the file ends in the middle of a row");
                    }
                    int start = at;
                    at += size;
                    if (sizeOrBlock > 0 && Entry.token(buffer, start) > after) {
                        entry.set(buffer, start);
                        return entry.token() <= upTo;
                    }
                }
                return false;
            } catch (IOException e) {
                throw failed("cannot read", place, e);
            }
        }

        /** Whether there are this many bytes from {@link #at} on, which are then in the buffer. */
        private boolean has(int count) throws IOException {
            if (end - at >= count) {
                return true;
            }
            byte[] to = count <= buffer.length ? buffer : new byte[Math.max(count, 2 * buffer.length)];
            System.arraycopy(buffer, at, to, 0, end - at);
            end -= at;
            at = 0;
            buffer = to;
            while (end < count && fileAt < fileEnd) {
                int part = (int) Math.min(buffer.length - end, fileEnd - fileAt);
                int n = file.read(ByteBuffer.wrap(buffer, end, part), fileAt);
                if (n <= 0) {
                    throw new IOException("the file was truncated");
                }
                end += n;
                fileAt += n;
            }
            return end >= count;
        }

        @Override
        public Entry entry() {
            return entry;
        }
    }
}
