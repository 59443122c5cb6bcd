package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where rows end, for one thread of a job: in requests, in SSTables, in the rows that a verification expects, or nowhere once they are checked.
 * A writer gives them their form. Confined to that thread; on the hot path. A process that runs one job has one implementation, so that a call
 * costs nothing.
 */
public abstract class RowSink {
    protected final RowWriter writer;
    /** The writer's buffer, which has the current row. */
    protected final RowBuffer buffer;

    /** @param writer of this thread only */
    protected RowSink(RowWriter writer) {
        this.writer = writer;
        this.buffer = writer.row();
    }

    /** The columns of a row, in the order of the setters. */
    public final List<String> columns() {
        return writer.columns();
    }

    /** The types of these columns. */
    public final List<DataType> types() {
        return writer.types();
    }

    /** The buffer of the next row, cleared. Always the same one. */
    public final RowBuffer row() {
        return writer.row();
    }

    /**
     * Why the row in the buffer cannot be taken; null if it can. The row has its key, position, write time and TTL; other values may not be
     * set yet.
     */
    public @Nullable String problem() {
        return buffer.hiddenValue();
    }

    /** Whether a row that has its key may have a problem. */
    public boolean mayRefuse() {
        return writer.mayHideValues();
    }

    /**
     * Takes the row in the buffer, which has no problem, copying its bytes.
     *
     * @throws OverdriveException if the sink has failed, and takes no more rows
     */
    public abstract void take();
}
