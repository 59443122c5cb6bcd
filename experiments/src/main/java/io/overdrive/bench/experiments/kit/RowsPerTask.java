package io.overdrive.bench.experiments.kit;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Conclusions from writing the same rows in tasks of several sizes.
 *
 * <p>A task of r rows takes a + b·r. In a run of n rows, each of p threads runs k = n / (r·p) of them in sequence, in a·k + b·n/p: a
 * straight line over k. Its slope is the fixed cost a of a task, and as all runs take about as long, none weighs more than another.
 * Stateless.
 */
public final class RowsPerTask {
    /** The factor whose levels are numbers of rows. */
    public static final String FACTOR = "rows per task";

    private static final int LEVELS = 4;
    private static final int MIN_ROWS = 20;

    private RowsPerTask() {}

    /**
     * The levels as texts, from small to large: the largest are one for each of the tasks at once, the others a tenth,
     * a hundredth and a thousandth.
     *
     * @param rows of a run
     * @param atOnce how many tasks run at the same time
     */
    public static List<String> levels(long rows, int atOnce) {
        Deque<String> levels = new ArrayDeque<>();
        for (long level = Math.max(MIN_ROWS, rows / atOnce); level >= MIN_ROWS && levels.size() < LEVELS; level /= 10) {
            levels.addFirst(String.format(Locale.ROOT, "%,d", level));
        }
        return List.copyOf(levels);
    }

    /** @param series the other factor */
    public static List<Chart> charts(String series) {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.LOG_LINES, ROWS_PER_SECOND, FACTOR, series),
                new Chart("What a row costs the client", Chart.Kind.LOG_LINES, Figure.CLIENT_CPU, FACTOR, series));
    }

    /**
     * @param findings of one writer
     * @param rows of a run
     * @param atOnce how many tasks run at the same time
     */
    public static List<Check> check(Findings findings, long rows, int atOnce) {
        double most = findings.arms().stream()
                .mapToDouble(arm -> arm.number(FACTOR))
                .max()
                .orElse(0);
        double least = findings.arms().stream()
                .mapToDouble(arm -> arm.number(FACTOR))
                .min()
                .orElse(0);
        Findings largest = findings.where(arm -> arm.number(FACTOR) == most);
        Findings smallest = findings.where(arm -> arm.number(FACTOR) == least);
        Findings second = findings.where(arm -> arm.number(FACTOR) == Math.floor(most / 10));
        return List.of(
                Check.atLeast(
                                1.1,
                                "The largest tasks are at least 1.1 times as fast as the smallest",
                                largest.ratioTo(smallest, ROWS_PER_SECOND))
                        .named("large-tasks"),
                Check.atLeast(
                                0,
                                "A task has a fixed cost: a run takes longer with each further task of a thread",
                                findings.slope(Figure.SECONDS, arm -> rows / arm.number(FACTOR) / atOnce))
                        .named("fixed-cost"),
                Check.between(
                                0.9,
                                1.1,
                                "Beyond some size it makes no difference: the largest tasks are as fast as those of a tenth of their rows",
                                largest.ratioTo(second, ROWS_PER_SECOND))
                        .named("plateau"));
    }
}
