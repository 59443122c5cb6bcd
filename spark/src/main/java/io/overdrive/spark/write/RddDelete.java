package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.spark.cell.ColumnNames;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A deletion of the rows, partitions or columns whose keys an RDD has. Planned on the driver, and travels to the executors. All of
 * it has one write time, so a task that runs twice deletes nothing that was written in between. Immutable.
 *
 * @param <T> rows of the RDD
 */
public final class RddDelete<T> implements Serializable {
    private static final long serialVersionUID = 1;

    private final UUID id = UUID.randomUUID();
    private final Settings settings;
    private final String table;
    private final List<String> fields;
    private final String statement;
    private final long writeTime;
    private final boolean isTimed;
    private final ObjectFields<T> source;

    private RddDelete(
            Settings settings,
            String table,
            List<String> fields,
            String statement,
            long writeTime,
            boolean isTimed,
            ObjectFields<T> source) {
        this.settings = settings;
        this.table = table;
        this.fields = fields;
        this.statement = statement;
        this.writeTime = writeTime;
        this.isTimed = isTimed;
        this.source = source;
    }

    /**
     * Plans a deletion, and has the server prepare its statement.
     *
     * @param columns to delete from the rows; empty to delete whole rows
     * @param keys columns of the primary key that the rows' fields go into: at least the partition key
     * @param source reads these fields
     * @throws IllegalArgumentException if Cassandra cannot delete by these columns
     */
    public static <T> RddDelete<T> plan(
            Settings settings, TableSchema table, List<String> columns, List<String> keys, ObjectFields<T> source) {
        SstableWrite.requireOff(settings, "deletions by an RDD");
        List<String> missing = table.partitionKey().stream()
                .map(TableSchema.Column::name)
                .filter(name -> !keys.contains(name))
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] column " + ColumnNames.quoted(missing)
                    + " of the partition key is missing in the keys to delete, " + ColumnNames.quoted(keys)
                    + ": Cassandra deletes by the whole partition key");
        }
        if (new HashSet<>(keys).size() < keys.size()) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] a column is given twice in the keys to delete: " + ColumnNames.quoted(keys));
        }
        if (settings.find(Setting.WRITE_TIME) != null
                && !settings.get(Setting.WRITE_TIME).matches("\\d+")) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] a deletion has one write time, which cannot differ by row: set a constant, or none");
        }
        boolean isTimed = !table.isCounter(); // counters have no write times
        long given = settings.find(Setting.WRITE_TIME) == null ? 0 : settings.number(Setting.WRITE_TIME);
        String statement = "DELETE "
                + columns.stream().map(RddDelete::quoted).collect(Collectors.joining(", "))
                + (columns.isEmpty() ? "" : " ") + "FROM " + table.cqlName() + (isTimed ? " USING TIMESTAMP ?" : "")
                + " WHERE " + keys.stream().map(key -> quoted(key) + " = ?").collect(Collectors.joining(" AND "));
        RddDelete<T> planned = new RddDelete<>(
                settings,
                table.keyspace() + "." + table.table(),
                List.copyOf(keys),
                statement,
                given > 0 ? given : CassandraWrite.now(),
                isTimed,
                source);
        try {
            var unused = planned.open();
            if (isTimed && given == 0) {
                SharedEngines.of(settings).checkClock(words -> "set " + words.of(WriteSetting.TIMESTAMP));
            }
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        return planned;
    }

    private static String quoted(String column) {
        return CqlIdentifier.fromInternal(column).asCql(/* pretty */ true);
    }

    private RowWriter open() {
        try {
            RowWriter writer = SharedEngines.of(settings).writer(options());
            writer.abandon();
            return writer;
        } catch (IllegalOptionException | OverdriveException e) {
            throw Failures.named(e);
        }
    }

    WriteOptions options() {
        return WriteTask.withLimits(WriteOptions.statement(statement), settings, /* concurrentTasks */ 0)
                .build();
    }

    /** Deletes the keys of a Spark partition; returns when that is acknowledged. Runs on an executor. */
    public void run(Iterator<T> rows) {
        RowWriter writer = SharedWriters.separate(id, this::open);
        try {
            int first = isTimed ? 1 : 0;
            List<DataType> types = new ArrayList<>(writer.types());
            Object[] values = new Object[fields.size()];
            while (rows.hasNext()) {
                source.read(rows.next(), values);
                RowBuffer to = writer.row();
                for (int i = 0; i < values.length; i++) {
                    put(to, first + i, types.get(first + i), fields.get(i), values[i]);
                }
                if (isTimed) {
                    to.setTimestamp(writeTime);
                }
                writer.send();
            }
            writer.close();
        } finally {
            try {
                writer.abandon();
            } finally {
                SharedWriters.release(id);
            }
        }
    }

    private void put(RowBuffer to, int column, DataType type, String name, Object value) {
        Object converted;
        try {
            converted = source.convert(value, type);
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw ObjectFields.bad(table, name, type, value, e);
        }
        if (converted == null || converted == ObjectFields.UNSET) {
            throw new IllegalArgumentException(
                    "[" + table + "] key column \"" + name + "\" is null in a key to delete: every key needs a value");
        }
        ObjectFields.set(to, column, converted);
    }
}
