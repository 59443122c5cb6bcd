package io.overdrive.internal.scan;

import static io.overdrive.Split.WHOLE_RING;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.Ring.Arc;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts a token ring into splits of similar estimated size. Stateless.
 *
 * <p>The target size of a split is {@code min(splitBytes, max(1 MiB, total / (16 * nodes)))}: 16 splits a node keep all nodes
 * busy to the end although splits are not equal, but less than 1 MiB is not worth a request. No split is wider than the ring /
 * (4 * nodes), or the ring / min(16 * nodes, max(1024, 4 * nodes)) without estimates: estimates may be wrong, and tokens are spread evenly.
 * Splits of a part of the ring have the same size, or a sixteenth of the part, and at most a fourth of its tokens: other processes read the
 * other parts.
 *
 * <p>A split has ranges with one replica set. With many tokens for each node there are nearly as many replica sets as ranges, and a request
 * for each would cost more than their rows: the number of splits and ranges follows the data and the number of nodes. So if there are more
 * than 16 replica sets for each node, a split has ranges that have one replica in common; and if there are more than 32 ranges for each node or
 * 2,048 in all, those of less than 256 KiB share splits whatever their replicas, and neighbours among them become one range. Its coordinator then reads
 * from others.
 */
public final class Splitter {
    private static final int SPLITS_PER_NODE = 16;
    private static final int MIN_SPLITS_PER_NODE = 4;

    /** Enough splits for any number of nodes if it is not known where the bytes are. */
    private static final int ENOUGH_SPLITS = 1024;

    private static final double SMALL_SPLIT_BYTES = 1 << 20;
    /** Ranges for each node, and in all, from which on small ones are put together. */
    private static final int FEW_RANGES_PER_NODE = 32;

    private static final int FEW_RANGES = 2048;

    private static final double SMALL_RANGE_BYTES = 256 << 10;

    /** The size of a split for a reader that is a process: its rows are worth the start of one, and fit into its memory. */
    private static final double MIN_READER_BYTES = 16 << 20;

    private static final double MAX_READER_BYTES = 256 << 20;

    private Splitter() {}

    /** Estimated bytes of a token range. */
    interface Sizes {
        double bytes(long start, long end);

        default double bytes(List<Range> ranges) {
            return ranges.stream()
                    .mapToDouble(range -> bytes(range.start(), range.end()))
                    .sum();
        }
    }

    /**
     * Splits of these ranges, in the best order to read them: neighbours in the list are on different nodes.
     *
     * @param ranges as {@link TokenRanges#merged} gives them
     */
    static List<Split> split(Ring ring, Sizes sizes, List<Range> ranges, long splitBytes) {
        int nodes = Math.max(1, ring.allLocalNodes().nodes().size());
        double total = sizes.bytes(ranges);
        double whole = sizes.bytes(List.of(WHOLE_RING));
        double share = Math.min(total, whole / nodes) / SPLITS_PER_NODE;
        double target = Math.min(splitBytes, Math.max(SMALL_SPLIT_BYTES, share));
        double maxWidth =
                Math.min(width(WHOLE_RING) / minSplits(nodes, total > 0), width(ranges) / MIN_SPLITS_PER_NODE);
        List<List<Split>> splits = new ArrayList<>();
        List<Arc> arcs = ring.arcs();
        for (List<Arc> place : places(ring, sizes, TokenRanges.within(arcs, ranges), smallRangeBytes(arcs, nodes))) {
            Pile pile = new Pile(sizes, target, maxWidth);
            place.forEach(arc -> pile.add(arc.start(), arc.end(), arc.replicas().nodes()));
            splits.add(pile.finish());
        }
        return interleaved(splits);
    }

    /**
     * Splits of these ranges for readers that work independently: so many, if there are as many tokens.
     *
     * @param ranges as {@link TokenRanges#merged} gives them
     * @param number 0: as many as their size needs
     */
    static List<Split> forReaders(Ring ring, Sizes sizes, List<Range> ranges, int number) {
        int wanted = number > 0 ? number : readers(ring, sizes.bytes(ranges));
        // small arcs, too: those of all nodes together would make a split of many ranges
        List<Arc> arcs = TokenRanges.within(ring.arcs(), ranges);
        List<List<Arc>> places = places(ring, sizes, arcs, /* smallBytes */ 0);
        // each split would be on many nodes anyway: its tokens are at least next to each other
        List<List<Arc>> ordered =
                places.size() <= wanted ? places : arcs.stream().map(List::of).toList();
        return new ReaderSplits(sizes, ranges, wanted).cut(ordered);
    }

    private static int readers(Ring ring, double bytes) {
        int few = MIN_SPLITS_PER_NODE * Math.max(1, ring.allLocalNodes().nodes().size());
        double small = bytes == 0 ? few : Math.min(few, Math.ceil(bytes / MIN_READER_BYTES));
        return (int) Math.max(small, Math.ceil(bytes / MAX_READER_BYTES));
    }

    /** The size below which arcs share splits whatever their replicas; 0: none does. */
    private static double smallRangeBytes(List<Arc> arcs, int nodes) {
        return arcs.size() > Math.min(FEW_RANGES, FEW_RANGES_PER_NODE * nodes) ? SMALL_RANGE_BYTES : 0;
    }

    /** Puts arcs together whose splits may have any of them; in each place they are in ascending order. */
    private static List<List<Arc>> places(Ring ring, Sizes sizes, List<Arc> arcs, double smallBytes) {
        int nodes = Math.max(1, ring.allLocalNodes().nodes().size());
        Shares shares = ring.replicaSets() > SPLITS_PER_NODE * nodes ? new Shares() : null;
        Map<List<Node>, List<Arc>> places = new LinkedHashMap<>();
        for (Arc arc : arcs) {
            boolean isSmall = sizes.bytes(arc.start(), arc.end()) < smallBytes;
            List<Node> replicas = arc.replicas().nodes();
            List<Node> place = isSmall ? List.of() : shares == null ? replicas : shares.choose(arc);
            places.computeIfAbsent(place, any -> new ArrayList<>()).add(arc);
        }
        return List.copyOf(places.values());
    }

    private static int minSplits(int nodes, boolean hasEstimates) {
        int few = MIN_SPLITS_PER_NODE * nodes;
        return hasEstimates ? few : Math.min(SPLITS_PER_NODE * nodes, Math.max(ENOUGH_SPLITS, few));
    }

    /** Deals ranges to their replicas, so that each node gets about the same share of the ring. Confined to one thread. */
    private static final class Shares {
        private final Map<Node, Double> widths = new HashMap<>();

        /** The replica with the smallest share until now. */
        List<Node> choose(Arc arc) {
            Node chosen = arc.replicas().nodes().stream()
                    .min(Comparator.comparingDouble(node -> widths.getOrDefault(node, 0.0)))
                    .orElseThrow();
            widths.merge(chosen, width(arc.start(), arc.end()), Double::sum);
            return List.of(chosen);
        }
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

    static double width(List<Range> ranges) {
        return ranges.stream().mapToDouble(Splitter::width).sum();
    }

    private static double width(Range range) {
        return width(range.start(), range.end());
    }

    /** Number of tokens in the range, as precisely as a double can hold it; never 0. */
    static double width(long start, long end) {
        long tokens = end - start; // unsigned
        return tokens > 0 ? tokens : tokens + 0x1p64;
    }

    /** Splits whose ranges have replicas in common, and the one that is being filled. Confined to one thread. */
    private static final class Pile {
        private final Sizes sizes;
        private final double target;
        private final double maxWidth;
        private final List<Split> splits = new ArrayList<>();
        private final List<Range> ranges = new ArrayList<>();
        /** Nodes that hold all of the ranges. */
        private final List<Node> common = new ArrayList<>();

        private double bytes;
        private double width;

        Pile(Sizes sizes, double target, double maxWidth) {
            this.sizes = sizes;
            this.target = target;
            this.maxWidth = maxWidth;
        }

        /** Adds a range; cuts it if it is too large for one split, recursively, as bytes are not spread evenly. */
        void add(long start, long end, List<Node> replicas) {
            double moreBytes = sizes.bytes(start, end);
            double moreWidth = width(start, end);
            double wanted = Math.ceil(Math.max(moreBytes / target, moreWidth / maxWidth) - 0.001);
            long pieces = (long) Math.min(wanted, moreWidth);
            if (pieces > 1) {
                long step = Long.divideUnsigned(end - start, pieces);
                long at = start;
                for (long i = 1; i < pieces; i++) {
                    add(at, at + step, replicas);
                    at += step;
                }
                add(at, end, replicas);
                return;
            }
            if (ranges.isEmpty()) {
                common.addAll(replicas);
            } else {
                common.retainAll(replicas);
            }
            int last = ranges.size() - 1;
            if (last >= 0 && ranges.get(last).end() == start) {
                ranges.set(last, new Range(ranges.get(last).start(), end));
            } else {
                ranges.add(new Range(start, end));
            }
            bytes += moreBytes;
            width += moreWidth;
            if (bytes >= 0.75 * target || width >= 0.75 * maxWidth) {
                cut();
            }
        }

        private void cut() {
            splits.add(new Split(ranges, hosts(common), Math.round(bytes)));
            ranges.clear();
            common.clear();
            bytes = 0;
            width = 0;
        }

        List<Split> finish() {
            if (!ranges.isEmpty()) {
                cut();
            }
            return splits;
        }
    }

    /** The names of nodes in a split. */
    static List<String> hosts(List<Node> nodes) {
        return nodes.stream().map(Splitter::host).toList();
    }

    private static String host(Node node) {
        return node.getEndPoint().resolve() instanceof InetSocketAddress address
                ? address.getHostString()
                : node.getEndPoint().toString();
    }
}
