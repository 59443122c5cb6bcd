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
 * What to read, and how. Immutable; the builder is confined to one thread.
 *
 * <p>Every setting has a default that needs no tuning. Names are the same here, on the command line (in kebab case) and in
 * the docs; {@link #settings} gives each value with its origin.
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
            throw new IllegalArgumentException("columns and where do not apply to your own query: write them into it");
        }
    }

    /** All rows of a table or a materialized view; names as in the schema, not quoted. */
    public static Builder from(String keyspace, String table) {
        return new Builder(keyspace, table, null);
    }

    /**
     * The rows of your own SELECT statement, without bind markers. It is split by token if the server accepts that;
     * otherwise its pages are read in sequence.
     */
    public static Builder query(String cql) {
        return new Builder(null, null, cql);
    }

    /** The table's keyspace; null for a query. */
    public @Nullable String keyspace() {
        return keyspace;
    }

    /** The table to read; null for a query. */
    public @Nullable String table() {
        return table;
    }

    /** Your own query; null for a table. */
    public @Nullable String query() {
        return query;
    }

    /**
     * What to read of each row, in this order: a column by its name in the schema, or its {@code ttl(name)} or
     * {@code writetime(name)}. Null: all columns, in the order of {@link TableSchema}.
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
            throw new IllegalArgumentException("this needs a table, and the options have a query: " + query);
        }
        return name;
    }

    /** CQL conditions as written after WHERE, without any on the token; null: none. */
    public @Nullable String where() {
        return where;
    }

    /** Maximum estimated bytes of a split, 1 or more. There are always at least a few splits for each node. Default 64 MiB. */
    public long splitBytes() {
        return splitBytes;
    }

    /** Target size of a page, 1 KiB to 64 MiB; the number of rows follows from the sizes of earlier rows. Default 512 KiB. */
    public int pageBytes() {
        return pageBytes;
    }

    /** Maximum rows of a page, 1 to 1,000,000. Default 20,000. */
    public int pageRows() {
        return pageRows;
    }

    /** Splits read at once for each node of the local data centre, 1 to 4096. Default 4. */
    public int splitsInFlight() {
        return splitsInFlight;
    }

    /**
     * Maximum bytes of all pages of the scan, 1 MiB or more. Each split that is being read holds two pages, one in use and one
     * in flight; pages become smaller than {@link #pageBytes} if they would not fit. A single row may exceed the limit, and so
     * may the first pages, which have up to four rows because row sizes are not known yet. Default 128 MiB, or a quarter of the
     * Java heap if that is less.
     */
    public long pageMemory() {
        return pageMemory;
    }

    /** Rate limit over all nodes, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long rowsPerSecond() {
        return rowsPerSecond;
    }

    /** Rate limit over all nodes, in bytes of pages, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Consistency level of the reads. Default LOCAL_ONE. */
    public DefaultConsistencyLevel consistency() {
        return consistency;
    }

    /** Timeout of one attempt to read a page, 1 ms to 24 h. Default 15 s. */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    /**
     * Attempts to read a page, each with fewer rows, before the scan fails; 1 to 1000. If a server refuses a page, for example
     * because of too many tombstones, attempts only count once the page cannot shrink any more. Default 10.
     */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * How long to keep retrying a page while the cluster does not take requests: no node is up, there is no connection, too few
     * replicas are alive, or a node is overloaded. Then the scan fails. 0 to 24 h; 0: it fails at the first such answer.
     * Default 5 min.
     */
    public Duration patience() {
        return patience;
    }

    /** Each setting's value and origin, by name: {@code pageBytes -> "524288 (default)"}. */
    public Map<String, String> settings() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("splitBytes", splitBytes);
        values.put("splitsInFlight", splitsInFlight);
        values.put("pageBytes", pageBytes);
        values.put("pageRows", pageRows);
        values.put("pageMemory", pageMemory);
        values.put("rowsPerSecond", Settings.rateLimit(rowsPerSecond));
        values.put("bytesPerSecond", Settings.rateLimit(bytesPerSecond));
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

        /** @see ScanOptions#columns() */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        public Builder columns(List<String> names) {
            columns = List.copyOf(names);
            return this;
        }

        /** @see ScanOptions#where() */
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

        /** @throws IllegalArgumentException if a value is out of range, or values contradict each other */
        public ScanOptions build() {
            return new ScanOptions(this);
        }
    }
}
