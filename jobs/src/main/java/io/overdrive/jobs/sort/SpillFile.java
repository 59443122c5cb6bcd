package io.overdrive.jobs.sort;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A sorted run on disk, with the token of every 64 KiB in memory. The file is readable by its owner only, and is deleted
 * when opened, if the system allows it, so that not even a killed process leaves it behind.
 */
final class SpillFile implements SortedRun, AutoCloseable {
    private static final int WRITE_BYTES = 256 << 10;
    private static final int BYTES_BETWEEN_MARKS = 64 << 10;
    /** Memory of a mark: its token and its offset. */
    private static final int BYTES_A_MARK = 2 * Long.BYTES;

    private final EntryLayout layout;
    private final SpillPlace place;
    private final FileChannel file;
    private long length;
    private int marks;
    /** The token of the entry at each mark. */
    private long[] tokens = new long[16];
    /** The offset of each mark. */
    private long[] offsets = new long[16];

    private SpillFile(EntryLayout layout, SpillPlace place) throws IOException {
        this.layout = layout;
        this.place = place;
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

    /** Memory for the marks of so many bytes on disk. */
    static long memory(long bytes) {
        return bytes / BYTES_BETWEEN_MARKS * BYTES_A_MARK;
    }

    /**
     * Writes all that is left of the entries.
     *
     * @throws OverdriveException of kind DISK; there is then no file
     */
    static SpillFile write(EntryLayout layout, SpillPlace place, EntryMerge entries) {
        SpillFile run = null;
        try {
            run = new SpillFile(layout, place);
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
            int size = entry.size();
            long at = length + buffer.position();
            if (marks == 0 || at - offsets[marks - 1] >= BYTES_BETWEEN_MARKS) {
                mark(entry.token(), at);
            }
            int from = entry.start();
            while (size > 0) {
                if (!buffer.hasRemaining()) {
                    flush(buffer);
                }
                int part = Math.min(size, buffer.remaining());
                buffer.put(entry.array(), from, part);
                from += part;
                size -= part;
            }
        }
        flush(buffer);
    }

    private void flush(ByteBuffer buffer) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            length += file.write(buffer, length);
        }
        buffer.clear();
    }

    private void mark(long token, long at) {
        if (marks == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * marks);
            offsets = Arrays.copyOf(offsets, 2 * marks);
        }
        tokens[marks] = token;
        offsets[marks++] = at;
    }

    /** Size in bytes. */
    long length() {
        return length;
    }

    @Override
    public EntryReader open(long after, long upTo, int bufferBytes) {
        // entries before a mark have at most its token, and those behind it at least that
        int first = marksUpTo(after) - 1;
        int last = marksUpTo(upTo);
        return new Reader(
                first < 0 ? 0 : offsets[first], last == marks ? length : offsets[last], after, upTo, bufferBytes);
    }

    /** The number of marks at entries with at most this token. */
    private int marksUpTo(long token) {
        int low = 0;
        int high = marks;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tokens[middle] <= token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
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
                    int size = Entry.size(buffer, at);
                    if (!has(size)) {
                        throw new IOException("the file ends in the middle of a row");
                    }
                    int start = at;
                    at += size;
                    if (Entry.token(buffer, start) > after) {
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
