package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.handover.SstableAttempt;
import io.overdrive.sstable.sort.SorterPart;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.TokenOwners;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.executor.OutputMetrics;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;

/**
 * An executor's part of a write by SSTables: each attempt of a task writes a series of SSTables, one for each node, into a directory
 * that no other attempt has. Executes (on the executors), to which it travels. Immutable.
 *
 * @param rows how rows are encoded, and their write times, which are those of a write over CQL
 * @param owners which nodes get which partitions; of a large cluster some MB, so that each executor gets them once
 * @param nodes how many nodes get SSTables
 * @param root the directory of the job
 * @param ttl of rows that have none, in seconds; 0 for none
 */
record SstableTask(WriteTask rows, Broadcast<TokenOwners> owners, int nodes, String root, int ttl)
        implements DataWriterFactory {
    private static final long serialVersionUID = 1;
    private static final long MICROS_PER_SECOND = 1_000_000;

    /**
     * Output of an attempt, which the job may take.
     *
     * @param rows how many it was given
     */
    record Finished(SstableAttempt.Result result, long rows) implements WriterCommitMessage {
        private static final long serialVersionUID = 1;
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long taskId) {
        return createWriter(partition, taskId, rows::encoder);
    }

    /** @param encoders makes the encoder for a writer */
    <T> DataWriter<T> createWriter(int partition, long taskId, Function<RowWriter, WriteTask.Encoder<T>> encoders) {
        RowWriter writer = rows.open();
        WriteTask.Encoder<T> encoder =
                encoders.apply(writer); // before there is a sorter to close, as types may not fit
        SstableSorter sorter = SstableSorter.of(
                table(),
                rows.columns().names(),
                WriteTask.spillDirectory(),
                WriteTask.groupingMemory(rows.settings(), rows.concurrentTasks()),
                /* producers */ 1,
                (int) (rows.baseTimestamp() / MICROS_PER_SECOND));
        return new Sorted<>(
                this,
                writer,
                encoder,
                new KeyPositions(rows.tasks(), partition, /* attempt */ 0), // of all attempts, Spark takes one
                sorter,
                new SstableAttempt(Path.of(root), partition + "-" + taskId));
    }

    private TableMetadata table() {
        Overdrive engine = SharedEngines.of(rows.settings());
        engine.table(rows.keyspace(), rows.table()); // or says what there is
        return engine.session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(rows.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(rows.table())))
                .orElseThrow();
    }

    /** Sorts the rows of a task, and writes them when all are there. Confined to the task's thread; on the hot path. */
    private static final class Sorted<T> implements DataWriter<T> {
        private final SstableTask task;
        private final RowWriter writer;
        private final WriteTask.Encoder<T> encoder;
        private final KeyPositions positions;
        private final SstableSorter sorter;
        private final SorterPart part;
        private final SstableAttempt attempt;
        private final @Nullable ValueCheck[] checks;
        private long rowsTaken;
        private SstableAttempt.@Nullable Result result;

        Sorted(
                SstableTask task,
                RowWriter writer,
                WriteTask.Encoder<T> encoder,
                KeyPositions positions,
                SstableSorter sorter,
                SstableAttempt attempt) {
            this.task = task;
            this.writer = writer;
            this.encoder = encoder;
            this.positions = positions;
            this.sorter = sorter;
            this.attempt = attempt;
            part = sorter.part();
            List<DataType> types = writer.types();
            checks = new ValueCheck[types.size()];
            for (int i = 0; i < checks.length; i++) {
                checks[i] = ValueCheck.of(types.get(i));
            }
        }

        /** Spark reads the metrics when this returns, so the SSTables must be written by then. */
        @Override
        public void writeAll(Iterator<T> all) {
            while (all.hasNext()) {
                write(all.next());
            }
            var unused = finish();
        }

        @Override
        public void write(T row) {
            RowBuffer to = writer.row();
            long position = positions.next(encoder.put(row, to));
            int ttl = to.ttl(task.ttl);
            long writeTime = to.timestamp(writer.writeTime(position));
            String problem = part.problem(to, writeTime, ttl);
            if (problem == null) {
                problem = badValue(to);
            }
            if (problem == null) {
                problem = to.hiddenValue();
            }
            if (problem != null) {
                throw new IllegalArgumentException(
                        "[" + task.rows.keyspace() + "." + task.rows.table() + "] a row cannot be written: " + problem);
            }
            part.add(to, writeTime, ttl);
            rowsTaken++;
        }

        /** No node looks at what it imports: a value that the server would refuse would be read by everybody. */
        private @Nullable String badValue(RowBuffer row) {
            for (int i = 0; i < checks.length; i++) {
                ValueCheck check = checks[i];
                if (check != null && row.isSet(i) && row.length(i) > 0) {
                    String problem = check.problem(row.array(), row.offset(i), row.offset(i) + row.length(i));
                    if (problem != null) {
                        return "column \"" + writer.columns().get(i) + "\" has " + problem;
                    }
                }
            }
            return null;
        }

        private SstableAttempt.Result finish() {
            SstableAttempt.Result written = result;
            if (written == null) {
                written = rowsTaken == 0
                        ? SstableAttempt.nothing()
                        : attempt.write(sorter, task.owners.value(), task.nodes);
                result = written;
                TaskContext context = TaskContext.get();
                if (context != null) {
                    OutputMetrics output = context.taskMetrics().outputMetrics();
                    output.setRecordsWritten(rowsTaken);
                    output.setBytesWritten(written.bytes());
                }
            }
            return written;
        }

        @Override
        public WriterCommitMessage commit() {
            return new Finished(finish(), rowsTaken);
        }

        @Override
        public void abort() {
            try {
                sorter.close();
            } finally {
                attempt.delete();
            }
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            SstableAttempt.Result written = result;
            return written == null
                    ? new CustomTaskMetric[0]
                    : WriteMetrics.ofSstables(rowsTaken, written.bytes(), sorter.bytesSpilled());
        }

        @Override
        public void close() {
            sorter.close();
        }
    }
}
