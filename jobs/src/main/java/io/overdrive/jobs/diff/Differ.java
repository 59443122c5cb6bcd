package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import io.overdrive.jobs.journal.Checkpoints;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares two tables, of one cluster or two. Both are read by the same token ranges, in which rows come in the same
 * order, so that only a page of each side has to be in memory; several ranges are compared at once. Values are compared
 * by their bytes, and if that is wanted, write times and times to live, too. {@link #run} is called once; {@link #progress} and {@link #stop} from
 * any thread.
 *
 * <p>Static columns are compared once for each partition that is on both sides.
 */
public final class Differ implements Job<DiffSummary> {
    private final DiffOptions options;
    private final DiffPlan plan;
    private final Scan left;
    private final Scan right;
    private final @Nullable Repair repair;
    private final DiffWalk.Tally tally;
    private final @Nullable SplitJournal journal;
    private final @Nullable DifferenceLog log;
    private final String whyNotResumable;
    private final List<String> warnings;
    private final List<Remaining> remaining;
    private final List<Split> all;
    private final int splits;
    private final long rowsBefore;
    private final Queue<Reached> finished = new ConcurrentLinkedQueue<>();
    /** The splits that this process and earlier ones have compared. */
    private final Queue<Reached> compared = new ConcurrentLinkedQueue<>();

    /** Finished splits whose repairs may not be acknowledged. Used by the thread of the checkpoints, and later by the thread of the run. */
    private final List<Reached> unsaved = new ArrayList<>();

    private final AtomicInteger nextSplit = new AtomicInteger();
    private final AtomicInteger splitsDone = new AtomicInteger();
    private final WaitTime working = new WaitTime();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    /**
     * The two tables.
     *
     * @param splits of each of them
     */
    private record Sides(DiffPlan plan, Scan left, Scan right, List<Split> splits) {}

    private Differ(
            DiffOptions options,
            Sides sides,
            @Nullable Repair repair,
            @Nullable SplitJournal journal,
            String whyNotResumable,
            List<String> warnings,
            Consumer<Difference> found) {
        this.options = options;
        this.plan = sides.plan();
        this.left = sides.left();
        this.right = sides.right();
        List<Split> planned = sides.splits();
        this.repair = repair;
        this.journal = journal;
        this.whyNotResumable = whyNotResumable;
        this.warnings = warnings;
        this.log = journal == null ? null : new DifferenceLog(journal);
        this.tally = new DiffWalk.Tally(options.maxDifferences(), found, log);
        this.remaining = journal != null
                ? journal.remaining()
                : IntStream.range(0, planned.size())
                        .mapToObj(number -> new Remaining(number, planned.get(number), null))
                        .toList();
        this.splits = journal != null ? journal.splits().size() : planned.size();
        this.rowsBefore =
                journal == null ? 0 : journal.sum(SplitFigures.ROWS_LEFT) + journal.sum(SplitFigures.ROWS_RIGHT);
        splitsDone.set(splits - remaining.size());
        all = journal != null ? journal.splits() : planned;
        if (journal != null) {
            compared.addAll(journal.reached());
        }
    }

    /**
     * Plans both scans.
     *
     * @param leftRead the left table; its columns, if any are chosen, are compared besides the primary key
     * @param rightRead the right table, without columns
     * @param found receives the differences, in no particular order, from one thread at a time
     * @throws OverdriveException if one of the tables is invalid, or they cannot be compared: different key columns,
     *     columns or types
     * @throws IllegalArgumentException if rows are to be deleted, and conditions choose those that are compared
     */
    public static Differ open(
            Overdrive leftCluster,
            ScanOptions.Builder leftRead,
            Overdrive rightCluster,
            ScanOptions.Builder rightRead,
            DiffOptions options,
            Consumer<Difference> found) {
        return open(leftCluster, leftRead, rightCluster, rightRead, options, /* request */ null, found);
    }

    /**
     * As {@link #open(Overdrive, ScanOptions.Builder, Overdrive, ScanOptions.Builder, DiffOptions, Consumer)}, with a journal, by which
     * the run can be resumed; or resumes a run, which first reports the differences that it had found.
     *
     * @param request without effect if the comparison cannot be resumed ({@link #whyNotResumable}); null for no journal
     * @throws OverdriveException of kind INPUT if a run cannot be resumed
     */
    public static Differ open(
            Overdrive leftCluster,
            ScanOptions.Builder leftRead,
            Overdrive rightCluster,
            ScanOptions.Builder rightRead,
            DiffOptions options,
            @Nullable RunRequest request,
            Consumer<Difference> found) {
        ScanOptions from = leftRead.build();
        if (options.repairs(Repaired.EXTRA)
                && (from.where() != null || rightRead.build().where() != null)) {
            throw new IllegalOptionException(words -> words.of(JobOption.REPAIR)
                    + " extra needs whole tables, without conditions ("
                    + words.of(JobOption.WHERE) + "): a row of the right table would be deleted that the left one has,"
                    + " too, with values that the conditions leave out");
        }
        leftCluster.awaitNode(from.patience());
        rightCluster.awaitNode(rightRead.build().patience());
        TableSchema leftTable = table(leftCluster, from);
        TableSchema rightTable = table(rightCluster, rightRead.build());
        DiffPlan plan =
                DiffPlan.of(leftCluster, leftTable, rightCluster, rightTable, from.columns(), options.comparison());
        boolean isTimed = options.comparison().ofTimes();
        Scan left = scan(leftCluster, leftRead.columns(plan.names()), plan.columns(), isTimed || options.keepsTimes());
        Scan right = null;
        SplitJournal journal = null;
        try {
            right = scan(rightCluster, rightRead.columns(plan.rightNames()), plan.rightColumns(), isTimed);
            // a table that cannot be restricted to a token range is read as one split, and the other one too
            String whyNot = left.whyNotSplit().isEmpty() ? right.whyNotSplit() : left.whyNotSplit();
            boolean isSplit = whyNot.isEmpty();
            if (request != null && isSplit) {
                journal = SplitJournal.open(
                        request, List.of(RunTarget.of(leftCluster, leftTable), RunTarget.of(rightCluster, rightTable)));
                if (!journal.isBegun()) {
                    journal.begin(left.splits());
                }
            } else if (request != null && request.isResume()) {
                throw new OverdriveException(
                        Kind.INPUT, "the run cannot be resumed: the tables are compared as one split: " + whyNot);
            }
            List<Split> splits = isSplit && journal == null
                    ? left.splits()
                    : List.of(new Split(List.of(Split.WHOLE_RING), List.of(), 0));
            Repair repair = options.isRepair()
                    ? Repair.open(rightCluster, leftTable, rightTable, plan, options, from.patience())
                    : null;
            List<String> warnings = new ArrayList<>();
            if (!plan.notCompared().isEmpty()) {
                warnings.add("columns that are not compared: " + String.join(", ", plan.notCompared()));
            }
            if (options.writes() && !options.keepsTimes()) {
                warnings.addAll(warnings(leftCluster, leftTable, rightCluster, rightTable));
            }
            return new Differ(options, new Sides(plan, left, right, splits), repair, journal, whyNot, warnings, found);
        } catch (RuntimeException e) {
            left.close();
            if (right != null) {
                right.close();
            }
            if (journal != null) {
                journal.closeAfter(e);
            }
            throw e;
        }
    }

    private static Scan scan(Overdrive cluster, ScanOptions.Builder read, List<Column> columns, boolean isTimed) {
        ScanOptions options = read.build();
        return isTimed
                ? KeptTimes.scan(
                        cluster,
                        options,
                        columns,
                        collections -> words -> "choose other columns than "
                                + collections.stream().map(Mapping::spelt).collect(Collectors.joining(", ")) + " with "
                                + words.of(JobOption.COLUMNS))
                : cluster.scan(options);
    }

    /** Why the comparison has no journal even if one is wanted; empty if it can have one. */
    public String whyNotResumable() {
        return whyNotResumable;
    }

    @Override
    public MessageText resumed() {
        return Job.rowsDoneBefore(rowsBefore);
    }

    @Override
    public @Nullable String runId() {
        return journal == null ? null : journal.id();
    }

    @Override
    public List<String> warnings() {
        return warnings;
    }

    /** Repairs are written without a TTL, so that the default one of the right table counts. */
    private static List<String> warnings(
            Overdrive leftCluster, TableSchema left, Overdrive rightCluster, TableSchema right) {
        int ttlLeft = defaultTtl(leftCluster, left);
        int ttlRight = defaultTtl(rightCluster, right);
        if (ttlLeft == 0 && ttlRight == 0) {
            return List.of();
        }
        return List.of("rows that are repaired "
                + (ttlRight == 0 ? "do not expire" : "live for " + ttlRight + " s from now on")
                + ", as " + right.cqlName() + " says (default_time_to_live), whatever is left of their time to live in "
                + left.cqlName()
                + (ttlLeft == 0 ? "" : ", where rows get " + ttlLeft + " s"));
    }

    private static int defaultTtl(Overdrive cluster, TableSchema table) {
        return Columns.relation(
                        cluster.session().getMetadata(),
                        CqlIdentifier.fromInternal(table.keyspace()),
                        CqlIdentifier.fromInternal(table.table()))
                .map(Columns::defaultTtl)
                .orElse(0);
    }

    private static TableSchema table(Overdrive overdrive, ScanOptions options) {
        String keyspace = options.keyspace();
        String table = options.table();
        if (keyspace == null || table == null) {
            throw new IllegalArgumentException("tables are compared, not queries");
        }
        return overdrive.table(keyspace, table);
    }

    @Override
    public Plan plan() {
        List<Plan.Part> parts = new ArrayList<>();
        int threads = Math.min(options.threads(), splits);
        parts.add(Plan.reads("left", left.reach(), left.options(), splits, threads));
        parts.add(Plan.reads("right", right.reach(), right.options(), splits, threads));
        if (repair != null) {
            parts.add(new Plan.Repairs("repairs", repair.reach()));
        }
        return new Plan(parts);
    }

    @Override
    public String effectOfStop() {
        return "stops comparing";
    }

    @Override
    public DiffSummary run() {
        SplitJournal to = journal;
        if (to != null && log != null) {
            try {
                tally.addBefore(to, log);
            } catch (RuntimeException e) {
                fail(e);
            }
        }
        Checkpoints regular = to == null ? null : Checkpoints.start(() -> checkpoint(to), this::failAndStop);
        int threads = Math.min(options.threads(), remaining.size());
        boolean interrupted = Workers.runAll(
                "overdrive-diff", threads, () -> Workers.guard("these rows", this::fail, this::work), this::stop);
        if (regular != null) {
            regular.close();
        }
        boolean areRepairsWritten = true;
        if (repair != null) {
            try {
                repair.close();
            } catch (RuntimeException e) {
                areRepairsWritten = false;
                fail(e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (to != null) {
            save(to, areRepairsWritten);
        }
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    private void save(SplitJournal to, boolean areRepairsWritten) {
        try {
            if (areRepairsWritten) {
                takeFinished();
                record(to);
            }
            RuntimeException failed = failure.get();
            if (failed == null && !stopped) {
                EarlierDiff.keep(to);
            }
            to.status(failed != null ? State.FAILED : stopped ? State.STOPPED : State.DONE, rowsCompared(to), failed);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private static long rowsCompared(SplitJournal to) {
        return Math.max(to.sum(SplitFigures.ROWS_LEFT), to.sum(SplitFigures.ROWS_RIGHT));
    }

    /** A split is finished when its repairs are acknowledged. */
    private void checkpoint(SplitJournal to) {
        takeFinished();
        if (unsaved.isEmpty() || repair == null || repair.awaitWritten()) {
            record(to);
        }
        to.status(State.RUNNING, rowsCompared(to), null);
    }

    private void takeFinished() {
        for (Reached each = finished.poll(); each != null; each = finished.poll()) {
            unsaved.add(each);
        }
    }

    /** The differences first: they are complete for each split that is finished. */
    private void record(SplitJournal to) {
        byte[] kept = Objects.requireNonNull(log).force(repair == null ? 0 : repair.repaired());
        to.checkpoint(unsaved, kept);
        unsaved.clear();
    }

    private void work() {
        working.begin(System.nanoTime());
        try {
            compareSplits();
        } finally {
            working.end(System.nanoTime());
        }
    }

    @Override
    public JobTimes times() {
        List<Waits> waits = new ArrayList<>(List.of(left.waits(), right.waits()));
        if (repair != null) {
            waits.addAll(repair.waits());
        }
        return new JobTimes(working.nanos(System.nanoTime()), /* inputNanos */ 0, /* outputNanos */ 0, waits);
    }

    private void compareSplits() {
        DiffWalk walk =
                new DiffWalk(plan, options.comparison(), left, right, repair == null ? null : repair.part(), tally);
        int attempt = log == null ? 0 : log.attempt();
        for (int i = nextSplit.getAndIncrement();
                i < remaining.size() && !tally.stopping;
                i = nextSplit.getAndIncrement()) {
            Reached reached = walk.compare(remaining.get(i), attempt);
            if (reached != null) {
                splitsDone.incrementAndGet();
                compared.add(reached);
                if (journal != null) {
                    finished.add(reached);
                }
            }
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        tally.stopping = true;
    }

    private void failAndStop(RuntimeException e) {
        fail(e);
        left.stop();
        right.stop();
    }

    /** Stops comparing; {@link #run} then returns, after repairs found so far have been written. */
    @Override
    public boolean stop() {
        stopped = true;
        tally.stopping = true;
        left.stop();
        right.stop();
        return true;
    }

    @Override
    public DiffSummary progress() {
        return new DiffSummary(
                tally.rowsLeft.sum(),
                tally.rowsRight.sum(),
                tally.rowsSame.sum(),
                tally.different.sum(),
                tally.missingLeft.sum(),
                tally.missingRight.sum(),
                (log == null ? 0 : log.repairedBefore()) + (repair == null ? 0 : repair.repaired()),
                tally.notRepaired.sum(),
                rowsBefore,
                Duration.ofNanos(System.nanoTime() - startNanos),
                left.totals(),
                right.totals(),
                plan.isConverted() ? "" : tally.digestLeft.toString(),
                plan.isConverted() ? "" : tally.digestRight.toString(),
                splits < 2 ? -1 : (double) splitsDone.get() / splits,
                repair != null,
                splitsDone.get() == splits,
                plan.notCompared(),
                outcome == Outcome.RUNNING ? List.of() : ranges(),
                outcome,
                failure.get());
    }

    /** The parts that were compared; of values that are converted, digests mean nothing. */
    private List<RangeDigests> ranges() {
        return plan.isConverted()
                ? List.of()
                : compared.stream()
                        .sorted(Comparator.comparingInt(Reached::split))
                        .map(each -> RangeDigests.of(all.get(each.split()), each))
                        .toList();
    }

    @Override
    public void close() {
        left.close();
        right.close();
        if (repair != null) {
            repair.close();
        }
        if (log != null) {
            log.close();
        }
        if (journal != null) {
            journal.close();
        }
    }
}
