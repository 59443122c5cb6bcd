package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.tables.TableResult.Kept;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Does the same work on several tables of a keyspace, each as a job of its table that knows nothing of the others. Large tables are
 * worked on one after another, the largest first, with all the memory that a job takes; small ones beside them, a few at once and with
 * little memory, because they wait more than they work. A table that fails does not end the others, unless the reason is one that they
 * share: a cluster that does not answer, or a full disk. Thread-safe as {@link Job} says.
 *
 * @param <S> the type of the summary of one table
 */
public final class TablesJob<S extends Summary> implements Job<TablesSummary<S>> {
    /** Tables of less than this on a node are small. */
    private static final long SMALL = 64L << 20;
    /** The weight of a table, besides its bytes, in the share of the work that is done. */
    private static final long BYTES_OF_ANY = 1 << 20;

    /** The usual number of small tables that are worked on beside a large one. */
    public static final int SMALL_AT_ONCE = 3;

    private static final int MAX_NAMED = 10;

    /**
     * A table of the run.
     *
     * @param bytes on a node, as far as that is known; 0 if it is not
     */
    public record Table(CqlIdentifier keyspace, CqlIdentifier name, long bytes) {
        /** Whether the job should do with little memory, as there are others beside it. */
        public boolean isSmall() {
            return bytes < SMALL;
        }

        private long weight() {
            return bytes + BYTES_OF_ANY;
        }
    }

    /**
     * Opens the job of a table. Called by several threads.
     *
     * @param <S> the type of its summary
     */
    public interface Opener<S extends Summary> {
        /** @param request for a journal of this table; null for none */
        Job<S> open(Table table, @Nullable RunRequest request);
    }

    /**
     * Follows the run. Called by several threads, one at a time.
     *
     * @param <S> the type of the summary of one table
     */
    public interface Listener<S extends Summary> {
        /** The job of a table is prepared. */
        void begins(Table table, Job<S> job);

        /** The work on a table has ended. */
        void ended(TableResult<S> result);

        /**
         * All tables have ended, and the run was not ended early: does what has to follow for those that are done.
         *
         * @return what could not be done, and why; then the run has failed
         */
        List<String> last(List<TableResult<S>> results);
    }

    private final List<Table> tables;
    private final Plan plan;
    private final Opener<S> opener;
    private final Listener<S> listener;
    private final BiFunction<Table, S, Kept> keeping;
    private final @Nullable TablesJournal journal;
    private final int smallAtOnce;
    private final String effectOfStop;
    private final long startNanos = System.nanoTime();

    @GuardedBy("this") private final Queue<Table> large = new ArrayDeque<>();

    @GuardedBy("this") private final Queue<Table> small = new ArrayDeque<>();

    @GuardedBy("this") private final Map<String, TableResult<S>> results = new TreeMap<>();

    @GuardedBy("this") private final Map<Table, Job<S>> running = new LinkedHashMap<>();

    @GuardedBy("this") private JobTimes timesOfEnded = JobTimes.NONE;

    @GuardedBy("this") private long weightDone;

    @GuardedBy("this") private boolean isStopped;

    /** The failure that ends the run as a whole. */
    @GuardedBy("this") private @Nullable RuntimeException fatal;

    @GuardedBy("this") private List<String> notDone = List.of();

    /** The number of tables, with those that were dropped since the run began. */
    @GuardedBy("this") private int total;

    private volatile Outcome outcome = Outcome.RUNNING;

    /**
     * @param tables of the run, each once
     * @param plan of all of them
     * @param keeping makes what the journal keeps of a table that is done
     * @param journal null for none
     * @param smallAtOnce number of small tables that are worked on beside a large one; 0 for one table after another
     * @param effectOfStop as {@link Job#effectOfStop} has it
     */
    public TablesJob(
            List<Table> tables,
            Plan plan,
            Opener<S> opener,
            Listener<S> listener,
            BiFunction<Table, S, Kept> keeping,
            @Nullable TablesJournal journal,
            int smallAtOnce,
            String effectOfStop) {
        this.tables = List.copyOf(tables);
        this.total = tables.size();
        this.plan = plan;
        this.opener = opener;
        this.listener = listener;
        this.keeping = keeping;
        this.journal = journal;
        this.smallAtOnce = smallAtOnce;
        this.effectOfStop = effectOfStop;
        synchronized (this) {
            for (Table each : tables.stream()
                    .sorted(Comparator.comparingLong(Table::bytes).reversed())
                    .toList()) {
                queue(each);
            }
            if (journal != null && !tables.isEmpty()) {
                gone(tables.get(0).keyspace, journal);
            }
        }
    }

    /** Tables that were dropped since the run began must not be missing in its result. */
    @GuardedBy("this") private void gone(CqlIdentifier keyspace, TablesJournal of) {
        for (CqlIdentifier each : of.gone(tables.stream().map(Table::name).toList())) {
            Kept kept = of.doneBefore(keyspace, each);
            results.put(
                    each.asInternal(),
                    kept != null
                            ? TableResult.before(each, kept)
                            : TableResult.failed(
                                    each,
                                    new OverdriveException(
                                            Kind.SCHEMA,
                                            "the table was dropped since the run began, and is not complete: begin a"
                                                    + " new run without it")));
            total++;
        }
    }

    @GuardedBy("this") private void queue(Table table) {
        Kept kept;
        try {
            kept = journal == null ? null : journal.done(table.keyspace, table.name);
        } catch (OverdriveException e) {
            results.put(table.name.asInternal(), TableResult.failed(table.name, e));
            return;
        }
        if (kept != null) {
            results.put(table.name.asInternal(), TableResult.before(table.name, kept));
            weightDone += table.weight();
        } else {
            (table.isSmall() ? small : large).add(table);
        }
    }

    @Override
    public TablesSummary<S> run() {
        AtomicInteger lanes = new AtomicInteger();
        boolean interrupted = Workers.runAll(
                "overdrive-tables",
                1 + smallAtOnce,
                () -> Workers.guard("these tables", this::failed, () -> work(lanes.getAndIncrement() == 0)),
                this::stop);
        if (interrupted) {
            stop();
        }
        List<String> left = last();
        synchronized (this) {
            notDone = List.copyOf(left);
            outcome = fatal != null
                            || !left.isEmpty()
                            || results.values().stream().anyMatch(each -> each.outcome() == Outcome.FAILED)
                    ? Outcome.FAILED
                    : results.size() < total
                                    || results.values().stream().anyMatch(each -> each.outcome() == Outcome.STOPPED)
                            ? Outcome.STOPPED
                            : Outcome.DONE;
        }
        save(
                switch (outcome) {
                    case DONE -> State.DONE;
                    case STOPPED -> State.STOPPED;
                    case FAILED, RUNNING -> State.FAILED;
                });
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return progress();
    }

    /** The last step, unless the run was ended early: a run that is resumed comes to it. */
    private List<String> last() {
        List<TableResult<S>> ended;
        synchronized (this) {
            if (isStopped) {
                return List.of();
            }
            ended = List.copyOf(results.values());
        }
        return listener.last(ended);
    }

    private synchronized void failed(RuntimeException failure) {
        if (fatal == null) {
            fatal = failure;
            stop();
        }
    }

    private void work(boolean isOfLarge) {
        for (Table table = next(isOfLarge); table != null; table = next(isOfLarge)) {
            work(table);
        }
    }

    private synchronized @Nullable Table next(boolean isOfLarge) {
        return isStopped ? null : isOfLarge && !large.isEmpty() ? large.remove() : small.poll();
    }

    private void work(Table table) {
        Job<S> job;
        try {
            job = opener.open(table, journal == null ? null : journal.request(table.keyspace, table.name));
        } catch (OverdriveException | IllegalArgumentException e) {
            ended(table, TableResult.failed(table.name, e));
            return;
        }
        try (job) {
            if (begins(table, job)) {
                S summary = job.run();
                TableResult<S> result = TableResult.of(table.name, summary);
                if (journal != null && result.outcome() == Outcome.DONE) {
                    journal.keep(table.keyspace, table.name, keeping.apply(table, summary));
                }
                ended(table, result);
            }
        }
    }

    private synchronized boolean begins(Table table, Job<S> job) {
        if (!isStopped) {
            running.put(table, job);
            listener.begins(table, job);
        }
        return !isStopped;
    }

    private void ended(Table table, TableResult<S> result) {
        synchronized (this) {
            Job<S> job = running.remove(table);
            if (job != null) {
                timesOfEnded = timesOfEnded.plus(job.times());
            }
            if (result.outcome() == Outcome.DONE) {
                weightDone += table.weight();
            }
            results.put(table.name.asInternal(), result);
            if (result.failure() != null && isShared(result.failure())) {
                failed(result.failure());
            }
            listener.ended(result);
        }
        save(State.RUNNING);
    }

    /** Whether the other tables would fail for the same reason, each after a long time. */
    private static boolean isShared(RuntimeException failure) {
        return failure instanceof OverdriveException e && (e.kind() == Kind.CONNECT || e.kind() == Kind.DISK);
    }

    private void save(State state) {
        if (journal != null) {
            TablesSummary<S> now = progress();
            try {
                journal.status(state, now.rows(), now.done(), now.failure());
            } catch (OverdriveException e) {
                failed(e);
            }
        }
    }

    @Override
    public synchronized TablesSummary<S> progress() {
        long weight = tables.stream().mapToLong(Table::weight).sum();
        double done = weightDone;
        List<S> now = new ArrayList<>();
        for (Map.Entry<Table, Job<S>> each : running.entrySet()) {
            S summary = each.getValue().progress();
            now.add(summary);
            done += Math.max(0, summary.figures().done()) * each.getKey().weight();
        }
        return new TablesSummary<>(
                total,
                List.copyOf(results.values()),
                now,
                weight == 0 ? 1 : done / weight,
                Duration.ofNanos(System.nanoTime() - startNanos),
                notDone,
                outcome,
                outcome == Outcome.FAILED ? failure() : null);
    }

    @GuardedBy("this") private RuntimeException failure() {
        List<TableResult<S>> failed = results.values().stream()
                .filter(each -> each.outcome() == Outcome.FAILED)
                .toList();
        if (failed.isEmpty()) {
            return fatal != null ? fatal : new OverdriveException(Kind.SCHEMA, String.join("; ", notDone));
        }
        int all = total;
        int left = all - results.size();
        boolean areReasonsAbove = fatal == null;
        return new OverdriveException(
                fatal instanceof OverdriveException e ? e.kind() : Kind.INPUT,
                words -> failed.size() + " of " + all + " tables failed"
                        + (left == 0 ? "" : ", and " + left + " did not begin") + ": "
                        + Stream.concat(
                                        failed.stream()
                                                .limit(MAX_NAMED)
                                                .map(each -> each.table().asCql(true)
                                                        + (areReasonsAbove
                                                                ? ""
                                                                : ": "
                                                                        + reason(each)
                                                                                .in(words))),
                                        failed.size() > MAX_NAMED ? Stream.of("…") : Stream.of())
                                .collect(Collectors.joining(areReasonsAbove ? ", " : "; ")),
                failed.get(0).failure());
    }

    private static MessageText reason(TableResult<?> failed) {
        return MessageText.of(Objects.requireNonNull(failed.failure()));
    }

    @Override
    public synchronized boolean stop() {
        isStopped = true;
        boolean stops = true;
        for (Job<S> each : running.values()) {
            stops &= each.stop();
        }
        return stops;
    }

    @Override
    public synchronized JobTimes times() {
        JobTimes all = timesOfEnded;
        for (Job<S> each : running.values()) {
            all = all.plus(each.times());
        }
        return all;
    }

    @Override
    public Plan plan() {
        return plan;
    }

    @Override
    public String effectOfStop() {
        return effectOfStop;
    }

    @Override
    public @Nullable String runId() {
        return journal == null ? null : journal.id();
    }

    @Override
    public synchronized MessageText resumed() {
        long before =
                results.values().stream().filter(each -> each.before() != null).count();
        return before == 0
                ? MessageText.EMPTY
                : MessageText.plain(before + " of " + total + " tables were done before");
    }

    @Override
    public void close() {
        if (journal != null) {
            journal.close();
        }
    }
}
