package io.overdrive.bench.experiments.kit;

import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;

/** Checks of runs with many rows. Stateless. */
public final class LongRuns {
    /** The run that failed in the original had taken more than a minute. */
    private static final double LONG_SECONDS = 60;

    private LongRuns() {}

    /** @param inOrder rows in order, grouped by partition */
    public static Check fasterAtTheEnd(Findings inOrder) {
        return Check.atLeast(
                        1.1,
                        "Grouped by partition, rows in order are faster in the last tenth of a run than in its first"
                                + " (published: 2.5 times as fast in a run of ten times the rows)",
                        inOrder.mean(Figure.LAST_TENTH))
                .named("faster-at-the-end");
    }

    /**
     * @param inOrder rows in order, grouped by partition
     * @param shuffled rows out of order, grouped by partition
     */
    public static Check fasterInOrder(Findings inOrder, Findings shuffled) {
        return Check.atLeast(
                        1.3,
                        "In a long run as well, rows in order, grouped by partition, are at least 1.3 times as fast as rows out of order"
                                + " (published: 4.9 times)",
                        inOrder.ratioTo(shuffled, Figure.ROWS_PER_SECOND))
                .named("in-order-by-partition");
    }

    /**
     * @param any in batches of any rows
     * @param partition in batches by partition
     */
    public static Check failures(Findings any, Findings partition) {
        String claim =
                "Batches of any rows fail in a long run, and batches by partition do not (published: ended at task 191 of 400)";
        Estimate seconds = any.mean(Figure.SECONDS);
        if (any.measurements().isEmpty() || partition.measurements().isEmpty()) {
            return Check.cannotBeShown(claim, "one of the two was not run").named("any-rows-fail");
        }
        long ofAny = withFailures(any);
        long ofPartition = withFailures(partition);
        String evidence = ofAny + " of " + any.measurements().size() + " runs with failures in batches of any rows, "
                + ofPartition + " of " + partition.measurements().size() + " in batches by partition";
        if (ofAny == 0 && ofPartition == 0 && seconds.value() < LONG_SECONDS) {
            return Check.cannotBeShown(
                            claim, evidence + "; a run took " + seconds + ", too short for nodes to fall behind")
                    .named("any-rows-fail");
        }
        return new Check(
                        claim,
                        ofAny > 0 && ofPartition == 0 ? Check.Verdict.REPRODUCED : Check.Verdict.NOT_REPRODUCED,
                        evidence)
                .named("any-rows-fail");
    }

    private static long withFailures(Findings findings) {
        return findings.measurements().stream()
                .filter(run -> run.failure() != null || run.figures().getOrDefault(Figure.ERRORS, 0.0) > 0)
                .count();
    }
}
