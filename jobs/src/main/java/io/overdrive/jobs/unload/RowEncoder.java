package io.overdrive.jobs.unload;

import io.overdrive.RowCursor;
import java.io.IOException;

/** Converts rows to records. Used by one thread at a time; on the hot path (read step 5). */
interface RowEncoder {
    static RowEncoder of(Unloader unload) {
        return unload.options.format().partitionBy().isEmpty() ? unload.pageEncoder() : new PartitionEncoder(unload);
    }

    /** Whether rows wait for those of the next page. */
    boolean isBatched();

    void write(RowCursor rows, Unloader.SplitWriter split) throws IOException;

    /** Writes all rows out. */
    void flush(Unloader.SplitWriter split) throws IOException;
}
