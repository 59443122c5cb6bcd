package io.overdrive.spark.read;

import io.overdrive.RowCursor;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.cell.RowDecoder;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.executor.InputMetrics;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A read of the rows whose vectors are the most similar to one, as far as an SAI index finds them: {@link Setting#NEAREST}. They are
 * all that the table has in this query, so Cassandra does nothing else for Spark, which would choose other rows. One task
 * reads them, by one request. Plans (on the driver); confined to the planning thread.
 */
public final class NearestRows implements ScanBuilder, SupportsPushDownRequiredColumns {
    private static final Pattern CQL = Pattern.compile(
            "(where\\s.+\\s)?order\\s+by\\s+(\"(?:[^\"]|\"\")+\"|\\w+)\\s+ann\\s+of\\s+\\[[^\\[\\]]+\\]\\s+limit\\s+(\\d{1,9})",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern TIMES = Pattern.compile("(ttl|writetime)\\((.+)\\)");

    private final Settings settings;
    private final TableSchema table;
    private final Map<String, String> times;
    private final String cql;
    private final int limit;
    private StructType columns;

    /**
     * @param times CQL expressions of columns that are not the table's, by column name
     * @throws IllegalArgumentException if the setting is not as it must be
     */
    public NearestRows(Settings settings, TableSchema table, StructType columns, Map<String, String> times) {
        this.settings = settings;
        this.table = table;
        this.columns = columns;
        this.times = times;
        cql = settings.get(Setting.NEAREST);
        Matcher matcher = CQL.matcher(cql);
        if (!matcher.matches()) {
            throw Settings.wrong(
                    Setting.NEAREST, cql, "like \"ORDER BY embedding ANN OF [0.1, 0.2] LIMIT 10\", maybe after WHERE");
        }
        limit = Integer.parseInt(matcher.group(3));
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        return new Rows(
                table.cqlName(),
                cql,
                limit,
                columns,
                EmptyCollections.of(table, settings),
                new RddScan(settings, query(), limit));
    }

    private String query() {
        List<String> selection = new ArrayList<>();
        for (String name : columns.fieldNames()) {
            selection.add(selector(times.getOrDefault(name, name)));
        }
        // Of static columns alone, the server returns partitions.
        selection.add(table.partitionKey().get(0).cqlName());
        table.clusteringColumns().stream().limit(1).map(Column::cqlName).forEach(selection::add);
        return "SELECT " + String.join(", ", selection) + " FROM " + table.cqlName() + " " + cql;
    }

    private String selector(String name) {
        Matcher function = TIMES.matcher(name);
        return table.column(name)
                .map(Column::cqlName)
                .orElseGet(
                        () -> function.matches() ? function.group(1) + "(" + selector(function.group(2)) + ")" : name);
    }

    /** The planned read. Plans (on the driver). Immutable. */
    private record Rows(String table, String cql, int limit, StructType columns, Set<String> emptyForNull, RddScan scan)
            implements Scan, Batch, SupportsReportStatistics {
        @Override
        public StructType readSchema() {
            return columns;
        }

        @Override
        public String description() {
            return "cassandra " + table + " [" + String.join(", ", columns.fieldNames()) + "], Nearest: " + cql;
        }

        @Override
        public Statistics estimateStatistics() {
            return new Statistics() {
                @Override
                public OptionalLong sizeInBytes() {
                    return OptionalLong.of(Math.max(1L, (long) limit * columns.defaultSize()));
                }

                @Override
                public OptionalLong numRows() {
                    return OptionalLong.of(limit);
                }
            };
        }

        /** Constant, as the default implementation would plan the partitions. */
        @Override
        public ColumnarSupportMode columnarSupportMode() {
            return ColumnarSupportMode.UNSUPPORTED;
        }

        @Override
        public Batch toBatch() {
            return this;
        }

        @Override
        public InputPartition[] planInputPartitions() {
            return scan.partitions(SparkSession.active().sparkContext()).toArray(new InputPartition[0]);
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            return new Task(scan, columns, emptyForNull);
        }
    }

    /** Executes (on the executors), to which it travels. Immutable. */
    private record Task(RddScan scan, StructType columns, Set<String> emptyForNull) implements PartitionReaderFactory {
        private static final long serialVersionUID = 1;

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new Reader(
                    scan.open(partition, new InputMetrics()), columns, emptyForNull); // Spark counts the rows itself
        }
    }

    /** Confined to one thread. */
    private static final class Reader implements PartitionReader<InternalRow> {
        private final RddRows rows;
        private final StructType columns;
        private final Set<String> emptyForNull;
        private @Nullable RowCursor cursor;
        private @Nullable RowDecoder decoder;

        Reader(RddRows rows, StructType columns, Set<String> emptyForNull) {
            this.rows = rows;
            this.columns = columns;
            this.emptyForNull = emptyForNull;
        }

        @Override
        public boolean next() {
            RowCursor next = rows.next();
            if (next != null && next != cursor) {
                cursor = next;
                decoder = new RowDecoder(next, columns, rows.types(), emptyForNull);
            }
            return next != null;
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
            rows.close();
        }
    }
}
