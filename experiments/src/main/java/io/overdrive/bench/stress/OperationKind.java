package io.overdrive.bench.stress;

import java.util.Locale;

/** The kind of an operation in a load. */
public enum OperationKind {
    /** Writes a row. */
    WRITE,
    /** Reads a row by its whole primary key. */
    READ,
    /** Reads a partition: the first 5000 of its rows. */
    PARTITION;

    /** The word for it in a workload and in the tags of a histogram log. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
