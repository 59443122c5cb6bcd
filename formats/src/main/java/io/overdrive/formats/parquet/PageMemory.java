package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.RefusedFileException;
import io.overdrive.internal.flow.JavaHeap;

/** The memory of the pages of all columns, which are read at the same time. Confined to one thread. */
final class PageMemory {
    private static final int SHARE_OF_HEAP = 2;

    private final long limit = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    private long used;

    /**
     * A page takes the place of another one.
     *
     * @throws RefusedFileException before memory is taken that there is not
     */
    void replace(long before, long now) throws RefusedFileException {
        used += now - before;
        if (used > limit) {
            throw new RefusedFileException("its page of " + (now >> 20) + " MiB and the pages of other columns need "
                    + (used >> 20) + " MiB, more than half of " + JavaHeap.described() + ": " + JavaHeap.REMEDY
                    + ", or write the file with smaller pages");
        }
    }
}
