package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlSession;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.ring.Ring;
import java.util.List;

/**
 * The splits of a scan, and how many of them are read at once. Immutable.
 *
 * @param inFlight at first, and always unless their number is found
 * @param maxInFlight at most
 * @param nodes that share them
 * @param pageBytes maximum size of a page, so that the pages of all fit
 */
public record SplitPlan(List<Split> splits, int inFlight, int maxInFlight, int nodes, int pageBytes) {
    /** Fewer splits are read at once rather than with smaller pages: a node does about as much for a small page as for one of this size. */
    private static final int MIN_PAGE_BYTES = 64 << 10;

    private static final Split ALL = new Split(List.of(Split.WHOLE_RING), List.of(), 0);

    /** The splits of all rows. */
    public static List<Split> cut(CqlSession session, Fetcher fetcher, ScanLayout layout, ScanOptions options) {
        RowSource source = options.source();
        if (source != null) {
            return source.splits();
        }
        if (!layout.query.isSplit()) {
            return List.of(ALL);
        }
        Ring ring = fetcher.ring();
        SizeEstimates sizes = SizeEstimates.of(session, ring, layout.keyspace, layout.table, fetcher.earlierBytes());
        return Splitter.split(ring, sizes::bytes, options.tokenRanges(), options.splitBytes());
    }

    /** See {@link io.overdrive.Scan#splitsForReaders}. */
    public static List<Split> forReaders(
            CqlSession session, Fetcher fetcher, ScanLayout layout, ScanOptions options, int number) {
        if (number < 0) {
            throw new IllegalArgumentException("number is " + number + ", must be 0 or more");
        }
        if (!layout.query.isSplit() || options.source() != null) {
            return List.of(ALL);
        }
        Ring ring = fetcher.ring();
        SizeEstimates sizes = SizeEstimates.of(session, ring, layout.keyspace, layout.table, fetcher.earlierBytes());
        return Splitter.forReaders(ring, sizes::bytes, options.tokenRanges(), number);
    }

    /** The splits may come from another connection, whose node has accepted ranges of tokens: each would have all rows here. */
    public static void requireSplit(Split split, ScanLayout layout, ScanOptions options) {
        if (options.source() == null
                && !layout.query.isSplit()
                && !split.ranges().equals(ALL.ranges())) {
            throw new OverdriveException(
                    OverdriveException.Kind.SCHEMA,
                    "[" + layout.tableName()
                            + "] the query was split where its splits come from, and cannot be split here: "
                            + layout.query.whyNotSplit()
                            + "; if its table has just been created or changed, try again");
        }
    }

    /** Plans the reading of these splits. */
    public static SplitPlan of(List<Split> splits, Fetcher fetcher, ScanLayout layout, ScanOptions options) {
        if (options.source() != null) {
            return new SplitPlan(splits, /* inFlight */ 0, /* maxInFlight */ 0, /* nodes */ 0, /* pageBytes */ 0);
        }
        Ring ring = fetcher.ring();
        int nodes = Math.max(1, ring.allLocalNodes().nodes().size());
        boolean findsPageBytes = options.findsPageBytes() && !layout.query.isAggregate();
        int wanted = findsPageBytes ? Fetcher.MAX_FOUND_PAGE_BYTES : options.pageBytes();
        // two for each split: one in use, one in flight
        long fit = Math.max(1, options.pageMemory() / (2L * Math.min(wanted, MIN_PAGE_BYTES)));
        int perNode = (int) Math.min(options.splitsInFlight(), Math.max(1, fit / nodes));
        int inFlight = (int) Math.min(Math.min(splits.size(), (long) perNode * nodes), fit);
        int pageBytes = (int) Math.max(1024, Math.min(wanted, options.pageMemory() / (2L * Math.max(1, inFlight))));
        int maxPerNode = perNode;
        if (options.findsSplitsInFlight() && layout.query.isSplit() && !layout.query.isAggregate()) {
            while (maxPerNode < Fetcher.MAX_FOUND_SPLITS
                    && maxPerNode * nodes < splits.size()
                    && 4L * maxPerNode * nodes * pageBytes <= options.pageMemory()) {
                maxPerNode *= 2;
            }
        }
        fetcher.findSizes(findsPageBytes, perNode, maxPerNode);
        int found = fetcher.splits();
        return new SplitPlan(
                splits,
                found == 0 ? inFlight : Math.min(splits.size(), found * nodes),
                (int) Math.min(Math.min(splits.size(), (long) maxPerNode * nodes), fit),
                nodes,
                pageBytes);
    }
}
