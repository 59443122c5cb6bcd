package io.overdrive.sstable.read;

import io.overdrive.sstable.format.FileHeader;
import java.io.Closeable;
import java.io.IOException;

/** The partitions of an SSTable in sequence, as a file of its index has them. Confined to one thread. */
sealed interface IndexEntries extends Closeable permits IndexFileEntries, TrieEntries {
    /** Continues with the partition that {@link #entry} was called for; not after {@link #next}. */
    void seek(long entry) throws IOException, FileHeader.Problem;

    /** Goes to the next partition, if there is one. */
    boolean next() throws IOException, FileHeader.Problem;

    /** Where to continue to come to the partition again, or to one before it that has the same token. */
    long entry();

    /** Where the partition begins in the rows, before compression. */
    long position();

    /** The least token that it can have; that of the first and of the last one is exact. */
    long minToken();

    SstableIndex.Place place();
}
