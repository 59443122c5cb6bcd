package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Shuffle;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.FlatReads;
import io.overdrive.bench.experiments.kit.FlatRows;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * E14. A table is read in the ways that its owners tried, from slow to fast: row by row; slices of keys by several threads; token ranges
 * with small pages, one at a time; token ranges with pages and concurrency tuned by hand; and by Overdrive's scan with its defaults. The
 * slow ways read only a part of the rows, or they would take hours.
 */
final class NaiveVsTuned implements Experiment {
    private static final String WAY = "way";

    /** How the table is read. */
    private enum Way {
        ROW_BY_ROW("1 key at a time"),
        SLICES("100 keys by IN, 10 threads"),
        SMALL_PAGES("token ranges, pages of 100 rows"),
        TUNED("token ranges, tuned by hand"),
        DEFAULTS("Overdrive as it is");

        private final String words;

        Way(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final int SLICE_KEYS = 100;
    private static final int SLICE_THREADS = 10;
    private static final int SMALL_PAGE_ROWS = 100;
    private static final int TUNED_PAGE_ROWS = 5_000;
    private static final int TUNED_RANGES = 128;

    /** The part of the rows that row by row and slices read. */
    private static final int ROW_BY_ROW_PART = 100;

    private static final int SLICES_PART = 10;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(5_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(1_000_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(100_000_000).repeat(3).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(WAY, List.of(Way.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        FlatRows.write(context);
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        long rows = context.size().rows();
        LongUnaryOperator shuffled =
                new Shuffle(rows, context.random("order of keys").nextLong())::at;
        return switch (arm.level(WAY, Way.class)) {
            case ROW_BY_ROW -> FlatReads.byRequests(context, part(rows, ROW_BY_ROW_PART), shuffled, 1, 1);
            case SLICES -> FlatReads.byRequests(context, part(rows, SLICES_PART), shuffled, SLICE_THREADS, SLICE_KEYS);
            case SMALL_PAGES ->
                FlatReads.byScan(
                        context,
                        FlatReads.options(context)
                                .pageRows(SMALL_PAGE_ROWS)
                                .splitsInFlight(1)
                                .build());
            case TUNED ->
                FlatReads.byScan(
                        context,
                        FlatReads.options(context)
                                .pageRows(TUNED_PAGE_ROWS)
                                .pageBytes(2L * TUNED_PAGE_ROWS * FlatRows.ROW_BYTES)
                                .pageMemory(Runtime.getRuntime().maxMemory() / 2)
                                .splitsInFlight(Math.max(1, TUNED_RANGES / context.nodes()))
                                .build());
            case DEFAULTS ->
                FlatReads.byScan(context, FlatReads.options(context).build());
        };
    }

    private static long part(long rows, int part) {
        return Math.max(1, rows / part);
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.MEGABYTES_PER_SECOND,
                Figure.ROWS,
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU,
                Figure.CLIENT_LOAD,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are read", Chart.Kind.BARS, ROWS_PER_SECOND, WAY, null),
                new Chart("Processor time of the client", Chart.Kind.BARS, Figure.CLIENT_CPU, WAY, null));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings rowByRow = findings.where(WAY, Way.ROW_BY_ROW);
        Findings slices = findings.where(WAY, Way.SLICES);
        Findings smallPages = findings.where(WAY, Way.SMALL_PAGES);
        Findings tuned = findings.where(WAY, Way.TUNED);
        return List.of(
                Check.atLeast(
                                1.3,
                                "Slices of keys by several threads are at least 1.3 times as fast as row by row (published: 1.5 to 2 times, with disks"
                                        + " as the limit)",
                                slices.ratioTo(rowByRow, ROWS_PER_SECOND))
                        .named("slices"),
                Check.atLeast(
                                5,
                                "Token ranges, tuned, are at least 5 times as fast as slices of keys (published: 86 times, on disk)",
                                tuned.ratioTo(slices, ROWS_PER_SECOND))
                        .named("ranges-to-slices"),
                Check.atLeast(
                                50,
                                "Token ranges, tuned, are at least 50 times as fast as row by row (published: 130 to 170 times)",
                                tuned.ratioTo(rowByRow, ROWS_PER_SECOND))
                        .named("ranges-to-keys"),
                Check.atLeast(
                                1.3,
                                "Tuned token ranges are at least 1.3 times as fast as small pages, one range at a time (published without a"
                                        + " figure)",
                                tuned.ratioTo(smallPages, ROWS_PER_SECOND))
                        .named("tuning"),
                Check.atLeast(
                                0.9,
                                "Overdrive's defaults are as fast as tuning by hand (Overdrive's README)",
                                findings.where(WAY, Way.DEFAULTS).ratioTo(tuned, ROWS_PER_SECOND))
                        .named("defaults"));
    }
}
