package io.overdrive.jobs.profile;

import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.create.TableDefinition.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a profile. Immutable.
 *
 * @param rows that were read, without rejected records
 * @param bytes of their values as CQL encodes them, without what Cassandra adds to them
 * @param columns in the order of the input or the table
 * @param key the primary key; null if a file's is not known
 * @param partitions null if the key is not known
 * @param keys column sets that may be the key of a file, the best first; empty if its key is known
 * @param forecast of loading the rows; null if the key is not known
 * @param advice what follows for a load, a sentence each
 */
public record Profile(
        long rows,
        long bytes,
        List<Column> columns,
        @Nullable Key key,
        @Nullable Partitions partitions,
        List<KeyCandidate> keys,
        @Nullable Forecast forecast,
        List<MessageText> advice) {
    public Profile {
        columns = List.copyOf(columns);
        keys = List.copyOf(keys);
        advice = List.copyOf(advice);
    }

    /**
     * A column.
     *
     * @param type as in CQL
     * @param nulls rows without a value; of a static column, partitions
     * @param distinct number of distinct values; an estimate unless {@link #isExact}
     * @param distinctMin a lower bound of it, which holds for 97.5 % of all inputs
     * @param distinctMax an upper bound of it, likewise
     * @param bytes of all values
     * @param maxBytes of the largest value
     */
    public record Column(
            String name,
            String type,
            long nulls,
            long distinct,
            long distinctMin,
            long distinctMax,
            long bytes,
            long maxBytes) {
        /** Whether the number of distinct values is surely not an estimate. */
        public boolean isExact() {
            return distinctMin == distinctMax;
        }
    }

    /**
     * Partitions by a size.
     *
     * @param from the smallest size
     * @param to the smallest size that no longer belongs to it; {@link Long#MAX_VALUE} if there is none
     * @param partitions number of partitions, as an estimate if {@link Partitions#isExact} is false
     * @param rows number of rows in them, likewise
     */
    public record Bucket(long from, long to, double partitions, double rows) {}

    /**
     * A large partition.
     *
     * @param key as a JSON object
     * @param rows it has at least, and at most {@link Partitions#largestError} more
     * @param bytes of its values; of a file, its rows times the mean size of all rows
     */
    public record Large(String key, long rows, long bytes) {}

    /**
     * The partitions of the rows.
     *
     * @param count number of partitions
     * @param sampled the partitions from which the figures are estimated; all of them if {@link #isExact}
     * @param isExact whether the number and the buckets are exact
     * @param byRows buckets by rows a partition, without empty ones at the ends
     * @param byBytes buckets by bytes of values a partition, likewise
     * @param largest from the largest on; of a file, those that surely have more rows than the others
     * @param largestError rows that these may have more than stated; if there are none, rows that no partition exceeds
     * @param runs number of sequences of rows of one partition in the input; those of a table are as many as its partitions
     * @param repeatedKeys rows whose primary key an earlier row has; 0 for a table
     * @param isRepeatedExact whether there are not more of them
     */
    public record Partitions(
            double count,
            long sampled,
            boolean isExact,
            List<Bucket> byRows,
            List<Bucket> byBytes,
            List<Large> largest,
            long largestError,
            double runs,
            long repeatedKeys,
            boolean isRepeatedExact) {
        public Partitions {
            byRows = List.copyOf(byRows);
            byBytes = List.copyOf(byBytes);
            largest = List.copyOf(largest);
        }

        /** The share of partitions that have one row. */
        public double oneRowShare() {
            return count == 0 || byRows.isEmpty() || byRows.get(0).from() != 1
                    ? 0
                    : byRows.get(0).partitions() / count;
        }

        /** The share of rows that are the only ones of their partition. */
        public double singleRowsShare() {
            double rows = rows();
            return rows == 0 || byRows.get(0).from() != 1 ? 0 : byRows.get(0).rows() / rows;
        }

        /** The share of rows that return to a partition: the row before is of another one, and an earlier row of the same. */
        public double outOfOrderShare() {
            double rows = rows();
            return rows == 0 ? 0 : Math.max(0, runs - count) / rows;
        }

        private double rows() {
            return byRows.stream().mapToDouble(Bucket::rows).sum();
        }
    }

    /**
     * Columns that may together identify a row.
     *
     * @param columns by name
     * @param reason why, as a clause
     */
    public record KeyCandidate(List<String> columns, String reason) {
        public KeyCandidate {
            columns = List.copyOf(columns);
        }
    }
}
