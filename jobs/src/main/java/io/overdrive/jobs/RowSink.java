package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where rows end, for one thread of a job: in requests, in SSTables, in the rows that a verification expects, in a profile, or nowhere once they
 * are checked. A writer gives them their form, or the types of a file's columns. Confined to that thread; on the hot path. A process that runs one job has one implementation, so that a call
 * costs nothing.
 */
public abstract class RowSink {
    /** Has the current row. */
    protected final RowBuffer buffer;

    private final List<String> columns;
    private final List<DataType> types;
    private final boolean mayRefuse;

    /** @param writer of this thread only */
    protected RowSink(RowWriter writer) {
        this(writer.row(), writer.columns(), writer.types(), writer.mayHideValues());
    }

    /** Creates a sink for rows of this form that no writer writes. */
    protected RowSink(TableSchema form) {
        this(
                form.unwrittenRow(),
                form.columns().stream().map(TableSchema.Column::name).toList(),
                form.columns().stream().map(TableSchema.Column::type).toList(),
                /* mayRefuse */ false);
    }

    private RowSink(RowBuffer buffer, List<String> columns, List<DataType> types, boolean mayRefuse) {
        this.buffer = buffer;
        this.columns = columns;
        this.types = types;
        this.mayRefuse = mayRefuse;
    }

    /** The columns of a row, in the order of the setters. */
    public final List<String> columns() {
        return columns;
    }

    /** The types of these columns. */
    public final List<DataType> types() {
        return types;
    }

    /** The buffer of the next row, cleared. Always the same one. */
    public final RowBuffer row() {
        buffer.clear();
        return buffer;
    }

    /**
     * Why the row in the buffer cannot be taken; null if it can. The row has its key, position, write time and TTL; other values may not be
     * set yet.
     */
    public @Nullable String problem() {
        return buffer.hiddenValue();
    }

    /**
     * Why the row in the buffer has no partition key; null if it has one. Nodes refuse an empty key, which only a single column can be.
     *
     * @param column the only one of the partition key; negative if it has several
     */
    protected final @Nullable String emptyKey(int column) {
        return column >= 0 && buffer.length(column) == 0
                ? "partition key column \"" + columns.get(column) + "\" is empty"
                : null;
    }

    /** Whether a row that has its key may have a problem. */
    public boolean mayRefuse() {
        return mayRefuse;
    }

    /**
     * Takes the row in the buffer, which has no problem, copying its bytes.
     *
     * @throws OverdriveException if the sink has failed, and takes no more rows
     */
    public abstract void take();

    /** As {@link #take}, for more cells of a row that another call stands for: where sinks count rows, it counts once. */
    public void takeMore() {
        take();
    }
}
