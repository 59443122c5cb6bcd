package io.overdrive.bench.tune;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.TableSchema;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.Tasks;
import io.overdrive.bench.run.BenchCluster;
import io.overdrive.bench.run.Meter;
import io.overdrive.bench.tune.Knob.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a sample into the scratch table, or reads that. Confined to one thread, except {@link #stop}; its runs have several
 * threads.
 */
final class TableTrials implements Trials {
    /** Fewer rows are no sample of a table. */
    static final int MIN_ROWS = 1000;

    private static final int MAX_THREADS = 4;
    /** Rows that a thread takes at a time, in order. */
    private static final int CHUNK = 500;
    /** How many rows are sent or read between two looks at the clock. */
    private static final int ROWS_PER_LOOK = 50;

    /** Bytes of the scratch table on each node once its rows were written with all other keys. */
    private static final long SCRATCH_BYTES = 64 << 20;
    /** Minimum bytes on each node for a read: 16 token ranges of half a megabyte, the default page. */
    private static final long MIN_READ_BYTES = 8 << 20;

    /** A cluster that takes no requests for longer makes the run fail. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final BenchCluster cluster;
    private final RowSample sample;
    private final Supplier<WriteOptions.Builder> write;
    private final Supplier<ScanOptions.Builder> read;
    private final int nodes;
    private final boolean isOneRowAPartition;
    private final @Nullable OtherKeys otherKeys;
    private final long copies;
    private final int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
    /** Number of the next row to be written, over all runs. */
    private long nextRow;

    private long rowsWritten;
    private volatile boolean stopped;
    private volatile @Nullable RowWriter writing;
    private volatile @Nullable Scan scanning;

    /**
     * @param table of the rows, for the types of the key
     * @param write options for the scratch table, without the tuned settings
     * @param read options for the scratch table, without the tuned settings
     */
    TableTrials(
            BenchCluster cluster,
            TableSchema table,
            RowSample sample,
            Supplier<WriteOptions.Builder> write,
            Supplier<ScanOptions.Builder> read,
            int nodes) {
        this.cluster = cluster;
        this.sample = sample;
        this.write = write;
        this.read = read;
        this.nodes = nodes;
        this.isOneRowAPartition = table.clusteringColumns().isEmpty();
        Optional<OtherKeys> possible = OtherKeys.of(table);
        this.copies = copies(sample, possible.isPresent(), nodes);
        this.otherKeys = possible.orElse(null);
    }

    /** How many times the sample is written with different keys, at most. */
    static long copies(RowSample sample, boolean hasOtherKeys, int nodes) {
        return hasOtherKeys
                ? Math.max(1, (SCRATCH_BYTES * nodes + sample.bytes() - 1) / Math.max(1, sample.bytes()))
                : 1;
    }

    /** Ends the current run early; it fails, and so do later ones. */
    void stop() {
        stopped = true;
        RowWriter writer = writing;
        if (writer != null) {
            writer.abandon();
        }
        Scan scan = scanning;
        if (scan != null) {
            scan.stop();
        }
    }

    @Override
    public @Nullable String whyNot(Knob knob) {
        if (knob == Knob.WRITE_SIZE && isOneRowAPartition) {
            return "each partition is one row, and batches of several partitions have the size that the server permits";
        }
        if (sample.rows() < MIN_ROWS) {
            return String.format(
                    Locale.ROOT, "too few rows: %,d, and a result needs at least %,d", sample.rows(), MIN_ROWS);
        }
        double inTable = Math.min(rowsWritten, sample.rows() * copies) * sample.bytesOfARow();
        return knob.writes() || inTable >= MIN_READ_BYTES * nodes
                ? null
                : String.format(
                        Locale.ROOT,
                        "too few rows: the scratch table has %.1f MB, and to compare pages and splits it needs %.1f MB%s",
                        inTable / 1e6,
                        MIN_READ_BYTES * nodes / 1e6,
                        rowsWritten < sample.rows() * copies ? "; more --time would write more" : "");
    }

    @Override
    public Measurement run(Level level, int block, Duration length) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        Arm arm = arm(level);
        try (Work work = level.knob().writes() ? new Write(level.tuning(), length) : new Read(level.tuning(), length)) {
            Meter.clean();
            Meter.run(work, cluster, figures);
            return new Measurement(arm, block, figures, List.of(), null);
        } catch (RuntimeException e) {
            return new Measurement(arm, block, figures, List.of(), Meter.reason(e));
        }
    }

    static Arm arm(Level level) {
        return new Arm(Map.of(level.knob().label(), level.label()));
    }

    /** Writes rows until the time is up, or each row was written once with each key. */
    private final class Write implements Work {
        private final long nanos;
        private final RowWriter writer;
        private final AtomicReference<@Nullable RejectedRow> rejected = new AtomicReference<>();

        Write(Tuning tuning, Duration length) {
            this.nanos = length.toNanos();
            this.writer = cluster.overdrive()
                    .writer(tuning.apply(write.get())
                            .columns(sample.names())
                            .onReject(row -> rejected.compareAndSet(null, row))
                            .bulk()
                            .patience(PATIENCE)
                            .build());
            writing = writer;
            if (stopped) {
                writer.abandon();
            }
        }

        @Override
        public RunOutcome run() {
            long end = System.nanoTime() + nanos;
            long last = nextRow + sample.rows() * copies;
            AtomicLong next = new AtomicLong(nextRow);
            Tasks.run(threads, threads, () -> stopped, thread -> write(writer.fork(), next, last, end));
            writer.close();
            nextRow = Math.min(last, next.get());
            Totals totals = writer.totals();
            rowsWritten += totals.rowsWritten();
            RejectedRow reject = rejected.get();
            if (reject != null) {
                throw new OverdriveException(Kind.WRITE, "a row was rejected: " + reject.reason());
            }
            return RunOutcome.of(totals, (long) (totals.rowsWritten() * sample.bytesOfARow()));
        }

        private void write(RowWriter fork, AtomicLong next, long last, long end) {
            while (!stopped) {
                long from = next.getAndAdd(CHUNK);
                long to = Math.min(last, from + CHUNK);
                for (long row = from; row < to; row++) {
                    if (row % ROWS_PER_LOOK == 0 && System.nanoTime() - end >= 0) {
                        return;
                    }
                    RowBuffer buffer = fork.row();
                    sample.set(buffer, (int) (row % sample.rows()), otherKeys, row / sample.rows() % copies);
                    fork.send();
                }
                if (from >= last) {
                    return;
                }
            }
        }

        @Override
        public void close() {
            writer.abandon();
        }
    }

    /** Reads the table until the time is up; a table that is read before is read again. */
    private final class Read implements Work {
        private final long nanos;
        private final ScanOptions options;

        Read(Tuning tuning, Duration length) {
            this.nanos = length.toNanos();
            this.options = tuning.apply(read.get()).patience(PATIENCE).build();
        }

        @Override
        public RunOutcome run() {
            long end = System.nanoTime() + nanos;
            long rows = 0;
            long bytes = 0;
            long pages = 0;
            RunOutcome last;
            do {
                ScanTotals totals = read(end);
                rows += totals.rowsRead();
                bytes += totals.bytesRead();
                pages += totals.pages();
                last = RunOutcome.of(totals, bytes);
            } while (rows > 0 && System.nanoTime() - end < 0 && !stopped);
            return new RunOutcome(rows, bytes, pages, null, last.figures(), List.of());
        }

        private ScanTotals read(long end) {
            try (Scan scan = cluster.overdrive().scan(options)) {
                scanning = scan;
                try {
                    scan.forEachSplit(threads, split -> page -> read(scan, page, end));
                } catch (OverdriveException e) {
                    if (e.kind() != Kind.INTERRUPTED || (System.nanoTime() - end < 0 && !stopped)) {
                        throw e;
                    }
                }
                return scan.totals();
            }
        }

        private void read(Scan scan, RowCursor page, long end) {
            while (page.next()) {
                // as a program that uses the rows would
            }
            if (System.nanoTime() - end >= 0 || stopped) {
                scan.stop();
            }
        }
    }
}
