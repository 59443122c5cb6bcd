package io.overdrive;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.internal.scan.TokenRanges;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of a scan: the rows to read, and how to read them. Immutable; the builder is confined to one thread.
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
    private final @Nullable RowSource source;
    private final List<Split.Range> tokenRanges;
    private final Setting.Values values;

    private ScanOptions(Builder b) {
        keyspace = b.keyspace;
        table = b.table;
        query = b.query;
        columns = b.columns;
        where = b.where;
        source = b.source;
        tokenRanges = TokenRanges.merged(b.tokenRanges);
        values = new Setting.Values(b.values).check();
        if (query != null && (columns != null || where != null)) {
            throw new IllegalOptionException(words -> words.of(JobOption.COLUMNS) + " and " + words.of(JobOption.WHERE)
                    + " do not apply to your own" + " query: write them into it");
        }
        if (consistency() == DefaultConsistencyLevel.ANY) {
            throw new IllegalOptionException(words -> words.of(ScanSetting.CONSISTENCY)
                    + " is ANY, which is for writes: choose LOCAL_ONE, LOCAL_QUORUM or another level for reads");
        }
        if (source != null && (query != null || where != null)) {
            throw new IllegalArgumentException(
                    "rows that do not come from the cluster cannot be chosen by a query or by conditions");
        }
        if (tokenRanges.isEmpty()) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.TOKEN_RANGES) + " has no range, and no row would be read: give one or more");
        }
        if (source != null && !hasWholeRing()) {
            throw new IllegalArgumentException(
                    "rows that do not come from the cluster cannot be chosen by their tokens");
        }
    }

    /** All rows of a table or a materialized view; names as in the schema, not quoted. */
    public static Builder from(String keyspace, String table) {
        return new Builder(keyspace, table, null);
    }

    /**
     * Creates a scan with your own SELECT statement, without bind markers. It is split by token if the server accepts that;
     * otherwise its pages are read in sequence.
     */
    public static Builder query(String cql) {
        return new Builder(null, null, cql);
    }

    /** A builder with these options, to change some of them. */
    public Builder toBuilder() {
        Builder builder = new Builder(keyspace, table, query);
        builder.columns = columns;
        builder.where = where;
        builder.source = source;
        builder.tokenRanges = tokenRanges;
        builder.values.setAll(values);
        return builder;
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
     * Columns to read of each row, in this order: each is a column's name in the schema, or its {@code ttl(name)} or
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

    /**
     * CQL conditions as written after WHERE, without any on the token; null: none. ORDER BY, for lookups only, and PER PARTITION
     * LIMIT may follow them, or be there without conditions.
     */
    public @Nullable String where() {
        return where;
    }

    /**
     * Tokens of the partitions to read, as ranges in ascending order, without overlaps; {@link Split#WHOLE_RING} by default. Only a query
     * that can be split is restricted to others.
     */
    public List<Split.Range> tokenRanges() {
        return tokenRanges;
    }

    /** Whether partitions of all tokens are read. */
    public boolean hasWholeRing() {
        return tokenRanges.equals(List.of(Split.WHOLE_RING));
    }

    /**
     * Source of the rows in place of the cluster, which then gets requests for the schema only; null if the cluster is
     * the source. For the modules of this project.
     */
    public @Nullable RowSource source() {
        return source;
    }

    /** The requests of the source; null if there is none, or it needs none. */
    RowSource.@Nullable Requests requests() {
        return source == null ? null : source.requests();
    }

    /** Maximum estimated bytes of a split, 1 or more. There are always at least a few splits for each node. Default 64 MiB. */
    public long splitBytes() {
        return values.get(ScanSetting.SPLIT_BYTES);
    }

    /** Target size of a page, 1 KiB to 64 MiB; the number of rows follows from the sizes of earlier rows. Default 512 KiB, at first; see
     * {@link #findsPageBytes}. */
    public int pageBytes() {
        return values.get(ScanSetting.PAGE_BYTES).intValue();
    }

    /**
     * Whether a scan finds the size of pages itself, from {@link #pageBytes} on: unless that is set, or limits are {@link
     * InFlightControl#FIXED}.
     */
    public boolean findsPageBytes() {
        return !values.isSet(ScanSetting.PAGE_BYTES) && inFlightControl() != InFlightControl.FIXED;
    }

    /** Maximum rows of a page, 1 to 1,000,000. Default 20,000. */
    public int pageRows() {
        return values.get(ScanSetting.PAGE_ROWS).intValue();
    }

    /**
     * How it is found how many pages are in flight to each node; at most one for each split. Default {@link
     * InFlightControl#ROUND_TRIPS}.
     */
    public InFlightControl inFlightControl() {
        return values.get(ScanSetting.IN_FLIGHT_CONTROL);
    }

    /** Splits read at once for each node of the local data centre, 1 to 4096. Default 4, at first; see {@link #findsSplitsInFlight}. */
    public int splitsInFlight() {
        return values.get(ScanSetting.SPLITS_IN_FLIGHT).intValue();
    }

    /**
     * Whether a scan finds the number of splits to read at once itself, from {@link #splitsInFlight} on and up to 16 for each node: unless
     * that is set, or limits are {@link InFlightControl#FIXED}.
     */
    public boolean findsSplitsInFlight() {
        return !values.isSet(ScanSetting.SPLITS_IN_FLIGHT) && inFlightControl() != InFlightControl.FIXED;
    }

    /**
     * Maximum bytes of all pages of the scan, 1 MiB or more. Each split that is being read holds two pages, one in use and one
     * in flight; pages become smaller than {@link #pageBytes} if they would not fit. A single row may exceed the limit, and so
     * may the first pages, which have up to four rows because row sizes are not known yet. Default 128 MiB, or a quarter of the
     * Java heap if that is less.
     */
    public long pageMemory() {
        return values.get(ScanSetting.PAGE_MEMORY);
    }

    /** Rate limit over all nodes, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long rowsPerSecond() {
        return values.get(ScanSetting.ROWS_PER_SECOND);
    }

    /** Rate limit over all nodes, in bytes of pages, 1 or more; {@code Long.MAX_VALUE}, the default: none. */
    public long bytesPerSecond() {
        return values.get(ScanSetting.BYTES_PER_SECOND);
    }

    /**
     * Consistency level of the reads. Default LOCAL_QUORUM, so that rows are found that were written at LOCAL_QUORUM, the default of {@link
     * WriteOptions#consistency}, even while a replica lacks them. LOCAL_ONE takes the answer of any replica: that costs the nodes less and
     * needs only one to be up, but leaves out, without an error, what this replica has missed.
     */
    public DefaultConsistencyLevel consistency() {
        return values.get(ScanSetting.CONSISTENCY);
    }

    /** Timeout of one attempt to read a page, 1 ms to 24 h. Default 15 s. */
    public Duration requestTimeout() {
        return values.get(ScanSetting.REQUEST_TIMEOUT);
    }

    /**
     * Attempts to read a page, each with fewer rows, before the scan fails; 1 to 1000. If a server refuses a page, for example
     * because of too many tombstones, attempts only count once the page cannot shrink any more. Default 10.
     */
    public int maxAttempts() {
        return values.get(ScanSetting.MAX_ATTEMPTS).intValue();
    }

    /**
     * How long to keep retrying a page while the cluster does not take requests: no node is up, there is no connection, too few
     * replicas are alive, or a node is overloaded. Then the scan fails. 0 to 24 h; 0: it fails at the first such answer.
     * Default 5 min.
     */
    public Duration patience() {
        return values.get(ScanSetting.PATIENCE);
    }

    /** Each setting's value and origin, by name: {@code pageBytes -> "524288 (default)"}. */
    public Map<String, String> settings() {
        return values.printed();
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
        private @Nullable RowSource source;
        private List<Split.Range> tokenRanges = List.of(Split.WHOLE_RING);
        private final Setting.Values values = new Setting.Values(ScanSetting.ALL);

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

        /**
         * Reads only partitions whose tokens are in these ranges, in any order; overlapping ones are merged.
         *
         * @see ScanOptions#tokenRanges()
         */
        public Builder tokenRanges(List<Split.Range> ranges) {
            tokenRanges = List.copyOf(ranges);
            return this;
        }

        /** @see ScanOptions#source() */
        public Builder source(RowSource rows) {
            source = rows;
            return this;
        }

        public Builder splitBytes(long value) {
            return set(ScanSetting.SPLIT_BYTES, value);
        }

        public Builder pageBytes(long value) {
            return set(ScanSetting.PAGE_BYTES, value);
        }

        public Builder pageRows(long value) {
            return set(ScanSetting.PAGE_ROWS, value);
        }

        public Builder inFlightControl(InFlightControl value) {
            return set(ScanSetting.IN_FLIGHT_CONTROL, value);
        }

        public Builder splitsInFlight(long perNode) {
            return set(ScanSetting.SPLITS_IN_FLIGHT, perNode);
        }

        public Builder pageMemory(long bytes) {
            return set(ScanSetting.PAGE_MEMORY, bytes);
        }

        public Builder rowsPerSecond(long value) {
            return set(ScanSetting.ROWS_PER_SECOND, value);
        }

        public Builder bytesPerSecond(long value) {
            return set(ScanSetting.BYTES_PER_SECOND, value);
        }

        public Builder consistency(ConsistencyLevel value) {
            return set(ScanSetting.CONSISTENCY, DefaultConsistencyLevel.valueOf(value.name()));
        }

        public Builder requestTimeout(Duration value) {
            return set(ScanSetting.REQUEST_TIMEOUT, value);
        }

        public Builder maxAttempts(long value) {
            return set(ScanSetting.MAX_ATTEMPTS, value);
        }

        public Builder patience(Duration value) {
            return set(ScanSetting.PATIENCE, value);
        }

        /** Sets a setting; the other setters are the same for one setting each. */
        public <T extends Comparable<? super T>> Builder set(Setting<T> setting, T value) {
            values.set(setting, value);
            return this;
        }

        /** @throws IllegalArgumentException if a value is out of range, or values contradict each other */
        public ScanOptions build() {
            return new ScanOptions(this);
        }
    }
}
