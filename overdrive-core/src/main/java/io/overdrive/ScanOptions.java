package io.overdrive;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What to read and how. Immutable; the builder is confined to one thread.
 *
 * <p>Every value has a default that needs no tuning. Names are the same here, on the command line (in kebab case) and in
 * the docs; {@link #settings} prints each value with its origin.
 */
public final class ScanOptions {
    private final @Nullable String keyspace;
    private final @Nullable String table;
    private final @Nullable String query;
    private final @Nullable List<String> columns;
    private final @Nullable String where;
    private final long splitBytes;
    private final int pageBytes;
    private final int pageRows;
    private final int splitsInFlight;
    private final long pageMemory;
    private final long rowsPerSecond;
    private final long bytesPerSecond;
    private final DefaultConsistencyLevel consistency;
    private final Duration requestTimeout;
    private final int maxAttempts;
    private final Duration patience;
    private final Set<String> setByUser;

    private ScanOptions(Builder b) {
        keyspace = b.keyspace;
        table = b.table;
        query = b.query;
        columns = b.columns;
        where = b.where;
        splitBytes = Settings.atLeast("splitBytes", b.splitBytes, 1);
        pageBytes = Settings.range("pageBytes", b.pageBytes, 1024, 64 << 20);
        pageRows = Settings.range("pageRows", b.pageRows, 1, 1_000_000);
        splitsInFlight = Settings.range("splitsInFlight", b.splitsInFlight, 1, 4096);
        pageMemory = Settings.atLeast("pageMemory", b.pageMemory, 1 << 20);
        rowsPerSecond = Settings.atLeast("rowsPerSecond", b.rowsPerSecond, 1);
        bytesPerSecond = Settings.atLeast("bytesPerSecond", b.bytesPerSecond, 1);
        consistency = b.consistency;
        requestTimeout = Settings.timeout("requestTimeout", b.requestTimeout);
        maxAttempts = Settings.range("maxAttempts", b.maxAttempts, 1, 1000);
        patience = Settings.patience(b.patience);
        setByUser = Set.copyOf(b.setByUser);
        if (query != null && (columns != null || where != null)) {
            throw new IllegalArgumentException("columns and where are part of your own query: write them into it");
        }
    }

    /** All rows of a table or a materialized view. */
    public static Builder from(String keyspace, String table) {
        return new Builder(keyspace, table, null);
    }

    /**
     * The rows of a query of the user's own, without markers. It is split by token where the server accepts that, and
     * else runs as one request after the other.
     */
    public static Builder query(String cql) {
        return new Builder(null, null, cql);
    }

    public @Nullable String keyspace() {
        return keyspace;
    }

    public @Nullable String table() {
        return table;
    }

    public @Nullable String query() {
        return query;
    }

    /**
     * What to read of each row, in this order: columns by name as the schema has it, or {@code ttl(name)} or
     * {@code writetime(name)} of one. Null: all columns, in the order of {@link TableSchema}.
     */
    public @Nullable List<String> columns() {
        return columns;
    }

    String keyspaceOfTarget() {
        return ofTable(keyspace);
    }

    String tableOfTarget() {
        return ofTable(table);
    }

    private String ofTable(@Nullable String name) {
        if (name == null) {
            throw new IllegalArgumentException("this takes a table, not a query of one's own: " + query);
        }
        return name;
    }

    /** Conditions as CQL has them after WHERE, without those on the token; null: none. */
    public @Nullable String where() {
        return where;
    }

    /** Estimated bytes of a split, at most; there are never fewer splits than a few for each node. */
    public long splitBytes() {
        return splitBytes;
    }

    /** Bytes that a page should have, 1 KiB to 64 MiB; how many rows that is follows from the rows read so far. */
    public int pageBytes() {
        return pageBytes;
    }

    /** Rows of a page, at most; up to 1,000,000. */
    public int pageRows() {
        return pageRows;
    }

    /** Splits that are read at once, for each node of the local data centre; up to 4096. */
    public int splitsInFlight() {
        return splitsInFlight;
    }

    /**
     * Bytes that all pages of the scan may hold at once, 1 MiB or more: two for each split that is read, one in use and one
     * on its way. Where they do not fit, pages are smaller than {@link #pageBytes}. A single row may be larger, and the first pages have up
     * to four, as nothing is known of the rows then.
     */
    public long pageMemory() {
        return pageMemory;
    }

    /** Ceiling over all nodes; {@code Long.MAX_VALUE}: none. */
    public long rowsPerSecond() {
        return rowsPerSecond;
    }

    /** Ceiling over all nodes, in bytes of pages; {@code Long.MAX_VALUE}: none. */
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    public DefaultConsistencyLevel consistency() {
        return consistency;
    }

    /** How long one page may take before it is asked for again; a millisecond or more. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /**
     * How often a page is asked for, smaller each time, before the scan fails; up to 1000. Where a server refuses a page,
     * because of too many tombstones say, smaller ones do not count until there is nothing smaller.
     */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * How long a page waits for a cluster that does not take requests, up to a day: no node is up, there is no connection, too
     * few replicas are alive, or a node is overloaded. Then the scan fails. 0: it fails at the first such answer.
     */
    public Duration patience() {
        return patience;
    }

    /** Each setting's value and origin, by its name: {@code pageBytes -> "524288 (default)"}. */
    public Map<String, String> settings() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("splitBytes", splitBytes);
        values.put("splitsInFlight", splitsInFlight);
        values.put("pageBytes", pageBytes);
        values.put("pageRows", pageRows);
        values.put("pageMemory", pageMemory);
        values.put("rowsPerSecond", Settings.ceiling(rowsPerSecond));
        values.put("bytesPerSecond", Settings.ceiling(bytesPerSecond));
        values.put("consistency", consistency.name());
        values.put("requestTimeout", requestTimeout);
        values.put("maxAttempts", maxAttempts);
        values.put("patience", patience);
        return Settings.withOrigin(values, setByUser);
    }

    @Override
    public String toString() {
        return (query != null ? query : keyspace + "." + table) + " " + settings();
    }

    /** Builds {@link ScanOptions}. */
    public static final class Builder {
        private final @Nullable String keyspace;
        private final @Nullable String table;
        private final @Nullable String query;
        private @Nullable List<String> columns;
        private @Nullable String where;
        private long splitBytes = 64 << 20;
        private long pageBytes = 512 << 10;
        private long pageRows = 20_000;
        private long splitsInFlight = 4;
        private long pageMemory = Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 4);
        private long rowsPerSecond = Long.MAX_VALUE;
        private long bytesPerSecond = Long.MAX_VALUE;
        private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_ONE;
        private Duration requestTimeout = Duration.ofSeconds(15);
        private long maxAttempts = 10;
        private Duration patience = Settings.PATIENCE;
        private final Set<String> setByUser = new TreeSet<>();

        private Builder(@Nullable String keyspace, @Nullable String table, @Nullable String query) {
            this.keyspace = keyspace;
            this.table = table;
            this.query = query;
        }

        /** The columns to read, by name as the schema has it. */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        public Builder columns(List<String> names) {
            columns = List.copyOf(names);
            return this;
        }

        /** Conditions as CQL has them after WHERE. */
        public Builder where(String conditions) {
            where = conditions;
            return this;
        }

        public Builder splitBytes(long value) {
            setByUser.add("splitBytes");
            splitBytes = value;
            return this;
        }

        public Builder pageBytes(long value) {
            setByUser.add("pageBytes");
            pageBytes = value;
            return this;
        }

        public Builder pageRows(long value) {
            setByUser.add("pageRows");
            pageRows = value;
            return this;
        }

        public Builder splitsInFlight(long perNode) {
            setByUser.add("splitsInFlight");
            splitsInFlight = perNode;
            return this;
        }

        public Builder pageMemory(long bytes) {
            setByUser.add("pageMemory");
            pageMemory = bytes;
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

        /** @throws IllegalArgumentException where a value is out of its range, or values do not go together */
        public ScanOptions build() {
            return new ScanOptions(this);
        }
    }
}
