package io.overdrive.bench.spark;

import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.Locale;

/**
 * Rows of the table of {@link WideRows}, made by a query in Spark's SQL: partitions of 20 rows, about 140 bytes each. Row n always has the
 * same values. Stateless.
 */
final class SparkRows {
    static final int ROWS_PER_PARTITION = 20;

    private SparkRows() {}

    /** How many rows of this number are whole partitions, at least one. */
    static long whole(long rows) {
        return Math.max(1, rows / ROWS_PER_PARTITION) * ROWS_PER_PARTITION;
    }

    /**
     * A query for all rows, in tasks of equal size.
     *
     * @param rows a multiple of {@link #ROWS_PER_PARTITION}
     */
    static String query(long rows, long tasks, Order order) {
        String n = number(rows, order);
        return String.format(
                Locale.ROOT,
                "SELECT n div %1$d AS key, lpad(string(n %% %1$d), 6, '0') AS col1,"
                        + " substring(sha2(string(2 * n), 256), 1, 63) AS col2,"
                        + " substring(sha2(string(2 * n + 1), 256), 1, 63) AS col3"
                        + " FROM (SELECT %2$s AS n FROM range(0, %3$d, 1, %4$d))",
                ROWS_PER_PARTITION,
                n,
                rows,
                tasks);
    }

    /** Which row is at position id. */
    private static String number(long rows, Order order) {
        return switch (order) {
            case IN_ORDER -> "id";
            case SHUFFLED -> "(id * " + multiplier(rows) + ") % " + rows;
            case ROUND_ROBIN -> {
                long partitions = rows / ROWS_PER_PARTITION;
                yield "(id % " + partitions + ") * " + ROWS_PER_PARTITION + " + id div " + partitions;
            }
        };
    }

    /**
     * A number near the golden section of the rows that has no divisor in common with their number: multiples of it, modulo the rows, are
     * each row once, and spread over all of them.
     */
    static long multiplier(long rows) {
        long number = Math.max(1, Math.round(rows * 0.6180339887));
        while (gcd(number, rows) != 1) {
            number++;
        }
        return number;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
