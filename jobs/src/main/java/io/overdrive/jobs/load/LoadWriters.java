package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writers of a load, which also give rows their form and their write times if these are not sent. Immutable.
 *
 * @param rows of all records, or of those that have a row
 * @param statics of records that have static columns and no row; null if there cannot be any
 */
public record LoadWriters(RowWriter rows, @Nullable RowWriter statics) {
    static LoadWriters open(Overdrive overdrive, WriteOptions options) {
        RowWriter rows = overdrive.writer(options);
        try {
            return new LoadWriters(rows, rows.forStatics().orElse(null));
        } catch (RuntimeException e) {
            rows.abandon();
            throw e;
        }
    }

    List<RowWriter> all() {
        RowWriter second = statics;
        return second == null ? List.of(rows) : List.of(rows, second);
    }

    /** Figures of all writers. */
    Totals totals() {
        return all().stream().map(RowWriter::totals).reduce(Totals.NONE, Totals::plus);
    }

    void abandon() {
        all().forEach(RowWriter::abandon);
    }

    /** The columns that are written, as spelled in CQL. */
    List<String> columns() {
        return spelt(rows.columns());
    }

    /** The columns that are written of partitions without a row, as spelled in CQL; empty if records always have a row. */
    List<String> staticColumns() {
        return statics == null ? List.of() : spelt(statics.columns());
    }

    private static List<String> spelt(List<String> columns) {
        return columns.stream()
                .map(c -> CqlIdentifier.fromInternal(c).asCql(true))
                .toList();
    }
}
