package io.overdrive.cli;

import io.overdrive.Overdrive;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.watch.Watch;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.WriteSummary;
import io.overdrive.jobs.create.GuardrailCheck;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** How a command ends: its exit code, and the report of a failure. Stateless. */
final class Run {
    private Run() {}

    /** As {@link #end(Summary, int, CommandSpec)}, and fails a run that does not account for all of its rows. */
    static int end(WriteSummary summary, CommandSpec command) {
        if (!summary.accountsForRows() && summary.failure() == null) {
            PrintWriter err = command.commandLine().getErr();
            Caller.fail(err, WriteSummary.NOT_ACCOUNTED, /* cause */ null);
            return Main.FAILED;
        }
        return end(summary, summary.rowsRejected() > 0 ? Main.DONE_WITH_REJECTS : Main.DONE, command);
    }

    /** Prints the failure, if any, and returns the exit code: the one given if the work was done. */
    static int end(Summary summary, int done, CommandSpec command) {
        PrintWriter err = command.commandLine().getErr();
        RuntimeException failure = summary.failure();
        if (failure != null) {
            String message = OptionNames.in(command, failure);
            Caller.fail(err, message, failure);
            Watch.failed(message, failure);
        }
        return switch (summary.outcome()) {
            case DONE -> done;
            case STOPPED -> Main.INTERRUPTED;
            case FAILED, RUNNING -> Main.FAILED;
        };
    }

    /**
     * Names the files that a failed run leaves behind.
     *
     * @param created {@code keyspace ks}, {@code table ks.t}
     */
    static void reportCreated(int code, List<String> created, PrintWriter err) {
        if (code == Main.FAILED && !created.isEmpty()) {
            int last = created.size() - 1;
            err.println("overdrive: this run has created "
                    + (last == 0 ? "" : String.join(", ", created.subList(0, last)) + " and ") + created.get(last)
                    + ", and has not deleted " + (last == 0 ? "it" : "them"));
        }
    }

    /**
     * Says what the guardrails of a target may refuse of the rows that are written to it over CQL; a dry run, also if that is not known.
     *
     * @throws io.overdrive.OverdriveException of kind INPUT if each row would be refused
     */
    static void sayLimits(Overdrive target, GuardrailCheck.Rows rows, boolean dryRun, PrintWriter err) {
        GuardrailCheck.of(target, rows).forEach(each -> err.println("overdrive: " + each));
        if (dryRun && GuardrailCheck.isHidden(target)) {
            err.println("overdrive: the target's guardrails are not known, as this user may not read"
                    + " system_views.settings (docs/guides/security.md)");
        }
    }
}
