package io.overdrive.spark.write;

import io.overdrive.Reach;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.estimate.Estimate.Origin;
import io.overdrive.internal.estimate.Estimate.Requests;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Estimate.Size;
import io.overdrive.internal.estimate.Road;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.ExecutorConnections;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.metric.JobEstimate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write of rows into a table, by a batch or by one epoch of a stream. Plans (on the driver); a {@link WriteTask}
 * executes. Confined to the thread that plans and starts the job.
 *
 * <p>Decides whether Spark clusters rows by partition before they are written, and {@link #description} shows the
 * decision. If it does not, executors group those rows of a partition that meet in memory.
 */
final class CassandraWrite implements RequiresDistributionAndOrdering, BatchWrite, StreamingWrite {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraWrite.class);

    /** Maximum write time that each stream has used in this JVM, in microseconds since 1970, by query id. */
    private static final Map<String, Long> STREAMS = new ConcurrentHashMap<>();

    private final Settings settings;
    private final TableSchema table;
    private final StructType schema;
    private final String queryId;
    private final boolean isRead;
    private final Runnable requireNotRead;
    private final boolean truncates;
    private final WriteColumns columns;
    private final WriteTask task;
    private final Supplier<OptionalLong> bytes;
    /** Microseconds since 1970. */
    private final long start = now();

    private @Nullable JobEstimate estimate;

    private boolean streams;

    /**
     * @param isRead whether the running query reads the table
     * @param requireNotRead refuses to empty the table if the running query reads it
     * @param bytes of the rows of the running query
     */
    CassandraWrite(
            Settings settings,
            TableSchema table,
            WriteColumns columns,
            LogicalWriteInfo info,
            boolean isRead,
            Runnable requireNotRead,
            boolean truncates,
            Supplier<OptionalLong> bytes) {
        this.bytes = bytes;
        this.settings = settings;
        this.table = table;
        this.schema = info.schema();
        this.queryId = info.queryId();
        this.isRead = isRead;
        this.requireNotRead = requireNotRead;
        this.truncates = truncates;
        this.columns = columns;
        this.task = WriteTask.of(settings, table, schema, columns);
        requireNoSpeculation(SparkSession.active().sparkContext(), settings, table, columns);
        task.check();
        var unused = choice();
    }

    /**
     * Refuses speculation: rows that an attempt adds are not undone, so Spark must not start a second attempt of a task
     * that is only slow.
     */
    static void requireNoSpeculation(SparkContext spark, Settings settings, TableSchema table, WriteColumns columns) {
        boolean speculates = spark.getConf().getBoolean("spark.speculation", false);
        if (speculates && !columns.repeatable() && !settings.isOn(Setting.ALLOW_NON_IDEMPOTENT)) {
            throw new IllegalArgumentException(
                    "[" + table.cqlName() + "] with spark.speculation=true Spark may run a task twice, and what is"
                            + " written to " + (columns.counts() ? "counters" : "lists")
                            + " would be added twice: set spark.speculation to false, or accept wrong sums with"
                            + " option \""
                            + Setting.ALLOW_NON_IDEMPOTENT.option + "\"");
        }
    }

    /** Refuses writes that a stream must not repeat: it begins again with the batch that it has not recorded as complete. */
    static void requireRepeatable(Settings settings, TableSchema table, WriteColumns columns) {
        if (!columns.repeatable() && !settings.isOn(Setting.ALLOW_NON_IDEMPOTENT)) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] a stream that fails repeats its last batch, which would add to counters and lists twice:"
                    + " accept that with option \"" + Setting.ALLOW_NON_IDEMPOTENT.option + "\"");
        }
    }

    /** Whether Spark clusters rows by partition, and why. */
    private record Choice(boolean isClustered, String reason) {}

    private Choice choice() {
        String wanted = settings.get(Setting.DISTRIBUTION).toLowerCase(Locale.ROOT);
        String obstacle = obstacle(table, columns, schema);
        if (isRead && !columns.deletes() && !streams) {
            return behindItsReads(obstacle);
        }
        if (wanted.equals("auto")) {
            return auto(obstacle);
        }
        boolean isClustered = wanted.equals("partition");
        if (isClustered && obstacle != null) {
            throw Settings.wrong(Setting.DISTRIBUTION, wanted, "auto or none, as " + obstacle);
        }
        return new Choice(isClustered, "as set");
    }

    /** Tasks would else read rows that other tasks, or earlier attempts, have written. */
    private Choice behindItsReads(@Nullable String obstacle) {
        if (obstacle != null) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] the query reads the table that it writes, and without a shuffle it might read what it has written: that is not possible,"
                    + " as " + obstacle + ": write the rows to another table or to files first, or checkpoint() them");
        }
        return new Choice(true, "the query reads the table that it writes");
    }

    private Choice auto(@Nullable String obstacle) {
        boolean manyRows =
                table.clusteringColumns().stream().anyMatch(c -> columns.names().contains(c.name()));
        if (!manyRows) {
            return new Choice(false, "a partition is one row");
        } else if (settings.isOn(Setting.IF_NOT_EXISTS)) {
            return new Choice(false, "each row is written on its own");
        } else if (obstacle != null) {
            return new Choice(false, obstacle);
        } else if (streams) {
            return new Choice(false, "epochs of a stream are small");
        } else if (SparkSession.active().sparkContext().isLocal()) {
            return new Choice(false, "one process writes all rows");
        }
        return new Choice(true, "several executors write, and a partition has many rows");
    }

    /** Why Spark cannot distribute by the partition key; null if it can. */
    static @Nullable String obstacle(TableSchema table, WriteColumns columns, StructType schema) {
        for (Column key : table.partitionKey()) {
            StructField field = schema.fields()[columns.fieldOf(key.name())];
            if (!RowOrdering.isOrderable(field.dataType())) {
                return "Spark cannot sort by column \"" + field.name() + "\"";
            }
            if (Arrays.stream(schema.fieldNames())
                            .filter(field.name()::equalsIgnoreCase)
                            .count()
                    > 1) {
                return "there is more than one column \"" + field.name() + "\"";
            }
        }
        return null;
    }

    /** Strictly: else Spark splits tasks beyond 64 MB by where their rows come from, and so takes partitions apart. */
    @Override
    public Distribution requiredDistribution() {
        return choice().isClustered
                ? Distributions.clustered(keyFields().map(Expressions::column).toArray(Expression[]::new))
                : Distributions.unspecified();
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return choice().isClustered
                ? keyFields()
                        .map(name -> Expressions.sort(Expressions.column(name), SortDirection.ASCENDING))
                        .toArray(SortOrder[]::new)
                : new SortOrder[0];
    }

    private Stream<String> keyFields() {
        return table.partitionKey().stream()
                .map(key -> schema.fieldNames()[columns.fieldOf(key.name())])
                .map(SparkTypes::quoted);
    }

    @Override
    public String description() {
        Choice choice = choice();
        return "cassandra " + table.cqlName() + (columns.deletes() ? " delete by [" : " [")
                + String.join(", ", columns.names()) + "], "
                + (choice.isClustered
                        ? "Spark clusters rows by partition"
                        : "executors group rows by partition in memory")
                + " (" + choice.reason + ")";
    }

    @Override
    public String toString() {
        return description();
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.all();
    }

    @Override
    public CustomTaskMetric[] reportDriverMetrics() {
        return JobEstimate.metrics(estimate);
    }

    @Override
    public BatchWrite toBatch() {
        return this;
    }

    @Override
    public StreamingWrite toStreaming() {
        requireRepeatable(settings, table, columns);
        streams = true;
        return this;
    }

    @Override
    public boolean useCommitCoordinator() {
        return false; // rows are visible once they are written, and repeating a write changes nothing
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        truncate();
        logConnections(SparkSession.active().sparkContext(), settings, table, info.numPartitions());
        estimate = columns.deletes() ? null : estimate(settings, table, Road.WRITE, bytes.get(), info);
        // Spark may have read the keys to delete already
        return task.from(columns.deletes() ? start : now(), info.numPartitions());
    }

    /** Says what the write would take; null if Spark does not know how much it is. */
    static @Nullable JobEstimate estimate(
            Settings settings, TableSchema table, Road road, OptionalLong bytes, PhysicalWriteInfo info) {
        if (bytes.isEmpty()) {
            return null;
        }
        Reach reach = SharedEngines.of(settings)
                .reach(table.keyspace(), table.table(), settings.consistency(Setting.WRITE_CONSISTENCY));
        Share share = Share.ofWrites(
                "writes",
                road,
                reach,
                Size.of(bytes.getAsLong(), Origin.NODES),
                new Requests(/* min */ 0, /* expected */ 0),
                /* memory */ 0);
        JobEstimate made = JobEstimate.of(
                SparkSession.active().sparkContext(), info.numPartitions(), share, "Spark estimates the rows");
        if (made != null) {
            made.log(LOG, table.cqlName(), "write");
        }
        return made;
    }

    /** A task that gets any rows may write to any node. */
    static void logConnections(SparkContext spark, Settings settings, TableSchema table, int tasks) {
        ExecutorConnections.log(spark, settings, "[" + table.cqlName() + "] is written", tasks, Integer.MAX_VALUE);
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        if (settings.isOn(Setting.IF_NOT_EXISTS)) {
            long existing = Arrays.stream(messages)
                    .mapToLong(message -> ((WriteTask.TaskResult) message).rowsExisting())
                    .sum();
            LOG.info("[{}] {} rows existed already and were not changed", table.cqlName(), existing);
        }
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {}

    /**
     * The write times of an epoch are later than the write times of all epochs before it, so that its rows win, even if it
     * repeats one that was written in part. Within a JVM this does not depend on the clock; after a restart the clock
     * must not be behind the previous one by more than the restart took.
     */
    @Override
    public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
        SparkContext spark = SparkSession.active().sparkContext();
        if (Boolean.parseBoolean(spark.getLocalProperty("__is_continuous_processing"))) {
            throw new UnsupportedOperationException("[" + table.cqlName()
                    + "] a continuous trigger has no start of an epoch from which write times could count:"
                    + " use another trigger");
        }
        truncate();
        return task.from(STREAMS.merge(queryId, now(), (last, now) -> Math.max(last + 1, now)), info.numPartitions());
    }

    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {
        for (WriterCommitMessage message : messages) {
            STREAMS.merge(queryId, ((WriteTask.TaskResult) message).lastWriteTime(), Math::max);
        }
    }

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {}

    private void truncate() {
        if (truncates) {
            requireNotRead.run(); // for a stream, the query is not known before
            Truncation.run(settings, table);
        }
    }

    /** Microseconds since 1970. */
    static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
