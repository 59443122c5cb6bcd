package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.metric.LimitedBy;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write of the rows of an RDD into a table, by the tasks that write DataFrames ({@link WriteTask}). Planned on the driver, and
 * travels to the executors. Immutable.
 *
 * @param <T> rows of the RDD
 */
public final class RddWrite<T> implements Serializable {
    private static final Logger LOG = LoggerFactory.getLogger(RddWrite.class);
    private static final long serialVersionUID = 1;

    private final WriteTask task;
    private final ObjectFields<T> source;
    private final int fields;

    private RddWrite(WriteTask task, ObjectFields<T> source, int fields) {
        this.task = task;
        this.source = source;
        this.fields = fields;
    }

    /**
     * Plans a write, and has the server prepare its statement.
     *
     * @param fields the columns that the rows' fields go into, or the names that the settings have for their time to live and
     *     write time
     * @param tasks of the job
     * @param source reads these fields
     * @throws IllegalArgumentException if a field is no column, a key column is missing, the server refuses the statement, or Spark
     *     may run a task twice that adds to counters or lists
     */
    public static <T> RddWrite<T> plan(
            SparkContext spark,
            Settings settings,
            TableSchema table,
            List<String> fields,
            int tasks,
            ObjectFields<T> source) {
        WriteColumns columns = WriteColumns.of(settings, table, fields);
        CassandraWrite.requireNoSpeculation(spark, settings, table, columns);
        WriteTask task = WriteTask.of(spark, settings, table, new StructType(), columns, ZoneOffset.UTC);
        try {
            var unused = task.open();
            task.checkClock();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        CassandraWrite.logConnections(spark, settings, table, tasks);
        return new RddWrite<>(task.from(CassandraWrite.now(), tasks), source, fields.size());
    }

    /**
     * Refuses to write the RDDs of a stream into counters, or to add them to lists: after a failure it begins again with RDDs that were
     * written already.
     *
     * @param fields the columns that the rows' fields go into, or the names that the settings have for their time to live and
     *     write time
     * @throws IllegalArgumentException if they are, unless the settings accept wrong sums
     */
    public static void requireRepeatable(Settings settings, TableSchema table, List<String> fields) {
        CassandraWrite.requireRepeatable(settings, table, WriteColumns.of(settings, table, fields));
    }

    /**
     * Writes the rows of a Spark partition; returns when they are acknowledged. Runs on an executor.
     *
     * @return where its time was spent, for {@link #logLimit}
     */
    public long run(TaskContext context, Iterator<T> rows) {
        try (DataWriter<T> writer = task.createWriter(
                context.partitionId(), opened -> new Encoder<>(task, opened, source, new Object[fields]))) {
            writer.writeAll(rows);
            return Arrays.stream(writer.currentMetricsValues())
                    .filter(metric -> metric.name().equals(LimitedBy.NAME))
                    .mapToLong(CustomTaskMetric::value)
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Says what has limited the job, as an RDD has no place in the SQL tab. Called on the driver.
     *
     * @param tasks the results of {@link #run}
     */
    public void logLimit(long[] tasks) {
        String limit = LimitedBy.ofJob(tasks);
        if (limit != null) {
            LimitedBy.log(LOG, task.keyspace() + "." + task.table(), "written", tasks.length, limit);
        }
    }

    /** Puts the fields of objects into the buffer of a writer. Confined to one thread; on the hot path. */
    static final class Encoder<T> implements WriteTask.Encoder<T> {
        private final String table;
        private final ObjectFields<T> source;
        private final Object[] values;
        private final List<String> names;
        private final List<DataType> types;
        private final int[] fields;
        private final boolean[] isKey;
        private final boolean[] isHashed;
        private final boolean ignoreNulls;
        private final int ttlField;
        private final WriteColumns.RowTime writeTime;

        Encoder(WriteTask task, RowWriter writer, ObjectFields<T> source, Object[] values) {
            WriteColumns columns = task.columns();
            table = task.keyspace() + "." + task.table();
            this.source = source;
            this.values = values;
            names = columns.names();
            types = writer.types();
            fields = columns.fields().stream().mapToInt(Integer::intValue).toArray();
            isKey = new boolean[fields.length];
            isHashed = new boolean[fields.length];
            for (int i = 0; i < fields.length; i++) {
                isKey[i] = task.keys().contains(names.get(i));
                isHashed[i] = task.timedBy().contains(names.get(i));
            }
            ignoreNulls = task.settings().isOn(Setting.IGNORE_NULLS) || columns.counts();
            ttlField = columns.ttl().field();
            writeTime = columns.writeTime();
        }

        @Override
        public long put(T row, RowBuffer to) {
            source.read(row, values);
            long hash = 0;
            for (int i = 0; i < fields.length; i++) {
                Object value = converted(values[fields[i]], types.get(i), names.get(i));
                if (value == null || value == ObjectFields.UNSET) {
                    if (isKey[i]) {
                        throw new IllegalArgumentException("[" + table + "] key column \"" + names.get(i)
                                + "\" is null in a row to write: every row needs a value");
                    } else if (value == null && !ignoreNulls) {
                        to.setNull(i);
                    }
                    continue;
                }
                ObjectFields.set(to, i, value);
                if (isHashed[i]) {
                    int start = to.offset(i);
                    hash = 31 * hash + Murmur3.token(to.array(), start, start + to.length(i));
                }
            }
            putTimes(to);
            return hash;
        }

        private void putTimes(RowBuffer to) {
            Integer ttl = ttlField < 0 ? null : seconds(values[ttlField]);
            if (ttl != null) {
                to.setTtl(ttl);
            }
            Long constant = writeTime.constant();
            if (constant != null) {
                to.setTimestamp(constant);
            } else if (writeTime.isField()) {
                Long micros = micros(values[writeTime.field()]);
                if (micros != null) {
                    to.setTimestamp(micros);
                }
            }
        }

        private @Nullable Integer seconds(@Nullable Object ttl) {
            try {
                return source.timeToLive(ttl);
            } catch (ArithmeticException | IllegalArgumentException e) {
                throw ObjectFields.bad(table, "ttl", DataTypes.INT, ttl, e);
            }
        }

        private @Nullable Long micros(@Nullable Object time) {
            try {
                return source.writeTime(time);
            } catch (ArithmeticException | IllegalArgumentException e) {
                throw ObjectFields.bad(table, "writetime", DataTypes.BIGINT, time, e);
            }
        }

        private @Nullable Object converted(@Nullable Object value, DataType type, String name) {
            try {
                return source.convert(value, type);
            } catch (ArithmeticException | IllegalArgumentException e) {
                throw ObjectFields.bad(table, name, type, value, e);
            }
        }
    }
}
