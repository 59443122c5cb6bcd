package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The writers of a load, which also give rows their form and their write times if these are not sent. Immutable.
 *
 * @param rows of all records, or of those that have a row
 * @param statics of records that have static columns and no row, and of static columns if cells keep their times; null if there cannot be
 *     any
 * @param cellsOnly of cells without the row marker, if cells keep their times; null if there are none
 */
public record LoadWriters(RowWriter rows, @Nullable RowWriter statics, @Nullable RowWriter cellsOnly) {
    static LoadWriters open(Overdrive overdrive, WriteOptions options) {
        RowWriter rows = overdrive.writer(options);
        try {
            return new LoadWriters(rows, rows.forStatics().orElse(null), /* cellsOnly */ null);
        } catch (RuntimeException e) {
            rows.abandon();
            throw e;
        }
    }

    /** @param options of the writer of rows, which are then changed */
    static LoadWriters openTimed(Overdrive overdrive, WriteOptions.Builder options, TableSchema table) {
        LoadWriters writers = open(overdrive, options.build());
        List<String> columns = table.columns().stream()
                .filter(c -> writers.rows.columns().contains(c.name()) && c.role() != Role.STATIC)
                .map(Column::name)
                .toList();
        boolean hasCells =
                table.columns().stream().anyMatch(c -> c.role() == Role.REGULAR && columns.contains(c.name()));
        if (!hasCells) {
            return writers;
        }
        try {
            RowWriter cellsOnly =
                    overdrive.writer(options.columns(columns).cellsOnly().build());
            return new LoadWriters(writers.rows, writers.statics, cellsOnly);
        } catch (RuntimeException e) {
            writers.abandon();
            throw e;
        }
    }

    List<RowWriter> all() {
        return Stream.of(rows, statics, cellsOnly).filter(Objects::nonNull).toList();
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
