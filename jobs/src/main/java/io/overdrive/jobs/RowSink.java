package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where rows end, for one thread of a job: in requests, in SSTables, in the rows that a verification expects, or nowhere once they are checked.
 * Confined to that thread; on the hot path. A process that runs one job has one implementation, so that a call costs nothing.
 */
public interface RowSink {
    /** The columns of a row, in the order of the setters. */
    List<String> columns();

    /** The types of these columns. */
    List<DataType> types();

    /** The buffer of the next row, cleared. Always the same one. */
    RowBuffer row();

    /**
     * Why the row in the buffer cannot be taken; null if it can. The row has its key, position, write time and TTL; other values may not be
     * set yet.
     */
    @Nullable String problem();

    /** Whether a row that has its key may have a problem. */
    boolean mayRefuse();

    /**
     * Takes the row in the buffer, which has no problem, copying its bytes.
     *
     * @throws OverdriveException if the sink has failed, and takes no more rows
     */
    void take();
}
