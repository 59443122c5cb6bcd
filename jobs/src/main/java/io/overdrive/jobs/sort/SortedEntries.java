package io.overdrive.jobs.sort;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The entries of all records, sorted: collected by many workers, each with its {@link Part}, and then read by token ranges.
 * Entries that do not fit in memory are written to disk as sorted runs, and runs are merged so that there are never many. Thread-safe
 * by its lock.
 */
public final class SortedEntries implements AutoCloseable {
    /** Runs of one level that become one of the next: each is an open file, and has a buffer when it is read. */
    private static final int MAX_RUNS = 64;

    private static final int MIN_BUFFER_BYTES = 4 << 10;
    private static final int MAX_BUFFER_BYTES = 256 << 10;

    private final EntryLayout layout;
    private final SpillPlace place;
    private final long memory;
    private final int workers;
    private final int maxRuns;
    private final int bytesBetweenMarks;
    private final AtomicLong bytesSpilled = new AtomicLong();
    private final List<Part> parts = new ArrayList<>();
    /** Runs by level, which is how often they were merged; guarded by this. */
    private final List<List<SpillFile>> levels = new ArrayList<>();

    private boolean closed;

    /**
     * @param memory bytes for entries in memory, and then for buffers of the runs on disk
     * @param workers number of threads that add, and then read
     */
    public SortedEntries(EntryLayout layout, SpillPlace place, long memory, int workers) {
        this(layout, place, memory, workers, MAX_RUNS, SpillFile.BYTES_BETWEEN_MARKS);
    }

    /** Used by tests, whose runs are short. */
    public SortedEntries(
            EntryLayout layout, SpillPlace place, long memory, int workers, int maxRuns, int bytesBetweenMarks) {
        this.layout = layout;
        this.place = place;
        this.memory = memory;
        this.workers = workers;
        this.maxRuns = maxRuns;
        this.bytesBetweenMarks = bytesBetweenMarks;
    }

    /** Entries of one worker. Confined to its thread until {@link #finish}. */
    public final class Part {
        private final EntrySorter sorter = new EntrySorter(layout, memory / workers);

        private Part() {}

        /**
         * Copies the entry.
         *
         * @throws OverdriveException of kind DISK
         */
        public void add(Bytes entry) {
            if (!sorter.hasRoomFor(entry.length())) {
                sorter.sort();
                spill(sorter);
                sorter.clear();
            }
            sorter.add(entry);
        }
    }

    /** A part for another worker. */
    public synchronized Part part() {
        Part part = new Part();
        parts.add(part);
        return part;
    }

    private void spill(EntrySorter sorter) {
        SpillFile run = SpillFile.write(layout, place, all(List.of(sorter)), bytesBetweenMarks);
        bytesSpilled.addAndGet(run.length());
        keep(run, 0);
    }

    private EntryMerge all(List<? extends SortedRun> runs) {
        return new EntryMerge(runs.stream()
                .map(run -> run.open(Long.MIN_VALUE, Long.MAX_VALUE, bufferBytes(runs.size())))
                .toList());
    }

    /**
     * Keeps a run under the lock, also while runs are merged: each is merged once, and the disk is not written by many
     * threads.
     */
    private synchronized void keep(SpillFile run, int level) {
        if (closed) {
            run.close();
            return;
        }
        if (level == levels.size()) {
            levels.add(new ArrayList<>());
        }
        List<SpillFile> runs = levels.get(level);
        runs.add(run);
        if (runs.size() == maxRuns) {
            SpillFile merged = SpillFile.write(layout, place, all(runs), bytesBetweenMarks);
            bytesSpilled.addAndGet(merged.length());
            runs.forEach(SpillFile::close);
            runs.clear();
            keep(merged, level + 1);
        }
    }

    /** Called when all workers have ended; entries in memory then stay there. */
    public void finish() {
        List<Part> all;
        synchronized (this) {
            all = List.copyOf(parts);
        }
        all.parallelStream().forEach(part -> part.sorter.sort());
    }

    private int bufferBytes(int runs) {
        return (int) Math.max(MIN_BUFFER_BYTES, Math.min(MAX_BUFFER_BYTES, memory / workers / Math.max(1, runs)));
    }

    /**
     * The entries of a token range in order, empty if there are none. After {@link #finish}.
     *
     * @param after tokens are greater than this
     * @param upTo tokens are at most this
     */
    public Optional<EntryMerge> open(long after, long upTo) {
        List<SortedRun> runs = new ArrayList<>();
        synchronized (this) {
            levels.forEach(runs::addAll);
            parts.forEach(part -> runs.add(part.sorter));
        }
        EntryMerge merge = new EntryMerge(runs.stream()
                .map(run -> run.open(after, upTo, bufferBytes(runs.size())))
                .toList());
        return merge.isEmpty() ? Optional.empty() : Optional.of(merge);
    }

    /** Bytes written to disk. */
    public long bytesSpilled() {
        return bytesSpilled.get();
    }

    /** Deletes all files. */
    @Override
    public synchronized void close() {
        closed = true;
        levels.forEach(runs -> runs.forEach(SpillFile::close));
        levels.clear();
    }
}
