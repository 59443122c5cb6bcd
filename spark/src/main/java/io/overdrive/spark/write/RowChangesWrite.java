package io.overdrive.spark.write;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The write of an UPDATE, a MERGE, or a DELETE of single rows, by primary key. Plans (on the driver); a {@link WriteTask}
 * for deletions, one for insertions and an {@link UpdateTask} execute. Confined to the thread that plans and starts the job.
 *
 * <p>A statement changes a row at most once, so the order of its deletions, updates and insertions does not matter.
 *
 * <p>If what a statement does with a row depends on values that it changes, a task that runs again must not read them again: Spark shuffles
 * the changes, and each attempt gets them from there.
 */
public final class RowChangesWrite implements DeltaWrite, DeltaBatchWrite, RequiresDistributionAndOrdering {
    /** Microseconds since 1970. */
    private final long start = CassandraWrite.now();

    private final String table;
    private final String description;
    private final boolean isKnown;
    private final boolean isShuffled;
    private final boolean mayRepeat;
    /** Columns by which the changes are shuffled. */
    private final List<String> shuffledBy;

    private final @Nullable WriteTask deletions;
    private final @Nullable UpdateTask updates;
    private final @Nullable WriteTask insertions;
    private CustomTaskMetric[] written = {};

    /**
     * @param info has rows of the whole table, except for DELETE, and their keys
     * @param deletes whether rows are deleted
     * @param updated columns of existing rows that are written; empty if there are none
     * @param inserts whether rows are inserted
     * @param isKnown whether the plan has shown what changes; if not, the query can be explained and not run
     * @param isRepeatable whether the table becomes the same if rows are read and changed again
     */
    public RowChangesWrite(
            Settings settings,
            TableSchema table,
            LogicalWriteInfo info,
            boolean deletes,
            Set<String> updated,
            boolean inserts,
            boolean isKnown,
            boolean isRepeatable) {
        this.table = table.cqlName();
        this.isKnown = isKnown;
        isShuffled = !isRepeatable;
        mayRepeat = isRepeatable || settings.isOn(Setting.ALLOW_NON_IDEMPOTENT);
        boolean takesPartitionsApart =
                settings.get(Setting.DISTRIBUTION).toLowerCase(Locale.ROOT).equals("none");
        shuffledBy = table.columns().stream()
                .filter(column -> takesPartitionsApart ? column.isKey() : column.role() == Role.PARTITION_KEY)
                .map(column -> SparkTypes.quoted(column.name()))
                .toList();
        StructType keys = info.rowIdSchema().orElseThrow();
        Set<String> all = table.columns().stream().map(Column::name).collect(Collectors.toSet());
        deletions = deletes ? WriteTask.of(settings, table, keys, WriteColumns.ofKeys(settings, table, keys)) : null;
        StructType rows = info.schema();
        updates = updated.isEmpty() ? null : UpdateTask.of(settings, table, rows, updated);
        insertions =
                inserts ? WriteTask.of(settings, table, rows, WriteColumns.ofRow(settings, table, rows, all)) : null;
        description = "cassandra " + table.cqlName() + ": " + (deletes ? "deletes rows, " : "")
                + (updates == null
                        ? ""
                        : "updates ["
                                + String.join(", ", updates.cells().columns().names()) + "], ")
                + (inserts ? "inserts rows, " : "") + "by primary key"
                + (isShuffled
                        ? ", after a shuffle, as a task that runs again must not read what is changed already"
                        : "");
        if (deletions != null) {
            deletions.check();
        }
        if (updates != null) {
            updates.check();
        }
        if (insertions != null) {
            insertions.check();
        }
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public String toString() {
        return description;
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.all();
    }

    /** Reports the sums over all tasks, as Spark reads the metrics of a task before the last changes are written. */
    @Override
    public CustomTaskMetric[] reportDriverMetrics() {
        return written;
    }

    @Override
    public DeltaBatchWrite toBatch() {
        return this;
    }

    @Override
    public Distribution requiredDistribution() {
        return isShuffled
                ? Distributions.clustered(
                        shuffledBy.stream().map(Expressions::column).toArray(Expression[]::new))
                : Distributions.unspecified();
    }

    /** So that a task has all of its changes before it writes the first one: if some are lost, it has written none. */
    @Override
    public SortOrder[] requiredOrdering() {
        return isShuffled
                ? shuffledBy.stream()
                        .map(name -> Expressions.sort(Expressions.column(name), SortDirection.ASCENDING))
                        .toArray(SortOrder[]::new)
                : new SortOrder[0];
    }

    @Override
    public boolean useCommitCoordinator() {
        return false; // changes are visible once they are written, and repeating one changes nothing
    }

    /** All changes have the statement's start, before any row is read, as base of their write times: what others write later is kept. */
    @Override
    public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        if (!isKnown) {
            throw new IllegalStateException(description + ": Spark's plan does not show which columns are updated");
        }
        int count = info.numPartitions();
        return new Factory(
                deletions == null ? null : deletions.from(start, count),
                updates == null ? null : updates.from(start, count),
                insertions == null ? null : insertions.from(start, count),
                mayRepeat ? null : table);
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {}

    @Override
    public void commit(WriterCommitMessage[] messages) {
        written = WriteMetrics.ofTasks(Arrays.stream(messages)
                .map(message -> ((Changed) message).metrics())
                .toList());
    }

    /** The result of a task, all of whose changes are written. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Changed(CustomTaskMetric[] metrics) implements WriterCommitMessage {
        private static final long serialVersionUID = 1;
    }

    /**
     * Executes (on the executors), to which it travels. Immutable.
     *
     * @param unrepeatable the table, for messages, if its rows must not be read again; null if they may be
     */
    record Factory(
            @Nullable DataWriterFactory deletions,
            @Nullable DataWriterFactory updates,
            @Nullable DataWriterFactory insertions,
            @Nullable String unrepeatable)
            implements DeltaWriterFactory {
        private static final long serialVersionUID = 1;

        @Override
        public DeltaWriter<InternalRow> createWriter(int partition, long taskId) {
            TaskContext task = TaskContext.get();
            requireSameChanges(task == null ? 0 : task.stageAttemptNumber());
            DataWriter<InternalRow> deleting = null;
            DataWriter<InternalRow> updating = null;
            try {
                deleting = writer(deletions, partition, taskId);
                updating = writer(updates, partition, taskId);
                return new Changes(deleting, updating, writer(insertions, partition, taskId));
            } catch (Throwable e) {
                closeAfter(e, new Changes(deleting, updating, null)); // Spark does not know these writers
                throw e;
            }
        }

        /**
         * Spark begins a stage again when a part of the shuffle before it is lost, with the machine that had it, and makes that part
         * again from the table, of which other parts are changed already.
         */
        void requireSameChanges(int stageAttempt) {
            if (unrepeatable != null && stageAttempt > 0) {
                throw new IllegalStateException("[" + unrepeatable
                        + "] rows that were read are lost, as an executor or its disk is, and Spark has read them again: some were changed"
                        + " before, and what is done with them depends on their values: check which rows were changed and change the"
                        + " others, or accept that rows are changed twice with the setting \"spark.overdrive."
                        + Setting.ALLOW_NON_IDEMPOTENT.option + "\"");
            }
        }

        private static void closeAfter(Throwable failure, Changes opened) {
            try (opened) {
                opened.abort();
            } catch (IOException | RuntimeException e) {
                failure.addSuppressed(e);
            }
        }

        private static @Nullable DataWriter<InternalRow> writer(
                @Nullable DataWriterFactory factory, int partition, long taskId) {
            return factory == null ? null : factory.createWriter(partition, taskId);
        }
    }

    /** Writes the changes of a task. Confined to the task's thread. */
    private static final class Changes implements DeltaWriter<InternalRow> {
        private final @Nullable DataWriter<InternalRow> deletions;
        private final @Nullable DataWriter<InternalRow> updates;
        private final @Nullable DataWriter<InternalRow> insertions;
        private final List<DataWriter<InternalRow>> writers;

        Changes(
                @Nullable DataWriter<InternalRow> deletions,
                @Nullable DataWriter<InternalRow> updates,
                @Nullable DataWriter<InternalRow> insertions) {
            this.deletions = deletions;
            this.updates = updates;
            this.insertions = insertions;
            writers = Stream.of(deletions, updates, insertions)
                    .filter(Objects::nonNull)
                    .map(Objects::requireNonNull)
                    .toList();
        }

        @Override
        public void delete(@Nullable InternalRow metadata, InternalRow id) throws IOException {
            Objects.requireNonNull(deletions).write(id);
        }

        /** Updates a row with its writer; without one, the statement assigns each column its own value. */
        @Override
        public void update(@Nullable InternalRow metadata, InternalRow id, InternalRow row) throws IOException {
            if (updates != null) {
                updates.write(row);
            }
        }

        @Override
        public void insert(InternalRow row) throws IOException {
            Objects.requireNonNull(insertions).write(row);
        }

        /** Ends at the first failure, after which Spark aborts all. */
        @Override
        public WriterCommitMessage commit() throws IOException {
            for (DataWriter<InternalRow> writer : writers) {
                writer.commit();
            }
            return new Changed(WriteMetrics.ofWriters(metrics()));
        }

        /** Aborts each, even if another fails. */
        @Override
        public void abort() throws IOException {
            Closeable first = aborting(insertions);
            Closeable second = aborting(updates);
            Closeable third = aborting(deletions);
            try (third;
                    second;
                    first) {}
        }

        private static @Nullable Closeable aborting(@Nullable DataWriter<InternalRow> writer) {
            return writer == null ? null : writer::abort;
        }

        /** Closes each, even if another fails. */
        @Override
        public void close() throws IOException {
            try (deletions;
                    updates;
                    insertions) {}
        }

        /** None, but the writers note what Spark's own metrics of the task show: see {@link RowChangesWrite#reportDriverMetrics}. */
        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            var unused = metrics();
            return new CustomTaskMetric[0];
        }

        private List<CustomTaskMetric[]> metrics() {
            return writers.stream().map(DataWriter::currentMetricsValues).toList();
        }
    }
}
