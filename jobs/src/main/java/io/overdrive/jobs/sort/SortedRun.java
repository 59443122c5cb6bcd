package io.overdrive.jobs.sort;

/** Entries in order, in memory or on disk. Any number of threads may read it at the same time. */
interface SortedRun {
    /**
     * Reads the entries whose tokens are greater than the first one, up to and including the second one.
     *
     * @param bufferBytes how much to read at once, if it is on disk
     */
    EntryReader open(long after, long upTo, int bufferBytes);
}
