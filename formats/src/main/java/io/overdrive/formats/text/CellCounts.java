package io.overdrive.formats.text;

/** Counts of values that are not written as they are. Used by the thread that writes the values. */
public interface CellCounts {
    /** Whether a value consists of others. */
    boolean isNested();

    /** The number of elements, in all values written so far, that were empty and are written as null, which loading refuses. */
    long emptyElements();

    /** As {@link #emptyElements}, with fields of tuples and user-defined types, which loading takes for null. */
    long emptyParts();

    /**
     * The number of timestamps, in all values written so far, whose text is also that of an earlier time, which loading takes: clocks
     * show an hour twice when they are set back.
     */
    long repeatedTimes();
}
