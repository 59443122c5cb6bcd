package io.overdrive.spark.write;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.cell.ElementTypes;
import io.overdrive.spark.config.Settings;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * An executor's part of the update of existing rows. Only cells are written, so that the rows themselves live as long as before: they
 * keep their row markers, with these markers' times to live. In Cassandra a row without marker ends with its last cell, which no UPDATE
 * in SQL does: a row without any value outside of its key gets a marker. Executes (on the executors), to which it travels. Immutable.
 *
 * @param cells writes the assigned columns by UPDATE
 * @param rows writes them by INSERT
 * @param values the fields outside of the key
 */
record UpdateTask(WriteTask cells, WriteTask rows, List<Value> values) implements DataWriterFactory {
    private static final long serialVersionUID = 1;

    /**
     * A field of Spark's rows.
     *
     * @param hasElements whether Cassandra stores its elements, and nothing if there are none
     */
    private record Value(int field, DataType type, boolean hasElements) implements Serializable {
        private static final long serialVersionUID = 1;

        boolean isStored(InternalRow row) {
            if (row.isNullAt(field)) {
                return false;
            } else if (!hasElements) {
                return true;
            } else if (type instanceof ArrayType) {
                return row.getArray(field).numElements() > 0;
            } else if (type instanceof MapType) {
                return row.getMap(field).numElements() > 0;
            }
            InternalRow udt = row.getStruct(field, ((StructType) type).length());
            for (int i = 0; i < udt.numFields(); i++) {
                if (!udt.isNullAt(i)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * @param schema of the rows, which have all columns of the table
     * @param assigned columns outside of the key
     */
    static UpdateTask of(Settings settings, TableSchema table, StructType schema, Set<String> assigned) {
        Set<String> written = new HashSet<>(assigned);
        List<Value> values = new ArrayList<>();
        for (Column column : table.columns()) {
            if (column.isKey()) {
                written.add(column.name());
            } else {
                int field = schema.fieldIndex(column.name());
                values.add(
                        new Value(field, schema.fields()[field].dataType(), ElementTypes.hasElements(column.type())));
            }
        }
        WriteColumns columns = WriteColumns.ofRow(settings, table, schema, written);
        return new UpdateTask(
                WriteTask.of(settings, table, schema, columns.withoutMarker()),
                WriteTask.of(settings, table, schema, columns),
                List.copyOf(values));
    }

    void check() {
        cells.check();
        rows.check();
    }

    UpdateTask from(long timestamp, int jobTasks) {
        return new UpdateTask(cells.from(timestamp, jobTasks), rows.from(timestamp, jobTasks), values);
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long taskId) {
        return new Updates(partition, taskId);
    }

    private boolean hasValue(InternalRow row) {
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).isStored(row)) {
                return true;
            }
        }
        return false;
    }

    /** Writes the updates of a task. Confined to the task's thread; on the hot path. */
    private final class Updates implements DataWriter<InternalRow> {
        private final int partition;
        private final long taskId;
        private final DataWriter<InternalRow> ofCells;
        /** Made for the first row that needs it. */
        private @Nullable DataWriter<InternalRow> ofRows;

        Updates(int partition, long taskId) {
            this.partition = partition;
            this.taskId = taskId;
            ofCells = cells.createWriter(partition, taskId);
        }

        @Override
        public void write(InternalRow row) throws IOException {
            if (hasValue(row)) {
                ofCells.write(row);
                return;
            }
            DataWriter<InternalRow> to = ofRows;
            if (to == null) {
                to = rows.createWriter(partition, taskId);
                ofRows = to;
            }
            to.write(row);
        }

        @Override
        public WriterCommitMessage commit() throws IOException {
            WriterCommitMessage message = ofCells.commit();
            return ofRows == null ? message : ofRows.commit();
        }

        /** Aborts both, even if one fails. */
        @Override
        public void abort() throws IOException {
            DataWriter<InternalRow> opened = ofRows;
            Closeable second = opened == null ? null : opened::abort;
            try (second) {
                ofCells.abort();
            }
        }

        /** Closes both, even if one fails. */
        @Override
        public void close() throws IOException {
            DataWriter<InternalRow> opened = ofRows;
            try (ofCells;
                    opened) {}
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            return ofRows == null
                    ? ofCells.currentMetricsValues()
                    : WriteMetrics.ofWriters(List.of(ofCells.currentMetricsValues(), ofRows.currentMetricsValues()));
        }
    }
}
