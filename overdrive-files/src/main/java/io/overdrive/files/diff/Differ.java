package io.overdrive.files.diff;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Reach;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.files.Summary.Outcome;
import io.overdrive.internal.flow.JavaHeap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares two tables, of one cluster or two. Both are read by the same token ranges, in which rows come in the same
 * order, so that only a page of each side has to be in memory; several ranges are compared at once. Values are compared
 * by their bytes; write times are not compared. {@link #run} is called once; {@link #progress} and {@link #stop} from
 * any thread.
 *
 * <p>Static columns are compared once for each partition that is on both sides.
 */
public final class Differ implements AutoCloseable {
    private final DiffOptions options;
    private final DiffPlan plan;
    private final Scan left;
    private final Scan right;
    private final @Nullable Repair repair;
    private final DiffWalk.Tally tally;
    private final List<Split> splits;
    private final AtomicInteger nextSplit = new AtomicInteger();
    private final AtomicInteger splitsDone = new AtomicInteger();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    private Differ(
            DiffOptions options,
            DiffPlan plan,
            Scan left,
            Scan right,
            List<Split> splits,
            @Nullable Repair repair,
            Consumer<Difference> found) {
        this.options = options;
        this.plan = plan;
        this.left = left;
        this.right = right;
        this.repair = repair;
        this.tally = new DiffWalk.Tally(options.maxDifferences(), found);
        this.splits = splits;
    }

    /**
     * Plans both scans.
     *
     * @param leftRead the left table; its columns, if any are chosen, are compared besides the primary key
     * @param rightRead the right table, without columns
     * @param found receives the differences, in no particular order, from one thread at a time
     * @throws OverdriveException if one of the tables is invalid, or they cannot be compared: different key columns,
     *     columns or types
     */
    public static Differ open(
            Overdrive leftCluster,
            ScanOptions.Builder leftRead,
            Overdrive rightCluster,
            ScanOptions.Builder rightRead,
            DiffOptions options,
            Consumer<Difference> found) {
        ScanOptions from = leftRead.build();
        TableSchema leftTable = table(leftCluster, from);
        TableSchema rightTable = table(rightCluster, rightRead.build());
        DiffPlan plan = DiffPlan.of(leftCluster, leftTable, rightCluster, rightTable, from.columns());
        Scan left = leftCluster.scan(leftRead.columns(plan.names()).build());
        Scan right = null;
        try {
            right = rightCluster.scan(rightRead.columns(plan.names()).build());
            // a table that cannot be restricted to a token range is read as one split, and the other one too
            boolean isSplit =
                    left.whyNotSplit().isEmpty() && right.whyNotSplit().isEmpty();
            List<Split> splits = isSplit ? left.splits() : List.of(new Split(List.of(Split.WHOLE_RING), List.of(), 0));
            Repair repair = options.repair() || options.repairDeletes()
                    ? Repair.open(rightCluster, rightTable, plan.columns(), options, from.patience())
                    : null;
            return new Differ(options, plan, left, right, splits, repair, found);
        } catch (RuntimeException e) {
            left.close();
            if (right != null) {
                right.close();
            }
            throw e;
        }
    }

    private static TableSchema table(Overdrive overdrive, ScanOptions options) {
        String keyspace = options.keyspace();
        String table = options.table();
        if (keyspace == null || table == null) {
            throw new IllegalArgumentException("tables are compared, not queries");
        }
        return overdrive.table(keyspace, table);
    }

    /** Which nodes are read for the left table. */
    public Reach left() {
        return left.reach();
    }

    /** Which nodes are read for the right table. */
    public Reach right() {
        return right.reach();
    }

    /** The number of splits of each table. */
    public int splits() {
        return splits.size();
    }

    /** Which nodes repairs reach; empty without repairs. */
    public Optional<Reach> repairs() {
        return Optional.ofNullable(repair).map(Repair::reach);
    }

    /** Compares everything and returns how it ended; failures are reported in the result, not thrown. */
    public DiffSummary run() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Math.min(options.threads(), splits.size()); i++) {
            Thread thread = new Thread(this::work, "overdrive-diff-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    stop();
                }
            }
        }
        if (repair != null) {
            try {
                repair.close();
            } catch (RuntimeException e) {
                fail(e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    private void work() {
        try {
            DiffWalk walk = new DiffWalk(plan, left, right, repair == null ? null : repair.part(), tally);
            for (int i = nextSplit.getAndIncrement();
                    i < splits.size() && !tally.stopping;
                    i = nextSplit.getAndIncrement()) {
                if (walk.compare(splits.get(i))) {
                    splitsDone.incrementAndGet();
                }
            }
        } catch (RuntimeException e) {
            fail(e);
        } catch (OutOfMemoryError e) {
            fail(new IllegalStateException(JavaHeap.tooSmallFor("these rows"), e));
        } catch (Error e) {
            // tables must not seem equal because a thread has ended
            fail(new IllegalStateException("a worker ended: " + e, e));
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        tally.stopping = true;
    }

    /** Stops comparing; {@link #run} then returns, after repairs found so far have been written. */
    public void stop() {
        stopped = true;
        tally.stopping = true;
        left.stop();
        right.stop();
    }

    /** The progress, 0 to 1; negative if unknown. */
    public double done() {
        return splits.size() < 2 ? -1 : (double) splitsDone.get() / splits.size();
    }

    public DiffSummary progress() {
        return new DiffSummary(
                tally.rowsLeft.sum(),
                tally.rowsRight.sum(),
                tally.rowsSame.sum(),
                tally.different.sum(),
                tally.missingLeft.sum(),
                tally.missingRight.sum(),
                repair == null ? 0 : repair.rowsWritten(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                left.totals(),
                right.totals(),
                tally.digestLeft.toString(),
                tally.digestRight.toString(),
                splitsDone.get() == splits.size(),
                outcome,
                failure.get());
    }

    @Override
    public void close() {
        left.close();
        right.close();
        if (repair != null) {
            repair.close();
        }
    }
}
