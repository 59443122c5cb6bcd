package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.ScanOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.FlatReads;
import io.overdrive.bench.experiments.kit.FlatRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * E12, and with it E8. A table is read by token ranges in pages of N rows, X ranges at a time, for a grid of N and X. Rows of 350 bytes,
 * of which three columns with 250 are read.
 */
final class PageGrid implements Experiment {
    private static final String PAGE = "rows of a page";
    private static final String IN_FLIGHT = "ranges at once, for each node";

    /** Large enough that only the rows of a page limit it. */
    private static final long PAGE_BYTES = 64 << 20;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(3_000);
            case LAPTOP -> Size.rows(720_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(720_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(10_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Arm> arms = new ArrayList<>();
        for (int page : pages(size.rows())) {
            for (int inFlight : inFlight(size.rows())) {
                Map<String, String> levels = new LinkedHashMap<>();
                levels.put(PAGE, String.format(Locale.ROOT, "%,d", page));
                levels.put(IN_FLIGHT, Integer.toString(inFlight));
                arms.add(new Arm(levels));
            }
        }
        return arms;
    }

    /**
     * Page sizes of the original for a table as large as the original's. The ranges of a smaller table are too small
     * for large pages.
     */
    private static List<Integer> pages(long rows) {
        return rows >= 1_000_000
                ? List.of(100, 500, 1_000, 5_000, 10_000, 50_000, 100_000)
                : rows >= 100_000 ? List.of(25, 100, 500, 2_000, 5_000) : List.of(20, 100, 500);
    }

    private static List<Integer> inFlight(long rows) {
        return rows >= 1_000_000 ? List.of(1, 4, 16, 32, 64, 128) : rows >= 100_000 ? List.of(1, 4, 16) : List.of(1, 8);
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        FlatRows.write(context);
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        int inFlight = (int) arm.number(IN_FLIGHT);
        long splits = (long) inFlight * context.nodes();
        ScanOptions options = FlatReads.options(context)
                .pageRows((long) arm.number(PAGE))
                .splitsInFlight(inFlight)
                .splitBytes(Math.max(1, context.size().rows() * FlatRows.ROW_BYTES / splits))
                .pageBytes(PAGE_BYTES)
                .pageMemory(Runtime.getRuntime().maxMemory() / 2)
                .build();
        return FlatReads.byScan(context, options);
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
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.CLIENT_LOAD,
                Figure.NODE_LOAD,
                Figure.GARBAGE_COLLECTION,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are read", Chart.Kind.HEAT_MAP, ROWS_PER_SECOND, PAGE, IN_FLIGHT),
                new Chart("Processor time of the client", Chart.Kind.LOG_LINES, Figure.CLIENT_CPU, PAGE, IN_FLIGHT),
                new Chart("How long pages take", Chart.Kind.LOG_LINES, Figure.P99, PAGE, IN_FLIGHT),
                new Chart("Garbage collection", Chart.Kind.HEAT_MAP, Figure.GARBAGE_COLLECTION, PAGE, IN_FLIGHT));
    }

    @Override
    public List<Check> check(Findings findings) {
        List<Integer> pages = pages(findings.size().rows());
        List<Integer> inFlight = inFlight(findings.size().rows());
        int smallPage = pages.get(0);
        int largePage = pages.get(pages.size() - 1);
        int maxInFlight = inFlight.get(inFlight.size() - 1);
        Findings small = findings.where(arm -> arm.number(PAGE) == smallPage);
        Findings large = findings.where(arm -> arm.number(PAGE) == largePage);
        Findings bestPage = findings.best(PAGE, ROWS_PER_SECOND);
        Findings best = findings.best(ROWS_PER_SECOND);
        Findings heaviest = large.where(arm -> arm.number(IN_FLIGHT) == maxInFlight);
        return List.of(
                Check.atLeast(
                                2,
                                "With small pages and one range at once, less than half of the best rate is reached (published: 100 rows and 10 ranges leave"
                                        + " the client idle)",
                                best.ratioTo(small.where(arm -> arm.number(IN_FLIGHT) == 1), ROWS_PER_SECOND))
                        .named("small-pages"),
                Check.atLeast(
                                1.2,
                                "Small pages wait for round trips: with more ranges at once they are at least 1.2 times as fast (published without a figure)",
                                small.where(arm -> arm.number(IN_FLIGHT) == maxInFlight)
                                        .ratioTo(small.where(arm -> arm.number(IN_FLIGHT) == 1), ROWS_PER_SECOND))
                        .named("more-ranges"),
                Check.atLeast(
                                1.1,
                                "The largest pages, most of them at once, are slower than the best: the client is busy with memory (published: with 100,000 rows"
                                        + " and 500 ranges the network is idle)",
                                best.ratioTo(heaviest, ROWS_PER_SECOND))
                        .named("largest-pages"),
                interior(bestPage, small, large));
    }

    /** Whether both the smallest and the largest pages are slower than some between. */
    private static Check interior(Findings bestPage, Findings small, Findings large) {
        String best = String.join("", bestPage.levels(PAGE));
        Check check = Check.atLeast(
                        1.03,
                        "Medium pages are the fastest, over all numbers of ranges (published: 5,000 rows, of 100 to 100,000)",
                        bestPage.ratioTo(small, ROWS_PER_SECOND),
                        bestPage.ratioTo(large, ROWS_PER_SECOND))
                .named("medium-pages");
        return best.isEmpty()
                ? check
                : check.with(check.verdict(), check.evidence() + "; the fastest have " + best + " rows");
    }
}
