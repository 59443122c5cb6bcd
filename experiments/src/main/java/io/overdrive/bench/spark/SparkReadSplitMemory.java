package io.overdrive.bench.spark;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.SplitMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * E7, in Spark: tasks read a split each, and sort its rows, for which they keep them, or process the rows as they come. Executors collect
 * their garbage every half second, so that the remaining heap is in use.
 */
final class SparkReadSplitMemory extends SparkExperiment {
    private static final int DIVISOR = 16;
    /** The connector for Spark 3 makes at least five splits, and one more than twice the tasks at once. */
    private static final int MIN_SPLITS = 6;

    SparkReadSplitMemory(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(6_000);
            case LAPTOP -> Size.rows(400_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(400_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(4_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Map.Entry<String, ? extends List<?>>> factors = new ArrayList<>();
        factors.add(Map.entry(CONNECTOR, connectors()));
        factors.addAll(SplitMemory.factors(splitBytes(size.rows())));
        return Arm.grid(factors);
    }

    /**
     * Sizes of splits for a table of this many rows, the smallest first: the original's sizes, or a sixteenth, in whole megabytes, which is
     * all that connectors can be given, and as far as there are enough of them.
     */
    static List<Long> splitBytes(long rows) {
        long largest = rows * SplitMemory.ROW_BYTES / MIN_SPLITS;
        List<Long> original = SplitMemory.ORIGINAL_SPLIT_MEGABYTES;
        long divisor = largest < original.get(original.size() - 1) * 1_000_000 ? DIVISOR : 1;
        List<Long> sizes = original.stream()
                .map(megabytes -> Math.max(1, megabytes / divisor) * 1_000_000)
                .filter(bytes -> bytes <= largest)
                .toList();
        return sizes.isEmpty() ? List.of(1_000_000L) : sizes;
    }

    @Override
    Map<String, String> settings() {
        return Map.of(
                SparkProcess.EXECUTOR_OPTIONS,
                "-XX:+UseZGC -XX:ZCollectionInterval=0.5",
                "spark.buffer.pageSize", // what Spark sorts grows by this much
                "1m");
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        SplitMemory.preload(context);
        return new Jobs() {
            @Override
            public Run run(Arm arm) {
                boolean keeps = arm.level(SplitMemory.READING).equals(SplitMemory.KEPT);
                Map<String, String> from = SparkJob.table(
                        context,
                        SplitMemory.table(arm.level(SplitMemory.PAYLOAD)),
                        Map.of(
                                "spark.cassandra.input.split.sizeInMB",
                                Long.toString(Math.round(arm.number(SplitMemory.SPLIT) / 1e6))));
                return new Run(
                        SparkJob.reading(
                                "SELECT key, value, spark_partition_id() AS task FROM " + SparkJob.ROWS
                                        + (keeps ? " SORT BY value" : ""),
                                from,
                                Map.of("rows", "count(value)", "sum", "sum(key)", "tasks", "max(task) + 1")),
                        SplitMemory.ROW_BYTES,
                        answer -> checked(
                                answer,
                                SplitMemory.sumOfKeys(context),
                                context.size().rows()));
            }

            @Override
            public Work around(Arm arm, SparkWork work) {
                return new Measured(work);
            }
        };
    }

    /** A job that reports the memory of the executors. Confined to one thread. */
    private record Measured(SparkWork work) implements Work {
        @Override
        public RunOutcome run() {
            Map<Path, Integer> before = work.spark().collectionCounts();
            RunOutcome done = work.run();
            double splits = work.answer().get("tasks").asDouble();
            Map<Figure, Double> figures = new EnumMap<>(Map.of(Figure.SPLIT_MEGABYTES, done.bytes() / 1e6 / splits));
            work.spark().peakHeapMegabytes(before).ifPresent(peak -> figures.put(Figure.PEAK_MEMORY, (double) peak));
            return done.with(figures);
        }

        @Override
        public long rowsFound() {
            return work.rowsFound();
        }
    }

    @Override
    public Figure mainFigure() {
        return Figure.PEAK_MEMORY;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                Figure.PEAK_MEMORY,
                Figure.SPLIT_MEGABYTES,
                Figure.ROWS_PER_SECOND,
                Figure.SECONDS,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return SplitMemory.charts();
    }

    @Override
    public List<Check> check(Findings findings) {
        List<Check> checks = new ArrayList<>();
        for (Connector connector : connectors()) {
            checks.addAll(connector.claims(
                    SplitMemory.check(findings.where(CONNECTOR, connector), SparkProcess.tasksAtOnce())));
        }
        return checks;
    }
}
