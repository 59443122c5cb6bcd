package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The run of several tables: a directory as that of any run, and below it a run for each table, which its job keeps and resumes as if it
 * were by itself. Thread-safe.
 */
public final class TablesJournal implements AutoCloseable {
    private static final String TABLES = "tables";

    private final RunRequest request;
    private final RunDirectory run;
    private final RunStore ofTables;
    /** The runs of the tables that earlier processes have begun, by the first of their targets. */
    private final Map<String, RunStore.Entry> before = new HashMap<>();

    private TablesJournal(RunRequest request, RunDirectory run) {
        this.request = request;
        this.run = run;
        this.ofTables = request.store().within(run, TABLES);
        for (RunStore.Entry each : ofTables.list()) { // the newest first
            before.putIfAbsent(each.info().targets().get(0).table(), each);
        }
    }

    /**
     * Begins a run, or opens the one that is resumed.
     *
     * @param targets the clusters of the run, with its selection in place of a table
     * @throws OverdriveException of kind INPUT if there is no run to resume, or its clusters are not these; of kind DISK if its
     *     directory cannot be written
     */
    public static TablesJournal open(RunRequest request, List<RunTarget> targets) {
        RunDirectory run = request.isResume() ? request.resume() : request.begin(targets, List.of(), Map.of());
        try {
            run.info().requireSameTargets(targets);
            TablesJournal journal = new TablesJournal(request, run);
            journal.status(State.RUNNING, journal.rowsBefore(), /* done */ -1, /* failure */ null);
            return journal;
        } catch (RuntimeException e) {
            run.close();
            throw e;
        }
    }

    /** The run's id, as users type it. */
    public String id() {
        return run.id();
    }

    private static String name(CqlIdentifier keyspace, CqlIdentifier table) {
        return keyspace.asCql(true) + "." + table.asCql(true);
    }

    /** The number of rows of a table that is done; null if there is work left. */
    @Nullable Long done(CqlIdentifier keyspace, CqlIdentifier table) {
        RunStore.Entry entry = before.get(name(keyspace, table));
        return entry != null && entry.status().state() == State.DONE
                ? entry.status().rows()
                : null;
    }

    /** Rows that earlier processes have done. */
    long rowsBefore() {
        return before.values().stream().mapToLong(each -> each.status().rows()).sum();
    }

    /** The wish to begin or to resume the run of a table that is not done. */
    RunRequest request(CqlIdentifier keyspace, CqlIdentifier table) {
        RunStore.Entry entry = before.get(name(keyspace, table));
        return new RunRequest(
                ofTables,
                request.command(),
                request.arguments(),
                request.directory(),
                request.version(),
                entry == null ? null : entry.id());
    }

    /** Records how far the run is, or how it ended. */
    synchronized void status(State state, long rows, double done, @Nullable RuntimeException failure) {
        run.status(new RunStatus(state, Instant.now(), rows, done, failure == null ? "" : run.described(failure)));
    }

    /** Releases the lock of the run. */
    @Override
    public void close() {
        run.close();
    }
}
