package io.overdrive.sstable.sort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of a range of tokens, in no order: chunks of whole records in memory, and if they are many, a file. Guarded by itself.
 */
public final class RecordPiece implements AutoCloseable {
    private static final int MAX_BUFFER_BYTES = 256 << 10;
    private static final int MIN_BUFFER_BYTES = 16 << 10;

    private final Path directory;
    private final long memory;
    private final List<byte[]> chunks = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();
    private long bytesInMemory;
    private @Nullable RecordFile file;
    private @Nullable RecordFile runs;

    /**
     * @param directory of its files
     * @param memory bytes of chunks; more are written to the file
     */
    public RecordPiece(Path directory, long memory) {
        this.directory = directory;
        this.memory = memory;
    }

    /**
     * Takes a chunk, which the caller does not use any more.
     *
     * @return the number of bytes that were written to disk
     */
    public synchronized long add(byte[] chunk, int length) throws IOException {
        chunks.add(chunk);
        lengths.add(length);
        bytesInMemory += length;
        if (bytesInMemory <= memory) {
            return 0;
        }
        RecordFile to = file;
        if (to == null) {
            to = new RecordFile(directory);
            file = to;
        }
        for (int i = 0; i < chunks.size(); i++) {
            to.append(chunks.get(i), lengths.get(i));
        }
        long written = bytesInMemory;
        dropChunks();
        return written;
    }

    private void dropChunks() {
        chunks.clear();
        lengths.clear();
        bytesInMemory = 0;
    }

    /**
     * Its records in order; the memory of the piece is free afterwards. If they take more than {@code maxBytes}, they are sorted in
     * parts, which are written to disk and merged.
     */
    public synchronized Records sorted(RecordOrder order, int maxBytes) throws IOException {
        RecordFile from = file;
        long onDisk = from == null ? 0 : from.length();
        if (onDisk + bytesInMemory <= maxBytes) {
            byte[] all = new byte[(int) (onDisk + bytesInMemory)];
            if (from != null) {
                from.read(0, all, 0, (int) onDisk);
                from.close();
                file = null;
            }
            int at = (int) onDisk;
            for (int i = 0; i < chunks.size(); i++) {
                System.arraycopy(chunks.get(i), 0, all, at, lengths.get(i));
                at += lengths.get(i);
            }
            dropChunks();
            return new RecordSorter(order, all, all.length);
        }
        return sortedInParts(order, maxBytes);
    }

    private Records sortedInParts(RecordOrder order, int maxBytes) throws IOException {
        RecordFile from = file;
        if (from == null) {
            from = new RecordFile(directory);
            file = from;
        }
        for (int i = 0; i < chunks.size(); i++) {
            from.append(chunks.get(i), lengths.get(i));
        }
        dropChunks();
        RecordFile sorted = new RecordFile(directory);
        runs = sorted;
        List<Long> ends = new ArrayList<>();
        Records all = from.records(0, from.length(), MAX_BUFFER_BYTES);
        boolean hasMore = all.next();
        while (hasMore) {
            byte[] part = new byte[Math.max(maxBytes, RowRecord.size(all.array(), all.at()))];
            int length = 0;
            while (hasMore && length + RowRecord.size(all.array(), all.at()) <= part.length) {
                int size = RowRecord.size(all.array(), all.at());
                System.arraycopy(all.array(), all.at(), part, length, size);
                length += size;
                hasMore = all.next();
            }
            append(new RecordSorter(order, part, length), sorted);
            ends.add(sorted.length());
        }
        from.close();
        file = null;
        int bufferBytes = Math.max(MIN_BUFFER_BYTES, Math.min(MAX_BUFFER_BYTES, maxBytes / ends.size()));
        List<Records> parts = new ArrayList<>();
        long start = 0;
        for (long end : ends) {
            parts.add(sorted.records(start, end, bufferBytes));
            start = end;
        }
        return new RecordMerge(order, parts);
    }

    private static void append(Records sorted, RecordFile to) throws IOException {
        byte[] buffer = new byte[MAX_BUFFER_BYTES];
        int used = 0;
        while (sorted.next()) {
            int size = RowRecord.size(sorted.array(), sorted.at());
            if (used + size > buffer.length) {
                to.append(buffer, used);
                used = 0;
                buffer = size > buffer.length ? new byte[size] : buffer;
            }
            System.arraycopy(sorted.array(), sorted.at(), buffer, used, size);
            used += size;
        }
        to.append(buffer, used);
    }

    /** Deletes its files. */
    @Override
    public synchronized void close() {
        dropChunks();
        if (file != null) {
            file.close();
            file = null;
        }
        if (runs != null) {
            runs.close();
            runs = null;
        }
    }
}
