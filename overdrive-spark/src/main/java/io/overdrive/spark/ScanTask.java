package io.overdrive.spark;

import io.overdrive.RowCursor;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.UUID;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * What an executor does of a scan: it travels there and opens a reader for each Spark partition. Immutable.
 *
 * @param id of the scan, the same for all its tasks
 */
record ScanTask(UUID id, Settings settings, String keyspace, String table, StructType columns)
        implements PartitionReaderFactory {
    private static final long serialVersionUID = 1;

    io.overdrive.Scan open() {
        ScanOptions.Builder options = ScanOptions.from(keyspace, table)
                .columns(Arrays.asList(columns.fieldNames()))
                .consistency(settings.consistency(Setting.READ_CONSISTENCY))
                .requestTimeout(Duration.ofMillis(settings.number(Setting.REQUEST_TIMEOUT)))
                .maxAttempts(settings.number(Setting.MAX_ATTEMPTS));
        return Engines.of(settings).scan(options.build());
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        return new Rows(
                open(), ((CassandraScan.SplitPartition) partition).splits().iterator(), columns);
    }

    /** The rows of some splits: of one after the other, while the first page of the next is on its way. */
    private static final class Rows implements PartitionReader<InternalRow> {
        private static final int OPEN = 2;

        private final io.overdrive.Scan scan;
        private final Iterator<Split> splits;
        private final StructType columns;
        private final Deque<RowCursor> open = new ArrayDeque<>();
        private @Nullable RowDecoder decoder;

        Rows(io.overdrive.Scan scan, Iterator<Split> splits, StructType columns) {
            this.scan = scan;
            this.splits = splits;
            this.columns = columns;
        }

        @Override
        public boolean next() {
            while (true) {
                RowCursor current = open.peek();
                if (current != null && decoder != null && current.next()) {
                    return true;
                }
                if (current != null && decoder != null) {
                    open.remove().close();
                }
                while (open.size() < OPEN && splits.hasNext()) {
                    open.add(scan.open(splits.next()));
                }
                RowCursor next = open.peek();
                if (next == null) {
                    return false;
                }
                decoder = new RowDecoder(next, columns, scan.types());
            }
        }

        @Override
        public InternalRow get() {
            if (decoder == null) {
                throw new IllegalStateException("there is no row");
            }
            return decoder.row();
        }

        @Override
        public void close() {
            open.forEach(RowCursor::close);
            TaskContext task = TaskContext.get();
            if (task != null) {
                task.taskMetrics().inputMetrics().incBytesRead(scan.totals().bytesRead());
            }
            scan.close();
        }
    }
}
