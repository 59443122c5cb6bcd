package io.overdrive.bench.experiments;

import io.overdrive.bench.Shuffle;
import io.overdrive.bench.Values;
import java.util.Arrays;

/**
 * The rows of spark-cassandra-stress (datastax), in one of its orders: partitions of several rows, about 140 bytes each. Row n has always
 * the same values; the order says when it comes. Immutable.
 *
 * @param partitions how many there are
 * @param rowsPerPartition rows in each
 * @param order in which they come
 * @param seed makes values and the shuffled order
 */
record WideRows(long partitions, int rowsPerPartition, Order order, long seed, Shuffle shuffle) {
    static final String DEFINITION = "(key bigint, col1 text, col2 text, col3 text, PRIMARY KEY (key, col1))";
    static final String INSERT = "(key, col1, col2, col3) VALUES (?, ?, ?, ?)";

    private static final int NAME_BYTES = 6;
    private static final int TEXT_BYTES = 63;
    /** Bytes of the values of a row. */
    static final int ROW_BYTES = Long.BYTES + NAME_BYTES + 2 * TEXT_BYTES;

    /** In which order rows come. */
    enum Order {
        /** All rows of a partition, then those of the next: WriteWideRowByPartition. */
        IN_ORDER("in order"),
        /** Any row, each once: as WriteRandomWideRow, which draws some keys more often than others. */
        SHUFFLED("shuffled"),
        /** A row of each partition, then the next row of each: WriteWideRow. */
        ROUND_ROBIN("round robin");

        private final String words;

        Order(String words) {
            this.words = words;
        }

        /** @throws IllegalArgumentException if no order is called so */
        static Order of(String words) {
            return Arrays.stream(values())
                    .filter(order -> order.words.equals(words))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no order is called '" + words + "'"));
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** One row. */
    record Row(long key, String col1, String col2, String col3) {}

    WideRows(long partitions, int rowsPerPartition, Order order, long seed) {
        this(partitions, rowsPerPartition, order, seed, new Shuffle(partitions * rowsPerPartition, seed));
    }

    long count() {
        return partitions * rowsPerPartition;
    }

    /** The row that comes at this place, from 0. */
    Row at(long place) {
        long key;
        long inPartition;
        switch (order) {
            case IN_ORDER -> {
                key = place / rowsPerPartition;
                inPartition = place % rowsPerPartition;
            }
            case ROUND_ROBIN -> {
                key = place % partitions;
                inPartition = place / partitions;
            }
            case SHUFFLED -> {
                long number = shuffle.at(place);
                key = number / rowsPerPartition;
                inPartition = number % rowsPerPartition;
            }
            default -> throw new IllegalStateException(order.toString());
        }
        long number = key * rowsPerPartition + inPartition;
        String name = Long.toString(1_000_000 + inPartition).substring(1);
        return new Row(
                key, name, Values.text(seed, 2 * number, TEXT_BYTES), Values.text(seed, 2 * number + 1, TEXT_BYTES));
    }
}
