package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlSession;
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

    /** The splits of all rows. */
    public static List<Split> cut(CqlSession session, Fetcher fetcher, ScanLayout layout, ScanOptions options) {
        RowSource source = options.source();
        if (source != null) {
            return source.splits();
        }
        return layout.query.isSplit()
                ? Splitter.split(session, fetcher.ring(), layout.keyspace, layout.table, options.splitBytes())
                : List.of(new Split(List.of(Split.WHOLE_RING), List.of(), 0));
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
        long fit = Math.max(1, options.pageMemory() / (2 * Math.min(wanted, MIN_PAGE_BYTES)));
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
