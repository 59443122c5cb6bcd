package io.overdrive.jobs;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A way of rows to or from a cluster, and the processor time that it was measured to take: see docs/concepts/large-clusters.md. */
public enum Road {
    /** Rows are read page by page. */
    READ(
            new Measured("W1", "Unload and count", 140, 0.6, 1.4),
            new Measured("W2", "Found limits", 566, 4.2, 4.2),
            new Measured("of 10 kB", "Found limits", 10_000, 15.3, 15.3)),
    /** The servers count rows; one of 10 kB takes at most as long as if it were read. */
    COUNT(
            new Measured("W1", "Unload and count", 140, 0.1, 0.9),
            new Measured("of 10 kB", "Found limits", 10_000, 0.0, 15.3)),
    /** Rows that another table provides are written over CQL. */
    WRITE(
            new Measured("W1", "Load", 140, 1.1, 5.8),
            new Measured("W2", "Load", 566, 10.4, 29.1),
            new Measured("of 10 kB", "Found limits", 10_000, 35.0, 35.0)),
    /** Rows that another table provides are written by SSTables. */
    WRITE_SSTABLES(
            new Measured("W1", "Load by SSTables", 140, 1.43, 0.05),
            new Measured("W2", "Load by SSTables", 566, 7.9, 0.53)),
    /** Text files are loaded over CQL. */
    LOAD(new Measured("W1", "Load", 75, 1.1, 5.8), new Measured("W2", "Load", 1120, 10.4, 29.1)),
    /** Text files are loaded by SSTables. */
    LOAD_SSTABLES(
            new Measured("W1", "Load by SSTables", 75, 1.43, 0.05),
            new Measured("W2", "Load by SSTables", 1120, 7.9, 0.53)),
    /** Files are sorted on this machine, and compared with the rows that are read. */
    VERIFY(
            new Measured("W1 in order", "Unload and count", 140, 5.2, 1.4),
            new Measured("W1 shuffled", "Unload and count", 140, 7.5, 1.4));

    /**
     * The cost of a row.
     *
     * @param rows their kind, as PERFORMANCE.md names it
     * @param section of PERFORMANCE.md with the figures
     * @param bytes of a row in the table, or in the text file that is loaded
     * @param clientMicros processor time of the client
     * @param nodeMicros processor time of each node that reads or writes the row
     */
    public record Measured(String rows, String section, double bytes, double clientMicros, double nodeMicros) {}

    private final List<Measured> measured;

    Road(Measured... measured) {
        this.measured = List.of(measured);
    }

    public List<Measured> measured() {
        return measured;
    }

    /** Processor time of the client for a byte, in microseconds: the smallest and the largest that was measured. */
    Range client() {
        return range(Measured::clientMicros);
    }

    /** Processor time of a node for a byte of one replica, in microseconds. */
    Range node() {
        return range(Measured::nodeMicros);
    }

    private Range range(ToDoubleFunction<Measured> micros) {
        double[] each = measured.stream()
                .mapToDouble(row -> micros.applyAsDouble(row) / row.bytes())
                .sorted()
                .toArray();
        return new Range(each[0], each[each.length - 1]);
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
