package io.overdrive.jobs;

import io.overdrive.Grouping;
import io.overdrive.Reach;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.internal.write.WriteLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The work that a job is about to do: the tables that it reads and writes, how, and within which limits. Immutable.
 *
 * @param after the cells that it takes; null for all
 */
public record Plan(List<Part> parts, @Nullable WrittenAfter after) {
    public Plan {
        parts = List.copyOf(parts);
    }

    public Plan(List<Part> parts) {
        this(parts, /* after */ null);
    }

    public Plan(Part... parts) {
        this(List.of(parts));
    }

    /** The same work, on cells that were written after a time; on all if it is null. */
    public Plan of(@Nullable WrittenAfter time) {
        return new Plan(parts, time);
    }

    /** One table or statement. */
    public sealed interface Part {
        /** Its role, in a word: reads, writes. */
        String label();

        Reach reach();
    }

    /**
     * How much a scan reads, as far as that is known before its first row.
     *
     * @param ranges of tokens; each takes a request at least
     * @param bytes in one replica, by the size estimates of the nodes; 0 if they have none
     * @param pageBytes maximum size of a page at the start
     * @param memory maximum bytes of rows in memory
     */
    public record Extent(long ranges, long bytes, int pageBytes, long memory) {
        public static final Extent UNKNOWN = new Extent(0, 0, 0, 0);

        /** Two extents taken together; the memory is that of one of them at a time. */
        public Extent plus(Extent other) {
            return new Extent(
                    ranges + other.ranges,
                    bytes + other.bytes,
                    Math.max(pageBytes, other.pageBytes),
                    Math.max(memory, other.memory));
        }

        /** The extent of a scan; plans its splits. */
        static Extent of(Scan scan, long memory) {
            long ranges = scan.splits().stream()
                    .mapToLong(split -> split.ranges().size())
                    .sum();
            long share = scan.pageMemory() / (2L * Math.max(1, scan.splitsInFlight()));
            int pageBytes = (int) Math.min(scan.options().pageBytes(), share);
            return new Extent(ranges, scan.estimatedBytes(), pageBytes, memory);
        }
    }

    /**
     * Rows that requests read.
     *
     * @param splits 0 if they are not known yet
     * @param atOnce number of splits that are read at once
     */
    public record Reads(String label, Reach reach, ScanOptions options, int splits, int atOnce, Extent extent)
            implements Part {
        public Reads(String label, Reach reach, ScanOptions options, int splits, int atOnce) {
            this(label, reach, options, splits, atOnce, Extent.UNKNOWN);
        }
    }

    /** Rows that are read from a source in place of the cluster, such as SSTables. */
    public record ReadsSource(String label, Reach reach, ScanOptions options, RowSource.Content from, int splits)
            implements Part {}

    /**
     * Rows that a dry run has encoded as they would be written.
     *
     * @param rows their number
     * @param bytes of their values in requests
     * @param partitions that have them; an estimate if they are many
     * @param minRequests number of requests in which they are sent at least; 0 if they are not sent in requests
     * @param requests their number with batches of the size at the start, and if single rows share none
     */
    public record Encoded(long rows, long bytes, long partitions, long minRequests, long requests) {
        /** The same rows in so many requests. */
        public Encoded in(long least, long expected) {
            return new Encoded(rows, bytes, partitions, Math.max(least, Math.min(1, expected)), expected);
        }
    }

    /**
     * Rows that requests write.
     *
     * @param grouping in effect; null if it is not known yet
     * @param gathersSingles whether single rows share requests while that is faster
     * @param encoded the rows; null if they are not known
     */
    public record Writes(
            String label,
            Reach reach,
            @Nullable Grouping grouping,
            boolean gathersSingles,
            WriteOptions options,
            @Nullable Encoded encoded)
            implements Part {
        public Writes(
                String label, Reach reach, @Nullable Grouping grouping, boolean gathersSingles, WriteOptions options) {
            this(label, reach, grouping, gathersSingles, options, /* encoded */ null);
        }

        /** The limits in effect. */
        public WriteLimits limits() {
            return WriteLimits.of(options, reach.nodes().size());
        }

        /** The rows of a writer. */
        public static Writes of(RowWriter rows, WriteOptions options) {
            return of(rows, options, /* encoded */ null);
        }

        /** The rows of a writer that a dry run has encoded. */
        public static Writes of(RowWriter rows, WriteOptions options, @Nullable Encoded encoded) {
            return new Writes("writes", rows.reach(), rows.grouping(), rows.gathersSingles(), options, encoded);
        }
    }

    /** Rows of a table that requests with all defaults write. */
    public record Repairs(String label, Reach reach) implements Part {}

    /**
     * Rows that are written by SSTables, for so many nodes.
     *
     * @param passes in how many parts of the ring, one after another, they are written and imported
     * @param encoded the rows; null if they are not known
     */
    public record WritesSstables(String label, Reach reach, int nodes, int passes, @Nullable Encoded encoded)
            implements Part {
        public WritesSstables(String label, Reach reach, int nodes, int passes) {
            this(label, reach, nodes, passes, /* encoded */ null);
        }
    }

    /**
     * Several tables, each of which is read as its own job plans it.
     *
     * @param selection the tables, as the user named them
     * @param reach of one of them
     * @param tables their number
     * @param bytes of all of them on a node, as far as that is known
     * @param extent of all of them; unknown unless a dry run has looked at each
     * @param from where they are read from in place of the cluster; null if it is the cluster
     */
    public record ReadsTables(
            String label,
            String selection,
            Reach reach,
            int tables,
            long bytes,
            Extent extent,
            RowSource.@Nullable Content from)
            implements Part {
        public ReadsTables(String label, String selection, Reach reach, int tables, long bytes, Extent extent) {
            this(label, selection, reach, tables, bytes, extent, /* from */ null);
        }

        /** The same with another extent. */
        public ReadsTables of(Extent ofAll) {
            return new ReadsTables(label, selection, reach, tables, bytes, ofAll, from);
        }

        /** The same tables, from another place; from the cluster if it is null. */
        public ReadsTables from(RowSource.@Nullable Content place) {
            return new ReadsTables(label, selection, reach, tables, bytes, extent, place);
        }
    }

    /**
     * Several tables, each of which is written as its own job plans it.
     *
     * @param keyspace of the tables
     * @param reach of one of them
     * @param tables their number
     * @param options of any of them
     * @param bytes that a node will store, as far as that is known; 0 if it is not
     */
    public record WritesTables(String label, String keyspace, Reach reach, int tables, WriteOptions options, long bytes)
            implements Part {
        public WritesTables(String label, String keyspace, Reach reach, int tables, WriteOptions options) {
            this(label, keyspace, reach, tables, options, /* bytes */ 0);
        }

        /** The same tables, if a node stores them as one of the source does; not if they are not all read from its cluster. */
        public WritesTables storedAs(ReadsTables source) {
            double there = share(source.reach);
            return source.from != null || there == 0
                    ? this
                    : new WritesTables(
                            label, keyspace, reach, tables, options, Math.round(source.bytes * share(reach) / there));
        }

        /** The share of the rows that each node of the data centre has; 0 if it is not known. */
        private static double share(Reach reach) {
            int replicas = reach.replicas().getOrDefault(reach.datacenter(), 0);
            return reach.nodes().isEmpty()
                    ? 0
                    : (double) replicas / reach.nodes().size();
        }
    }

    /** The rows of a scan. Plans its splits. */
    public static Part reads(Scan scan) {
        return scan.options().source() == null
                ? new Reads(
                        "reads",
                        scan.reach(),
                        scan.options(),
                        scan.splits().size(),
                        scan.splitsInFlight(),
                        Extent.of(scan, scan.pageMemory()))
                : reads("reads", scan.reach(), scan.options(), /* splits */ 0, /* atOnce */ 0);
    }

    /**
     * The rows of a scan of the cluster whose splits the job opens itself, so many at once. Plans its splits.
     *
     * @param memory for rows, in addition to two pages of each split
     */
    public static Part reads(Scan scan, int atOnce, long memory) {
        long pages = 2L * atOnce * scan.options().pageBytes();
        return new Reads(
                "reads", scan.reach(), scan.options(), scan.splits().size(), atOnce, Extent.of(scan, pages + memory));
    }

    /** The rows of a table, from another source or as {@link Reads#Reads} has them. */
    public static Part reads(String label, Reach reach, ScanOptions options, int splits, int atOnce) {
        RowSource source = options.source();
        return source == null
                ? new Reads(label, reach, options, splits, atOnce)
                : new ReadsSource(
                        label, reach, options, source.content(), source.splits().size());
    }
}
