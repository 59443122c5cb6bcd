package io.overdrive.spark.write;

import io.overdrive.OverdriveException;
import io.overdrive.TableSchema;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.types.StructType;

/**
 * A write of the rows of an RDD by SSTables, as of a DataFrame ({@link SstableTableWrite}). The caller brings the rows of each range of
 * tokens to one task. Confined to the thread that plans and starts the job.
 *
 * @param <T> rows of the RDD
 */
public final class RddSstableWrite<T> {
    private final SparkContext spark;
    private final SstableWrite write;
    private final ObjectFields<T> source;
    private final int fields;
    private final int tasks;

    private RddSstableWrite(SparkContext spark, SstableWrite write, ObjectFields<T> source, int fields, int tasks) {
        this.spark = spark;
        this.write = write;
        this.source = source;
        this.fields = fields;
        this.tasks = tasks;
    }

    /** Whether the settings ask for SSTables. */
    public static boolean isWanted(Settings settings) {
        return settings.isOn(Setting.SSTABLES);
    }

    /**
     * Plans a write, and checks that nodes which are up can be reached.
     *
     * @param fields the columns that the rows' fields go into, or the names that the settings have for their time to live and
     *     write time
     * @param source reads these fields
     * @throws IllegalArgumentException if a field is no column, a key column is missing, a setting is wrong, or rows of the table cannot
     *     be imported
     */
    public static <T> RddSstableWrite<T> plan(
            SparkContext spark, Settings settings, TableSchema table, List<String> fields, ObjectFields<T> source) {
        WriteColumns columns = WriteColumns.of(settings, table, fields);
        WriteTask task = WriteTask.of(spark, settings, table, new StructType(), columns, ZoneOffset.UTC);
        SstableWrite write = new SstableWrite(settings, table, task, /* truncates */ false);
        try {
            var unused = task.open();
            task.checkClock();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        return new RddSstableWrite<>(spark, write, source, fields.size(), write.tasks(spark));
    }

    /** How many tasks the job is to have. */
    public int tasks() {
        return tasks;
    }

    /** Which of the tasks gets the rows of a partition with this token. */
    public static int taskOf(long token, int tasks) {
        return TokenRangeFunction.rangeOf(token, tasks);
    }

    /** Creates the directory of the job; then either {@link #commit} or {@link #abort} is to be called. */
    public Task<T> start() {
        return new Task<>(write.start(spark, tasks), source, fields);
    }

    /**
     * Hands over the SSTables of the tasks.
     *
     * @param results one of each task
     */
    public void commit(List<? extends Serializable> results) {
        write.commit(results.stream().map(SstableTask.Finished.class::cast).toList());
    }

    /** Deletes the SSTables of tasks, unless nodes have begun to import it. */
    public void abort() {
        write.abort();
    }

    /** An executor's part, to which it travels. Immutable. */
    public static final class Task<T> implements Serializable {
        private static final long serialVersionUID = 1;

        private final SstableTask task;
        private final ObjectFields<T> source;
        private final int fields;

        private Task(SstableTask task, ObjectFields<T> source, int fields) {
            this.task = task;
            this.source = source;
            this.fields = fields;
        }

        /** Writes rows; returns the result for {@link RddSstableWrite#commit}. An attempt that fails leaves no file. */
        public Serializable run(TaskContext context, Iterator<T> rows) {
            try (DataWriter<T> writer = task.createWriter(
                    context.partitionId(),
                    context.taskAttemptId(),
                    opened -> new RddWrite.Encoder<>(task.rows(), opened, source, new Object[fields]))) {
                try {
                    writer.writeAll(rows);
                    return (SstableTask.Finished) writer.commit();
                } catch (Throwable e) {
                    writer.abort();
                    throw e;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
