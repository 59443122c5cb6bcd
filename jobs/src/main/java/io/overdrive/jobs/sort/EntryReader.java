package io.overdrive.jobs.sort;

/** Entries one at a time, in order. Confined to one thread. */
interface EntryReader {
    /** Advances to the next entry; false if there is none, and then not called any more. */
    boolean next();

    /** The current entry, valid until {@link #next}. Always the same object. */
    Entry entry();
}
