package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.Ring.Arc;
import io.overdrive.internal.ring.Ring.ReplicaSet;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cuts a token ring into splits of similar estimated size, each of which some nodes hold all of. Stateless. */
public final class Splitter {
    /** Enough for each node to be kept busy to the end, although splits are not equal. */
    private static final int SPLITS_PER_NODE = 16;
    /** A table that is known to be small is not worth so many requests. */
    private static final int FEWEST_SPLITS_PER_NODE = 4;

    private static final double SMALL_SPLIT_BYTES = 1 << 20;

    private Splitter() {}

    /** Splits in the order in which they are best read: neighbours in the list are on different nodes. */
    public static List<Split> split(
            CqlSession session, Ring ring, CqlIdentifier keyspace, CqlIdentifier table, long splitBytes) {
        SizeEstimates sizes = SizeEstimates.of(session, ring, keyspace, table);
        return split(ring, sizes::bytes, splitBytes);
    }

    /** Estimated bytes of a token range. */
    interface Sizes {
        double bytes(long start, long end);
    }

    static List<Split> split(Ring ring, Sizes sizes, long splitBytes) {
        int nodes = Math.max(1, ring.everywhere().nodes().size());
        double total = sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE);
        double target = Math.min(splitBytes, Math.max(SMALL_SPLIT_BYTES, total / (SPLITS_PER_NODE * nodes)));
        // Where there is no estimate, and on top of each one, tokens count: they are spread evenly.
        int fewest = nodes * (total == 0 ? SPLITS_PER_NODE : FEWEST_SPLITS_PER_NODE);
        double widest = (Long.MAX_VALUE - (double) Long.MIN_VALUE) / fewest;
        Map<ReplicaSet, List<Split>> byReplicas = new LinkedHashMap<>();
        Map<ReplicaSet, Part> open = new LinkedHashMap<>();
        for (Arc arc : ring.arcs()) {
            double bytes = sizes.bytes(arc.start(), arc.end());
            double width = width(arc.start(), arc.end());
            int pieces = (int) Math.max(1, Math.ceil(Math.max(bytes / target, width / widest) - 0.001));
            List<Split> splits = byReplicas.computeIfAbsent(arc.replicas(), set -> new ArrayList<>());
            Part part = open.computeIfAbsent(arc.replicas(), set -> new Part());
            long start = arc.start();
            // an arc may be wider than the largest long; its pieces are as wide as they are with unsigned numbers
            long step = Long.divideUnsigned(arc.end() - arc.start(), pieces);
            for (int i = 1; i <= pieces; i++) {
                long end = i == pieces ? arc.end() : arc.start() + step * i;
                if (end == start) {
                    continue; // the arc is narrower than its pieces
                }
                part.add(start, end, sizes.bytes(start, end));
                start = end;
                if (part.bytes >= 0.75 * target || part.width >= 0.75 * widest) {
                    splits.add(part.toSplit(arc.replicas()));
                    part.clear();
                }
            }
        }
        open.forEach((replicas, part) -> {
            if (!part.ranges.isEmpty()) {
                byReplicas.computeIfAbsent(replicas, set -> new ArrayList<>()).add(part.toSplit(replicas));
            }
        });
        return interleaved(byReplicas.values());
    }

    private record Placed(double place, Split split) {}

    private static List<Split> interleaved(Iterable<List<Split>> lists) {
        List<Placed> placed = new ArrayList<>();
        for (List<Split> list : lists) {
            for (int i = 0; i < list.size(); i++) {
                placed.add(new Placed((i + 0.5) / list.size(), list.get(i)));
            }
        }
        placed.sort(Comparator.comparingDouble(Placed::place));
        return placed.stream().map(Placed::split).toList();
    }

    private static double width(long start, long end) {
        return (double) end - (double) start;
    }

    /** A split that grows. */
    private static final class Part {
        final List<Range> ranges = new ArrayList<>();
        double bytes;
        double width;

        void add(long start, long end, double moreBytes) {
            Range last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
            if (last != null && last.end() == start) {
                ranges.set(ranges.size() - 1, new Range(last.start(), end));
            } else {
                ranges.add(new Range(start, end));
            }
            bytes += moreBytes;
            width += width(start, end);
        }

        Split toSplit(ReplicaSet replicas) {
            return new Split(
                    ranges, replicas.nodes().stream().map(Splitter::host).toList(), Math.round(bytes));
        }

        void clear() {
            ranges.clear();
            bytes = 0;
            width = 0;
        }
    }

    private static String host(Node node) {
        return node.getEndPoint().resolve() instanceof InetSocketAddress address
                ? address.getHostString()
                : node.getEndPoint().toString();
    }
}
