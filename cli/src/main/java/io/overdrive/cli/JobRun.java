package io.overdrive.cli;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.report.EstimatePrinter;
import io.overdrive.cli.report.PlanPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.report.RunReport;
import io.overdrive.cli.watch.Progress;
import io.overdrive.cli.watch.Watch;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.PlanEstimate;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.sql.FirstRows;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs the job of a command: says what it is going to do, shows its progress, lets Ctrl-C stop it, and says how to resume it if it did not
 * finish. Immutable.
 *
 * @param json whether the summary is JSON
 */
record JobRun(CommandSpec command, Flow flow, Watch watch, boolean json) {
    /**
     * Opens a job whose query may have its first rows late: shows how far it is, and lets Ctrl-C end it.
     *
     * @param query null without a query
     * @throws OverdriveException of kind INTERRUPTED if it was ended
     */
    <T> T await(@Nullable FirstRows query, Supplier<T> open) {
        if (query == null) {
            return open.get();
        }
        PrintWriter err = command.commandLine().getErr();
        try (Progress line = watch.await(query::rowsRead);
                Interrupts interrupts = Interrupts.handle(
                        Interrupts.always(query::end), new Interrupts.Effect("ends the query"), err)) {
            T opened = open.get();
            if (!query.isEnded()) {
                return opened;
            }
            if (opened instanceof Job<?> job) {
                job.close();
            }
        } catch (RuntimeException e) {
            if (!query.isEnded()) {
                throw e;
            }
        }
        throw new OverdriveException(
                Kind.INTERRUPTED, "the query was ended before it had a row, and nothing was written");
    }

    /**
     * Shows the plan, and does the work.
     *
     * @param report prints the summary, which has the plan in JSON, and returns the exit code
     * @return the exit code
     */
    <S extends Summary> int run(Job<S> job, ToIntBiFunction<S, PlanPrinter> report) {
        PlanPrinter plan = new PlanPrinter(job.plan(), flow.guard());
        PrintWriter err = command.commandLine().getErr();
        job.warnings().forEach(warning -> err.println("overdrive: " + warning));
        plan.show(err, isJson());
        String run = job.runId();
        watch.begin(run, plan::text);
        String resumed = job.resumed().in(OptionNames.words(command));
        if (run != null && !resumed.isEmpty()) {
            err.println("overdrive: resumes run " + run + ": " + resumed);
        }
        ReportMixin.work(command, run, job.plan(), flow.connections());
        flow.watch(job::times);
        S summary = watched(job, err);
        command.commandLine().getOut().flush();
        if (StandardOutput.isReaderGone()) {
            return Main.READER_GONE;
        }
        int code = report.applyAsInt(summary, plan);
        if (run != null && summary.outcome() != Summary.Outcome.DONE) {
            err.println("overdrive: to continue"
                    + (RejectLimit.hasEnded(summary)
                            ? " run " + run + ": " + RejectLimit.WAY_OUT.in(OptionNames.words(command))
                            : ": overdrive resume " + run));
        }
        return code;
    }

    /**
     * Shows the plan of a job and what it would take, in place of running it.
     *
     * @param warnings of the job
     * @param reading the road of rows that it reads
     * @param out gets the estimate
     * @param notDone what was not done: "no row was read"
     * @return the exit code
     */
    int dryRun(Plan plan, List<String> warnings, Road reading, PrintWriter out, String notDone) {
        PlanPrinter printer = new PlanPrinter(plan, flow.guard());
        PrintWriter err = command.commandLine().getErr();
        warnings.forEach(warning -> err.println("overdrive: " + warning));
        printer.show(err, json);
        Report report = new EstimatePrinter(PlanEstimate.of(plan, reading, client(flow)), printer);
        watch.log(printer::text);
        watch.log(report::text);
        report.print(out, json);
        err.println("overdrive: dry run: " + notDone);
        watch.done();
        return Main.DONE;
    }

    /** The summary of a dry run of a load, with what the load would take. */
    Report estimated(Report summary, Plan plan, Duration inputTime) {
        Estimate estimate = PlanEstimate.of(plan, Road.READ, client(flow)).withInputTime(inputTime);
        return new EstimatePrinter(estimate, new PlanPrinter(plan, flow.guard())).after(summary);
    }

    private static Estimate.Client client(Flow flow) {
        int connections = 0;
        long tokens = 0;
        for (Overdrive overdrive : flow.connections()) {
            Metadata metadata = overdrive.session().getMetadata();
            connections += metadata.getNodes().values().stream()
                    .mapToInt(Node::getOpenConnections)
                    .sum();
            tokens += metadata.getTokenMap()
                    .map(map -> map.getTokenRanges().size())
                    .orElse(0);
        }
        if (flow.guard() != null) {
            connections *= 2; // it has a separate session, from the first request on
        }
        Runtime machine = Runtime.getRuntime();
        return new Estimate.Client(machine.availableProcessors(), machine.maxMemory(), connections, tokens);
    }

    /** Ctrl-C ends it in an orderly way. */
    private <S extends Summary> S watched(Job<S> job, PrintWriter err) {
        try (Watch.Watching watching = watch.start(() -> job.progress().figures(), flow);
                Interrupts interrupts = Interrupts.handle(job::stop, effectOfStop(job), err)) {
            S summary = job.run();
            watching.end(summary.outcome());
            return summary;
        }
    }

    private static Interrupts.Effect effectOfStop(Job<?> job) {
        String run = job.runId();
        return run == null
                ? new Interrupts.Effect(job.effectOfStop())
                : new Interrupts.Effect(job.effectOfStop(), "to continue: overdrive resume " + run);
    }

    /** Prints the summary, with the plan in JSON. */
    void print(Report report, PlanPrinter plan, PrintWriter out) {
        print(report, plan, out, /* more */ members -> {});
    }

    /** Prints the summary, with the plan and more members in JSON. */
    void print(Report report, PlanPrinter plan, PrintWriter out, Report.Members more) {
        Report whole = report.ofRun(plan, flow, watch, more);
        watch.log(whole::text);
        whole.print(out, json);
        RunReport file = ReportMixin.of(command);
        if (file != null) {
            file.summary(whole);
        }
    }

    /** Whether the plan is in the summary, as for a program. */
    private boolean isJson() {
        return json || Caller.current() != null;
    }
}
