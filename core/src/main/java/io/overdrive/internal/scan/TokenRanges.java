package io.overdrive.internal.scan;

import static java.lang.Math.max;
import static java.lang.Math.min;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring.Arc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Sets of tokens, as ranges in ascending order. Stateless. */
public final class TokenRanges {
    private TokenRanges() {}

    /** The same tokens in ascending order, in ranges that neither overlap nor touch. */
    public static List<Range> merged(List<Range> ranges) {
        List<Range> merged = new ArrayList<>();
        for (Range range :
                ranges.stream().sorted(Comparator.comparingLong(Range::start)).toList()) {
            int last = merged.size() - 1;
            if (last >= 0 && range.start() <= merged.get(last).end()) {
                Range before = merged.get(last);
                merged.set(last, new Range(before.start(), max(before.end(), range.end())));
            } else {
                merged.add(range);
            }
        }
        return List.copyOf(merged);
    }

    /** The share of the ring that ranges have, 0 to 1. */
    public static double share(List<Range> merged) {
        return Splitter.width(merged) / Splitter.width(List.of(Split.WHOLE_RING));
    }

    /**
     * The parts of arcs that are in the ranges.
     *
     * @param arcs in ascending order, without overlaps
     * @param ranges as {@link #merged} gives them
     */
    static List<Arc> within(List<Arc> arcs, List<Range> ranges) {
        List<Arc> within = new ArrayList<>();
        int next = 0;
        for (Arc arc : arcs) {
            while (next < ranges.size() && ranges.get(next).end() <= arc.start()) {
                next++;
            }
            for (int i = next; i < ranges.size() && ranges.get(i).start() < arc.end(); i++) {
                Range range = ranges.get(i);
                within.add(new Arc(max(arc.start(), range.start()), min(arc.end(), range.end()), arc.replicas()));
            }
        }
        return within;
    }
}
