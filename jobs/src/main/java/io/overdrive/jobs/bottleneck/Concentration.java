package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.Waits;
import java.util.Comparator;
import java.util.List;

/**
 * Whether most bytes of a writer or scan go to few partitions, or come from one split. Immutable.
 *
 * @param places how many partitions or splits
 * @param share their share of all bytes
 */
record Concentration(int places, double share) {
    /** Minimum share of the bytes that is called a skew. */
    private static final double MIN_SHARE = 0.7;

    private static final int MAX_PARTITIONS = 3;
    /** Minimum number of requests for a verdict: among fewer, a few places always have most. */
    private static final int MIN_REQUESTS = 10;

    private static final Concentration NONE = new Concentration(0, 0);

    /** The fewest places that have most bytes, if they are few enough. */
    static Concentration of(Waits waits) {
        long requests = waits.nodes().stream().mapToLong(Waits.Node::requests).sum();
        long all = waits.bytesByPlace().stream().mapToLong(Long::longValue).sum();
        if (requests < MIN_REQUESTS || all == 0) {
            return NONE;
        }
        List<Long> largest = waits.bytesByPlace().stream()
                .sorted(Comparator.reverseOrder())
                .limit(waits.isRead() ? 1 : MAX_PARTITIONS)
                .toList();
        long most = 0;
        for (int i = 0; i < largest.size(); i++) {
            most += largest.get(i);
            if (most >= MIN_SHARE * all) {
                return new Concentration(i + 1, (double) most / all);
            }
        }
        return NONE;
    }

    boolean isSkew() {
        return places > 0;
    }
}
