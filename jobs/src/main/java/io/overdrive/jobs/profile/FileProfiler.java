package io.overdrive.jobs.profile;

import io.overdrive.OverdriveException;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.write.RepeatedKeys;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.load.FileRows;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.profile.Profile.KeyCandidate;
import io.overdrive.jobs.profile.Profile.Partitions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Profiles files as the rows of the table that a load would create for them. Needs no cluster. Reads each file once; memory is bounded, and
 * figures that would need more of it are estimates. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 *
 * <pre>{@code
 * LoadOptions trips = LoadOptions.of(InputFiles.expand(List.of("trips.csv"), leftOut -> {})).build();
 * try (FileProfiler profiler = FileProfiler.open(trips, Map.of(), Key.parse("(city, day), at"), 10)) {
 *     Profile profile = profiler.run().profile();
 * }
 * }</pre>
 */
public final class FileProfiler implements Job<ProfileSummary> {
    private final FileRows files;
    private final @Nullable Key key;
    private final int top;
    private final BlockEnds ends = new BlockEnds();
    private final @Nullable RepeatedKeys repeatedKeys;
    private final Queue<FilePart> parts = new ConcurrentLinkedQueue<>();
    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable Profile> profile = new AtomicReference<>();
    private volatile Outcome outcome = Outcome.RUNNING;

    private FileProfiler(FileRows files, @Nullable Key key, int top) {
        this.files = files;
        this.key = key;
        this.top = top;
        this.repeatedKeys = key == null ? null : new RepeatedKeys();
    }

    /**
     * Reads a sample of the files, from which the types of the columns follow.
     *
     * @param types that the user gives, by column
     * @param key the primary key of the rows; null to search for it, and then nothing is said about partitions
     * @param top number of largest partitions to report, 1 or more
     * @throws OverdriveException of kind INPUT if the input cannot be read, the sample does not determine the types of all columns, or the key is
     *     not of the input's columns
     */
    public static FileProfiler open(LoadOptions options, Map<String, String> types, @Nullable Key key, int top) {
        FileRows files = FileRows.open(
                options, types, key == null ? List.of() : key.partition(), key == null ? List.of() : key.clustering());
        return new FileProfiler(files, key, top);
    }

    /** There is nothing to say about a cluster. */
    @Override
    public Plan plan() {
        return new Plan();
    }

    @Override
    public String effectOfStop() {
        return "stops reading";
    }

    @Override
    public ProfileSummary run() {
        files.run(this::part);
        if (files.failure() == null && !files.isStopped()) {
            profile.set(result());
        }
        outcome = files.failure() != null ? Outcome.FAILED : files.isStopped() ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    private FilePart part(TableSchema table) {
        FilePart part = new FilePart(table, ends, repeatedKeys == null ? null : repeatedKeys.part());
        parts.add(part);
        return part;
    }

    private Profile result() {
        FilePart all = part(files.table());
        parts.remove(all);
        parts.forEach(all::add);
        all.runs -= ends.correct(all.partitions);
        List<Column> columns = all.table().columns();
        List<String> names = columns.stream().map(Column::name).toList();
        List<Profile.Column> figures = files.columns().stream()
                .map(name -> {
                    int c = names.indexOf(name);
                    return all.columns[c].column(
                            name, columns.get(c).type().asCql(/* includeFrozen */ true, /* pretty */ true));
                })
                .toList();
        long bytes = Arrays.stream(all.columns).mapToLong(ColumnSketch::bytes).sum();
        if (repeatedKeys == null) {
            List<KeyCandidate> keys = keys(all, names);
            return new Profile(
                    all.rows,
                    bytes,
                    figures,
                    key, /* partitions */
                    null,
                    keys, /* forecast */
                    null,
                    Advice.withoutKey(keys));
        }
        Partitions partitions = partitions(all, repeatedKeys, all.rows == 0 ? 0 : (double) bytes / all.rows);
        Forecast forecast = Forecast.of(partitions, all.rows, bytes);
        return new Profile(
                all.rows, bytes, figures, key, partitions, List.of(), forecast, Advice.of(partitions, forecast));
    }

    private static List<KeyCandidate> keys(FilePart all, List<String> names) {
        return new KeySearch(
                        all.rows,
                        Arrays.stream(all.sampled).mapToObj(names::get).toList(),
                        Arrays.stream(all.sampled).mapToObj(c -> all.columns[c]).toArray(ColumnSketch[]::new),
                        all.samples)
                .candidates();
    }

    private Partitions partitions(FilePart all, RepeatedKeys repeated, double bytesOfRow) {
        repeated.complete();
        PartitionEstimate found = new PartitionEstimate(all, bytesOfRow);
        List<Column> partitionKey = all.table().partitionKey();
        KeyJson keyNames = new KeyJson(
                partitionKey.stream().map(Column::name).toList(),
                partitionKey.stream().map(Column::type).toList());
        return new Partitions(
                found.sizes.partitions(),
                found.sampled,
                found.isExact,
                found.sizes.byRows(),
                found.sizes.byBytes(),
                all.largest.largest(top, keyNames, bytesOfRow),
                all.largest.error(),
                found.runs,
                repeated.count(),
                repeated.isExact());
    }

    @Override
    public ProfileSummary progress() {
        OptionalLong total = files.bytesTotal();
        long read = files.bytesRead();
        return new ProfileSummary(
                files.rowsRead(),
                files.rowsRejected(),
                files.reasons(),
                read,
                total.isEmpty() || total.getAsLong() == 0 ? -1 : Math.min(1, (double) read / total.getAsLong()),
                Duration.ofNanos(System.nanoTime() - startNanos),
                /* reads */ null,
                profile.get(),
                outcome,
                files.failure());
    }

    @Override
    public boolean stop() {
        files.stop();
        return true;
    }

    @Override
    public JobTimes times() {
        return files.times();
    }

    @Override
    public void close() {
        files.close();
    }
}
