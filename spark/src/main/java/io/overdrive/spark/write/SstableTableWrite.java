package io.overdrive.spark.write;

import io.overdrive.TableSchema;
import io.overdrive.internal.estimate.Road;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.metric.JobEstimate;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A write of a DataFrame by SSTables. Plans (on the driver); a {@link SstableTask} executes. Confined to the thread that plans and
 * starts the job.
 *
 * <p>Spark brings the rows of a partition to one task; in tables of a catalog, all rows of a range of tokens, so that the SSTables of a node
 * do not overlap. They are sorted by the task ({@link io.overdrive.sstable.sort.SstableSorter}), because Spark does not know Cassandra's order.
 */
final class SstableTableWrite implements RequiresDistributionAndOrdering, BatchWrite {
    private final TableSchema table;
    private final WriteColumns columns;
    private final StructType schema;
    private final boolean isInCatalog;
    private final SstableWrite write;
    private final Settings settings;
    private final Supplier<OptionalLong> bytes;
    private final int tasks;
    private @Nullable JobEstimate estimate;

    /**
     * @param isInCatalog whether Spark finds {@link TokenRangeFunction} for the table
     * @param bytes of the rows of the running query
     */
    SstableTableWrite(
            Settings settings,
            TableSchema table,
            WriteColumns columns,
            LogicalWriteInfo info,
            boolean isInCatalog,
            boolean truncates,
            Supplier<OptionalLong> bytes) {
        this.settings = settings;
        this.bytes = bytes;
        this.table = table;
        this.columns = columns;
        this.isInCatalog = isInCatalog;
        schema = info.schema();
        WriteTask task = WriteTask.of(settings, table, schema, columns);
        write = new SstableWrite(settings, table, task, truncates);
        task.check();
        tasks = write.tasks(SparkSession.active().sparkContext());
        String obstacle = CassandraWrite.obstacle(table, columns, schema);
        if (obstacle != null) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] rows cannot be distributed by partition key, as " + obstacle + ": rename or cast it");
        }
    }

    @Override
    public Distribution requiredDistribution() {
        Expression[] key = table.partitionKey().stream()
                .map(column -> schema.fieldNames()[columns.fieldOf(column.name())])
                .map(SparkTypes::quoted)
                .map(Expressions::column)
                .toArray(Expression[]::new);
        return Distributions.clustered(
                isInCatalog ? new Expression[] {Expressions.apply(TokenRangeFunction.name(table, tasks), key)} : key);
    }

    /** All rows of a partition: else two tasks would write some of its rows with the same keys. */
    @Override
    public boolean distributionStrictlyRequired() {
        return true;
    }

    @Override
    public int requiredNumPartitions() {
        return tasks;
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return new SortOrder[0];
    }

    @Override
    public String description() {
        return "cassandra " + table.cqlName() + " [" + String.join(", ", columns.names()) + "] " + write.how()
                + ", Spark clusters rows by "
                + (isInCatalog ? "token range in " : "partition (by token range in tables of a catalog) in ") + tasks
                + " tasks";
    }

    @Override
    public String toString() {
        return description();
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.allOfSstables();
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
        throw new UnsupportedOperationException(
                "[" + table.cqlName()
                        + "] a stream cannot be written as SSTables, of which each epoch would make many: write it without option \"sstables\"");
    }

    /** Makes Spark take one of two attempts of a task. */
    @Override
    public boolean useCommitCoordinator() {
        return true;
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
        estimate = CassandraWrite.estimate(settings, table, Road.WRITE_SSTABLES, bytes.get(), info);
        return write.start(SparkSession.active().sparkContext(), info.numPartitions());
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
        write.commit(
                Arrays.stream(messages).map(SstableTask.Finished.class::cast).toList());
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {
        write.abort();
    }
}
