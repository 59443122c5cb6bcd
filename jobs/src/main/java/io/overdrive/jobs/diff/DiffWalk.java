package io.overdrive.jobs.diff;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.scan.RowDigest;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import io.overdrive.jobs.sort.KeyOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Walks through both tables, split by split, and finds the rows that differ. Confined to its thread. */
final class DiffWalk {
    private static final int COUNT_AT_ONCE = 1024;

    /** The findings of the walks of all threads, and whether they should end. Thread-safe. */
    static final class Tally {
        final LongAdder rowsLeft = new LongAdder();
        final LongAdder rowsRight = new LongAdder();
        final LongAdder rowsSame = new LongAdder();
        final LongAdder different = new LongAdder();
        final LongAdder missingLeft = new LongAdder();
        final LongAdder missingRight = new LongAdder();
        final LongAdder notRepaired = new LongAdder();
        final RowDigest digestLeft = new RowDigest();
        final RowDigest digestRight = new RowDigest();
        volatile boolean stopping;
        private final AtomicLong differences = new AtomicLong();
        private final long maxDifferences;
        private final Consumer<Difference> found;
        private final @Nullable DifferenceLog log;

        /** @param log null if the comparison has no journal */
        Tally(long maxDifferences, Consumer<Difference> found, @Nullable DifferenceLog log) {
            this.maxDifferences = maxDifferences;
            this.found = found;
            this.log = log;
        }

        /** Counts and reports the differences that earlier processes of the run have found in finished splits. */
        void addBefore(SplitJournal journal, DifferenceLog differences) {
            for (Reached each : journal.reached()) {
                add(each.figures());
            }
            differences.replay(difference -> {
                if (this.differences.incrementAndGet() >= maxDifferences) {
                    stopping = true;
                }
                synchronized (found) {
                    found.accept(difference);
                }
            });
        }

        private void add(long[] figures) {
            rowsLeft.add(figures[SplitFigures.ROWS_LEFT]);
            rowsRight.add(figures[SplitFigures.ROWS_RIGHT]);
            rowsSame.add(figures[SplitFigures.ROWS_SAME]);
            different.add(figures[SplitFigures.DIFFERENT]);
            missingLeft.add(figures[SplitFigures.MISSING_LEFT]);
            missingRight.add(figures[SplitFigures.MISSING_RIGHT]);
            notRepaired.add(figures[SplitFigures.NOT_REPAIRED]);
            addDigests(figures);
        }

        private void addDigests(long[] figures) {
            digestLeft.add(figures[SplitFigures.DIGEST_LEFT], figures[SplitFigures.DIGEST_LEFT + 1]);
            digestRight.add(figures[SplitFigures.DIGEST_RIGHT], figures[SplitFigures.DIGEST_RIGHT + 1]);
        }

        /** False if the maximum number of differences was reached before this one. */
        private boolean report(Difference difference, LongAdder counter, SplitFigures split, int figure) {
            long number = differences.incrementAndGet();
            if (number >= maxDifferences) {
                stopping = true;
            }
            if (number > maxDifferences) {
                return false;
            }
            counter.increment();
            split.figures[figure]++;
            if (log != null) {
                log.add(split.split, difference);
            }
            synchronized (found) {
                found.accept(difference);
            }
            return true;
        }
    }

    private final Scan left;
    private final Scan right;
    private final List<Column> columns;
    private final LeftCells cells;
    private final @Nullable TimeComparison times;
    /** The columns in which the last two rows differ that were compared. */
    private final boolean[] differs;

    private final KeyOrder order;
    private final KeyJson keys;
    private final int partitionColumns;
    private final int firstValue;
    private final boolean hasStatics;
    private final Repair.@Nullable Part repairs;
    private final Tally tally;
    private SplitFigures current = new SplitFigures(0);
    private long countLeft;
    private long countRight;
    private long countSame;

    /** The last partition that both sides have; kept only if there are static columns. */
    private byte[] common = {};

    private boolean staticsCompared;
    /** The last partition that the left side only has, and whose static columns are repaired. */
    private byte[] inserted = {};
    /** The last partition that the right side only has, and whose static columns are deleted. */
    private byte[] deleted = {};

    private long lastTokenLeft;
    private long lastTokenRight;

    /** @param repairs null if differences are only reported */
    DiffWalk(DiffPlan plan, Comparison comparison, Scan left, Scan right, Repair.@Nullable Part repairs, Tally tally) {
        this.left = left;
        this.right = right;
        this.columns = plan.columns();
        this.cells = new LeftCells(plan, comparison.tolerance());
        this.times = comparison.ttlTolerance() == null ? null : new TimeComparison(columns, comparison.ttlTolerance());
        this.differs = new boolean[columns.size()];
        this.order = plan.order();
        this.repairs = repairs;
        this.tally = tally;
        List<Column> key = columns.stream().filter(Column::isKey).toList();
        firstValue = plan.keyColumns();
        partitionColumns =
                (int) key.stream().filter(c -> c.role() == Role.PARTITION_KEY).count();
        hasStatics = columns.stream().anyMatch(c -> c.role() == Role.STATIC);
        keys = new KeyJson(
                key.stream().map(Column::name).toList(),
                key.stream().map(Column::type).toList());
    }

    /**
     * Compares the rest of a split.
     *
     * @return the result; null if it was stopped before the end
     */
    @Nullable Reached compare(Remaining remaining, int attempt) {
        current = new SplitFigures(remaining.number());
        common = new byte[0];
        inserted = new byte[0];
        deleted = new byte[0];
        lastTokenLeft = Long.MIN_VALUE;
        lastTokenRight = Long.MIN_VALUE;
        boolean isWhole = false;
        try (RowCursor a = left.open(remaining.split());
                RowCursor b = right.open(remaining.split())) {
            isWhole = merge(a, b);
        } finally {
            flush();
        }
        if (!isWhole) {
            return null;
        }
        Reached reached = current.reached(attempt);
        tally.addDigests(reached.figures());
        return reached;
    }

    private void flush() {
        tally.rowsLeft.add(countLeft);
        tally.rowsRight.add(countRight);
        tally.rowsSame.add(countSame);
        current.figures[SplitFigures.ROWS_LEFT] += countLeft;
        current.figures[SplitFigures.ROWS_RIGHT] += countRight;
        current.figures[SplitFigures.ROWS_SAME] += countSame;
        countLeft = 0;
        countRight = 0;
        countSame = 0;
    }

    /** Moves to the next row; without static columns, a partition that has only those has none. */
    private boolean next(RowCursor rows) {
        boolean has = rows.next();
        while (has && !hasStatics && order.isStaticsOnly(rows)) {
            has = rows.next();
        }
        return has;
    }

    private boolean nextLeft(RowCursor a) {
        boolean has = next(a);
        if (has) {
            countLeft++;
            current.sumLeft.add(a, columns.size());
        }
        return has;
    }

    private boolean nextRight(RowCursor b) {
        boolean has = next(b);
        if (has) {
            countRight++;
            current.sumRight.add(b, columns.size());
        }
        return has;
    }

    private boolean merge(RowCursor a, RowCursor b) {
        boolean hasLeft = nextLeft(a);
        boolean hasRight = nextRight(b);
        while (hasLeft || hasRight) {
            if (tally.stopping) {
                return false;
            }
            if (countLeft + countRight > COUNT_AT_ONCE) {
                flush();
            }
            int side = !hasRight ? -1 : !hasLeft ? 1 : isSame(a, b) ? 0 : compareRows(a, b);
            if (side < 0) {
                onlyLeft(a);
            } else if (side > 0) {
                onlyRight(b);
            }
            if (side <= 0) {
                hasLeft = nextLeft(a);
            }
            if (side >= 0) {
                hasRight = nextRight(b);
            }
        }
        return true;
    }

    /** The case of most rows: the same bytes on both sides. */
    private boolean isSame(RowCursor a, RowCursor b) {
        boolean same = !cells.areConverted()
                && Arrays.equals(a.array(), a.rowStart(), endOfCompared(a), b.array(), b.rowStart(), endOfCompared(b));
        if (same) {
            countSame++;
            if (hasStatics && !isIn(common, a)) {
                enter(a);
                staticsCompared = true;
            }
        }
        return same;
    }

    /** The end of the columns that are compared, and of their times if these are compared, too. */
    private int endOfCompared(RowCursor row) {
        if (times != null) {
            return row.rowEnd();
        }
        int last = columns.size() - 1;
        return row.offset(last) + Math.max(0, row.length(last));
    }

    /** Which of two rows comes first; 0 for the same row, maybe with different values. */
    private int compareRows(RowCursor a, RowCursor b) {
        lastTokenLeft = checkToken(a, lastTokenLeft);
        lastTokenRight = checkToken(b, lastTokenRight);
        int side = order.comparePartitions(a, b);
        if (side != 0) {
            return side;
        }
        boolean staticsDiffer = false;
        if (hasStatics) {
            if (!isIn(common, a)) {
                enter(a);
            }
            if (!staticsCompared) {
                staticsCompared = true;
                staticsDiffer = compareValues(a, b, Role.STATIC);
            }
        }
        boolean noneLeft = order.isStaticsOnly(a);
        boolean noneRight = order.isStaticsOnly(b);
        if (noneLeft != noneRight) {
            return noneLeft ? -1 : 1;
        }
        if (noneLeft) {
            countSame += staticsDiffer ? 0 : 1;
            return 0;
        }
        side = order.compareClustering(a, b);
        if (side == 0 && !compareValues(a, b, Role.REGULAR)) {
            countSame++; // only the static columns differ
        }
        return side;
    }

    private long checkToken(RowCursor row, long last) {
        long token = row.token();
        if (token < last) {
            throw new OverdriveException(
                    Kind.READ,
                    "rows do not come in token order, and therefore cannot be compared; the query is " + left.query());
        }
        return token;
    }

    private boolean isIn(byte[] partition, RowCursor row) {
        return Arrays.equals(row.array(), row.rowStart(), partitionEnd(row), partition, 0, partition.length);
    }

    private int partitionEnd(RowCursor row) {
        int last = partitionColumns - 1;
        return row.offset(last) + row.length(last);
    }

    private void enter(RowCursor row) {
        common = partition(row);
        staticsCompared = false;
    }

    private byte[] partition(RowCursor row) {
        return Arrays.copyOfRange(row.array(), row.rowStart(), partitionEnd(row));
    }

    private boolean compareValues(RowCursor a, RowCursor b, Role role) {
        boolean isSame = true;
        Arrays.fill(differs, false);
        for (int c = partitionColumns; c < columns.size(); c++) {
            // two decimals may be equal clustering keys with different bytes
            boolean isCompared = columns.get(c).role() == role || (c < firstValue && role == Role.REGULAR);
            if (isCompared && !(cells.isSame(a, b, c) && (times == null || times.isSame(a, b, c)))) {
                differs[c] = true;
                isSame = false;
            }
        }
        if (isSame) {
            return false;
        }
        List<String> values = new ArrayList<>();
        List<String> ofTimes = new ArrayList<>();
        for (int c = partitionColumns; c < columns.size(); c++) {
            if (differs[c]) {
                (cells.isSame(a, b, c) ? ofTimes : values).add(columns.get(c).name());
            }
        }
        String key = role == Role.STATIC ? keys.json(a, partitionColumns) : keys.json(a);
        Difference difference = new Difference(Difference.Kind.DIFFERENT, key, values, ofTimes);
        if (tally.report(difference, tally.different, current, SplitFigures.DIFFERENT) && repairs != null) {
            repaired(repairs.change(a, differs, role == Role.STATIC));
        }
        return true;
    }

    private void repaired(boolean done) {
        if (!done) {
            tally.notRepaired.increment();
            current.figures[SplitFigures.NOT_REPAIRED]++;
        }
    }

    private void onlyLeft(RowCursor a) {
        boolean isCommon = hasStatics && isIn(common, a);
        boolean isStaticsOnly = order.isStaticsOnly(a);
        if (isStaticsOnly && isCommon) {
            return; // the other side has the partition with rows, and the static columns were compared
        }
        Difference difference = new Difference(Difference.Kind.MISSING_RIGHT, keys.json(a), List.of());
        if (tally.report(difference, tally.missingRight, current, SplitFigures.MISSING_RIGHT) && repairs != null) {
            boolean withStatics = hasStatics && !isCommon && !isIn(inserted, a);
            repaired(repairs.insert(a, isStaticsOnly, withStatics));
            if (withStatics) {
                inserted = partition(a);
            }
        }
    }

    private void onlyRight(RowCursor b) {
        boolean isCommon = hasStatics && isIn(common, b);
        boolean isStaticsOnly = order.isStaticsOnly(b);
        if (isStaticsOnly && isCommon) {
            return;
        }
        Difference difference = new Difference(Difference.Kind.MISSING_LEFT, keys.json(b), List.of());
        if (tally.report(difference, tally.missingLeft, current, SplitFigures.MISSING_LEFT) && repairs != null) {
            boolean withStatics = hasStatics && !isCommon && !isIn(deleted, b);
            repairs.delete(b, isStaticsOnly, withStatics);
            if (withStatics) {
                deleted = partition(b);
            }
        }
    }
}
