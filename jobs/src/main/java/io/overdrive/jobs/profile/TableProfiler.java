package io.overdrive.jobs.profile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Top;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.profile.Profile.Large;
import io.overdrive.jobs.profile.Profile.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Profiles a table by a scan. A split has all rows of a partition in sequence, so the figures about partitions are exact; numbers of distinct
 * values are estimates. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 */
public final class TableProfiler implements Job<ProfileSummary> {
    private final TableSchema table;
    private final int keyColumns;
    private final boolean[] isStatic;
    private final KeyJson names;
    private final Scan scan;
    private final int threads;
    private final int top;
    private final long startNanos = System.nanoTime();
    private final LongAdder rows = new LongAdder();
    /** Figures of columns that no thread adds to now. */
    private final Queue<ColumnSketch[]> columns = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final AtomicReference<@Nullable Profile> profile = new AtomicReference<>();
    private volatile Outcome outcome = Outcome.RUNNING;

    /** Guards the figures of ended splits. */
    private final Object lock = new Object();

    @GuardedBy("lock") private final PartitionSizes sizes = new PartitionSizes();

    @GuardedBy("lock") private final Top<Found> largest;

    /** A partition with the bytes of its key. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Found(byte[] key, long rows, long bytes) {}

    private TableProfiler(TableSchema table, Scan scan, int threads, int top) {
        this.table = table;
        this.scan = scan;
        this.threads = threads;
        this.top = top;
        this.keyColumns = table.partitionKey().size();
        this.isStatic = new boolean[table.columns().size()];
        for (int c = 0; c < isStatic.length; c++) {
            isStatic[c] = table.columns().get(c).role() == Role.STATIC;
        }
        this.largest = new Top<>(top, Found::rows);
        this.names = new KeyJson(
                table.partitionKey().stream().map(Column::name).toList(),
                table.partitionKey().stream().map(Column::type).toList());
    }

    /**
     * Prepares the profile of a table.
     *
     * @param options for a table, whose columns are all read
     * @param threads that take rows, 1 or more
     * @param top number of largest partitions to report, 1 or more
     */
    public static TableProfiler open(Overdrive overdrive, ScanOptions.Builder options, int threads, int top) {
        ScanOptions target = options.build();
        overdrive.awaitNode(target.patience());
        TableSchema table =
                overdrive.table(Objects.requireNonNull(target.keyspace()), Objects.requireNonNull(target.table()));
        List<String> all = table.columns().stream().map(Column::name).toList();
        return new TableProfiler(table, overdrive.scan(options.columns(all).build()), threads, top);
    }

    @Override
    public Plan plan() {
        return new Plan(Plan.reads(scan));
    }

    @Override
    public String effectOfStop() {
        return "stops reading";
    }

    @Override
    public ProfileSummary run() {
        Workers.guard(
                "these rows",
                e -> failure.compareAndSet(null, e),
                () -> scan.forEachSplit(threads, split -> new SplitPart()));
        RuntimeException e = failure.get();
        if (e == null) {
            profile.set(result());
        }
        boolean isStop = e instanceof OverdriveException known && known.kind() == Kind.INTERRUPTED;
        outcome = e == null ? Outcome.DONE : isStop ? Outcome.STOPPED : Outcome.FAILED;
        return progress();
    }

    private Profile result() {
        ColumnSketch[] all = newColumns();
        columns.forEach(part -> {
            for (int c = 0; c < all.length; c++) {
                all[c].add(part[c]);
            }
        });
        List<Profile.Column> figures = new ArrayList<>();
        for (int c = 0; c < all.length; c++) {
            Column column = table.columns().get(c);
            figures.add(all[c].column(column.name(), column.type().asCql(/* includeFrozen */ true, /* pretty */ true)));
        }
        long bytes = Arrays.stream(all).mapToLong(ColumnSketch::bytes).sum();
        Partitions partitions = partitions();
        Forecast forecast = Forecast.of(partitions, rows.sum(), bytes);
        Key key = new Key(
                table.partitionKey().stream().map(Column::name).toList(),
                table.clusteringColumns().stream().map(Column::name).toList());
        return new Profile(
                rows.sum(), bytes, figures, key, partitions, List.of(), forecast, Advice.of(partitions, forecast));
    }

    private Partitions partitions() {
        synchronized (lock) {
            List<Large> sorted = largest.kept().stream()
                    .map(found -> new Large(names.json(found.key), found.rows, found.bytes))
                    .sorted(Comparator.comparingLong(Large::rows).reversed().thenComparing(Large::key))
                    .toList();
            return new Partitions(
                    sizes.partitions(),
                    Math.round(sizes.partitions()),
                    /* isExact */ true,
                    sizes.byRows(),
                    sizes.byBytes(),
                    sorted,
                    /* largestError */ 0,
                    sizes.partitions(),
                    /* repeatedKeys */ 0,
                    /* isRepeatedExact */ true);
        }
    }

    private ColumnSketch[] newColumns() {
        ColumnSketch[] created = new ColumnSketch[table.columns().size()];
        Arrays.setAll(created, c -> new ColumnSketch());
        return created;
    }

    @Override
    public ProfileSummary progress() {
        return new ProfileSummary(
                rows.sum(),
                /* rowsRejected */ 0,
                /* reasons */ List.of(),
                scan.totals().bytesRead(),
                Figures.done(scan.totals(), /* splitsBefore */ 0),
                Duration.ofNanos(System.nanoTime() - startNanos),
                scan.totals(),
                profile.get(),
                outcome,
                outcome == Outcome.FAILED ? failure.get() : null);
    }

    @Override
    public boolean stop() {
        scan.stop();
        return true;
    }

    @Override
    public JobTimes times() {
        return JobTimes.of(scan.waits());
    }

    @Override
    public void close() {
        scan.close();
    }

    /** Takes the rows of one split. For one thread at a time. */
    private final class SplitPart implements Scan.SplitHandler {
        private final PartitionSizes sizesOfSplit = new PartitionSizes();
        private final Top<Found> largestOfSplit = new Top<>(top, Found::rows);
        private byte[] key = {};
        private long partitionRows;
        private long partitionBytes;

        @Override
        public void page(RowCursor page) {
            ColumnSketch[] mine = columns.poll();
            ColumnSketch[] into = mine == null ? newColumns() : mine;
            try {
                long read = 0;
                while (page.next()) {
                    add(page, into);
                    read++;
                }
                rows.add(read);
            } finally {
                columns.add(into);
            }
        }

        private void add(RowCursor row, ColumnSketch[] into) {
            byte[] array = row.array();
            int last = keyColumns - 1;
            int keyEnd = row.offset(last) + Math.max(0, row.length(last));
            if (partitionRows == 0 || !Arrays.equals(key, 0, key.length, array, row.rowStart(), keyEnd)) {
                endPartition();
                key = Arrays.copyOfRange(array, row.rowStart(), keyEnd);
            }
            boolean isFirst = partitionRows++ == 0;
            for (int c = 0; c < into.length; c++) {
                if (isStatic[c] && !isFirst) {
                    continue; // the partition has the value once
                }
                int length = row.length(c);
                into[c].add(array, row.offset(c), length);
                partitionBytes += Math.max(0, length);
            }
        }

        private void endPartition() {
            if (partitionRows > 0) {
                sizesOfSplit.add(partitionRows, partitionBytes);
                largestOfSplit.add(new Found(key, partitionRows, partitionBytes));
                partitionRows = 0;
                partitionBytes = 0;
            }
        }

        @Override
        public void end() {
            endPartition();
            synchronized (lock) {
                sizes.add(sizesOfSplit);
                largestOfSplit.kept().forEach(largest::add);
            }
        }
    }
}
