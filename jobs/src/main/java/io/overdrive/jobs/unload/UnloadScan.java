package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The scan of an unload, and where the times of cells are in its rows. Immutable, except for the scan. */
final class UnloadScan {
    private static final int NONE = -1;

    private final RowFeed rows;
    /** Null if the rows are those of a query over a scan. */
    private final @Nullable Scan scan;

    private final int columns;
    /** The column with the write time of each column, which the time to live follows; negative for none. */
    private final int[] times;

    private final int markerTimes;

    private UnloadScan(RowFeed rows, @Nullable Scan scan, int[] times, int markerTimes) {
        this.rows = rows;
        this.scan = scan;
        this.columns = times.length;
        this.times = times;
        this.markerTimes = markerTimes;
    }

    /**
     * Plans the scan.
     *
     * @throws OverdriveException if the table or the query is invalid, or has no times that are to be kept
     */
    static UnloadScan open(Overdrive overdrive, ScanOptions read, UnloadOptions options) {
        if (!options.keepTimes()) {
            Scan scan = overdrive.scan(read);
            return of(RowFeed.of(scan), scan);
        }
        String keyspace = read.keyspace();
        String name = read.table();
        if (keyspace == null || name == null) {
            throw new IllegalOptionException(words -> words.of(JobOption.KEEP_TIMES)
                    + " is for tables; a query selects the times itself, as writetime(column) and ttl(column)");
        }
        overdrive.awaitNode(read.patience());
        TableSchema table = overdrive.table(keyspace, name);
        KeptTimes.refuseCounters(table);
        if (options.after() != null) {
            WrittenAfter.check(table, read.where());
        }
        List<String> chosen = read.columns();
        List<Column> columns = chosen == null
                ? table.columns()
                : chosen.stream()
                        .flatMap(each -> table.columns().stream()
                                .filter(column -> column.name().equals(each)))
                        .toList();
        Scan scan = KeptTimes.scan(
                overdrive,
                read,
                columns,
                collections -> words -> words.of(JobOption.COLUMNS) + " "
                        + columns.stream()
                                .map(Column::name)
                                .filter(each -> !collections.contains(each))
                                .map(Mapping::spelt)
                                .collect(Collectors.joining(",")));
        int[] times = new int[columns.size()];
        int next = columns.size();
        for (int i = 0; i < times.length; i++) {
            times[i] = columns.get(i).isKey() ? NONE : next;
            next += columns.get(i).isKey() ? 0 : 2;
        }
        return new UnloadScan(
                RowFeed.of(scan), scan, times, next < scan.columns().size() ? next : NONE);
    }

    /** Rows of a query over a scan. */
    static UnloadScan of(RowFeed rows) {
        return of(rows, /* scan */ null);
    }

    private static UnloadScan of(RowFeed rows, @Nullable Scan scan) {
        int[] times = new int[rows.columns().size()];
        Arrays.fill(times, NONE);
        return new UnloadScan(rows, scan, times, NONE);
    }

    RowFeed rows() {
        return rows;
    }

    /** Plans the splits of a run with a journal, which only a scan can have. */
    void prepare(SplitJournal journal) {
        journal.prepare(Objects.requireNonNull(scan));
    }

    /** Names of the columns that are read, without their times. */
    List<String> columns() {
        return rows.columns().subList(0, columns);
    }

    List<DataType> types() {
        return rows.types().subList(0, columns);
    }

    /** The column with the write time of a column's cells, which the time to live follows; negative if they are not read. */
    int timesOf(int column) {
        return times[column];
    }

    /** Whether a column has a time for each element. */
    boolean areTimesOfElements(int column) {
        return column < columns && rows.types().get(times[column]) instanceof ListType;
    }

    /** The column with the write time of row markers, which the time to live follows; negative if it is not read. */
    int markerTimes() {
        return markerTimes;
    }

    /** Why a run of this scan cannot be resumed; empty if it can. */
    String whyNotResumable(UnloadOptions options) {
        if (options.stream() != null) {
            return "standard output cannot be truncated to the last checkpoint; unload into a directory or a file";
        }
        if (scan == null) {
            return "the rows of a query in SQL have no positions at which it could continue";
        }
        return scan.whyNotSplit().isEmpty() ? "" : "the query runs as one: " + scan.whyNotSplit();
    }

    /** The source that a resumed run has to find unchanged. */
    RunTarget target(Overdrive overdrive, ScanOptions read) {
        String keyspace = read.keyspace();
        String table = read.table();
        Scan of = Objects.requireNonNull(scan);
        return keyspace != null && table != null
                ? RunTarget.of(overdrive, overdrive.table(keyspace, table))
                : RunTarget.of(overdrive, of.query(), of.keyspace(), of.table(), of.columns(), of.types());
    }
}
