package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Shuffle;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.FlatReads;
import io.overdrive.bench.experiments.kit.FlatRows;
import io.overdrive.bench.experiments.kit.HeapInUse;
import io.overdrive.bench.experiments.kit.Preload;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * E13. All rows of a table are read four times: by token range, by key in token order, by key in random order, and by IN with several such
 * keys.
 */
final class KeyOrder implements Experiment {
    private static final String READ_BY = "rows are read by";

    /** How rows are read. */
    private enum ReadBy {
        RANGE("token range"),
        SORTED("key, in token order"),
        SHUFFLED("key, shuffled"),
        IN("IN of 16 keys, shuffled");

        private final String words;

        ReadBy(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final int THREADS = 8;
    /** The same number of keys is in flight, whether they are read singly or by IN. */
    private static final int KEYS_FOR_EACH_THREAD = 16;
    /** More data than this is assumed not to fit into the page cache of a node. */
    private static final double PAGE_CACHE_BYTES = 8e9;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(2_000);
            case LAPTOP -> Size.rows(120_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(120_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(100_000_000).repeat(3).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(READ_BY, List.of(ReadBy.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        FlatRows.write(context);
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        long rows = context.size().rows();
        Shuffle shuffle = new Shuffle(rows, context.random("order of keys").nextLong());
        return switch (arm.level(READ_BY, ReadBy.class)) {
            case RANGE -> FlatReads.byScan(context, FlatReads.options(context).build());
            case SORTED -> FlatReads.byKey(context, rows, inTokenOrder(context, rows), THREADS, KEYS_FOR_EACH_THREAD);
            case SHUFFLED -> FlatReads.byKey(context, rows, shuffle::at, THREADS, KEYS_FOR_EACH_THREAD);
            case IN -> FlatReads.byRequests(context, rows, shuffle::at, THREADS, KEYS_FOR_EACH_THREAD);
        };
    }

    /** The key at each position: ranges are read in sequence, and rows of a range come in token order. */
    private static LongUnaryOperator inTokenOrder(ExperimentContext context, long rows) {
        HeapInUse.require((double) rows * Long.BYTES, "the keys in token order");
        long[] keys = new long[Math.toIntExact(rows)];
        int read = 0;
        try (Scan scan = context.overdrive()
                .scan(Preload.reading(context, FlatRows.TABLE).columns("key").build())) {
            List<Range> ranges = scan.splits().stream()
                    .flatMap(split -> split.ranges().stream())
                    .sorted(Comparator.comparingLong(Range::start))
                    .toList();
            for (Range range : ranges) {
                try (RowCursor row = scan.open(new Split(List.of(range), List.of(), 0))) {
                    while (row.next()) {
                        keys[read++] = row.getLong(0);
                    }
                }
            }
        }
        return place -> keys[(int) place];
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND, Figure.ROWS_PER_REQUEST, Figure.CLIENT_CPU, Figure.SERVER_CPU, Figure.P50, Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are read", Chart.Kind.BARS, ROWS_PER_SECOND, READ_BY, null),
                new Chart("Processor time of the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, READ_BY, null));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings range = findings.where(READ_BY, ReadBy.RANGE);
        Findings sorted = findings.where(READ_BY, ReadBy.SORTED);
        Findings shuffled = findings.where(READ_BY, ReadBy.SHUFFLED);
        Findings in = findings.where(READ_BY, ReadBy.IN);
        Estimate order = sorted.ratioTo(shuffled, ROWS_PER_SECOND);
        double bytes =
                FlatRows.bytesPerNode(findings.size().rows(), findings.size().replicationFactor(), findings.nodes());
        boolean cached = bytes < PAGE_CACHE_BYTES;
        String disk =
                "On disk, keys in token order are read at least twice as fast as shuffled ones (published: they thrash the disk)";
        String memory = "In the page cache, the order of keys makes a difference of at most a quarter";
        String size = String.format(Locale.ROOT, "%,.0f MB for each node", bytes / 1e6);
        return List.of(
                Check.atLeast(
                                3,
                                "A scan by token range is at least 3 times as fast as reads by shuffled key (published: 86 times, on disk)",
                                range.ratioTo(shuffled, ROWS_PER_SECOND))
                        .named("range-to-keys"),
                cached
                        ? Check.cannotBeShown(disk, size + ", all in the page cache, where the ratio is " + order)
                                .named("order-on-disk")
                        : Check.atLeast(2, disk, order).named("order-on-disk"),
                cached
                        ? Check.between(0.8, 1.25, memory, order).named("order-in-memory")
                        : Check.cannotBeShown(memory, size + " may be more than the page cache holds")
                                .named("order-in-memory"),
                Check.atLeast(
                                1.1,
                                "Single keys, each sent to a replica, are read faster than by IN, for which one node asks the others",
                                shuffled.ratioTo(in, ROWS_PER_SECOND))
                        .named("single-keys"));
    }
}
