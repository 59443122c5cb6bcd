package io.overdrive;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a table that is read as a unit: token ranges, with replicas in common unless they are many and small. Immutable, small and serializable: it can
 * be sent to another process, which opens it with {@link Scan#open}.
 *
 * @param ranges token ranges in ascending order, not overlapping
 * @param replicas host names or addresses of the nodes of the local data centre that hold all of these ranges, or of all its
 *     nodes if the keyspace has no replicas there; empty if no node holds all of them, if the query cannot be split, and for the rest of a
 *     split
 * @param estimatedBytes the cluster's own estimate; 0 if it has none yet
 */
public record Split(List<Range> ranges, List<String> replicas, long estimatedBytes) implements Serializable {
    private static final long serialVersionUID = 1;

    /**
     * Tokens greater than {@code start}, up to and including {@code end}. No partition has the token {@code Long.MIN_VALUE}.
     */
    public record Range(long start, long end) implements Serializable {
        private static final long serialVersionUID = 1;

        public Range {
            if (start >= end) {
                throw new IllegalArgumentException("the token range (" + start + ", " + end + "] is empty");
            }
        }

        @Override
        public String toString() {
            return "(" + start + ", " + end + "]";
        }
    }

    /** All tokens. */
    public static final Range WHOLE_RING = new Range(Long.MIN_VALUE, Long.MAX_VALUE);

    public Split {
        ranges = List.copyOf(ranges);
        replicas = List.copyOf(replicas);
        for (int i = 1; i < ranges.size(); i++) {
            if (ranges.get(i).start < ranges.get(i - 1).end) {
                throw new IllegalArgumentException("token ranges overlap or are out of order: " + ranges);
            }
        }
    }

    /** The part of this split whose tokens are greater than the given one; null if there is none. */
    public @Nullable Split after(long token) {
        List<Range> rest = new ArrayList<>();
        for (Range range : ranges) {
            if (range.end > token) {
                rest.add(new Range(Math.max(token, range.start), range.end));
            }
        }
        return rest.isEmpty() ? null : new Split(rest, List.of(), 0);
    }
}
