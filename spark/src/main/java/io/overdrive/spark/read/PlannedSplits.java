package io.overdrive.spark.read;

import io.overdrive.Reach;
import io.overdrive.Scan;
import io.overdrive.Split;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Road;
import java.util.List;

/**
 * The splits of a table, and what follows from its plan. Plans (on the driver). Immutable.
 *
 * @param reach the nodes that are asked
 * @param pageBytes maximum size of a page at the start
 * @param pageMemory maximum bytes of pages in memory
 */
record PlannedSplits(List<Split> splits, Reach reach, long pageBytes, long pageMemory) {
    /** Asks the nodes for the size of the table. */
    static PlannedSplits of(Scan scan) {
        return new PlannedSplits(scan.splits(), scan.reach(), scan.options().pageBytes(), scan.pageMemory());
    }

    /** The size of the table in one replica, as the nodes estimate it. */
    long bytes() {
        return splits.stream().mapToLong(Split::estimatedBytes).sum();
    }

    Share share(Road road) {
        long ranges = splits.stream().mapToLong(split -> split.ranges().size()).sum();
        return Share.ofReads("reads", road, reach, bytes(), ranges, pageBytes, pageMemory);
    }
}
