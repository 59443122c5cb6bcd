package io.overdrive.bench.stress;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options of a {@link Stress}: its operations and their rate. Immutable; the builder is confined to one thread. */
public final class StressOptions {
    /** The maximum rate, in operations a second. */
    public static final long MAX_RATE = 10_000_000;

    private final String keyspace;
    private final String table;
    private final Workload workload;
    private final long rate;
    private final @Nullable Duration duration;
    private final long keys;
    private final int rowsPerPartition;
    private final Distribution distribution;
    private final int valueBytes;
    private final long seed;
    private final DefaultConsistencyLevel consistency;
    private final int inFlight;
    private final @Nullable Path histogram;

    private StressOptions(Builder b) {
        keyspace = b.keyspace;
        table = b.table;
        workload = b.workload;
        rate = range("--rate", b.rate, 1, MAX_RATE);
        duration = b.duration;
        if (duration != null && (duration.isNegative() || duration.isZero() || duration.toDays() > 10_000)) {
            throw new IllegalArgumentException(
                    "--for is " + duration + ", must be above 0; leave it out to run until stopped");
        }
        keys = range("--keys", b.keys, 1, Long.MAX_VALUE);
        rowsPerPartition = (int) range("--rows-per-partition", b.rowsPerPartition, 1, Integer.MAX_VALUE);
        distribution = b.distribution;
        valueBytes = (int) range("--value-bytes", b.valueBytes, 1, 8 << 20);
        seed = b.seed;
        consistency = b.consistency;
        if (consistency.isSerial()) {
            throw new IllegalArgumentException(
                    "--consistency is " + consistency + ", which is for conditional writes only");
        }
        inFlight = (int) range("--in-flight", b.inFlight, 1, 1 << 20);
        histogram = b.histogram;
    }

    private static long range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + least + " to " + most);
        }
        return value;
    }

    /** @param keyspace not quoted, as in the schema; the table likewise */
    public static Builder on(String keyspace, String table) {
        return new Builder(keyspace, table);
    }

    public String keyspace() {
        return keyspace;
    }

    public String table() {
        return table;
    }

    /** The table's name in CQL, quoted if necessary. */
    public String cqlTable() {
        return CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                + CqlIdentifier.fromInternal(table).asCql(true);
    }

    public Workload workload() {
        return workload;
    }

    /** Operations a second. */
    public long rate() {
        return rate;
    }

    /** How long the load runs; null: until it is stopped. */
    public @Nullable Duration duration() {
        return duration;
    }

    /** The number of rows that the load uses. */
    public long keys() {
        return keys;
    }

    /** Consecutive rows that share a partition. */
    public int rowsPerPartition() {
        return rowsPerPartition;
    }

    public Distribution distribution() {
        return distribution;
    }

    /** Length of each text and blob outside of the primary key. */
    public int valueBytes() {
        return valueBytes;
    }

    /** Values and their order are functions of this. */
    public long seed() {
        return seed;
    }

    public DefaultConsistencyLevel consistency() {
        return consistency;
    }

    /** Maximum number of operations in flight; others wait, and the wait is part of their latency. Fewer if the heap is small. */
    public int inFlight() {
        return inFlight;
    }

    /** Where to write latencies second by second, in the log format of HdrHistogram, or null. */
    public @Nullable Path histogram() {
        return histogram;
    }

    /** The same options with another rate. */
    public StressOptions withRate(long operationsPerSecond) {
        return copy().rate(operationsPerSecond).build();
    }

    /** A builder with all of these values. */
    public Builder copy() {
        Builder copy = new Builder(keyspace, table)
                .workload(workload)
                .rate(rate)
                .keys(keys)
                .rowsPerPartition(rowsPerPartition)
                .distribution(distribution)
                .valueBytes(valueBytes)
                .seed(seed)
                .consistency(consistency)
                .inFlight(inFlight);
        copy.duration = duration;
        copy.histogram = histogram;
        return copy;
    }

    /** See the accessors of {@link StressOptions} for what each means. */
    public static final class Builder {
        private final String keyspace;
        private final String table;
        private Workload workload = Workload.WRITES;
        private long rate = 1000;
        private @Nullable Duration duration;
        private long keys = 1_000_000;
        private long rowsPerPartition = 1;
        private Distribution distribution = Distribution.UNIFORM;
        private long valueBytes = 100;
        private long seed = 1;
        private DefaultConsistencyLevel consistency = DefaultConsistencyLevel.LOCAL_QUORUM;
        private long inFlight = 16_384;
        private @Nullable Path histogram;

        private Builder(String keyspace, String table) {
            this.keyspace = keyspace;
            this.table = table;
        }

        /** Default: only writes. */
        public Builder workload(Workload value) {
            workload = value;
            return this;
        }

        /** Default: 1000. */
        public Builder rate(long operationsPerSecond) {
            rate = operationsPerSecond;
            return this;
        }

        /** Default: until the load is stopped. */
        public Builder duration(Duration value) {
            duration = value;
            return this;
        }

        /** Default: 1,000,000. */
        public Builder keys(long value) {
            keys = value;
            return this;
        }

        /** Default: 1. */
        public Builder rowsPerPartition(long value) {
            rowsPerPartition = value;
            return this;
        }

        /** Default: uniform. */
        public Builder distribution(Distribution value) {
            distribution = value;
            return this;
        }

        /** Default: 100. */
        public Builder valueBytes(long value) {
            valueBytes = value;
            return this;
        }

        /** Default: 1. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** Default: LOCAL_QUORUM. */
        public Builder consistency(DefaultConsistencyLevel value) {
            consistency = value;
            return this;
        }

        /** Default: 16384. */
        public Builder inFlight(long value) {
            inFlight = value;
            return this;
        }

        /** Default: no log. */
        public Builder histogram(Path value) {
            histogram = value;
            return this;
        }

        /** @throws IllegalArgumentException if a value is out of its range */
        public StressOptions build() {
            return new StressOptions(this);
        }
    }
}
