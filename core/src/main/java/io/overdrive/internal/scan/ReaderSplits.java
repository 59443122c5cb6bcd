package io.overdrive.internal.scan;

import static io.overdrive.internal.scan.Splitter.width;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring.Arc;
import io.overdrive.internal.scan.Splitter.Sizes;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts arcs into a number of splits of the same weight. The weight of a range is nearly its share of the estimated bytes, and to a
 * twentieth its share of the tokens, as estimates may be wrong. Arcs of one place stay together: a cut moves by up to a tenth of a split to
 * the border between two places. Confined to one thread, used once.
 */
final class ReaderSplits {
    private static final double SHARE_OF_WIDTH = 0.05;
    private static final double MAX_MOVE = 0.1;

    private final Sizes sizes;
    private final double totalBytes;
    private final double totalWidth;
    private final int number;
    private final List<Split> splits = new ArrayList<>();
    /** The arcs of the split that is being filled. */
    private final List<Arc> filling = new ArrayList<>();

    /** @param ranges all that are cut */
    ReaderSplits(Sizes sizes, List<Range> ranges, int number) {
        this.sizes = sizes;
        this.totalBytes = sizes.bytes(ranges);
        this.totalWidth = width(ranges);
        this.number = number;
    }

    private double weight(long start, long end) {
        double ofWidth = width(start, end) / totalWidth;
        return totalBytes == 0
                ? ofWidth
                : SHARE_OF_WIDTH * ofWidth + (1 - SHARE_OF_WIDTH) * sizes.bytes(start, end) / totalBytes;
    }

    /**
     * The splits, in the order of the arcs.
     *
     * @param places arcs that belong together, each in ascending order
     */
    List<Split> cut(List<List<Arc>> places) {
        double[] cuts = cuts(places);
        int next = 0;
        double at = 0;
        for (List<Arc> place : places) {
            for (Arc arc : place) {
                double end = at + weight(arc.start(), arc.end());
                long from = arc.start();
                for (; next < cuts.length && cuts[next] < end; next++) {
                    long token = Math.max(from, token(arc, cuts[next] - at));
                    add(arc, from, token);
                    finish();
                    from = token;
                }
                add(arc, from, arc.end());
                at = end;
            }
        }
        finish();
        return splits;
    }

    /** The weights before each split but the first, in ascending order. */
    private double[] cuts(List<List<Arc>> places) {
        double[] borders = new double[places.size()];
        double at = 0;
        for (int i = 0; i < borders.length; i++) {
            for (Arc arc : places.get(i)) {
                at += weight(arc.start(), arc.end());
            }
            borders[i] = at;
        }
        double each = at / number;
        double[] cuts = new double[number - 1];
        int near = 0;
        for (int i = 0; i < cuts.length; i++) {
            double cut = (i + 1) * each;
            while (near + 1 < borders.length && Math.abs(borders[near + 1] - cut) <= Math.abs(borders[near] - cut)) {
                near++;
            }
            cuts[i] = Math.abs(borders[near] - cut) <= MAX_MOVE * each ? borders[near] : cut;
        }
        return cuts;
    }

    /** The token of the arc, or its start, up to which it has this weight as nearly as possible. */
    private long token(Arc arc, double weight) {
        long low = arc.start();
        long high = arc.end();
        while (high - low != 1) { // as unsigned numbers
            long middle = low + ((high - low) >>> 1);
            if (weight(arc.start(), middle) < weight) {
                low = middle;
            } else {
                high = middle;
            }
        }
        double before = low == arc.start() ? 0 : weight(arc.start(), low);
        return weight - before < weight(arc.start(), high) - weight ? low : high;
    }

    private void add(Arc arc, long start, long end) {
        if (start < end) {
            filling.add(new Arc(start, end, arc.replicas()));
        }
    }

    private void finish() {
        if (filling.isEmpty()) {
            return;
        }
        List<Node> common = new ArrayList<>(filling.get(0).replicas().nodes());
        filling.forEach(arc -> common.retainAll(arc.replicas().nodes()));
        List<Range> ranges = TokenRanges.merged(
                filling.stream().map(arc -> new Range(arc.start(), arc.end())).toList());
        splits.add(new Split(ranges, Splitter.hosts(common), Math.round(sizes.bytes(ranges))));
        filling.clear();
    }
}
