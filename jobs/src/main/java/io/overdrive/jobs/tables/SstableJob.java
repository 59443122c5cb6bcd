package io.overdrive.jobs.tables;

import io.overdrive.jobs.Job;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrappedJob;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.sstable.read.LeftOut;
import io.overdrive.sstable.read.SstableRows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that reads one of several tables from SSTables, and closes them. It keeps no journal, so the journal of the run only has whether the
 * table is done. Thread-safe as {@link Job} says.
 *
 * @param <S> the type of its summary
 */
public final class SstableJob<S extends Summary> extends WrappedJob<S> {
    private final SstableRows rows;
    private final Consumer<LeftOut> ended;
    private final @Nullable RunDirectory run;

    private SstableJob(Job<S> job, SstableRows rows, Consumer<LeftOut> ended, @Nullable RunDirectory run) {
        super(job);
        this.rows = rows;
        this.ended = ended;
        this.run = run;
    }

    /**
     * Opens a job.
     *
     * @param rows are closed with it, or if it cannot be opened
     * @param ended gets what was left out of the rows that were read
     * @param request for a journal of this table; null for none
     * @param targets of this table, for the journal
     */
    public static <S extends Summary> SstableJob<S> open(
            Supplier<? extends Job<S>> opener,
            SstableRows rows,
            Consumer<LeftOut> ended,
            @Nullable RunRequest request,
            List<RunTarget> targets) {
        Job<S> job = null;
        try {
            job = opener.get();
            RunDirectory run = request == null
                    ? null
                    : request.isResume() ? request.resume() : request.begin(targets, List.of(), Map.of());
            if (run != null) {
                run.info().requireSameTargets(targets);
            }
            return new SstableJob<>(job, rows, ended, run);
        } catch (RuntimeException e) {
            if (job != null) {
                job.close();
            }
            rows.close();
            throw e;
        }
    }

    @Override
    public S run() {
        S summary = super.run();
        ended.accept(rows.leftOut());
        if (run != null) {
            State state =
                    switch (summary.outcome()) {
                        case DONE -> State.DONE;
                        case STOPPED -> State.STOPPED;
                        case FAILED, RUNNING -> State.FAILED;
                    };
            long done = summary.outcome() == Outcome.DONE ? TablesSummary.rows(summary) : 0;
            run.status(new RunStatus(state, Instant.now(), done, /* done */ -1, /* failure */ ""));
        }
        return summary;
    }

    @Override
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(rows.ofColumns());
        warnings.addAll(super.warnings());
        return warnings;
    }

    @Override
    public void close() {
        try {
            super.close();
        } finally {
            rows.close();
            if (run != null) {
                run.close();
            }
        }
    }
}
