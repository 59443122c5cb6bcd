package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.Journal;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.TableResult.Kept;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The run of several tables: a directory as that of any run, and below it a run for each table, which its job keeps and resumes as if it
 * were by itself. Thread-safe.
 */
public final class TablesJournal implements AutoCloseable {
    /** The type of the record of a table that is done: its name, then what is kept of it. */
    private static final int DONE = 1;
    /** The type of the record of a table of the run: its name, not in quotes. */
    private static final int TABLE = 2;
    /** The exit code after rejected rows or differences. */
    private static final int NOT_ALL_IS_RIGHT = 3;

    private final RunRequest request;
    private final Function<CqlIdentifier, List<RunTarget>> targetsOf;
    private final RunDirectory run;
    private final RunStore ofTables;
    /** The runs of the tables that earlier processes have begun, by the first of their targets. */
    private final Map<String, RunStore.Entry> before = new HashMap<>();

    private final Map<String, Kept> done = new HashMap<>();
    /** The tables of the run as far as they are known, in the order in which they came to it. */
    private final Set<CqlIdentifier> tables = new LinkedHashSet<>();

    private final Journal journal;

    private TablesJournal(RunRequest request, Function<CqlIdentifier, List<RunTarget>> targetsOf, RunDirectory run) {
        this.request = request;
        this.targetsOf = targetsOf;
        this.run = run;
        this.ofTables = request.store().ofTables(run.id());
        for (RunStore.Entry each : ofTables.list()) { // the newest first
            before.putIfAbsent(each.info().targets().get(0).table(), each);
        }
        this.journal = Journal.open(run.files(), run.path().toString(), this::replay);
    }

    private void replay(Journal.Record each) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(each.payload()))) {
            if (each.type() == TABLE) {
                tables.add(CqlIdentifier.fromInternal(in.readUTF()));
            } else {
                done.put(in.readUTF(), new Kept(in.readLong(), in.readInt(), in.readUTF(), json(in)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Journals of earlier versions end before it. */
    private static String json(DataInputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    /**
     * Begins a run, or opens the one that is resumed.
     *
     * @param targets the clusters of the run, with its selection in place of a table
     * @param targetsOf the targets of one table as they are now, as its journal has them
     * @throws OverdriveException of kind INPUT if there is no run to resume, or its clusters are not these; of kind DISK if its
     *     directory cannot be written
     */
    public static TablesJournal open(
            RunRequest request, List<RunTarget> targets, Function<CqlIdentifier, List<RunTarget>> targetsOf) {
        RunDirectory run = request.isResume() ? request.resume() : request.begin(targets, List.of(), Map.of());
        try {
            run.info().requireSameTargets(targets);
            TablesJournal journal = new TablesJournal(request, targetsOf, run);
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

    /**
     * Notes the tables of the run.
     *
     * @return those with which an earlier process has begun, and that are not among them
     */
    List<CqlIdentifier> gone(List<CqlIdentifier> present) {
        List<CqlIdentifier> gone =
                tables.stream().filter(each -> !present.contains(each)).toList();
        for (CqlIdentifier each : present) {
            if (tables.add(each)) {
                append(TABLE, out -> out.writeUTF(each.asInternal()));
            }
        }
        journal.sync();
        return gone;
    }

    /** The end of a table that is gone; null if it was not done. */
    @Nullable Kept doneBefore(CqlIdentifier keyspace, CqlIdentifier table) {
        return done.get(name(keyspace, table));
    }

    /**
     * The end of a table that an earlier process has done; null if there is work left, or its own run has to say how it ended.
     *
     * @throws OverdriveException of kind INPUT if its tables are not those that were there then; of kind SCHEMA if one is missing
     */
    @Nullable Kept done(CqlIdentifier keyspace, CqlIdentifier table) {
        String name = name(keyspace, table);
        RunStore.Entry entry = before.get(name);
        Kept kept = done.get(name);
        if (entry != null && entry.status().state() == State.DONE) {
            entry.info().requireSameTargets(targetsOf.apply(table));
        }
        return kept != null || entry == null || entry.status().state() != State.DONE || ofTables.hasJournal(entry.id())
                ? kept
                : new Kept(
                        entry.status().rows(),
                        NOT_ALL_IS_RIGHT,
                        "whether rows were rejected or differ is not known, as its journal is gone",
                        "");
    }

    /** Keeps how a table has ended. */
    synchronized void keep(CqlIdentifier keyspace, CqlIdentifier table, Kept kept) {
        append(DONE, out -> {
            out.writeUTF(name(keyspace, table));
            out.writeLong(kept.rows());
            out.writeInt(kept.code());
            out.writeUTF(kept.text());
            out.write(kept.json().getBytes(StandardCharsets.UTF_8));
        });
        journal.sync();
    }

    private interface Payload {
        void write(DataOutputStream out) throws IOException;
    }

    private void append(int type, Payload payload) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            payload.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        journal.append(new Journal.Record(type, bytes.toByteArray()));
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
        if (state == State.DONE) {
            ofTables.removeJournals();
        }
    }

    /** Ends a run that could not begin its work. */
    public void closeAfter(RuntimeException failure) {
        try {
            status(State.FAILED, rowsBefore(), /* done */ -1, failure);
        } catch (OverdriveException e) {
            failure.addSuppressed(e);
        } finally {
            close();
        }
    }

    /** Releases the lock of the run. */
    @Override
    public void close() {
        try {
            journal.close();
        } finally {
            run.close();
        }
    }
}
