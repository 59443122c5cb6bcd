package io.overdrive.cli;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.watch.Figures;
import io.overdrive.cli.watch.GarbageWatch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.jobs.Summary;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Runs the work of a command with its progress and Ctrl-C, and derives the exit code. Stateless. */
final class Run {
    private Run() {}

    /**
     * Does the work while it is watched; Ctrl-C ends it in an orderly way, and a heap that is far too small at once.
     *
     * @param stops describes what {@code stop} does
     */
    static <T> T watch(
            Supplier<T> work,
            Supplier<Figures> figures,
            FlowMixin flow,
            WatchMixin watch,
            Runnable stop,
            String stops,
            PrintWriter err) {
        try (GarbageWatch garbage = GarbageWatch.start(err, Main.FAILED);
                WatchMixin.Watching watching = watch.start(figures, flow);
                Interrupts interrupts = Interrupts.handle(stop, stops, err)) {
            try {
                T result = work.get();
                watching.end(result instanceof Summary summary ? summary.outcome() : Summary.Outcome.DONE);
                return result;
            } catch (OverdriveException e) {
                watching.end(e.kind() == Kind.INTERRUPTED ? Summary.Outcome.STOPPED : Summary.Outcome.FAILED);
                throw e;
            }
        }
    }

    /** As {@link #end(Summary, int, CommandSpec)}, and fails a run that does not account for all of its rows. */
    static int end(Summary summary, long read, long written, long rejected, CommandSpec command) {
        if (read != written + rejected && summary.failure() == null) {
            PrintWriter err = command.commandLine().getErr();
            err.println(
                    "overdrive: rows read are not rows written + rows rejected, which must never happen: run it again,"
                            + " and report this");
            return Main.FAILED;
        }
        return end(summary, rejected > 0 ? Main.DONE_WITH_REJECTS : Main.DONE, command);
    }

    /** As {@link #end(Summary, long, long, long, CommandSpec)}, of a run that writes nothing if it is stopped. */
    static int endOfAllOrNothing(Summary summary, long read, long written, long rejected, CommandSpec command) {
        return summary.outcome() == Summary.Outcome.STOPPED
                ? end(summary, Main.DONE, command)
                : end(summary, read, written, rejected, command);
    }

    /** Prints what went wrong, if anything did, and returns the exit code: the one given if the work was done. */
    static int end(Summary summary, int done, CommandSpec command) {
        PrintWriter err = command.commandLine().getErr();
        RuntimeException failure = summary.failure();
        if (failure != null) {
            String message = OptionNames.in(command, String.valueOf(failure.getMessage()));
            err.println("overdrive: " + message);
            WatchMixin.failed(message, failure);
        }
        return switch (summary.outcome()) {
            case DONE -> done;
            case STOPPED -> Main.INTERRUPTED;
            case FAILED, RUNNING -> Main.FAILED;
        };
    }

    /**
     * Says how to go on with a run that did not finish, as the last line.
     *
     * @param run null if it keeps no journal
     */
    static void sayHowToResume(Summary summary, @Nullable String run, PrintWriter err) {
        if (run != null && summary.outcome() != Summary.Outcome.DONE) {
            err.println("overdrive: to go on: overdrive resume " + run);
        }
    }

    /**
     * Names what a failed run leaves behind.
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
     * Says how to go on with a run that did not finish, as the last line.
     *
     * @param run null if it keeps no journal
     */
    static void sayHowToResume(@Nullable String run, PrintWriter err) {
        if (run != null) {
            err.println("overdrive: to go on: overdrive resume " + run);
        }
    }

    /**
     * Says that a run is resumed, before it goes on.
     *
     * @param run null if it has no journal
     * @param rows that it has done before; 0 if it begins
     */
    static void sayWhatIsResumed(@Nullable String run, long rows, PrintWriter err) {
        if (run != null && rows > 0) {
            err.println("overdrive: resumes run " + run + ": " + Amount.count(rows) + " rows were done before");
        }
    }
}
