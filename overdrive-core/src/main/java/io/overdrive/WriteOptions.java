package io.overdrive;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What to write and how. Immutable; the builder is confined to one thread.
 *
 * <p>Every value has a default that needs no tuning. Names are the same here, on the command line (in kebab case) and in
 * the docs; {@link #settings} prints each value with its origin.
 */
public final class WriteOptions {
    private static final long MIN_GROUPING_MEMORY = 1 << 20;
    private static final int BATCH_BYTES = 64 << 10;
    /** Servers refuse a batch of several partitions from 50 KiB on, as they count them. */
    private static final int REPLICA_SET_BATCH_BYTES = 32 << 10;
    /** What must stay free holds the rows under way, and whatever the caller needs. */
    private static final double MAX_SHARE_OF_HEAP = 0.6;

    private final @Nullable String keyspace;
    private final @Nullable String table;
    private final @Nullable String statement;
    private final @Nullable List<String> columns;
    private final Grouping grouping;
    private final int batchBytes;
    private final int batchRows;
    private final long groupingMemory;
    private final Path spillDirectory;
    private final int inFlightRequests;
    private final long inFlightBytes;
    private final long rowsPerSecond;
    private final long bytesPerSecond;
    private final DefaultConsistencyLevel consistency;
    private final @Nullable Integer ttl;
    private final @Nullable Long timestamp;
    private final Duration requestTimeout;
    private final int maxAttempts;
    private final Duration patience;
    private final boolean allowNonIdempotent;
    private final boolean rowTtl;
    private final boolean rowTimestamp;
    private final boolean attachments;
    private final boolean countsRepeatedKeys;
    private final boolean ifNotExists;
    private final Map<String, CollectionChange> changes;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final Set<String> setByUser;

    private WriteOptions(Builder b) {
        keyspace = b.keyspace;
        table = b.table;
        statement = b.statement;
        columns = b.columns;
        grouping = b.grouping;
        long defaultBatchBytes = grouping == Grouping.REPLICA_SET ? REPLICA_SET_BATCH_BYTES : BATCH_BYTES;
        batchBytes = Settings.range("batchBytes", b.batchBytes == null ? defaultBatchBytes : b.batchBytes, 1, 16 << 20);
        batchRows = Settings.range("batchRows", b.batchRows, 1, 65535);
        groupingMemory = Settings.atLeast("groupingMemory", b.groupingMemory, MIN_GROUPING_MEMORY);
        spillDirectory = b.spillDirectory;
        inFlightRequests = Settings.range("inFlightRequests", b.inFlightRequests, 1, 32768);
        inFlightBytes = Settings.atLeast("inFlightBytes", b.inFlightBytes, 1024);
        rowsPerSecond = Settings.atLeast("rowsPerSecond", b.rowsPerSecond, 1);
        bytesPerSecond = Settings.atLeast("bytesPerSecond", b.bytesPerSecond, 1);
        consistency = b.consistency;
        // 20 years is the server's own limit (ExpirationDateOverflowHandling, Attributes.MAX_TTL)
        ttl = b.ttl == null ? null : Settings.range("ttl", b.ttl, 0, 20 * 365 * 24 * 3600);
        timestamp = b.timestamp;
        requestTimeout = Settings.timeout("requestTimeout", b.requestTimeout);
        maxAttempts = Settings.range("maxAttempts", b.maxAttempts, 1, 1000);
        patience = Settings.patience(b.patience);
        allowNonIdempotent = b.allowNonIdempotent;
        rowTtl = b.rowTtl;
        rowTimestamp = b.rowTimestamp;
        attachments = b.attachments;
        countsRepeatedKeys = b.countsRepeatedKeys;
        ifNotExists = b.ifNotExists;
        changes = Map.copyOf(b.changes);
        onReject = b.onReject;
        setByUser = Set.copyOf(b.setByUser);
        if (consistency.isSerial()) {
            throw new IllegalArgumentException(
                    "consistency is " + consistency + ": that is for conditional writes only");
        }
        if (statement != null && (ttl != null || rowTtl || timestamp != null || rowTimestamp)) {
            throw new IllegalArgumentException(
                    "ttl and timestamp are part of your own statement: write USING TTL … AND TIMESTAMP … into it");
        }
        if (statement != null && (ifNotExists || !changes.isEmpty())) {
            throw new IllegalArgumentException(
                    "ifNotExists and changes of collections are part of your own statement: write them into it");
        }
        if (ifNotExists && !changes.isEmpty()) {
            throw new IllegalArgumentException(
                    "ifNotExists leaves rows that are there alone, and changes of collections do not: choose one");
        }
        if (ifNotExists && (timestamp != null || rowTimestamp)) {
            throw new IllegalArgumentException(
                    "timestamp is given with ifNotExists: the server sets the write time of rows with a condition");
        }
        if (ttl != null && rowTtl) {
            throw new IllegalArgumentException("ttl is given for the run and for each row: choose one");
        }
    }

    /** Where the memory is really asked for: options may be built on another machine than the one that writes. */
    static void checkGroupingMemory(long bytes) {
        Settings.atLeast("groupingMemory", bytes, MIN_GROUPING_MEMORY);
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > heap * MAX_SHARE_OF_HEAP) {
            throw new IllegalArgumentException("groupingMemory is " + (bytes >> 20)
                    + " MiB, too much for a Java heap of " + (heap >> 20)
                    + " MiB: lower it, or give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the command line)");
        }
    }

    /** Rows of a table: inserts, or additions where the table holds counters. */
    public static Builder into(String keyspace, String table) {
        return new Builder(keyspace, table, null);
    }

    /**
     * Rows for a statement of the user's own: INSERT, UPDATE or DELETE with markers ({@code :name}), which become the
     * columns. The server prepares it. A marker in USING TIMESTAMP takes the write time of each row, and rows in which it is
     * not set have that of their position. An INSERT without USING TIMESTAMP gets such a marker if the server allows it; rows
     * of other statements go one by one, with the write time in the request. Counters, and what may not be repeated, have the
     * server's time.
     */
    public static Builder statement(String cql) {
        return new Builder(null, null, cql);
    }

    public @Nullable String keyspace() {
        return keyspace;
    }

    public @Nullable String table() {
        return table;
    }

    public @Nullable String statement() {
        return statement;
    }

    /** The columns to write, by name as the schema has it; null: all. Setters of {@link RowBuffer} count in this order. */
    public @Nullable List<String> columns() {
        return columns;
    }

    public Grouping grouping() {
        return grouping;
    }

    /**
     * A batch is sent when it has this many bytes, up to 16 MiB; 10-100 kB is the plateau of Cassandra's write path. Default
     * 64 KiB, with {@link Grouping#REPLICA_SET} 32 KiB. With the latter it is less if that is more than five eighths of the
     * server's {@code batch_size_fail_threshold}, and is lowered when the server refuses a batch for its size.
     */
    public int batchBytes() {
        return batchBytes;
    }

    /** A batch leaves when it has this many rows, up to 65,535. */
    public int batchRows() {
        return batchRows;
    }

    /**
     * Bytes that rows may hold while they wait for others of their partition, 1 MiB or more; 128 MiB, or two fifths of a
     * heap where that is less. A writer is opened only where it is at most 60 % of the heap.
     */
    public long groupingMemory() {
        return groupingMemory;
    }

    /** Where rows go that come out of order and do not fit in {@link #groupingMemory}. */
    public Path spillDirectory() {
        return spillDirectory;
    }

    /** Requests under way at once, for each node, up to 32,768. */
    public int inFlightRequests() {
        return inFlightRequests;
    }

    /**
     * Bytes under way at once, for each node, 1 KiB or more; all nodes together get an eighth of the heap at most, or
     * 64 KiB each where that is more. A larger request goes alone.
     */
    public long inFlightBytes() {
        return inFlightBytes;
    }

    /** Ceiling over all nodes; {@code Long.MAX_VALUE}: none. */
    public long rowsPerSecond() {
        return rowsPerSecond;
    }

    /** Ceiling over all nodes, in bytes of requests; {@code Long.MAX_VALUE}: none. */
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    public DefaultConsistencyLevel consistency() {
        return consistency;
    }

    /** Seconds to live of every row, up to 20 years, 0 for ever; null: the table's default. */
    public @Nullable Integer ttl() {
        return ttl;
    }

    /**
     * Write time of the first row in microseconds since 1970; row n of the input gets n microseconds more, so that the
     * last row of a key wins; if rows hold lists that are not frozen, {@link #maxAttempts} + 1 times as much. For these a
     * writer is opened only with {@link #allowNonIdempotent}: a second run with the same write times would leave each list
     * with its elements twice. Null: the time at which the writer is opened.
     */
    public @Nullable Long timestamp() {
        return timestamp;
    }

    /** How long one request may take before it counts as failed and is sent again; a millisecond or more. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /**
     * How often a request is sent that may have been applied, because no answer came or the server timed out, before its
     * rows are rejected; up to 1000. A batch is then split first, as one of its rows may be the cause. Rows with lists that
     * are not frozen are sent at most 10 times.
     */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * How long a request waits for a cluster that surely has not applied it, up to a day: no node is up, there is no
     * connection, too few replicas are alive, or a node is overloaded. Then the writer fails. 0: it fails at the first such
     * answer.
     */
    public Duration patience() {
        return patience;
    }

    /**
     * Whether writes are accepted that give another result when they are sent twice: counters, appends, conditions, and lists
     * that are not frozen with write times of the rows, the statement or {@link #timestamp}.
     */
    public boolean allowNonIdempotent() {
        return allowNonIdempotent;
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
     * Whether only rows are written whose primary key is not there; each by itself. Those that are there stay as they are and
     * count as written: to send such a row again does no harm.
     */
    public boolean ifNotExists() {
        return ifNotExists;
    }

    /** What becomes of collections that are there, by column; those of other columns are replaced. */
    public Map<String, CollectionChange> changes() {
        return changes;
    }

    String keyspaceOfTarget() {
        return Objects.requireNonNull(keyspace);
    }

    String tableOfTarget() {
        return Objects.requireNonNull(table);
    }

    /** Takes rows that could not be written; null: the writer fails at the first one. */
    public @Nullable Consumer<RejectedRow> onReject() {
        return onReject;
    }

    /** Each setting's value and origin, by its name: {@code batchBytes -> "65536 (default)"}. */
    public Map<String, String> settings() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("grouping", grouping.name().toLowerCase(Locale.ROOT));
        values.put("batchBytes", batchBytes);
        values.put("batchRows", batchRows);
        values.put("groupingMemory", groupingMemory);
        values.put("spillDirectory", spillDirectory);
        values.put("inFlightRequests", inFlightRequests);
        values.put("inFlightBytes", inFlightBytes);
        values.put("rowsPerSecond", Settings.ceiling(rowsPerSecond));
        values.put("bytesPerSecond", Settings.ceiling(bytesPerSecond));
        values.put("consistency", consistency.name());
        values.put("ttl", ttl == null ? "none" : ttl);
        values.put("timestamp", timestamp == null ? "now" : timestamp);
        values.put("requestTimeout", requestTimeout);
        values.put("maxAttempts", maxAttempts);
        values.put("patience", patience);
        values.put("allowNonIdempotent", allowNonIdempotent);
        return Settings.withOrigin(values, setByUser);
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
        private Grouping grouping = Grouping.PARTITION;
        private @Nullable Long batchBytes;
        private long batchRows = 1000;
        private long groupingMemory = Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 5 * 2);
        private Path spillDirectory = Path.of(System.getProperty("java.io.tmpdir"));
        private long inFlightRequests = 512;
        private long inFlightBytes = 2L << 20;
        private long rowsPerSecond = Long.MAX_VALUE;
        private long bytesPerSecond = Long.MAX_VALUE;
        private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_QUORUM;
        private @Nullable Integer ttl;
        private @Nullable Long timestamp;
        private Duration requestTimeout = Duration.ofSeconds(15);
        private long maxAttempts = 10;
        private Duration patience = Settings.PATIENCE;
        private boolean allowNonIdempotent;
        private boolean rowTtl;
        private boolean rowTimestamp;
        private boolean attachments;
        private boolean countsRepeatedKeys;
        private boolean ifNotExists;
        private final Map<String, CollectionChange> changes = new LinkedHashMap<>();
        private @Nullable Consumer<RejectedRow> onReject;
        private final Set<String> setByUser = new TreeSet<>();

        private Builder(@Nullable String keyspace, @Nullable String table, @Nullable String statement) {
            this.keyspace = keyspace;
            this.table = table;
            this.statement = statement;
        }

        /** The columns to write, by name as the schema has it; must hold the whole primary key. */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        public Builder columns(List<String> names) {
            columns = List.copyOf(names);
            return this;
        }

        public Builder grouping(Grouping value) {
            setByUser.add("grouping");
            grouping = value;
            return this;
        }

        public Builder batchBytes(long value) {
            setByUser.add("batchBytes");
            batchBytes = value;
            return this;
        }

        public Builder batchRows(long value) {
            setByUser.add("batchRows");
            batchRows = value;
            return this;
        }

        public Builder groupingMemory(long bytes) {
            setByUser.add("groupingMemory");
            groupingMemory = bytes;
            return this;
        }

        public Builder spillDirectory(Path directory) {
            setByUser.add("spillDirectory");
            spillDirectory = directory;
            return this;
        }

        public Builder inFlightRequests(long perNode) {
            setByUser.add("inFlightRequests");
            inFlightRequests = perNode;
            return this;
        }

        public Builder inFlightBytes(long perNode) {
            setByUser.add("inFlightBytes");
            inFlightBytes = perNode;
            return this;
        }

        public Builder rowsPerSecond(long value) {
            setByUser.add("rowsPerSecond");
            rowsPerSecond = value;
            return this;
        }

        public Builder bytesPerSecond(long value) {
            setByUser.add("bytesPerSecond");
            bytesPerSecond = value;
            return this;
        }

        public Builder consistency(ConsistencyLevel value) {
            setByUser.add("consistency");
            consistency = DefaultConsistencyLevel.valueOf(value.name());
            return this;
        }

        public Builder ttl(int seconds) {
            setByUser.add("ttl");
            ttl = seconds;
            return this;
        }

        public Builder timestamp(long microsOfTheFirstRow) {
            setByUser.add("timestamp");
            timestamp = microsOfTheFirstRow;
            return this;
        }

        public Builder requestTimeout(Duration value) {
            setByUser.add("requestTimeout");
            requestTimeout = value;
            return this;
        }

        public Builder maxAttempts(long value) {
            setByUser.add("maxAttempts");
            maxAttempts = value;
            return this;
        }

        public Builder patience(Duration value) {
            setByUser.add("patience");
            patience = value;
            return this;
        }

        /** Accepts counters, appends to lists, conditions and lists with given write times, which a retry may apply twice. */
        public Builder allowNonIdempotent() {
            setByUser.add("allowNonIdempotent");
            allowNonIdempotent = true;
            return this;
        }

        /** Lets rows carry their own time to live. */
        public Builder rowTtl() {
            rowTtl = true;
            return this;
        }

        /** Lets rows carry their own write time. */
        public Builder rowTimestamp() {
            rowTimestamp = true;
            return this;
        }

        /** Lets rows carry bytes that come back with a rejected row; they take grouping memory. */
        public Builder attachments() {
            attachments = true;
            return this;
        }

        /**
         * Counts rows whose primary key an earlier row of the run had, as far as it is remembered; of tables only, and not
         * if rows are added to counters or collections.
         */
        public Builder countRepeatedKeys() {
            countsRepeatedKeys = true;
            return this;
        }

        /** Writes only rows whose primary key is not there, and leaves the others as they are. */
        public Builder ifNotExists() {
            ifNotExists = true;
            return this;
        }

        /** Lets the values of a column change the collection that is there, and not replace it. */
        public Builder change(String column, CollectionChange change) {
            changes.put(column, change);
            return this;
        }

        /**
         * Takes rows that could not be written. Called by one thread at a time: one of the writer's, and once the writer
         * has failed the caller's too. Where it throws, the writer fails. A row whose key is not set does not get here:
         * {@link RowWriter#send} throws.
         */
        public Builder onReject(Consumer<RejectedRow> handler) {
            onReject = handler;
            return this;
        }

        /** @throws IllegalArgumentException where a value is out of its range, or values do not go together */
        public WriteOptions build() {
            return new WriteOptions(this);
        }
    }
}
