package io.overdrive.jobs.copy;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.CqlTarget;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.create.TableLike;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Prepares a copy: two tables, and what is done besides copying rows. Confined to one thread. */
public final class CopyBuilder {
    private final Overdrive source;
    private final ScanOptions.Builder read;
    private final Overdrive target;
    private final WriteOptions.Builder write;
    private final CopyOptions options;
    private @Nullable TableCreator creator;
    private @Nullable RunRequest request;
    private Function<List<RowWriter>, RowTarget> into = writers -> new CqlTarget();

    CopyBuilder(
            Overdrive source,
            ScanOptions.Builder read,
            Overdrive target,
            WriteOptions.Builder write,
            CopyOptions options) {
        this.source = source;
        this.read = read;
        this.target = target;
        this.write = write;
        this.options = options;
    }

    /**
     * Creates the target if it is missing: like the source, with the copied columns, and with its keyspace and user-defined types.
     * Everything that can be checked is checked before. Default: it must exist.
     *
     * @param with for the target's cluster; null for the default
     */
    public CopyBuilder create(@Nullable TableCreator with) {
        creator = with;
        return this;
    }

    /**
     * Keeps a journal from which the run can be resumed, or resumes a run. Rows of splits that it had not finished are copied again, with
     * later write times unless their own are kept. Default: no journal.
     *
     * @param run without effect if the copy cannot be resumed ({@link Copier#whyNotResumable}); null for the default
     */
    public CopyBuilder journal(@Nullable RunRequest run) {
        request = run;
        return this;
    }

    /**
     * Takes the rows elsewhere than to the cluster, which needs a copy without a journal.
     *
     * @param place opens that place; what it throws is thrown
     */
    public CopyBuilder into(Function<List<RowWriter>, RowTarget> place) {
        into = place;
        return this;
    }

    /**
     * A copy that was checked and not begun.
     *
     * @param isMissing whether it would create the target
     * @param warnings as {@link Copier#warnings} has them
     */
    public record Check(boolean isMissing, Plan plan, List<String> warnings) {
        /** The same copy, whose rows are written in another way. */
        public Check writing(Plan.Part writes) {
            return new Check(isMissing, new Plan(plan.parts().get(0), writes).of(plan.after()), warnings);
        }
    }

    /**
     * Checks what {@link #open} checks before it creates anything, and has the creator, if it is given, show what it would create. Reads
     * no row.
     */
    public Check check() {
        CopyStart start = start();
        try (Scan scan = start.scan()) {
            TableLike missing = start.missing();
            if (missing != null) {
                Objects.requireNonNull(creator).showLike(source, missing, isTimeToLiveOfTable());
            }
            return new Check(
                    missing != null,
                    new Plan(Plan.reads(scan), writes()).of(options.after()),
                    Copier.warnings(scan, start.plan(), start.keepsMarkers()));
        }
    }

    /** The part of the plan about writing over CQL, as far as it is known before the copy is open. */
    private Plan.Part writes() {
        WriteOptions to = write.build();
        return new Plan.Writes(
                "writes",
                target.reach(String.valueOf(to.keyspace()), String.valueOf(to.table()), to.consistency()),
                /* grouping */ null,
                /* gathersSingles */ false,
                to);
    }

    /**
     * Plans the scan and opens the writer.
     *
     * @throws OverdriveException of kind INPUT if the mapping does not match the tables, a type cannot be converted, the target exists and
     *     is not like the table that would be created, or a run cannot be resumed
     * @throws OverdriveException if one of the tables is invalid
     */
    public Copier open() {
        CopyStart start = start();
        SplitJournal splits = null;
        try {
            TableLike missing = start.missing();
            if (missing != null && creator != null) {
                creator.createLike(source, missing, isTimeToLiveOfTable());
            }
            splits = journal(start);
            return new Copier(options, start, target, write, request != null && request.isResume(), splits, into);
        } catch (RuntimeException e) {
            start.scan().close();
            if (splits != null) {
                splits.closeAfter(e);
            }
            throw e;
        }
    }

    private CopyStart start() {
        return CopyStart.of(source, read, target, write, options, creator);
    }

    private boolean isTimeToLiveOfTable() {
        return !options.keepTimes()
                && !options.mapping().usesTtl()
                && write.build().ttl() == null;
    }

    private @Nullable SplitJournal journal(CopyStart start) {
        RunRequest run = request;
        if (run == null) {
            return null;
        }
        Scan scan = start.scan();
        String whyNot = Copier.whyNotResumable(scan);
        if (!whyNot.isEmpty()) {
            if (run.isResume()) {
                throw new OverdriveException(Kind.INPUT, "the run cannot be resumed: " + whyNot);
            }
            return null;
        }
        WriteOptions to = write.build();
        RunTarget writes = RunTarget.of(
                target, target.table(Objects.requireNonNull(to.keyspace()), Objects.requireNonNull(to.table())));
        SplitJournal splits = SplitJournal.open(
                run,
                List.of(
                        RunTarget.of(source, start.source())
                                .rowsOf(scan.options().source()),
                        writes));
        try {
            splits.prepare(scan);
            return splits;
        } catch (RuntimeException e) {
            splits.closeAfter(e);
            throw e;
        }
    }
}
