package io.overdrive.internal.scan;

import io.overdrive.OverdriveException;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.List;

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
     * @param bytes the size of the rows in them
     */
    record Content(String part, int parts, long bytes) {}

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
}
