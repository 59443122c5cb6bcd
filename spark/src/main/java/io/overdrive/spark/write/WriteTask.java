package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.metric.TaskTime;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.OutputMetrics;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * An executor's part of a write, which opens a writer for each Spark partition. Executes (on the executors), to which
 * it travels. Immutable.
 *
 * <p>Tasks of one write in one JVM share the limits of requests in flight and the rate limits; each task has its
 * groups, failures and totals. The write time of a row follows from {@code baseTimestamp} and its position in its task,
 * by {@link KeyPositions}: if a task runs again, after a failure or by speculation, one row of each key still wins as a
 * whole.
 *
 * @param id of the write, the same for all its tasks
 * @param keys columns that must not be null
 * @param timedBy the key columns that identify cells shared by rows: only those of the partition key if static columns
 *     are written
 * @param baseTimestamp microseconds since 1970, from which the write times of rows count
 * @param tasks of the job
 * @param concurrentTasks tasks that an executor runs concurrently; 0 if only the executor knows
 * @param zone in which text and dates are points in time
 */
record WriteTask(
        UUID id,
        Settings settings,
        String keyspace,
        String table,
        List<String> keys,
        List<String> timedBy,
        StructType schema,
        WriteColumns columns,
        long baseTimestamp,
        int tasks,
        int concurrentTasks,
        ZoneId zone)
        implements DataWriterFactory, StreamingDataWriterFactory {
    private static final long serialVersionUID = 1;
    private static final long BYTES_PER_MB = 1 << 20;
    private static final long MIN_GROUPING_BYTES = BYTES_PER_MB;
    private static final long MAX_GROUPING_BYTES = 128 * BYTES_PER_MB;
    /** Divisor of the heap: the default memory for the groups of all tasks together. */
    private static final int SHARE_OF_HEAP = 5;

    /** More than the attempts of a task in one stage. */
    private static final int STAGE_ATTEMPT = 16;

    /**
     * @param schema of the rows
     * @param columns which of its fields are written
     */
    static WriteTask of(Settings settings, TableSchema table, StructType schema, WriteColumns columns) {
        return of(
                SparkSession.active().sparkContext(),
                settings,
                table,
                schema,
                columns,
                DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone()));
    }

    /** Creates a task without a session, for rows that are not Spark's own. */
    static WriteTask of(
            SparkContext spark,
            Settings settings,
            TableSchema table,
            StructType schema,
            WriteColumns columns,
            ZoneId zone) {
        // Rows of a partition share the cells of static columns.
        boolean hasStatics = columns.names().stream()
                .anyMatch(name -> WriteColumns.column(table, name).role() == Role.STATIC);
        return new WriteTask(
                UUID.randomUUID(),
                settings,
                table.keyspace(),
                table.table(),
                table.columns().stream().filter(Column::isKey).map(Column::name).toList(),
                table.columns().stream()
                        .filter(hasStatics ? column -> column.role() == Role.PARTITION_KEY : Column::isKey)
                        .map(Column::name)
                        .toList(),
                schema,
                columns,
                CassandraWrite.now(),
                /* tasks */ 1,
                plannedTasks(spark),
                zone);
    }

    /** Tasks that will run concurrently in one JVM; 0 if the executors' cores are not set. */
    private static int plannedTasks(SparkContext spark) {
        int cores =
                spark.isLocal() ? spark.defaultParallelism() : spark.getConf().getInt("spark.executor.cores", 0);
        return cores / spark.getConf().getInt("spark.task.cpus", 1);
    }

    /** The statement can be prepared, types fit, and clocks agree; on the driver, before a job starts. */
    void check() {
        try {
            encoder(open());
            checkClock();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /** If write times come from this machine's clock, compares it with those of nodes. */
    void checkClock() {
        if (!columns.counts() && !columns.writeTime().isSet() && !settings.isOn(Setting.IF_NOT_EXISTS)) {
            SharedEngines.of(settings)
                    .checkClock(words -> "set the write times of rows with " + words.of(WriteSetting.TIMESTAMP));
        }
    }

    /** The same for a job that starts now. */
    WriteTask from(long timestamp, int jobTasks) {
        return new WriteTask(
                UUID.randomUUID(),
                settings,
                keyspace,
                table,
                keys,
                timedBy,
                schema,
                columns,
                timestamp,
                Math.max(1, jobTasks),
                concurrentTasks,
                zone);
    }

    /**
     * A closed writer from which writers for tasks are separated.
     *
     * @throws io.overdrive.OverdriveException if the server refuses the statement
     */
    RowWriter open() {
        try {
            RowWriter writer = SharedEngines.of(settings).writer(options());
            writer.abandon();
            return writer;
        } catch (IllegalOptionException | OverdriveException e) {
            throw Failures.named(e);
        }
    }

    /** @throws IllegalArgumentException if the type of a column does not fit */
    RowEncoder encoder(RowWriter writer) {
        return new RowEncoder(
                keyspace + "." + table,
                columns,
                writer.types(),
                new RowEncoder.Keys(keys, timedBy),
                schema,
                settings.isOn(Setting.IGNORE_NULLS) || columns.counts(),
                baseTimestamp,
                zone);
    }

    WriteOptions options() {
        WriteOptions.Builder options = withLimits(
                columns.deletes()
                        ? WriteOptions.statement(columns.deletion(cqlName()))
                        : WriteOptions.into(keyspace, table),
                settings,
                concurrentTasks);
        if (columns.deletes()) {
            return options.build();
        }
        columns.set(options);
        if (settings.isOn(Setting.IF_NOT_EXISTS)) {
            options.ifNotExists();
        } else if (!columns.counts()) {
            options.timestamp(baseTimestamp);
            if (!columns.writeTime().isSet()) {
                options.allowNonIdempotent(); // lists: a task that runs again has other write times, see positions
            }
        }
        if (!columns.repeatable() || settings.isOn(Setting.ALLOW_NON_IDEMPOTENT)) {
            options.allowNonIdempotent(); // requireFirstAttempt guards against repetition
        }
        return options.build();
    }

    /**
     * Sets options that are the same for all writes.
     *
     * @param concurrentTasks tasks that an executor runs concurrently; 0 if only the executor knows
     */
    static WriteOptions.Builder withLimits(WriteOptions.Builder options, Settings settings, int concurrentTasks) {
        options.bulk().spillDirectory(spillDirectory()).groupingMemory(groupingMemory(settings, concurrentTasks));
        settings.setWrites(options::set);
        return options;
    }

    private String cqlName() {
        return CqlIdentifier.fromInternal(keyspace).asCql(/* pretty */ true) + "."
                + CqlIdentifier.fromInternal(table).asCql(/* pretty */ true);
    }

    /** A task's share of the memory for waiting rows. */
    static long groupingMemory(Settings settings, int concurrentTasks) {
        int tasks = concurrentTasks > 0 ? concurrentTasks : Runtime.getRuntime().availableProcessors();
        if (settings.find(Setting.GROUPING_MEMORY_MB) != null) {
            return Math.max(MIN_GROUPING_BYTES, settings.number(Setting.GROUPING_MEMORY_MB) * BYTES_PER_MB / tasks);
        }
        long share = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / tasks;
        return Math.max(MIN_GROUPING_BYTES, Math.min(MAX_GROUPING_BYTES, share));
    }

    /** The directory to which Spark spills. */
    static Path spillDirectory() {
        String directories = System.getenv("SPARK_LOCAL_DIRS");
        directories = directories != null ? directories : System.getenv("LOCAL_DIRS");
        if (directories == null) {
            SparkEnv spark = SparkEnv.get();
            SparkConf conf = spark == null ? new SparkConf() : spark.conf();
            directories = conf.get("spark.local.dir", System.getProperty("java.io.tmpdir"));
        }
        return Path.of(directories.split(",", 2)[0].strip());
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long taskId) {
        return createWriter(partition, this::encoder);
    }

    /** Puts a row into the buffer of a writer. */
    interface Encoder<T> {
        /**
         * @param to empty, with the columns of {@link WriteColumns#names}
         * @return a hash that is equal for rows with common cells, and rarely for others
         */
        long put(T row, RowBuffer to);
    }

    /** @param encoders makes the encoder for a writer */
    <T> DataWriter<T> createWriter(int partition, Function<RowWriter, Encoder<T>> encoders) {
        requireFirstAttempt();
        RowWriter writer = SharedWriters.separate(id, this::open);
        try {
            return new Rows<>(id, writer, encoders.apply(writer), positions(partition));
        } catch (Throwable e) {
            writer.abandon();
            SharedWriters.release(id);
            throw e;
        }
    }

    /** Refuses a second attempt, because rows that the first one has added are not undone. */
    private void requireFirstAttempt() {
        TaskContext task = TaskContext.get();
        if (task != null
                && task.attemptNumber() + task.stageAttemptNumber() > 0
                && !columns.repeatable()
                && !settings.isOn(Setting.ALLOW_NON_IDEMPOTENT)) {
            throw new IllegalStateException("[" + keyspace + "." + table + "] task " + task.partitionId()
                    + " runs again, after a failure (see its first attempt) or by speculation, and would add to "
                    + (columns.counts() ? "counters" : "lists")
                    + " a second time: check which rows were written and write the rest, or accept wrong sums"
                    + " with option \""
                    + Setting.ALLOW_NON_IDEMPOTENT.option + "\"");
        }
    }

    /** A list written twice with the same write time would have its elements twice, so each attempt has its own write times. */
    private KeyPositions positions(int partition) {
        TaskContext task = TaskContext.get();
        long attempt = task == null ? 0 : STAGE_ATTEMPT * (long) task.stageAttemptNumber() + task.attemptNumber();
        return new KeyPositions(tasks, partition, attempt);
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long taskId, long epoch) {
        return createWriter(partition, taskId);
    }

    /**
     * The result of a task, all of whose rows are written.
     *
     * @param lastWriteTime maximum of the write times that the connector assigned, in microseconds since 1970
     * @param rowsExisting rows that existed before and were not changed
     */
    record TaskResult(long lastWriteTime, long rowsExisting) implements WriterCommitMessage {
        private static final long serialVersionUID = 1;
    }

    /** Writes the rows of a task. Confined to the task's thread. */
    private static final class Rows<T> implements DataWriter<T> {
        private static final long METRICS_NANOS = 1_000_000_000;

        private final UUID job;
        private final RowWriter writer;
        private final Encoder<T> encoder;
        private final KeyPositions positions;
        private boolean finished;
        private boolean released;
        private final TaskTime time = new TaskTime(System.nanoTime());
        private long metricsNanos = System.nanoTime();
        private CustomTaskMetric[] metrics = {};
        private final @Nullable OutputMetrics output;
        private long rowsReported;
        private long bytesReported;

        Rows(UUID job, RowWriter writer, Encoder<T> encoder, KeyPositions positions) {
            this.job = job;
            this.writer = writer;
            this.encoder = encoder;
            this.positions = positions;
            TaskContext task = TaskContext.get();
            output = task == null ? null : task.taskMetrics().outputMetrics();
        }

        /** Spark reads the metrics when this returns, so all rows must be written by then. */
        @Override
        public void writeAll(Iterator<T> all) {
            while (all.hasNext()) {
                write(all.next());
            }
            finish();
        }

        @Override
        public void write(T row) {
            try {
                RowBuffer to = writer.row();
                to.position(positions.next(encoder.put(row, to)));
                writer.send();
            } catch (OverdriveException e) {
                throw Failures.named(e);
            }
        }

        private void finish() {
            if (!finished) {
                finished = true;
                try {
                    writer.close();
                } catch (OverdriveException e) {
                    throw Failures.named(e);
                }
                measure();
            }
        }

        @Override
        public WriterCommitMessage commit() {
            finish();
            return new TaskResult(
                    writer.writeTime(positions.end()), writer.totals().rowsExisting());
        }

        @Override
        public void abort() {
            writer.abandon();
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            long now = System.nanoTime();
            if (!finished && now - metricsNanos > METRICS_NANOS) {
                metricsNanos = now;
                measure();
            }
            return metrics;
        }

        private void measure() {
            Totals totals = writer.totals();
            time.add(SharedWriters.unreportedWaits(job));
            metrics = WriteMetrics.of(totals, time.packed(System.nanoTime()));
            if (output != null) {
                // a task may have several writers
                output.setRecordsWritten(output.recordsWritten() + totals.rowsWritten() - rowsReported);
                output.setBytesWritten(output.bytesWritten() + totals.bytesWritten() - bytesReported);
                rowsReported = totals.rowsWritten();
                bytesReported = totals.bytesWritten();
            }
        }

        @Override
        public void close() {
            try {
                writer.abandon();
            } finally {
                if (!released) {
                    released = true;
                    SharedWriters.release(job);
                }
            }
        }
    }
}
