package io.overdrive.jobs.verify;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.formats.records.InputFile;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.flow.Waits;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.diff.Difference;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryMerge;
import io.overdrive.jobs.sort.KeyOrder;
import io.overdrive.jobs.sort.SortedEntries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says whether all rows of files are in a table, with the same values. First a dry run of a load reads the files, and its rows
 * are sorted as the table's rows are, on disk if need be; then both are read in step, several token ranges at once. So each is
 * read once, and memory is bounded. Rows of the table that no file has are not differences. {@link #run} is called once;
 * {@link #progress} and {@link #stop} from any thread.
 */
public final class Verifier implements Job<VerifySummary> {
    private final VerifyOptions options;
    private final EntryLayout layout;
    private final Loader loader;
    private final Scan scan;
    private final SortedEntries entries;
    private final Findings findings;
    private final List<Split> splits;
    private final AtomicInteger nextSplit = new AtomicInteger();
    private final AtomicInteger splitsDone = new AtomicInteger();
    private final WaitTime comparingTime = new WaitTime();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean comparing;
    private volatile boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    private Verifier(
            VerifyOptions options,
            EntryLayout layout,
            Loader loader,
            Scan scan,
            SortedEntries entries,
            Consumer<Difference> found) {
        this.options = options;
        this.layout = layout;
        this.loader = loader;
        this.scan = scan;
        this.entries = entries;
        findings = new Findings(options.maxDifferences(), found);
        splits = scan.splits();
    }

    /**
     * Reads the beginning of the input, and plans the scan.
     *
     * @param read the table, without columns, which follow from the input
     * @param found receives the differences, in no particular order, from one thread at a time; the files are on the left, and
     *     the table is on the right
     * @throws OverdriveException of kind INPUT if the input cannot be read, or its fields do not match the columns; of kind
     *     SCHEMA if the table does not exist or cannot be verified
     */
    public static Verifier open(
            Overdrive overdrive, ScanOptions.Builder read, VerifyOptions options, Consumer<Difference> found) {
        ScanOptions target = read.build();
        String keyspace = target.keyspace();
        String table = target.table();
        if (keyspace == null || table == null) {
            throw new IllegalArgumentException("files are compared with a table, not with a query");
        }
        options.input().files().forEach(Verifier::refusePart);
        overdrive.awaitNode(target.patience());
        TableSchema schema = overdrive.table(keyspace, table);
        if (schema.isCounter()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + schema.cqlName()
                            + "] holds counters, to which a load adds: their values do not follow from the"
                            + " files, and cannot be verified; compare it with another table by diff");
        }
        KeyOrder order = KeyOrder.of(overdrive, schema);
        WritableDirectory.checkSpills(options.spillDirectory());
        LoadOptions input =
                options.input().toBuilder().countLosses().compareValues().build();
        Expected expected = new Expected(schema, order, options, input);
        Loader loader = Loader.openInto(overdrive, WriteOptions.into(keyspace, table), input, expected::open);
        try {
            EntryLayout layout = expected.layout();
            Scan scan = overdrive.scan(read.columns(layout.names()).build());
            return new Verifier(options, layout, loader, scan, expected.entries(), found);
        } catch (RuntimeException e) {
            loader.close();
            throw e;
        }
    }

    private static void refusePart(InputFile file) {
        if (!file.writtenAfter().isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    file.name() + ": has only what was written after " + file.writtenAfter() + ", by " + Manifest.NAME
                            + ", and rows are compared as a whole: verify an unload of all cells, or compare the table"
                            + " with another one by diff");
        }
    }

    /** As {@link Loader#fieldsNotFound}: their columns were not compared. */
    public List<String> fieldsNotFound() {
        return loader.fieldsNotFound();
    }

    /** As {@link Loader#expiredCells}: they were not compared. */
    public long expiredCells() {
        return loader.expiredCells();
    }

    /** As {@link Loader#rowsLeftOut}: they were not compared. */
    public long rowsLeftOut() {
        return loader.rowsLeftOut();
    }

    @Override
    public Plan plan() {
        int threads = Math.min(options.input().threads(), splits.size());
        return new Plan(Plan.reads(scan, threads, options.sortMemory()));
    }

    @Override
    public String effectOfStop() {
        return "stops verifying";
    }

    @Override
    public VerifySummary run() {
        LoadSummary read = loader.run();
        RuntimeException notRead = read.failure();
        if (read.outcome() == Outcome.STOPPED) {
            stopped = true; // this thread may have been interrupted
        }
        if (notRead != null) {
            failure.compareAndSet(null, notRead);
        } else if (read.outcome() == Outcome.DONE && !stopped) {
            guarded(entries::finish);
            comparing = true;
            compare();
        }
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    private void compare() {
        int threads = Math.min(options.input().threads(), splits.size());
        if (Workers.runAll("overdrive-verify", threads, () -> guarded(this::work), this::stop)) {
            Thread.currentThread().interrupt();
        }
    }

    private void guarded(Runnable work) {
        Workers.guard("these rows", this::fail, work);
    }

    private void work() {
        comparingTime.begin(System.nanoTime());
        try {
            compareSplits();
        } finally {
            comparingTime.end(System.nanoTime());
        }
    }

    @Override
    public JobTimes times() {
        JobTimes files = loader.times();
        List<Waits> waits = new ArrayList<>(files.waits());
        waits.add(scan.waits());
        return new JobTimes(
                files.threadNanos() + comparingTime.nanos(System.nanoTime()),
                files.inputNanos(),
                /* outputNanos */ 0,
                waits);
    }

    private void compareSplits() {
        VerifyWalk walk = new VerifyWalk(layout, findings);
        for (int i = nextSplit.getAndIncrement();
                i < splits.size() && !findings.stopping;
                i = nextSplit.getAndIncrement()) {
            if (compare(walk, splits.get(i))) {
                splitsDone.incrementAndGet();
            }
        }
    }

    /** False if it was stopped before the end. */
    private boolean compare(VerifyWalk walk, Split split) {
        for (Split.Range range : split.ranges()) {
            if (findings.stopping) {
                return false;
            }
            Optional<EntryMerge> expected = entries.open(range.start(), range.end());
            if (expected.isEmpty()) {
                continue; // the table's rows there are of no interest
            }
            try (RowCursor rows = scan.open(new Split(List.of(range), split.replicas(), 0))) {
                if (!walk.compare(new ExpectedRows(layout, expected.get()), new ScannedRows(rows, scan.query()))) {
                    return false;
                }
            }
        }
        return true;
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        findings.stopping = true;
    }

    /** Stops reading and comparing; {@link #run} then returns. */
    @Override
    public boolean stop() {
        stopped = true;
        findings.stopping = true;
        loader.stop();
        scan.stop();
        return true;
    }

    @Override
    public VerifySummary progress() {
        LoadSummary read = loader.progress();
        return new VerifySummary(
                read.rowsRead(),
                read.rowsRejected(),
                findings.repeated.sum(),
                comparing || outcome != Outcome.RUNNING ? loader.losses() : List.of(),
                findings.compared.sum(),
                findings.same.sum(),
                findings.different.sum(),
                findings.missing.sum(),
                read.bytesRead(),
                read.bytesTotal(),
                entries.bytesSpilled(),
                read.filesRead(),
                read.filesTotal(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                scan.totals(),
                done(read),
                isWhole(),
                read.rejectFiles(),
                read.firstReject(),
                outcome,
                failure.get());
    }

    /** Reading the files counts as half of the work. */
    private double done(LoadSummary read) {
        if (comparing) {
            return (1 + (double) splitsDone.get() / splits.size()) / 2;
        }
        return read.read() < 0 ? -1 : read.read() / 2;
    }

    private boolean isWhole() {
        return comparing && splitsDone.get() == splits.size();
    }

    /** Deletes spilled data. */
    @Override
    public void close() {
        loader.close();
        scan.close();
        entries.close();
    }
}
