package io.overdrive.bench.spark;

import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.Locale;

/**
 * Rows of the table of {@link WideRows}, made by a query in Spark's SQL: about 140 bytes each. Row n always has the same values. Immutable.
 *
 * @param count a multiple of rowsPerPartition
 */
record SparkRows(long count, int rowsPerPartition, Order order) {
    /** Creates as many partitions as hold the experiment's rows, at least one. */
    static SparkRows of(ExperimentContext context, int rowsPerPartition, Order order) {
        return of(context.size().rows(), rowsPerPartition, order);
    }

    /** How many rows of this number are whole partitions, at least one. */
    static SparkRows of(long rows, int rowsPerPartition, Order order) {
        return new SparkRows(Math.max(1, rows / rowsPerPartition) * rowsPerPartition, rowsPerPartition, order);
    }

    /** A query for all rows, in tasks of equal size. */
    String query(long tasks) {
        return String.format(
                Locale.ROOT,
                "SELECT n div %1$d AS key, lpad(string(n %% %1$d), 6, '0') AS col1,"
                        + " substring(sha2(string(2 * n), 256), 1, 63) AS col2,"
                        + " substring(sha2(string(2 * n + 1), 256), 1, 63) AS col3"
                        + " FROM (SELECT %2$s AS n FROM range(0, %3$d, 1, %4$d))",
                rowsPerPartition,
                number(),
                count,
                tasks);
    }

    /** Which row is at position id. */
    private String number() {
        return switch (order) {
            case IN_ORDER -> "id";
            case SHUFFLED -> "(id * " + multiplier() + ") % " + count;
            case ROUND_ROBIN -> {
                long partitions = count / rowsPerPartition;
                yield "(id % " + partitions + ") * " + rowsPerPartition + " + id div " + partitions;
            }
        };
    }

    /**
     * A number near the golden section of the rows that has no divisor in common with their number: multiples of it, modulo the rows, are
     * each row once, and spread over all of them.
     */
    long multiplier() {
        long number = Math.max(1, Math.round(count * 0.6180339887));
        while (gcd(number, count) != 1) {
            number++;
        }
        return number;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
