package io.overdrive.jobs.copy;

import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The writers of a copy: at least one. Immutable.
 *
 * @param rows null if only static columns are written
 * @param cellsOnly for cells of rows without the row marker; null if that is not kept, or all columns are in the primary key
 * @param statics null if static columns are not written separately
 */
record CopyWriters(@Nullable RowWriter rows, @Nullable RowWriter cellsOnly, @Nullable RowWriter statics) {
    /** Opens those that a plan needs. */
    static CopyWriters open(Overdrive target, WriteOptions.Builder write, CopyPlan plan, boolean keepsMarkers) {
        RowWriter rows = null;
        RowWriter statics = null;
        try {
            rows = open(target, write, plan.rowColumns());
            statics = open(target, write, plan.staticColumns());
            // the last, as it sets an option that the others do not have
            RowWriter cellsOnly = keepsMarkers ? open(target, write.cellsOnly(), plan.cellColumns()) : null;
            return new CopyWriters(rows, cellsOnly, statics);
        } catch (RuntimeException e) {
            Stream.of(rows, statics).filter(Objects::nonNull).forEach(RowWriter::close);
            throw e;
        }
    }

    private static @Nullable RowWriter open(Overdrive target, WriteOptions.Builder write, List<String> columns) {
        return columns.isEmpty() ? null : target.writer(write.columns(columns).build());
    }

    List<RowWriter> all() {
        return Stream.of(rows, cellsOnly, statics).filter(Objects::nonNull).toList();
    }
}
