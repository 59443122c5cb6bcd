package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Lookup;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowCursor;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.spark.cell.RowDecoder;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.read.FoundSstables;
import io.overdrive.sstable.read.SstableRows;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's part of a scan, which opens a reader for each Spark partition. Executes (on the executors), to which it
 * travels. Immutable.
 *
 * @param id of the scan, the same for all its tasks
 * @param columns of Spark's rows
 * @param emptyForNull names of collections among them that are empty instead of null
 * @param selection in CQL: these columns, maybe followed by others
 * @param sums aggregates, or null if rows are read
 * @param where conditions in CQL, without those on the partition key, and the clauses after them; empty for none
 * @param keyColumns the partition key
 * @param limit maximum number of rows that a task reads
 * @param rows reads the rows of token ranges whose aggregates by the server differ from Spark's; null without
 *     aggregates
 * @param sstables that have the rows, in place of the cluster; null if they are requested
 */
public record ScanTask(
        UUID id,
        Settings settings,
        String keyspace,
        String table,
        StructType columns,
        Set<String> emptyForNull,
        List<String> selection,
        @Nullable Sums sums,
        String where,
        List<String> keyColumns,
        int limit,
        @Nullable ScanTask rows,
        @Nullable FoundSstables sstables)
        implements PartitionReaderFactory {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(ScanTask.class);
    private static final int FEW_ROWS = 10_000;

    String tableName() {
        return keyspace + "." + table;
    }

    ScanOptions.Builder options() {
        ScanOptions.Builder options = withLimits(ScanOptions.from(keyspace, table), settings);
        if (!where.isEmpty()) {
            options.where(where);
        }
        if (settings.find(Setting.PAGE_ROWS) != null && sums == null) {
            options.pageRows(Math.min(limit, settings.number(Setting.PAGE_ROWS)));
        } else if (limit < options.build().pageRows()) {
            options.pageRows(Math.max(1, limit));
        }
        return options;
    }

    /** Sets options that are the same for all reads. */
    static ScanOptions.Builder withLimits(ScanOptions.Builder options, Settings settings) {
        settings.setReads(options::set);
        return options;
    }

    /** Whether the first split probably has enough rows. */
    boolean isForFewRows() {
        return limit <= FEW_ROWS;
    }

    /** A scan, and the files that it reads; null if it requests the rows. Thread-safe, as both are. */
    private record OpenScan(io.overdrive.Scan scan, @Nullable SstableRows files) implements AutoCloseable {
        @Override
        public void close() {
            scan.close();
            if (files != null) {
                files.close();
            }
        }
    }

    private OpenScan open() {
        Overdrive overdrive = SharedEngines.of(settings);
        SstableRows files = null;
        try {
            ScanOptions.Builder options = options();
            if (sums != null) {
                return new OpenScan(overdrive.aggregate(options.build(), selection), files);
            }
            if (sstables != null) {
                files = SstableRows.open(overdrive, keyspace, table, sstables);
                files.warnings().forEach(warning -> LOG.warn("[{}] {}", tableName(), warning));
                options.source(files);
            }
            return new OpenScan(overdrive.scan(options.columns(selection).build()), files);
        } catch (IllegalOptionException | OverdriveException e) {
            if (files != null) {
                files.close();
            }
            throw Failures.named(e);
        }
    }

    /** Takes from the scan what a plan needs; on the driver, whose failures are Spark's. */
    <R> R plan(Function<io.overdrive.Scan, R> needed) {
        try (OpenScan open = open()) {
            return needed.apply(open.scan);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /** The table as the stage has found it, with which a task compares it at its end. Call this before the first request. */
    public SameTable sameTable() {
        return StageTable.of(id, settings, keyspace, table, rows == null ? selection : rows.selection);
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition given) {
        InputPartition partition = given instanceof TokenBuckets.Bucket bucket ? bucket.rows() : given;
        if (partition instanceof KeysPartition keys) {
            ScanTask task = keys.range() == null ? this : within(keys.range());
            return new FoundRows(task, PacedLookup.open(task, keyColumns), keys);
        }
        List<Split> splits = ((SplitPartition) partition).splits();
        return sums == null || rows == null
                ? splitRows(splits)
                : new AggregatedRow(sums, splitRows(splits), () -> rows.splitRows(splits), rows.columns);
    }

    private ScanTask within(String conditions) {
        return new ScanTask(
                id,
                settings,
                keyspace,
                table,
                columns,
                emptyForNull,
                selection,
                sums,
                conditions,
                keyColumns,
                limit,
                rows,
                sstables);
    }

    private SplitRows splitRows(List<Split> splits) {
        return new SplitRows(
                this,
                SharedRead.open(
                        List.of(id, "splits"), this::open, open -> open.scan.totals(), open -> open.scan.threadWaits()),
                splits);
    }

    private StructType rangeColumns() {
        return sums == null ? columns : sums.rangeColumns();
    }

    /** Reads the rows of one Spark partition, cursor by cursor. Confined to one thread; on the hot path. */
    private abstract static class Rows<T extends AutoCloseable> implements PartitionReader<InternalRow> {
        private final StructType columns;
        private final Set<String> emptyForNull;
        private final SharedRead<T> shared;
        private final ReadMetrics metrics;
        private final ScanTask task;
        private @Nullable SameTable table;
        private long rowsLeft;
        private @Nullable RowCursor cursor;
        private @Nullable RowDecoder decoder;
        private long rows;
        private long bytes;
        private boolean closed;

        Rows(ScanTask task, SharedRead<T> shared) {
            this.task = task;
            this.columns = task.rangeColumns();
            this.emptyForNull = task.emptyForNull;
            this.rowsLeft = task.limit;
            this.shared = shared;
            this.metrics = new ReadMetrics(shared);
        }

        final T engine() {
            return shared.get();
        }

        /** The cursor with the next rows; null at the end. The previous cursor is no longer used. */
        abstract @Nullable RowCursor nextCursor();

        abstract List<DataType> types();

        @Override
        public boolean next() {
            try {
                return hasNext();
            } catch (RuntimeException e) {
                shared.forget();
                throw Failures.named(e);
            }
        }

        private boolean hasNext() {
            if (rowsLeft == 0) {
                return false;
            }
            SameTable before = table;
            if (before == null) {
                before = task.sameTable();
                table = before;
            }
            RowCursor from = cursor;
            while (from == null || !from.next()) {
                RowCursor last = from;
                from = nextCursor();
                if (from == null) {
                    before.requireForRead();
                    rowsLeft = 0;
                    return false;
                }
                if (from != last) {
                    cursor = from;
                    decoder = new RowDecoder(from, columns, types(), emptyForNull);
                }
            }
            rowsLeft--;
            rows++;
            bytes += from.rowEnd() - from.rowStart();
            return true;
        }

        @Override
        public InternalRow get() {
            if (decoder == null) {
                throw new IllegalStateException("there is no row");
            }
            return decoder.row();
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            return metrics.now(rows, bytes, /* isLast */ rowsLeft == 0);
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            TaskContext task = TaskContext.get();
            if (task != null) {
                task.taskMetrics().inputMetrics().incBytesRead(bytes);
            }
            shared.close();
        }
    }

    /** Reads splits in sequence, while the first page of the next one is in flight. */
    private static final class SplitRows extends Rows<OpenScan> {
        private static final int OPEN = 2;

        private final Iterator<Split> splits;
        private final int maxOpen;
        private final Deque<RowCursor> open = new ArrayDeque<>();
        private @Nullable RowCursor current;

        SplitRows(ScanTask task, SharedRead<OpenScan> shared, List<Split> splits) {
            super(task, shared);
            this.splits = splits.iterator();
            if (task.sums != null) {
                // the servers work concurrently, and their answers take little memory
                long nodes = splits.stream().map(Split::replicas).distinct().count();
                this.maxOpen = Math.toIntExact(nodes * task.options().build().splitsInFlight());
            } else {
                this.maxOpen = task.isForFewRows() ? 1 : OPEN;
            }
        }

        @Override
        @Nullable RowCursor nextCursor() {
            if (current != null) {
                current.close();
            }
            while (open.size() < maxOpen && splits.hasNext()) {
                open.add(engine().scan.open(splits.next()));
            }
            current = open.poll();
            return current;
        }

        @Override
        List<DataType> types() {
            return engine().scan.types();
        }

        @Override
        public void close() {
            if (current != null) {
                current.close();
            }
            open.forEach(RowCursor::close);
            super.close();
        }
    }

    /** Merges the rows that the servers return for token ranges into one. Confined to one thread. */
    private static final class AggregatedRow implements PartitionReader<InternalRow> {
        private final Sums sums;
        private final Supplier<SplitRows> tableRows;
        private final StructType rowColumns;
        /** Aggregates of ranges, or the table's rows if the servers' aggregates differ from Spark's. */
        private SplitRows source;

        private @Nullable InternalRow row;

        AggregatedRow(Sums sums, SplitRows ranges, Supplier<SplitRows> tableRows, StructType rowColumns) {
            this.sums = sums;
            this.source = ranges;
            this.tableRows = tableRows;
            this.rowColumns = rowColumns;
        }

        @Override
        public boolean next() {
            if (row != null) {
                return false;
            }
            row = aggregateOfRanges();
            if (row == null) {
                source.close();
                source = tableRows.get();
                Sums.Adder adder = sums.adder();
                while (source.next()) {
                    adder.addRow(source.get(), rowColumns);
                }
                row = adder.row();
            }
            return true;
        }

        /** Null if a range has empty values. */
        private @Nullable InternalRow aggregateOfRanges() {
            Sums.Adder adder = sums.adder();
            while (source.next()) {
                if (!adder.add(source.get())) {
                    return null;
                }
            }
            return adder.row();
        }

        @Override
        public InternalRow get() {
            if (row == null) {
                throw new IllegalStateException("there is no row");
            }
            return row;
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            return source.currentMetricsValues();
        }

        @Override
        public void close() {
            source.close();
        }
    }

    /** Reads the rows of a list of keys, many of which are in flight at once. */
    private static final class FoundRows extends Rows<PacedLookup> {
        private final String tableName;
        private final KeysPartition partition;
        private final int inFlight;
        private KeysPartition.@Nullable Reader keys;
        private Lookup.@Nullable Queue queue;

        FoundRows(ScanTask task, SharedRead<PacedLookup> shared, KeysPartition partition) {
            super(task, shared);
            this.tableName = task.tableName();
            this.partition = partition;
            this.inFlight = (int) Math.min(task.limit, task.settings.number(Setting.LOOKUPS_IN_FLIGHT));
        }

        @Override
        @Nullable RowCursor nextCursor() {
            PacedLookup engine = engine();
            Lookup.Queue to = queue;
            KeysPartition.Reader from = keys;
            if (to == null || from == null) {
                from = partition.reader(tableName, engine.lookup());
                to = engine.lookup().open(inFlight);
                keys = from;
                queue = to;
            }
            while (!to.isFull() && from.hasNext()) {
                from.next(to.key());
                engine.ask(to);
            }
            return to.take();
        }

        @Override
        List<DataType> types() {
            return engine().lookup().types();
        }

        @Override
        public void close() {
            if (queue != null) {
                queue.close();
            }
            super.close();
        }
    }
}
