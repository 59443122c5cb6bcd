package io.overdrive.files;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.RowDigest;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.files.LoadSummary.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares two tables, of one cluster or two. Both are read by the same token ranges, in which rows come in the same
 * order from both, so that a page of each side is all that has to be held; several ranges are compared at once. Values
 * are compared by their bytes; write times are not compared. {@link #run} is called once; {@link #progress} and {@link
 * #stop} from any thread.
 *
 * <p>Static columns are compared once for each partition that is on both sides.
 */
public final class Differ implements AutoCloseable {
    private static final int COUNT_AT_ONCE = 1024;

    private final DiffOptions options;
    private final Scan left;
    private final Scan right;
    private final KeyOrder order;
    private final List<Column> columns;
    private final @Nullable Repair repair;
    private final Consumer<Difference> found;
    private final List<Split> splits;
    private final AtomicInteger nextSplit = new AtomicInteger();
    private final AtomicInteger splitsDone = new AtomicInteger();
    private final AtomicLong differences = new AtomicLong();
    private final LongAdder rowsLeft = new LongAdder();
    private final LongAdder rowsRight = new LongAdder();
    private final LongAdder rowsSame = new LongAdder();
    private final LongAdder different = new LongAdder();
    private final LongAdder missingLeft = new LongAdder();
    private final LongAdder missingRight = new LongAdder();
    private final RowDigest digestLeft = new RowDigest();
    private final RowDigest digestRight = new RowDigest();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile boolean stopping;
    private volatile Outcome outcome = Outcome.RUNNING;

    private Differ(
            DiffOptions options,
            Scan left,
            Scan right,
            KeyOrder order,
            List<Column> columns,
            @Nullable Repair repair,
            Consumer<Difference> found) {
        this.options = options;
        this.left = left;
        this.right = right;
        this.order = order;
        this.columns = columns;
        this.repair = repair;
        this.found = found;
        // what cannot be restricted to a token range is read as one, and the other side with it
        boolean isSplit = left.whyNotSplit().isEmpty() && right.whyNotSplit().isEmpty();
        this.splits = isSplit ? left.splits() : List.of(new Split(List.of(Split.WHOLE_RING), List.of(), 0));
    }

    /**
     * Plans both scans.
     *
     * @param leftRead the left table; its columns, if any are chosen, are compared besides the primary key
     * @param rightRead the right table, without columns
     * @param found takes the differences, in no order, called by one thread at a time
     * @throws OverdriveException where one of the tables is not right, or they cannot be compared: other key columns,
     *     other columns, other types
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
        List<String> chosen = from.columns();
        checkKeys(leftTable, rightTable);
        List<Column> columns = columns(leftTable, rightTable, chosen);
        KeyOrder order = KeyOrder.of(leftCluster, leftTable);
        if (!order.descending().equals(KeyOrder.of(rightCluster, rightTable).descending())) {
            throw differ(leftTable, rightTable, "their clustering columns are not in the same order (ASC, DESC)");
        }
        List<String> names = columns.stream().map(Column::name).toList();
        Scan left = leftCluster.scan(leftRead.columns(names).build());
        Scan right = null;
        try {
            right = rightCluster.scan(rightRead.columns(names).build());
            Repair repair = options.repair() || options.repairDeletes()
                    ? Repair.open(rightCluster, rightTable, columns, options)
                    : null;
            return new Differ(options, left, right, order, columns, repair, found);
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
            throw new IllegalArgumentException("tables are compared, and not queries");
        }
        return overdrive.table(keyspace, table);
    }

    private static void checkKeys(TableSchema left, TableSchema right) {
        for (Role role : List.of(Role.PARTITION_KEY, Role.CLUSTERING)) {
            List<Column> a =
                    left.columns().stream().filter(c -> c.role() == role).toList();
            List<Column> b =
                    right.columns().stream().filter(c -> c.role() == role).toList();
            boolean same = a.size() == b.size();
            for (int i = 0; same && i < a.size(); i++) {
                same = a.get(i).name().equals(b.get(i).name())
                        && CellConverter.isSameType(a.get(i).type(), b.get(i).type());
            }
            if (!same) {
                throw differ(
                        left,
                        right,
                        (role == Role.PARTITION_KEY ? "partition keys (" : "clustering columns (") + spelt(a)
                                + ") and (" + spelt(b) + ")");
            }
        }
    }

    private static String spelt(List<Column> columns) {
        return columns.stream().map(c -> c.cqlName() + " " + cql(c.type())).collect(Collectors.joining(", "));
    }

    private static String cql(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }

    private static OverdriveException differ(TableSchema left, TableSchema right, String how) {
        return new OverdriveException(
                Kind.SCHEMA, left.cqlName() + " and " + right.cqlName() + " cannot be compared: " + how);
    }

    /** What is read of both, the key first. */
    private static List<Column> columns(TableSchema left, TableSchema right, @Nullable List<String> chosen) {
        List<Column> columns = new ArrayList<>();
        for (Column column : left.columns()) {
            if (!column.isKey() && chosen != null && !chosen.contains(column.name())) {
                continue;
            }
            Column other = right.column(column.name())
                    .orElseThrow(() -> differ(
                            left,
                            right,
                            "the right one has no column \"" + column.name() + "\"; choose the columns that both have"
                                    + " with --columns"));
            if (!CellConverter.isSameType(column.type(), other.type())
                    || (column.role() == Role.STATIC) != (other.role() == Role.STATIC)) {
                throw differ(
                        left,
                        right,
                        "column \"" + column.name() + "\" is " + described(column) + " on the left and "
                                + described(other) + " on the right; choose other columns with --columns");
            }
            columns.add(column);
        }
        if (chosen != null) {
            for (String name : chosen) {
                if (left.column(name).isEmpty()) {
                    throw differ(left, right, "the left one has no column \"" + name + "\"");
                }
            }
        } else {
            for (Column column : right.columns()) {
                if (left.column(column.name()).isEmpty()) {
                    throw differ(
                            left,
                            right,
                            "the left one has no column \"" + column.name() + "\"; choose the columns that both have"
                                    + " with --columns");
                }
            }
        }
        return List.copyOf(columns);
    }

    private static String described(Column column) {
        return cql(column.type()) + (column.role() == Role.STATIC ? " static" : "");
    }

    public Scan left() {
        return left;
    }

    public Scan right() {
        return right;
    }

    /** Compares everything and returns how it ended; failures are told in the result, not thrown. */
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
            Worker worker = new Worker();
            for (int i = nextSplit.getAndIncrement(); i < splits.size() && !stopping; i = nextSplit.getAndIncrement()) {
                worker.compare(splits.get(i));
            }
        } catch (RuntimeException e) {
            fail(e);
        } catch (OutOfMemoryError e) {
            fail(new IllegalStateException(
                    "a Java heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                            + " MiB is too small for these rows: give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on"
                            + " the command line)",
                    e));
        } catch (Error e) {
            // tables must not seem to be the same because a thread has ended
            fail(new IllegalStateException("a worker ended: " + e, e));
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        stopping = true;
    }

    /** Stops comparing; {@link #run} then returns. What was to be repaired is written. */
    public void stop() {
        stopped = true;
        stopping = true;
    }

    /** How much is done, 0 to 1; negative where it is not known. */
    public double done() {
        return splits.size() < 2 ? -1 : (double) splitsDone.get() / splits.size();
    }

    public DiffSummary progress() {
        return new DiffSummary(
                rowsLeft.sum(),
                rowsRight.sum(),
                rowsSame.sum(),
                different.sum(),
                missingLeft.sum(),
                missingRight.sum(),
                repair == null ? 0 : repair.rowsWritten(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                left.totals(),
                right.totals(),
                digestLeft.toString(),
                digestRight.toString(),
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

    /** Compares splits, one after the other. Confined to its thread. */
    private final class Worker {
        private final KeyJson keys;
        private final int partitionColumns;
        private final int firstValue;
        private final boolean hasStatics;
        private final Repair.@Nullable Part repairs = repair == null ? null : repair.part();
        private final RowDigest.Part sumLeft = digestLeft.part();
        private final RowDigest.Part sumRight = digestRight.part();
        private long countLeft;
        private long countRight;
        private long countSame;

        /** The last partition that both sides have; kept only where there are static columns. */
        private byte[] common = {};

        private boolean staticsCompared;
        private long lastTokenLeft;
        private long lastTokenRight;

        Worker() {
            List<Column> key = columns.stream().filter(Column::isKey).toList();
            firstValue = key.size();
            partitionColumns = (int)
                    key.stream().filter(c -> c.role() == Role.PARTITION_KEY).count();
            hasStatics = columns.stream().anyMatch(c -> c.role() == Role.STATIC);
            keys = new KeyJson(
                    key.stream().map(Column::name).toList(),
                    key.stream().map(Column::type).toList());
        }

        void compare(Split split) {
            common = new byte[0];
            lastTokenLeft = Long.MIN_VALUE;
            lastTokenRight = Long.MIN_VALUE;
            try (RowCursor a = left.open(split);
                    RowCursor b = right.open(split)) {
                if (merge(a, b)) {
                    splitsDone.incrementAndGet();
                }
            } finally {
                flush();
            }
        }

        private void flush() {
            rowsLeft.add(countLeft);
            rowsRight.add(countRight);
            rowsSame.add(countSame);
            countLeft = 0;
            countRight = 0;
            countSame = 0;
            sumLeft.finish();
            sumRight.finish();
        }

        private boolean nextLeft(RowCursor a) {
            boolean has = a.next();
            if (has) {
                countLeft++;
                sumLeft.add(a);
            }
            return has;
        }

        private boolean nextRight(RowCursor b) {
            boolean has = b.next();
            if (has) {
                countRight++;
                sumRight.add(b);
            }
            return has;
        }

        /** False where it was stopped before the end. */
        private boolean merge(RowCursor a, RowCursor b) {
            boolean hasLeft = nextLeft(a);
            boolean hasRight = nextRight(b);
            while (hasLeft || hasRight) {
                if (stopping) {
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

        /** The way of most rows: the same bytes on both sides. */
        private boolean isSame(RowCursor a, RowCursor b) {
            boolean same = Arrays.equals(a.array(), a.rowStart(), a.rowEnd(), b.array(), b.rowStart(), b.rowEnd());
            if (same) {
                countSame++;
                if (hasStatics && !isIn(common, a)) {
                    enter(a);
                    staticsCompared = true;
                }
            }
            return same;
        }

        /** Which of two rows comes first. If none does they are the same row, with other values. */
        private int compareRows(RowCursor a, RowCursor b) {
            lastTokenLeft = checkToken(a, lastTokenLeft);
            lastTokenRight = checkToken(b, lastTokenRight);
            int side = order.comparePartitions(a, b);
            if (side != 0) {
                return side;
            }
            if (hasStatics) {
                if (!isIn(common, a)) {
                    enter(a);
                }
                if (!staticsCompared) {
                    staticsCompared = true;
                    compareValues(a, b, Role.STATIC);
                }
            }
            boolean noneLeft = order.isStaticsOnly(a);
            boolean noneRight = order.isStaticsOnly(b);
            if (noneLeft || noneRight) {
                return noneLeft && noneRight ? 0 : noneLeft ? -1 : 1;
            }
            side = order.compareClustering(a, b);
            if (side == 0 && !compareValues(a, b, Role.REGULAR)) {
                countSame++; // the static columns are what differs
            }
            return side;
        }

        private long checkToken(RowCursor row, long last) {
            long token = row.token();
            if (token < last) {
                throw new OverdriveException(
                        Kind.READ,
                        "rows do not come in the order of their tokens, and cannot be compared then; the query is "
                                + left.query());
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
            common = Arrays.copyOfRange(row.array(), row.rowStart(), partitionEnd(row));
            staticsCompared = false;
        }

        private boolean compareValues(RowCursor a, RowCursor b, Role role) {
            List<String> names = new ArrayList<>();
            boolean[] differs = new boolean[columns.size()];
            for (int c = partitionColumns; c < columns.size(); c++) {
                // two decimals may be one clustering key, and yet have other bytes
                boolean isCompared = columns.get(c).role() == role || (c < firstValue && role == Role.REGULAR);
                if (isCompared && !isSameCell(a, b, c)) {
                    names.add(columns.get(c).name());
                    differs[c] = true;
                }
            }
            if (names.isEmpty()) {
                return false;
            }
            String key = role == Role.STATIC ? keys.json(a, partitionColumns) : keys.json(a);
            if (report(new Difference(Difference.Kind.DIFFERENT, key, names), different) && repairs != null) {
                repairs.change(a, differs, role == Role.STATIC);
            }
            return true;
        }

        private boolean isSameCell(RowCursor a, RowCursor b, int column) {
            return a.length(column) == b.length(column)
                    && (a.isNull(column)
                            || Arrays.equals(
                                    a.array(),
                                    a.offset(column),
                                    a.offset(column) + a.length(column),
                                    b.array(),
                                    b.offset(column),
                                    b.offset(column) + b.length(column)));
        }

        private void onlyLeft(RowCursor a) {
            boolean isCommon = hasStatics && isIn(common, a);
            boolean isStaticsOnly = order.isStaticsOnly(a);
            if (isStaticsOnly && isCommon) {
                return; // the other side has the partition, with rows, and the static columns were compared
            }
            if (report(new Difference(Difference.Kind.MISSING_RIGHT, keys.json(a), List.of()), missingRight)
                    && repairs != null) {
                repairs.insert(a, isStaticsOnly);
            }
        }

        private void onlyRight(RowCursor b) {
            boolean isCommon = hasStatics && isIn(common, b);
            boolean isStaticsOnly = order.isStaticsOnly(b);
            if (isStaticsOnly && isCommon) {
                return;
            }
            if (report(new Difference(Difference.Kind.MISSING_LEFT, keys.json(b), List.of()), missingLeft)
                    && repairs != null) {
                repairs.delete(b, isStaticsOnly, /* withStatics */ hasStatics && !isCommon);
            }
        }

        /** False where there were enough differences before this one. */
        private boolean report(Difference difference, LongAdder counter) {
            long number = differences.incrementAndGet();
            if (number >= options.maxDifferences()) {
                stopping = true;
            }
            if (number > options.maxDifferences()) {
                return false;
            }
            counter.increment();
            synchronized (found) {
                found.accept(difference);
            }
            return true;
        }
    }
}
