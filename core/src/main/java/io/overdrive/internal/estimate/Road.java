package io.overdrive.internal.estimate;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A way of rows to or from a cluster, and the processor time that it was measured to take: see docs/concepts/large-clusters.md. */
public enum Road {
    /** Rows are read page by page. */
    READ(
            new Measured("W1", "Unload and count", 140, 100, 0.6, 1.4),
            new Measured("W2", "Found limits", 566, 1, 4.2, 4.2),
            new Measured("of 10 kB", "Found limits", 10_000, 1, 15.3, 15.3)),
    /** The servers count rows; one of 10 kB takes at most as long as if it were read. */
    COUNT(
            new Measured("W1", "Unload and count", 140, 100, 0.1, 0.9),
            new Measured("of 10 kB", "Found limits", 10_000, 1, 0.0, 15.3)),
    /** Rows are written over CQL, from text or from another table. */
    WRITE(
            new Measured("W1", "Load", 140, 100, 1.1, 5.8),
            new Measured("W2", "Load", 566, 1, 10.4, 29.1),
            new Measured("of 10 kB", "Found limits", 10_000, 1, 35.0, 35.0)),
    /** Rows are written by SSTables. */
    WRITE_SSTABLES(
            new Measured("W1", "Load by SSTables", 140, 100, 1.43, 0.05),
            new Measured("W2", "Load by SSTables", 566, 1, 7.9, 0.53)),
    /** Files are sorted on this machine, and compared with the rows that are read. */
    VERIFY(
            new Measured("W1 in order", "Unload and count", 140, 100, 5.2, 1.4),
            new Measured("W1 shuffled", "Unload and count", 140, 100, 7.5, 1.4));

    /**
     * The cost of a row.
     *
     * @param rows their kind, as PERFORMANCE.md names it
     * @param section of PERFORMANCE.md with the figures
     * @param bytes of a row in the table, or in a request
     * @param rowsAPartition number of rows in its partition
     * @param clientMicros processor time of the client
     * @param nodeMicros processor time of each node that reads or writes the row
     */
    public record Measured(
            String rows, String section, double bytes, int rowsAPartition, double clientMicros, double nodeMicros) {}

    /** More rows of a partition hardly cost less each. */
    private static final int MANY_ROWS = 100;

    private final List<Measured> measured;

    Road(Measured... measured) {
        this.measured = List.of(measured);
    }

    public List<Measured> measured() {
        return measured;
    }

    /** Processor time of the client. */
    Range clientMicros(Estimate.Size size) {
        return micros(size, Measured::clientMicros);
    }

    /** Processor time of the nodes for one replica. */
    Range nodeMicros(Estimate.Size size) {
        return micros(size, Measured::nodeMicros);
    }

    private Range micros(Estimate.Size size, ToDoubleFunction<Measured> micros) {
        return size.rows() == 0
                ? ofByte(micros).times(size.bytes())
                : ofRow(
                                (double) size.bytes() / size.rows(),
                                (double) size.rows() / Math.max(1, size.partitions()),
                                micros)
                        .times(size.rows());
    }

    /** The time for a byte: the smallest and the largest that was measured. */
    private Range ofByte(ToDoubleFunction<Measured> micros) {
        double[] each = measured.stream()
                .mapToDouble(row -> micros.applyAsDouble(row) / row.bytes())
                .sorted()
                .toArray();
        return new Range(each[0], each[each.length - 1]);
    }

    /**
     * The time for a row: at least that of the dearest one that is not larger and has not fewer neighbours in its partition, and at most that
     * of the cheapest one that is not smaller and has not more. By the bytes if there is none.
     */
    private Range ofRow(double bytes, double rowsAPartition, ToDoubleFunction<Measured> micros) {
        Measured first = measured.get(0);
        Measured last = measured.get(measured.size() - 1);
        double least = measured.stream()
                .filter(row -> row.bytes <= bytes && row.rowsAPartition >= Math.min(rowsAPartition, MANY_ROWS))
                .mapToDouble(micros)
                .max()
                .orElse(micros.applyAsDouble(first) * Math.min(1, bytes / first.bytes));
        double most = measured.stream()
                .filter(row -> row.bytes >= bytes && row.rowsAPartition <= rowsAPartition)
                .mapToDouble(micros)
                .min()
                .orElse(micros.applyAsDouble(last) * Math.max(1, bytes / last.bytes));
        return new Range(Math.min(least, most), Math.max(least, most));
    }

    /** The bounds of a figure. */
    record Range(double min, double max) {
        static final Range ZERO = new Range(0, 0);

        Range plus(Range other) {
            return new Range(min + other.min, max + other.max);
        }

        Range times(double factor) {
            return new Range(min * factor, max * factor);
        }

        /** The bounds of the larger of two figures. */
        Range max(Range other) {
            return new Range(Math.max(min, other.min), Math.max(max, other.max));
        }
    }
}
