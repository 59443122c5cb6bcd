package io.overdrive.jobs.tables;

import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Figures.Counts;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.tables.TableResult.Kept;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The progress of the work on several tables, or how it ended. Immutable.
 *
 * @param <S> the type of the summary of one table
 * @param tables number of tables of the run
 * @param results of the tables that have ended, in alphabetical order
 * @param running summaries of the tables that are being worked on
 * @param done the share of the work that is done, 0 to 1
 * @param elapsed time since the start
 * @param notDone what had to follow and could not be done, and why
 * @param outcome FAILED if one of the tables failed
 * @param failure says which tables failed; null unless one did
 */
public record TablesSummary<S extends Summary>(
        int tables,
        List<TableResult<S>> results,
        List<S> running,
        double done,
        Duration elapsed,
        List<String> notDone,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    public TablesSummary {
        results = List.copyOf(results);
        running = List.copyOf(running);
        notDone = List.copyOf(notDone);
    }

    /** The number of tables that have ended in this way. */
    public long count(Outcome how) {
        return results.stream().filter(each -> each.outcome() == how).count();
    }

    /** Rows that are done, with those of earlier processes. */
    public long rows() {
        return rowsBefore()
                + summaries().stream().mapToLong(TablesSummary::rows).sum();
    }

    /** Rows of one table that are done, with those of earlier processes. */
    public static long rows(Summary of) {
        Counts counts = of.figures().counts();
        return counts.rowsWritten() >= 0
                ? counts.rowsWritten()
                : Math.max(0, Math.max(counts.rowsCompared(), counts.rowsRead()));
    }

    /** Rows of the tables that earlier processes of the run have done. */
    public long rowsBefore() {
        return before().stream().mapToLong(Kept::rows).sum();
    }

    /** The tables that earlier processes of the run have done. */
    public List<Kept> before() {
        return results.stream()
                .map(TableResult::before)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The summaries of all tables that have begun. */
    public List<S> summaries() {
        return Stream.concat(results.stream().map(TableResult::summary).filter(Objects::nonNull), running.stream())
                .toList();
    }

    @Override
    public Figures figures() {
        List<Figures> each = summaries().stream().map(Summary::figures).toList();
        List<Figures> now = running.stream().map(Summary::figures).toList();
        List<Counts> counts = each.stream().map(Figures::counts).toList();
        return new Figures(
                elapsed,
                sum(each, Figures::rows),
                sum(each, Figures::bytes),
                sum(now, Figures::inFlight),
                now.stream().map(Figures::p99).max(Duration::compareTo).orElse(Duration.ZERO),
                sum(each, Figures::rejected),
                done,
                waiting(now),
                new Counts(
                        sum(counts, Counts::rowsRead),
                        sum(counts, Counts::rowsWritten),
                        sum(counts, Counts::rowsCompared),
                        sum(counts, Counts::differences),
                        sum(counts, Counts::bytesRead),
                        sum(counts, Counts::bytesWritten),
                        sum(counts, Counts::bytesSpilled),
                        sum(counts, Counts::rowsPending)));
    }

    /** Why nothing makes progress; null if something does. */
    private static @Nullable String waiting(List<Figures> now) {
        return now.isEmpty() || now.stream().anyMatch(each -> each.waiting() == null)
                ? null
                : now.get(0).waiting();
    }

    /** The sum of figures of which each is -1 if there is no such thing; -1 if there is none at all. */
    private static <T> long sum(List<T> all, ToLongFunction<T> figure) {
        return all.stream()
                .mapToLong(figure)
                .filter(value -> value >= 0)
                .reduce(Long::sum)
                .orElse(-1);
    }
}
