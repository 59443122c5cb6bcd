package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.TableFailure;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.report.RunReport;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrappedJob;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.create.KeyspaceCreator;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.TableResult;
import io.overdrive.jobs.tables.TableResult.Kept;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesJob.Table;
import io.overdrive.jobs.tables.TablesJournal;
import io.overdrive.jobs.tables.TablesSummary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs the work of a command on several tables of a keyspace. Immutable.
 *
 * @param <S> the type of the summary of one table
 * @param out gets the summary
 * @param kind how the command describes the rows
 * @param end how a table that is done has ended
 * @param effectOfStop as {@link Job#effectOfStop} has it
 */
record TablesRun<S extends Summary>(
        JobRun run,
        PrintWriter out,
        TableSelection selection,
        TablesPrinter.Kind<S> kind,
        End<S> end,
        String effectOfStop) {
    /**
     * How a table that is done has ended.
     *
     * @param <S> the type of its summary
     */
    @FunctionalInterface
    interface End<S> {
        /** Its exit code. */
        int code(CqlIdentifier table, S summary);

        /** The values and rows that were left out, in words, besides those of the summary. */
        default List<String> leftOut(CqlIdentifier table) {
            return List.of();
        }

        /** The end of a table that may have been read from files. */
        static <S> End<S> of(FromSstablesMixin files, ToIntFunction<S> code) {
            return new End<>() {
                @Override
                public int code(CqlIdentifier table, S summary) {
                    return files.code(table, code.applyAsInt(summary));
                }

                @Override
                public List<String> leftOut(CqlIdentifier table) {
                    return files.leftOut(table);
                }
            };
        }
    }

    /** Memory of a small table for rows that wait, and for pages, as there are others beside it. */
    static final long MEMORY_OF_SMALL = 8 << 20;

    /**
     * Does the work.
     *
     * @param request null for no journal
     * @param targets the clusters of the run, for its journal
     * @param targetsOf the targets of one table, which its journal has, too
     * @param last does what has to follow, as {@link TablesJob.Listener#last} says
     * @param smallAtOnce as {@link TablesJob} has it
     * @return the exit code
     */
    int run(
            List<Table> tables,
            Plan plan,
            TablesJob.Opener<S> opener,
            @Nullable RunRequest request,
            List<RunTarget> targets,
            Function<CqlIdentifier, List<RunTarget>> targetsOf,
            Function<List<TableResult<S>>, List<String>> last,
            int smallAtOnce) {
        TablesJournal journal = request == null ? null : TablesJournal.open(request, targets, targetsOf);
        return run(tables, plan, opener, journal, last, smallAtOnce);
    }

    /** As {@link #run(List, Plan, TablesJob.Opener, RunRequest, List, Function, Function, int)}, with a journal that it closes. */
    int run(
            List<Table> tables,
            Plan plan,
            TablesJob.Opener<S> opener,
            @Nullable TablesJournal journal,
            Function<List<TableResult<S>>, List<String>> last,
            int smallAtOnce) {
        CommandSpec spec = run.command();
        try (TablesJob<S> job = new TablesJob<>(
                tables,
                plan,
                opener,
                new Lines(spec.commandLine().getErr(), last),
                (table, one) -> new Kept(
                        TablesSummary.rows(one),
                        end.code(table.name(), one),
                        line(table.name(), one),
                        RunReport.ofTable(
                                ReportMixin.of(spec),
                                table.name().asCql(true),
                                kind.report().apply(one),
                                end.leftOut(table.name()))),
                journal,
                smallAtOnce,
                effectOfStop)) {
            return run.run(job, (summary, printer) -> {
                report(summary);
                run.print(new TablesPrinter<>(spec, summary, selection.text(), job.runId(), kind), printer, out);
                return Run.end(summary, done(summary), spec);
            });
        }
    }

    /** The rows of a table for a later process of the run, which cannot say in a message what was left out. */
    private String line(CqlIdentifier table, S one) {
        List<String> left = end.leftOut(table);
        return kind.line().apply(one) + (left.isEmpty() ? "" : "; left out: " + String.join(", ", left));
    }

    /** Adds what was left out of tables to the report, if there is one. */
    private void report(TablesSummary<S> summary) {
        RunReport report = ReportMixin.of(run.command());
        for (TableResult<S> each : summary.results()) {
            if (report != null && each.summary() != null) {
                report.leftOut(each.table().asCql(true), end.leftOut(each.table()));
            }
        }
    }

    private int done(TablesSummary<S> summary) {
        IntStream now = summary.results().stream().mapToInt(each -> {
            S one = each.summary();
            return one == null ? Main.DONE : end.code(each.table(), one);
        });
        IntStream before = summary.before().stream().mapToInt(Kept::code);
        return IntStream.concat(now, before).max().orElse(Main.DONE);
    }

    /**
     * Checks each table, and shows the plan of all of them and what the run would take.
     *
     * @param reads the part of the plan about reading; others follow
     * @param check checks a table, and returns its plan
     * @param notDone as {@link JobRun#dryRun} has it
     * @return the exit code: FAILED if a table would fail
     */
    int dryRun(
            List<Table> tables,
            Plan.ReadsTables reads,
            List<Plan.Part> others,
            Function<Table, Plan> check,
            Road road,
            String notDone) {
        Lines lines = new Lines(run.command().commandLine().getErr(), /* last */ results -> List.of());
        Plan.Extent extent = Plan.Extent.UNKNOWN;
        WrittenAfter after = null;
        int failed = 0;
        for (Table each : tables) {
            try {
                Plan plan = check.apply(each);
                after = plan.after() == null ? after : plan.after();
                for (Plan.Part part : plan.parts()) {
                    extent = part instanceof Plan.Reads of ? extent.plus(of.extent()) : extent;
                }
            } catch (OverdriveException | IllegalArgumentException e) {
                failed++;
                lines.failed(each.name(), "WOULD FAIL", e);
            }
        }
        List<Plan.Part> parts = new ArrayList<>();
        parts.add(reads.of(extent));
        parts.addAll(others);
        int code = run.dryRun(new Plan(parts).of(after), List.of(), road, out, notDone);
        return failed > 0 ? Main.FAILED : code;
    }

    /** Creates indexes and views of the tables that are done, if the schema is created; returns what could not be. */
    static List<String> dependents(@Nullable KeyspaceCreator schema, List<? extends TableResult<?>> results) {
        if (schema == null) {
            return List.of();
        }
        schema.createDependents(results.stream()
                .filter(each -> each.outcome() == Outcome.DONE)
                .map(TableResult::table)
                .toList());
        return schema.failures().stream().map(each -> "NOT CREATED: " + each).toList();
    }

    /**
     * The number of small tables that are worked on beside a large one: none if there is a limit for a second, which is one for all of
     * them.
     */
    static int atOnce(long rowsPerSecond, long bytesPerSecond) {
        return rowsPerSecond == Long.MAX_VALUE && bytesPerSecond == Long.MAX_VALUE ? TablesJob.SMALL_AT_ONCE : 0;
    }

    /** Refuses a table that was dropped since the run has found it. */
    static void requireKept(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier table) {
        require(overdrive, keyspace, table, "was dropped since the run has found it");
    }

    /**
     * Refuses a table whose name is that of another one, and that is missing: names that are similar mean nothing.
     *
     * @param why it is missing, or what to do
     */
    static void require(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier table, String why) {
        if (overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .flatMap(each -> each.getTable(table))
                .isEmpty()) {
            throw new OverdriveException(
                    Kind.SCHEMA, "[" + keyspace.asCql(true) + "." + table.asCql(true) + "] " + why);
        }
    }

    /** The tables that are read, as a part of the plan. */
    Plan.ReadsTables reads(Reach reach, List<Table> tables) {
        long bytes = tables.stream().mapToLong(Table::bytes).sum();
        return new Plan.ReadsTables("reads", selection.text(), reach, tables.size(), bytes, Plan.Extent.UNKNOWN);
    }

    /**
     * A job, after whose work something else is done.
     *
     * @param <S> the type of its summary
     */
    static final class Then<S extends Summary> extends WrappedJob<S> {
        private final Runnable then;

        /** @param then whatever follows when the work has ended */
        Then(Job<S> job, Runnable then) {
            super(job);
            this.then = then;
        }

        @Override
        public S run() {
            S summary = super.run();
            then.run();
            return summary;
        }
    }

    /** Reports tables while others are being worked on. */
    private final class Lines implements TablesJob.Listener<S> {
        private final PrintWriter err;
        private final Function<List<TableResult<S>>, List<String>> last;

        Lines(PrintWriter err, Function<List<TableResult<S>>, List<String>> last) {
            this.err = err;
            this.last = last;
        }

        @Override
        public List<String> last(List<TableResult<S>> results) {
            return last.apply(results);
        }

        @Override
        public void begins(Table table, Job<S> job) {
            job.warnings().forEach(warning -> say(table.name().asCql(true), warning));
        }

        @Override
        public void ended(TableResult<S> result) {
            RuntimeException failure = result.failure();
            if (result.outcome() == Outcome.FAILED && failure != null) {
                failed(result.table(), "FAILED", failure);
            }
        }

        void failed(CqlIdentifier table, String how, RuntimeException failure) {
            say(table.asCql(true), how + ": " + TableFailure.in(run.command(), table, failure));
        }

        private void say(String table, String what) {
            err.println("overdrive: " + table + ": " + what);
            err.flush();
        }
    }
}
