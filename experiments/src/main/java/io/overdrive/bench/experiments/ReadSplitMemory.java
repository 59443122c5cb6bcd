package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.PEAK_MEMORY;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static io.overdrive.bench.Figure.SPLIT_MEGABYTES;
import static io.overdrive.bench.Figure.SPLIT_VARIATION;
import static io.overdrive.bench.experiments.kit.SplitMemory.KEPT;
import static io.overdrive.bench.experiments.kit.SplitMemory.ORIGINAL_SPLIT_MEGABYTES;
import static io.overdrive.bench.experiments.kit.SplitMemory.PAYLOAD;
import static io.overdrive.bench.experiments.kit.SplitMemory.READING;
import static io.overdrive.bench.experiments.kit.SplitMemory.ROW_BYTES;
import static io.overdrive.bench.experiments.kit.SplitMemory.SPLIT;

import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.Split;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.EqualSplits;
import io.overdrive.bench.experiments.kit.HeapInUse;
import io.overdrive.bench.experiments.kit.Preload;
import io.overdrive.bench.experiments.kit.SplitMemory;
import io.overdrive.bench.experiments.kit.Tasks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * E7. Two threads read the splits of a table, one split each at a time, and either keep the rows of the split until they have all of them,
 * as a Spark task does that caches or sorts, or process the rows page by page. Splits are as large as the nodes' estimates make them, from
 * tables that compress well and badly.
 */
final class ReadSplitMemory implements Experiment {
    private static final long MAX_SPLIT_BYTES = 512_000_000;
    private static final int DIVISOR = 16;
    private static final int MAX_DIVISOR = 256;

    private static final int MIN_SPLITS = 3;
    private static final int SPLITS_AT_ONCE = 2;
    /** The number of small splits that make up a split. */
    private static final int PARTS = 4;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(6_000);
            case LAPTOP -> Size.rows(100_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(100_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(4_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(SplitMemory.factors(splitBytes(size.rows())));
    }

    /**
     * Sizes of splits for a table of this many rows, the smallest first: the original's sizes, divided until there are a few of the
     * largest.
     */
    static List<Long> splitBytes(long rows) {
        long divisor = 1;
        while (rows * ROW_BYTES < MIN_SPLITS * MAX_SPLIT_BYTES / divisor && divisor < MAX_DIVISOR) {
            divisor *= DIVISOR;
        }
        long scale = divisor;
        return ORIGINAL_SPLIT_MEGABYTES.stream()
                .map(megabytes -> megabytes * 1_000_000 / scale)
                .toList();
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        SplitMemory.preload(context);
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        long splitBytes = (long) arm.number(SPLIT);
        boolean keeps = arm.level(READING).equals(KEPT);
        if (keeps) {
            HeapInUse.require((double) SPLITS_AT_ONCE * splitBytes, "two splits of " + arm.level(SPLIT));
        }
        Scan scan = context.overdrive()
                .scan(Preload.reading(context, SplitMemory.table(arm.level(PAYLOAD)))
                        .columns("key", "value")
                        .splitBytes(splitBytes / PARTS)
                        .build());
        return new Reading(context, scan, EqualSplits.of(scan.splits(), splitBytes), keeps);
    }

    private static final class Reading implements Work {
        private final ExperimentContext context;
        private final Scan scan;
        private final List<Split> splits;
        private final boolean keeps;
        private final AtomicLongArray rowsOfSplits;
        private final AtomicLongArray keysOfSplits;
        private final HeapInUse heap = new HeapInUse();

        Reading(ExperimentContext context, Scan scan, List<Split> splits, boolean keeps) {
            this.context = context;
            this.scan = scan;
            this.splits = splits;
            this.keeps = keeps;
            this.rowsOfSplits = new AtomicLongArray(splits.size());
            this.keysOfSplits = new AtomicLongArray(splits.size());
        }

        @Override
        public RunOutcome run() {
            Tasks.run(splits.size(), SPLITS_AT_ONCE, context::stopped, this::read);
            long[] rows = all(rowsOfSplits);
            double mean = Arrays.stream(rows).average().orElse(0);
            long bytes = Arrays.stream(rows).sum() * ROW_BYTES;
            RunOutcome done = RunOutcome.of(scan.totals(), bytes);
            Map<Figure, Double> figures = new EnumMap<>(done.figures());
            figures.put(PEAK_MEMORY, heap.highestBytes() / 1e6);
            figures.put(SPLIT_MEGABYTES, mean * ROW_BYTES / 1e6);
            figures.put(SPLIT_VARIATION, variation(rows));
            return new RunOutcome(done.rows(), bytes, done.requests(), null, figures, List.of());
        }

        private void read(int number) {
            List<byte[]> kept = new ArrayList<>();
            long count = 0;
            long keys = 0;
            try (RowCursor rows = scan.open(splits.get(number))) {
                while (rows.next()) {
                    count++;
                    keys += rows.getLong(0);
                    if (keeps) {
                        kept.add(Arrays.copyOfRange(rows.array(), rows.rowStart(), rows.rowEnd()));
                    }
                }
                heap.look();
            }
            if (keeps && kept.size() != count) { // also keeps the list alive until here
                throw new IllegalStateException(kept.size() + " rows are kept, of " + count);
            }
            rowsOfSplits.set(number, count);
            keysOfSplits.set(number, keys);
        }

        @Override
        public long rowsFound() {
            if (Arrays.stream(all(keysOfSplits)).sum() != SplitMemory.sumOfKeys(context)) {
                throw new IllegalStateException("not every row was read exactly once");
            }
            return context.size().rows();
        }

        @Override
        public void close() {
            scan.close();
        }

        private static long[] all(AtomicLongArray numbers) {
            long[] all = new long[numbers.length()];
            Arrays.setAll(all, numbers::get);
            return all;
        }
    }

    /** Standard deviation of these numbers, as a share of their mean. */
    static double variation(long[] numbers) {
        double mean = Arrays.stream(numbers).average().orElse(0);
        double squares =
                Arrays.stream(numbers).mapToDouble(n -> (n - mean) * (n - mean)).sum();
        return mean == 0 ? 0 : Math.sqrt(squares / numbers.length) / mean;
    }

    @Override
    public Figure mainFigure() {
        return PEAK_MEMORY;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                PEAK_MEMORY,
                SPLIT_MEGABYTES,
                SPLIT_VARIATION,
                ROWS_PER_SECOND,
                Figure.MEGABYTES_PER_SECOND,
                Figure.GARBAGE_COLLECTION,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        List<Chart> charts = new ArrayList<>(SplitMemory.charts());
        charts.add(new Chart("How much splits differ", Chart.Kind.LOG_LINES, SPLIT_VARIATION, SPLIT, PAYLOAD));
        return charts;
    }

    @Override
    public List<Check> check(Findings findings) {
        return SplitMemory.check(findings, SPLITS_AT_ONCE);
    }
}
