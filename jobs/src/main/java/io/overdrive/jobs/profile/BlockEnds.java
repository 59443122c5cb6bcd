package io.overdrive.jobs.profile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.jobs.PartitionSample;
import java.util.HashMap;
import java.util.Map;

/**
 * Sequences of rows of one partition that a boundary of two blocks cuts, which different threads may read. Keeps what it needs of blocks
 * whose neighbours are not there yet, so about one for each thread. Thread-safe.
 */
final class BlockEnds {
    /** The partition of the first row of a block, by the position where it begins. */
    @GuardedBy("this") private final Map<Long, Long> firsts = new HashMap<>();

    /** The partition of the last row of a block, by the position where the next one begins. */
    @GuardedBy("this") private final Map<Long, Long> lasts = new HashMap<>();

    @GuardedBy("this") private final PartitionSample joins = new PartitionSample(PartitionSample.MAX_PARTITIONS);

    @GuardedBy("this") private long joined;

    /** Adds a block with rows. */
    synchronized void add(long position, long endPosition, long firstToken, long lastToken) {
        Long before = lasts.remove(position);
        if (before == null) {
            firsts.put(position, firstToken);
        } else {
            join(before, firstToken);
        }
        Long next = firsts.remove(endPosition);
        if (next == null) {
            lasts.put(endPosition, lastToken);
        } else {
            join(lastToken, next);
        }
    }

    @GuardedBy("this") private void join(long before, long next) {
        if (before == next) {
            joins.add(before, /* rows */ 0, /* bytes */ 0, /* runs */ -1);
            joined++;
        }
    }

    /**
     * Takes back the sequences that were counted twice.
     *
     * @return their number
     */
    synchronized long correct(PartitionSample sample) {
        sample.add(joins);
        return joined;
    }
}
