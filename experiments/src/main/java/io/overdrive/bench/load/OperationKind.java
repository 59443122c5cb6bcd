package io.overdrive.bench.load;

import java.util.Locale;

/** What an operation of a load does. */
public enum OperationKind {
    /** Writes a row. */
    WRITE,
    /** Reads a row by its whole primary key. */
    READ,
    /** Reads a partition: the first 5000 of its rows. */
    PARTITION;

    /** As a workload and the tags of a histogram log have it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
