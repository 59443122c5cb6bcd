package io.overdrive;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.names.IllegalOptionException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Options of a writer: the table or statement to write with, and how to write. Immutable; the builder is confined to
 * one thread.
 *
 * <p>Every setting has a default that needs no tuning. Names are the same here, on the command line (in kebab case) and in
 * the docs; {@link #settings} gives each value with its origin.
 *
 * <p>Above 500 lines because each setting has an accessor and a method of the builder, with their documentation.
 */
public final class WriteOptions {
    /** The rest of the heap holds the requests in flight and what the caller needs. */
    private static final double MAX_SHARE_OF_HEAP = 0.6;

    private final @Nullable String keyspace;
    private final @Nullable String table;
    private final @Nullable String statement;
    private final @Nullable List<String> columns;
    private final Setting.Values values;
    private final boolean rowTtl;
    private final boolean rowTimestamp;
    private final boolean attachments;
    private final boolean countsRepeatedKeys;
    private final boolean ifNotExists;
    private final boolean cellsOnly;
    private final Map<String, CollectionChange> changes;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final @Nullable Consumer<long[]> onWritten;
    private final @Nullable Long resumedTimestamp;

    private WriteOptions(Builder b) {
        keyspace = b.keyspace;
        table = b.table;
        statement = b.statement;
        columns = b.columns;
        values = new Setting.Values(b.values);
        if (values.get(WriteSetting.GROUPING) == Grouping.REPLICA_SET) {
            values.setDefault(WriteSetting.BATCH_BYTES, WriteSetting.REPLICA_SET_BATCH_BYTES);
        }
        if (values.get(WriteSetting.IN_FLIGHT_CONTROL) == InFlightControl.FIXED) {
            values.setDefault(WriteSetting.IN_FLIGHT_REQUESTS, WriteSetting.FIXED_REQUESTS);
            values.setDefault(WriteSetting.IN_FLIGHT_BYTES, WriteSetting.FIXED_BYTES);
        }
        values.check();
        rowTtl = b.rowTtl;
        rowTimestamp = b.rowTimestamp;
        attachments = b.attachments;
        countsRepeatedKeys = b.countsRepeatedKeys;
        ifNotExists = b.ifNotExists;
        cellsOnly = b.cellsOnly;
        changes = Map.copyOf(b.changes);
        onReject = b.onReject;
        onWritten = b.onWritten;
        resumedTimestamp = b.resumedTimestamp;
        boolean hasTtl = ttl() != null;
        boolean hasTimestamp = timestamp() != null;
        if (consistency().isSerial()) {
            throw new IllegalOptionException(words -> words.of(WriteSetting.CONSISTENCY) + " is " + consistency()
                    + ", which is for conditional writes" + " only");
        }
        if (statement != null && (hasTtl || rowTtl || hasTimestamp || rowTimestamp)) {
            throw new IllegalOptionException(
                    words -> words.of(WriteSetting.TTL) + " and " + words.of(WriteSetting.TIMESTAMP)
                            + " do not apply to your" + " own statement: write USING TTL … AND TIMESTAMP … into it");
        }
        if (cellsOnly && (statement != null || ifNotExists)) {
            throw new IllegalArgumentException(
                    "cellsOnly updates the rows of a table: neither your own statement nor ifNotExists can do that");
        }
        if (statement != null && (ifNotExists || !changes.isEmpty())) {
            throw new IllegalArgumentException(
                    "ifNotExists and collection changes do not apply to your own statement: write them into it");
        }
        if (ifNotExists && !changes.isEmpty()) {
            throw new IllegalArgumentException(
                    "ifNotExists leaves existing rows unchanged, and collection changes modify them: choose one");
        }
        if (ifNotExists && (hasTimestamp || rowTimestamp)) {
            throw new IllegalOptionException(words -> words.of(WriteSetting.TIMESTAMP)
                    + " is given with ifNotExists: the server itself sets the write" + " time of conditional writes");
        }
        if (hasTtl && rowTtl) {
            throw new IllegalOptionException(
                    words -> words.of(WriteSetting.TTL) + " is given both for the run and for each row: choose one");
        }
    }

    /** Called when a writer is opened: options may be built on a different machine. */
    static void checkGroupingMemory(long bytes) {
        WriteSetting.GROUPING_MEMORY.check(bytes);
        if (bytes > Runtime.getRuntime().maxMemory() * MAX_SHARE_OF_HEAP) {
            throw new IllegalOptionException(words -> words.of(WriteSetting.GROUPING_MEMORY) + " is " + (bytes >> 20)
                    + " MiB, too much for " + JavaHeap.described() + ": lower it, or " + JavaHeap.REMEDY);
        }
    }

    /** Rows of a table, names as in the schema, not quoted: inserts, or increments if the table holds counters. */
    public static Builder into(String keyspace, String table) {
        return new Builder(keyspace, table, null);
    }

    /**
     * Rows for your own statement: INSERT, UPDATE or DELETE with bind markers ({@code :name}), which become the columns. The
     * server prepares it. A marker in USING TIMESTAMP takes the write time of each row; rows that do not set it get the write
     * time of their position. An INSERT without USING TIMESTAMP gets such a marker if the server allows it; rows of other
     * statements are sent on their own, with the write time in the request. The server sets the write time of counters and of
     * statements that are not idempotent.
     */
    public static Builder statement(String cql) {
        return new Builder(null, null, cql);
    }

    /** The table's keyspace; null for a statement. */
    public @Nullable String keyspace() {
        return keyspace;
    }

    /** The table to write; null for a statement. */
    public @Nullable String table() {
        return table;
    }

    /** Your own statement; null for a table. */
    public @Nullable String statement() {
        return statement;
    }

    /**
     * The columns to write, by their names in the schema, with the whole primary key; null: all. Setters of {@link RowBuffer}
     * count in this order.
     */
    public @Nullable List<String> columns() {
        return columns;
    }

    /** Which rows may share a request. Default {@link Grouping#PARTITION}, and see {@link #gathersSingles}. */
    public Grouping grouping() {
        return values.get(WriteSetting.GROUPING);
    }

    /**
     * Whether single rows of partitions with the same replicas share requests while this proves to be faster: if {@link #grouping}
     * was not set. Such a request stays below the size from which the server would warn of it, 10 partitions and 5 KiB by default.
     */
    public boolean gathersSingles() {
        return !values.isSet(WriteSetting.GROUPING);
    }

    /**
     * Size at which a batch is sent, 1 byte to 16 MiB; Cassandra's write throughput is highest from 10 to 100 kB. Default
     * 64 KiB, at first ({@link #findsBatchBytes}), or 32 KiB with {@link Grouping#REPLICA_SET}. The latter is also limited to five eighths of the server's
     * {@code batch_size_fail_threshold}, and lowered when the server refuses a batch for its size.
     */
    public int batchBytes() {
        return values.get(WriteSetting.BATCH_BYTES).intValue();
    }

    /** Number of rows at which a batch is sent, 1 to 65,535. Default 1000. */
    public int batchRows() {
        return values.get(WriteSetting.BATCH_ROWS).intValue();
    }

    /**
     * Memory for rows that wait for others of their partition, in bytes, 1 MiB or more. A writer is opened only if this is at
     * most 60 % of the Java heap. Default 128 MiB, or two fifths of the heap if that is less.
     */
    public long groupingMemory() {
        return values.get(WriteSetting.GROUPING_MEMORY);
    }

    /**
     * How long a row may wait for others of its partition before it is sent, 1 ms to 24 h; half of that is the minimum. While
     * the cluster keeps up, a row is thus written about this time after {@link RowWriter#send} and a round trip later. If it
     * does not keep up, rows wait and gather in {@link #groupingMemory}, and then {@code send} waits. Rows are never spilled.
     * Null: a group is sent when it is full or looks complete, when memory is short, and by {@link RowWriter#flush}. Default
     * 5 ms; null after {@link Builder#bulk}.
     */
    public @Nullable Duration linger() {
        return values.find(WriteSetting.LINGER);
    }

    /** Directory for rows that are out of order and do not fit in {@link #groupingMemory}. Default {@code java.io.tmpdir}. */
    public Path spillDirectory() {
        return values.get(WriteSetting.SPILL_DIRECTORY);
    }

    /**
     * Whether the writer finds the size of batches itself, from {@link #batchBytes} on: unless that is set, or limits are {@link
     * InFlightControl#FIXED}.
     */
    public boolean findsBatchBytes() {
        return !values.isSet(WriteSetting.BATCH_BYTES) && inFlightControl() != InFlightControl.FIXED;
    }

    /** How the limit of requests in flight to each node is found. Default {@link InFlightControl#ROUND_TRIPS}. */
    public InFlightControl inFlightControl() {
        return values.get(WriteSetting.IN_FLIGHT_CONTROL);
    }

    /**
     * Maximum requests in flight to each node, 1 to 8000. All nodes together get at most 65,536. Default 4096, or 512 with {@link
     * InFlightControl#FIXED}.
     */
    public int inFlightRequests() {
        return values.get(WriteSetting.IN_FLIGHT_REQUESTS).intValue();
    }

    /**
     * Maximum bytes in flight to each node, 1 KiB or more; a larger request is sent while no other is in flight. All nodes
     * together get at most an eighth of the Java heap. Default 16 MiB, or 2 MiB with
     * {@link InFlightControl#FIXED}.
     */
    public long inFlightBytes() {
        return values.get(WriteSetting.IN_FLIGHT_BYTES);
    }

    /** Rate limit over all nodes, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long rowsPerSecond() {
        return values.get(WriteSetting.ROWS_PER_SECOND);
    }

    /** Rate limit over all nodes, in bytes of requests, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long bytesPerSecond() {
        return values.get(WriteSetting.BYTES_PER_SECOND);
    }

    /** Consistency level of the writes, not a serial one. Default LOCAL_QUORUM. */
    public DefaultConsistencyLevel consistency() {
        return values.get(WriteSetting.CONSISTENCY);
    }

    /** Time to live of every row in seconds, 0 (no expiry) to 20 years; null, the default: the table's. */
    public @Nullable Integer ttl() {
        Long seconds = values.find(WriteSetting.TTL);
        return seconds == null ? null : seconds.intValue();
    }

    /**
     * Write time of the first row in microseconds since 1970. Row n of the input gets n microseconds more, so that the last row
     * of a key wins. If rows hold lists that are not frozen, it is n * ({@link #maxAttempts} + 1) microseconds, and a writer is
     * opened only with {@link #allowNonIdempotent}: a second run with the same write times would leave each list with its
     * elements twice. Null, the default: the time at which the writer is opened.
     */
    public @Nullable Long timestamp() {
        return values.find(WriteSetting.TIMESTAMP);
    }

    /** Timeout of one attempt to write a request, 1 ms to 24 h. Default 15 s. */
    public Duration requestTimeout() {
        return values.get(WriteSetting.REQUEST_TIMEOUT);
    }

    /**
     * Attempts to write a request that may have been applied, because no answer came or the server timed out, before its rows
     * are rejected; 1 to 1000. A batch is first split, as one of its rows may be the cause. Rows with lists that are not frozen
     * have at most 10 attempts. Default 10.
     */
    public int maxAttempts() {
        return values.get(WriteSetting.MAX_ATTEMPTS).intValue();
    }

    /**
     * How long to keep retrying a request that surely was not applied, because no node is up, there is no connection, too few
     * replicas are alive, or a node is overloaded. Then the writer fails. 0 to 24 h; 0: it fails at the first such answer.
     * Default 5 min.
     */
    public Duration patience() {
        return values.get(WriteSetting.PATIENCE);
    }

    /**
     * Whether writes are accepted that are not idempotent, so that a retry may apply them twice: counters, appends to lists,
     * conditions, and lists that are not frozen if write times come from the rows, the statement or {@link #timestamp}.
     */
    public boolean allowNonIdempotent() {
        return values.get(WriteSetting.ALLOW_NON_IDEMPOTENT);
    }

    /** Whether rows may carry their own time to live ({@link RowBuffer#setTtl}). */
    public boolean rowTtl() {
        return rowTtl;
    }

    /** Whether rows may carry their own write time ({@link RowBuffer#setTimestamp}). */
    public boolean rowTimestamp() {
        return rowTimestamp;
    }

    /** Whether rows may carry bytes that come back with a rejected row ({@link RowBuffer#attach}). */
    public boolean attachments() {
        return attachments;
    }

    /** Whether rows are counted whose primary key an earlier row of the run had ({@link Totals#repeatedKeys}). */
    public boolean countsRepeatedKeys() {
        return countsRepeatedKeys;
    }

    /**
     * Whether only rows whose primary key does not exist yet are written (INSERT IF NOT EXISTS), each on its own. Existing rows
     * stay unchanged and count as written, so retries do no harm.
     */
    public boolean ifNotExists() {
        return ifNotExists;
    }

    /**
     * Whether rows are written by UPDATE, which writes cells, and not the row marker that an INSERT writes: a row is then there only as
     * long as one of its cells is. For Overdrive's own modules.
     */
    public boolean cellsOnly() {
        return cellsOnly;
    }

    /** How existing collections are changed, by column; collections of other columns are replaced. */
    public Map<String, CollectionChange> changes() {
        return changes;
    }

    String keyspaceOfTarget() {
        return Objects.requireNonNull(keyspace);
    }

    String tableOfTarget() {
        return Objects.requireNonNull(table);
    }

    /** The handler of rows that could not be written; null: the writer fails at the first one. */
    public @Nullable Consumer<RejectedRow> onReject() {
        return onReject;
    }

    /** Write time of position 0 of an earlier run that is resumed; null if there was none. */
    public @Nullable Long resumedTimestamp() {
        return resumedTimestamp;
    }

    /** Receives the positions of the rows of each acknowledged request; null: nothing does. */
    public @Nullable Consumer<long[]> onWritten() {
        return onWritten;
    }

    /** Each setting's value and origin, by name: {@code batchBytes -> "65536 (default)"}. */
    public Map<String, String> settings() {
        return values.printed();
    }

    @Override
    public String toString() {
        return (statement != null ? statement : keyspace + "." + table) + " " + settings();
    }

    /** Builds {@link WriteOptions}. */
    public static final class Builder {
        private final @Nullable String keyspace;
        private final @Nullable String table;
        private final @Nullable String statement;
        private @Nullable List<String> columns;
        private final Setting.Values values = new Setting.Values(WriteSetting.ALL);
        private boolean rowTtl;
        private boolean rowTimestamp;
        private boolean attachments;
        private boolean countsRepeatedKeys;
        private boolean ifNotExists;
        private boolean cellsOnly;
        private final Map<String, CollectionChange> changes = new LinkedHashMap<>();
        private @Nullable Consumer<RejectedRow> onReject;
        private @Nullable Consumer<long[]> onWritten;
        private @Nullable Long resumedTimestamp;

        private Builder(@Nullable String keyspace, @Nullable String table, @Nullable String statement) {
            this.keyspace = keyspace;
            this.table = table;
            this.statement = statement;
        }

        /** @see WriteOptions#columns() */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        public Builder columns(List<String> names) {
            columns = List.copyOf(names);
            return this;
        }

        public Builder grouping(Grouping value) {
            return set(WriteSetting.GROUPING, value);
        }

        public Builder batchBytes(long value) {
            return set(WriteSetting.BATCH_BYTES, value);
        }

        public Builder batchRows(long value) {
            return set(WriteSetting.BATCH_ROWS, value);
        }

        public Builder groupingMemory(long bytes) {
            return set(WriteSetting.GROUPING_MEMORY, bytes);
        }

        /** @see WriteOptions#linger() */
        public Builder linger(Duration value) {
            return set(WriteSetting.LINGER, value);
        }

        /**
         * Suits input that comes as fast as it is written and then ends, such as files: unless {@link #linger} is set,
         * rows wait for others of their partition for as long as memory lasts, and longer on disk. Rows in any order
         * then make large batches.
         */
        public Builder bulk() {
            values.removeDefault(WriteSetting.LINGER);
            return this;
        }

        public Builder spillDirectory(Path directory) {
            return set(WriteSetting.SPILL_DIRECTORY, directory);
        }

        public Builder inFlightControl(InFlightControl value) {
            return set(WriteSetting.IN_FLIGHT_CONTROL, value);
        }

        public Builder inFlightRequests(long perNode) {
            return set(WriteSetting.IN_FLIGHT_REQUESTS, perNode);
        }

        public Builder inFlightBytes(long perNode) {
            return set(WriteSetting.IN_FLIGHT_BYTES, perNode);
        }

        public Builder rowsPerSecond(long value) {
            return set(WriteSetting.ROWS_PER_SECOND, value);
        }

        public Builder bytesPerSecond(long value) {
            return set(WriteSetting.BYTES_PER_SECOND, value);
        }

        public Builder consistency(ConsistencyLevel value) {
            return set(WriteSetting.CONSISTENCY, DefaultConsistencyLevel.valueOf(value.name()));
        }

        public Builder ttl(int seconds) {
            return set(WriteSetting.TTL, (long) seconds);
        }

        public Builder timestamp(long microsOfTheFirstRow) {
            return set(WriteSetting.TIMESTAMP, microsOfTheFirstRow);
        }

        public Builder requestTimeout(Duration value) {
            return set(WriteSetting.REQUEST_TIMEOUT, value);
        }

        public Builder maxAttempts(long value) {
            return set(WriteSetting.MAX_ATTEMPTS, value);
        }

        public Builder patience(Duration value) {
            return set(WriteSetting.PATIENCE, value);
        }

        /** @see WriteOptions#allowNonIdempotent() */
        public Builder allowNonIdempotent() {
            return set(WriteSetting.ALLOW_NON_IDEMPOTENT, true);
        }

        /** @see WriteOptions#rowTtl() */
        public Builder rowTtl() {
            rowTtl = true;
            return this;
        }

        /** @see WriteOptions#rowTimestamp() */
        public Builder rowTimestamp() {
            rowTimestamp = true;
            return this;
        }

        /** Lets rows carry bytes that come back with a rejected row; they count against the grouping memory. */
        public Builder attachments() {
            attachments = true;
            return this;
        }

        /**
         * Counts rows whose primary key an earlier row of the run had; takes 8 MB. Only for tables, and not if rows increment counters or
         * change collections.
         */
        public Builder countRepeatedKeys() {
            countsRepeatedKeys = true;
            return this;
        }

        /** @see WriteOptions#ifNotExists() */
        public Builder ifNotExists() {
            ifNotExists = true;
            return this;
        }

        /** @see WriteOptions#cellsOnly() */
        public Builder cellsOnly() {
            cellsOnly = true;
            return this;
        }

        /** Lets the values of a column change existing collections instead of replacing them. */
        public Builder change(String column, CollectionChange change) {
            changes.put(column, change);
            return this;
        }

        /**
         * Sets a handler of rows that could not be written. It is called by one thread at a time, never the caller's, and may
         * write files. It must not close the writer, which would wait for it. If it throws, the writer fails. Rows without a complete
         * key are not rejected: {@link RowWriter#send} throws.
         */
        public Builder onReject(Consumer<RejectedRow> handler) {
            onReject = handler;
            return this;
        }

        /**
         * Sets a handler of the positions of written rows, as a run needs that is to be resumed. It is called for each
         * acknowledged request, before {@link RowWriter#close} returns, on the driver's I/O threads, several at once: it must not
         * wait. The array must not be changed, and may be kept.
         */
        public Builder onWritten(Consumer<long[]> handler) {
            onWritten = handler;
            return this;
        }

        /**
         * Continues an earlier run of the same rows: sets the write time of position 0, {@link RowWriter#baseTimestamp} of that run. For
         * rows whose {@link RowWriter#repetition} is HARMLESS.
         */
        public Builder resume(long baseTimestamp) {
            resumedTimestamp = baseTimestamp;
            return this;
        }

        /** Sets a setting; the other setters are the same for one setting each. */
        public <T extends Comparable<? super T>> Builder set(Setting<T> setting, T value) {
            values.set(setting, value);
            return this;
        }

        /** @throws IllegalArgumentException if a value is out of range, or values contradict each other */
        public WriteOptions build() {
            return new WriteOptions(this);
        }
    }
}
