package io.overdrive.bench.tune;

import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.bench.run.BenchCluster;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finds the best settings for a table, by writing and reading a scratch copy of it. Confined to one thread, except {@link #stop} and {@link
 * #progress}.
 */
public final class TableTuner {
    /** Shorter runs would show nothing. */
    public static final Duration MIN_TIME = Duration.ofSeconds(15);

    /** Fewer rows are no sample of a table. */
    public static final int MIN_ROWS = TableTrials.MIN_ROWS;

    private final TableTrials trials;
    private final Tuner tuner;

    /**
     * @param table of the rows
     * @param sample rows to write
     * @param write options for the scratch table, without the tuned settings, for each run
     * @param read as {@code write}
     * @param time for everything, {@link #MIN_TIME} or more
     * @param seed of the order of the runs
     */
    public TableTuner(
            BenchCluster cluster,
            TableSchema table,
            RowSample sample,
            Supplier<WriteOptions.Builder> write,
            Supplier<ScanOptions.Builder> read,
            Duration time,
            long seed) {
        this.trials = new TableTrials(cluster, table, sample, write, read, nodes(cluster));
        this.tuner = new Tuner(trials, List.of(Knob.values()), time, seed, System::nanoTime);
    }

    /** Nodes of the local data centre. */
    public static int nodes(BenchCluster cluster) {
        return cluster.datacenters().values().iterator().next();
    }

    /** The most that the scratch table holds, in bytes of values. */
    public static long scratchBytes(TableSchema table, RowSample sample, int nodes) {
        return sample.bytes() * TableTrials.copies(sample, OtherKeys.of(table).isPresent(), nodes);
    }

    /** An answer for each setting; fewer after {@link #stop}. */
    public List<Answer> run() {
        return tuner.run();
    }

    /** Ends the current run early; it does not count. Any thread may call this. */
    public void stop() {
        tuner.stop();
        trials.stop();
    }

    /** The present activity, in words. */
    public String progress() {
        return tuner.progress();
    }
}
