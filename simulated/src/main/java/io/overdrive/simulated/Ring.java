package io.overdrive.simulated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The tokens of each data centre, to find the ranges of a node that it is the first replica of. Immutable. */
final class Ring {
    /** A token range that does not wrap around; its end, which belongs to it, is {@code Long.MIN_VALUE} for the end of the ring. */
    record Range(long start, long end) {
        long rows(TokenRows rows) {
            return rows.upTo(end == Long.MIN_VALUE ? Long.MAX_VALUE : end) - rows.upTo(start);
        }
    }

    private final Map<String, long[]> tokens = new HashMap<>();

    Ring(List<SimulatedNode> nodes) {
        for (SimulatedNode node : nodes) {
            tokens.computeIfAbsent(node.datacenter(), name -> nodes.stream()
                    .filter(other -> other.datacenter().equals(name))
                    .flatMapToLong(other -> LongStream.of(other.tokens()))
                    .sorted()
                    .toArray());
        }
    }

    List<Range> primaryRanges(SimulatedNode node) {
        long[] sorted = tokens.getOrDefault(node.datacenter(), node.tokens());
        List<Range> ranges = new ArrayList<>();
        for (long token : node.tokens()) {
            int at = Arrays.binarySearch(sorted, token);
            if (at > 0) {
                ranges.add(new Range(sorted[at - 1], token));
            } else {
                ranges.add(new Range(Long.MIN_VALUE, token));
                ranges.add(new Range(sorted[sorted.length - 1], Long.MIN_VALUE));
            }
        }
        return ranges;
    }
}
