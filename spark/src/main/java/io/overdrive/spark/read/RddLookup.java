package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Lookup;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.metric.RddLimit;
import io.overdrive.spark.metric.TaskTime;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.InputMetrics;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Lookups of the keys that an RDD has, or that conditions name. Planned on the driver, and travels to the executors. Immutable. */
public final class RddLookup implements Serializable {
    private static final long serialVersionUID = 1;

    private final LookupTask task;
    private final RddLimit limitedBy;

    private RddLookup(LookupTask task, RddLimit limitedBy) {
        this.task = task;
        this.limitedBy = limitedBy;
    }

    /**
     * Plans lookups, and has the server prepare their query.
     *
     * @param selection columns, or their {@code ttl(name)} or {@code writetime(name)}
     * @param where more conditions, without markers; empty for none
     * @param keyColumns the whole partition key, and maybe clustering columns from the first on
     * @throws IllegalArgumentException if rows cannot be looked up by these columns, or the server refuses the conditions
     */
    public static RddLookup plan(
            SparkContext spark,
            Settings settings,
            TableSchema table,
            List<String> selection,
            String where,
            List<String> keyColumns) {
        SstableRead.refuse(settings);
        ScanTask scan = new ScanTask(
                UUID.randomUUID(),
                settings,
                table.keyspace(),
                table.table(),
                new StructType(),
                Set.of(),
                selection,
                null,
                where,
                table.partitionKey().stream().map(TableSchema.Column::name).toList(),
                Integer.MAX_VALUE,
                /* rows */ null,
                /* sstables */ null);
        LookupTask task = new LookupTask(scan, List.copyOf(keyColumns));
        try (SharedRead<PacedLookup> shared = task.open()) {
            var unused = shared.get();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        return new RddLookup(task, RddLimit.register(spark, table.cqlName()));
    }

    /** The keys as Spark partitions, with the hosts that have their rows; a short list is one of them. */
    public List<InputPartition> partitions(SparkContext spark, TableSchema table, NamedKeys keys) {
        return KeysPartition.of(
                SharedEngines.of(task.scan().settings()),
                table,
                keys.values(),
                spark.defaultParallelism(),
                Hosts.of(spark),
                /* buckets */ null,
                /* wide */ null);
    }

    /**
     * The rows of the keys of such a partition.
     *
     * @param limit maximum number of rows
     * @param metrics of the task
     */
    public RddRows open(InputPartition partition, long limit, InputMetrics metrics) {
        int inFlight = (int) Math.max(1, Math.min(limit, task.inFlight()));
        return new Found(new Rows(metrics, inFlight), (KeysPartition) partition, limit);
    }

    /** @param metrics of the task */
    public Rows open(InputMetrics metrics) {
        return new Rows(metrics, task.inFlight());
    }

    /** The rows of a list of keys, many of which are in flight at once. */
    private final class Found implements RddRows {
        private final Rows rows;
        private final KeysPartition partition;
        private KeysPartition.@Nullable Reader keys;
        private long left;
        private @Nullable RowCursor current;

        Found(Rows rows, KeysPartition partition, long limit) {
            this.rows = rows;
            this.partition = partition;
            left = limit;
        }

        @Override
        public @Nullable RowCursor next() {
            try {
                return found();
            } catch (RuntimeException e) {
                rows.shared.forget();
                throw e;
            }
        }

        private @Nullable RowCursor found() {
            KeysPartition.Reader asked = keys;
            if (asked == null) {
                asked = partition.reader(task.scan().tableName(), rows.engine.lookup());
                keys = asked;
            }
            RowCursor from = current;
            while (left > 0) {
                if (from != null && from.next()) {
                    left--;
                    rows.count(from);
                    return from;
                }
                while (!rows.isFull() && asked.hasNext()) {
                    asked.next(rows.key());
                    rows.submit();
                }
                from = rows.take();
                current = from;
                if (from == null) {
                    rows.end();
                    left = 0;
                }
            }
            return null;
        }

        @Override
        public List<DataType> types() {
            return rows.types();
        }

        @Override
        public void close() {
            rows.close();
        }
    }

    /** Looks up keys, many at once, and gives their rows in the order of the keys. Confined to one thread; on the hot path. */
    public final class Rows implements AutoCloseable {
        private final SharedRead<PacedLookup> shared = task.open();
        private final TaskTime time = new TaskTime(System.nanoTime());
        private final InputMetrics metrics;
        private final PacedLookup engine;
        private final SameTable table;
        private final Lookup.Queue queue;
        private boolean closed;

        private Rows(InputMetrics metrics, int inFlight) {
            this.metrics = metrics;
            table = shared.start(opened -> task.scan().sameTable());
            queue = shared.start(opened -> opened.lookup().open(inFlight));
            engine = shared.get();
        }

        /** Whether the rows of a key must be taken before the next key. */
        public boolean isFull() {
            return queue.isFull();
        }

        /** The next key, to be filled in the order of the key columns. */
        public RowBuffer key() {
            return queue.key();
        }

        /** Requests the rows of the key, as soon as the rate limit allows it. */
        public void submit() {
            engine.ask(queue);
        }

        /** The rows of the oldest key that was not taken yet; null if there is none. Always the same object. */
        public @Nullable RowCursor take() {
            try {
                return queue.take();
            } catch (OverdriveException e) {
                throw Failures.named(e);
            }
        }

        /**
         * Called when the rows of all keys were taken.
         *
         * @throws OverdriveException if the table was dropped meanwhile
         */
        public void end() {
            try {
                table.requireForRead();
            } catch (OverdriveException e) {
                shared.forget();
                throw Failures.named(e);
            }
        }

        /** Notes that a row was used. */
        public void count(RowCursor row) {
            metrics.incRecordsRead(1);
            metrics.incBytesRead(row.rowEnd() - row.rowStart());
        }

        /** Types of the columns of the rows. */
        public List<DataType> types() {
            return engine.lookup().types();
        }

        /** Types of the columns of keys. */
        public List<DataType> keyTypes() {
            return engine.lookup().keyTypes();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                queue.close();
                shared.addTo(limitedBy, time);
                shared.close();
            }
        }
    }
}
