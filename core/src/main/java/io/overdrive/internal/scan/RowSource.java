package io.overdrive.internal.scan;

import io.overdrive.OverdriveException;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.flow.Waits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the rows of a table in place of the cluster, such as those in its files: the rows, their order and their bytes are those of a
 * query of the table by token range. Thread-safe.
 */
public interface RowSource {
    /** A column's name: when the row marker was written, which CQL cannot give. */
    String MARKER_TIME = "writetime()";
    /** A column's name: the remaining time to live of the row marker, which CQL cannot give. */
    String MARKER_TTL = "ttl()";

    /**
     * The parts of a source.
     *
     * @param part the word for one of them, in the singular, such as SSTable
     * @param parts how many there are
     * @param bytes the size of the rows in them; of keys, the estimated size of the table, 0 if it is not known
     */
    record Content(String part, long parts, long bytes, Way way) {}

    /** The way to the rows. */
    enum Way {
        /** All of the parts is read. */
        FILES,
        /** The parts are keys, and the rows of each are requested. */
        LOOKUPS,
        /** The parts are keys, and a scan of the table keeps their rows. */
        SCAN
    }

    /** Requests to the cluster. */
    interface Requests {
        /** Their number, times and retries. */
        ScanTotals totals();

        /** Where they have waited. */
        Waits waits();
    }

    /** Parts of the ring, without replicas, that together have all rows. Each range has an end that others do not have. */
    List<Split> splits();

    /** The parts that have the rows, for the plan of a job. */
    Content content();

    /**
     * The rows of a range. Several ranges may be read at the same time.
     *
     * @param columns names of columns of the table, in any order, as in the schema, and {@code writetime(NAME)} and {@code ttl(NAME)} of
     *     those that are not of the primary key, as {@link io.overdrive.Overdrive#scanTimes} gives them; {@link #MARKER_TIME}, a bigint that is null
     *     if the row has no row marker or it has expired, and {@link #MARKER_TTL}, an int; none for rows without values, which are only
     *     counted
     * @throws OverdriveException of kind READ if it cannot be read
     */
    Pages open(Range range, List<String> columns);

    /** Whether the rows are some of those that the cluster has now, with the values that CQL gives; else they come from elsewhere. */
    default boolean isOfCluster() {
        return false;
    }

    /** The same for two sources with the same rows, such as keys, as long as the table does not change; empty if that cannot be known. */
    default String identity() {
        return "";
    }

    /** The number of threads that are to read if a job wants so many. */
    default int threads(int wanted) {
        return wanted;
    }

    /** The requests until now; null if there are none. */
    default @Nullable Requests requests() {
        return null;
    }

    /** Threads that wait for pages get an exception of kind INTERRUPTED, and no more pages are read. */
    default void stop() {}
}
