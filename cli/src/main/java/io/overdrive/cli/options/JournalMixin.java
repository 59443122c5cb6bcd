package io.overdrive.cli.options;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.config.Configuration;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.jobs.StateDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options about the journal of a run; shared by the commands that can be resumed. */
public final class JournalMixin {
    static final String RESUME = "--resume";
    /** Option that {@code overdrive resume} passes on. */
    public static final String RESUME_RUN = "--resume-run";

    static final String RESUME_IF_ANY = "--resume-if-any";
    static final String NO_JOURNAL = "--no-journal";

    @Option(
            names = RESUME,
            description = "Resume the newest run of this command that was stopped or killed, or failed: its finished"
                    + " part is not repeated. The table, and the files of a load, must be the same.")
    private boolean resume;

    @Option(
            names = RESUME_IF_ANY,
            description =
                    "As --resume if there is such a run, else begin one; for schedulers, which repeat a command that"
                            + " failed. A load begins one, too, with a warning, if that run had other files.")
    private boolean resumeIfAny;

    @Option(names = RESUME_RUN, paramLabel = "RUN", description = "As --resume, for the run with this id.")
    private @Nullable String run;

    @Option(names = NO_JOURNAL, description = "Keep no journal; the run cannot be resumed.")
    private boolean none;

    /** The option by which a run is to be resumed; null if none is given. */
    public @Nullable String resumeOption() {
        return resume ? RESUME : resumeIfAny ? RESUME_IF_ANY : run != null ? RESUME_RUN : null;
    }

    /** The option by which a run has to be resumed; null if a new one may begin. */
    public @Nullable String mustResume() {
        return resumeIfAny ? null : resumeOption();
    }

    /**
     * Refuses to resume a run.
     *
     * @param option by which nothing is read or written
     */
    public void refuseResume(String option) {
        String resumed = resumeOption();
        if (resumed != null) {
            throw new IllegalArgumentException(
                    resumed + " does not go with " + option + ", which runs nothing: leave out one of them");
        }
    }

    /** Where runs are kept, without those that are too old. */
    public static RunStore store() {
        RunStore store = new RunStore(runs(StateDirectory.ofUser()), OptionNames::of);
        store.removeOld(Instant.now());
        return store;
    }

    private static Path runs(StateDirectory state) {
        return state.resolve("runs");
    }

    /**
     * The run to begin or to resume; null if no journal is to be kept, or if none can be, which the user is warned of.
     *
     * @param canHaveJournal false for a job that cannot be resumed in any case: there is nothing to warn of
     * @throws OverdriveException of kind INPUT if there is no run to resume, or if it is still running
     */
    public @Nullable RunRequest request(CommandSpec command, boolean canHaveJournal) {
        boolean isResume = resume || run != null;
        if (none) {
            if (isResume || resumeIfAny) {
                throw new IllegalArgumentException(
                        (resumeIfAny ? RESUME_IF_ANY : RESUME) + " needs the journal: leave out " + NO_JOURNAL);
            }
            return null;
        }
        if (!isResume && (!canHaveJournal || !canWriteRuns(command))) {
            return null;
        }
        RunStore store = store();
        List<String> arguments = RunArguments.of(command.commandLine().getParseResult());
        Path directory = Path.of("").toAbsolutePath();
        if (run != null) {
            requireSameCommand(store, run, command, arguments, directory);
        }
        String id = run != null
                ? run
                : isResume
                        ? find(store, command, arguments, directory)
                        : resumeIfAny ? findIfAny(store, command, arguments, directory) : null;
        RunRequest request = new RunRequest(store, command.name(), arguments, directory, version(command), id);
        return resumeIfAny ? request.ifInputIsSame() : request;
    }

    /** The default directory may be read-only, as in a container; one that the user has named has to be writable. */
    private static boolean canWriteRuns(CommandSpec command) {
        StateDirectory state = StateDirectory.ofUser();
        String whyNot = state.isNamed() ? null : WritableDirectory.whyNot(runs(state));
        if (whyNot != null) {
            command.commandLine()
                    .getErr()
                    .println("overdrive: no journal is kept, so this run cannot be resumed: " + runs(state)
                            + " cannot be written (" + whyNot
                            + "); name another directory by the environment variable OVERDRIVE_STATE");
        }
        return whyNot == null;
    }

    private static String version(CommandSpec command) {
        String[] version = command.root().version();
        return version.length == 0 ? "" : version[0];
    }

    /** Other rows, columns or files than those of the run would be taken for what it has finished. */
    private static void requireSameCommand(
            RunStore store, String run, CommandSpec command, List<String> arguments, Path directory) {
        RunStore.Entry found = store.newestFirst()
                .filter(each -> each.id().equals(run) && each.status().state().isResumable())
                .findFirst()
                .orElse(null);
        if (found == null) {
            return; // who reopens it says why not
        }
        List<String> differences = found.info().command().equals(command.name())
                ? differences(found, command, arguments, directory)
                : List.of("it is a run of overdrive " + found.info().command());
        if (!differences.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + run + " is not one of this command: " + String.join(", ", differences)
                            + "; to resume it: overdrive resume " + run);
        }
    }

    private static String find(RunStore store, CommandSpec command, List<String> arguments, Path directory) {
        RunStore.Entry newest = newest(store, command, arguments, directory);
        if (newest != null) {
            refuseRunning(newest);
        }
        List<RunStore.Entry> unfinished = store.list().stream()
                .filter(each -> each.info().command().equals(command.name())
                        && each.status().state().isResumable())
                .toList();
        return unfinished.stream()
                .filter(each -> differences(each, command, arguments, directory).isEmpty())
                .map(RunStore.Entry::id)
                .findFirst()
                .orElseThrow(() -> new OverdriveException(
                        Kind.INPUT,
                        "there is no unfinished run of this command to resume"
                                + unfinished.stream()
                                        .min(Comparator.comparingInt(
                                                each -> differences(each, command, arguments, directory)
                                                        .size()))
                                        .map(each -> "; the nearest is " + each.id() + ": "
                                                + String.join(", ", differences(each, command, arguments, directory)))
                                        .orElse("")
                                + "; see: overdrive runs"));
    }

    /** The newest run of this command, unless it is done. */
    static @Nullable String findIfAny(RunStore store, CommandSpec command, List<String> arguments, Path directory) {
        RunStore.Entry newest = newest(store, command, arguments, directory);
        if (newest != null) {
            refuseRunning(newest);
        }
        return newest != null && newest.status().state().isResumable() ? newest.id() : null;
    }

    private static RunStore.@Nullable Entry newest(
            RunStore store, CommandSpec command, List<String> arguments, Path directory) {
        return store.newestFirst()
                .filter(each -> each.info().command().equals(command.name())
                        && differences(each, command, arguments, directory).isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static void refuseRunning(RunStore.Entry run) {
        if (run.status().state() == RunStatus.State.RUNNING) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + run.id() + " of this command is still running: stop it, or wait until it has ended");
        }
    }

    private static String origin(CommandSpec command, String argument) {
        String origin = Configuration.origin(command, argument.replaceFirst("=.*", ""));
        return origin.isEmpty() ? "" : " (from " + origin + ")";
    }

    private static List<String> differences(
            RunStore.Entry entry, CommandSpec command, List<String> arguments, Path directory) {
        List<String> differences = new ArrayList<>();
        List<String> then = entry.info().arguments();
        RunArguments.without(then, arguments).forEach(each -> differences.add("it had " + each));
        RunArguments.without(arguments, then)
                .forEach(each -> differences.add("it did not have " + each + origin(command, each)));
        if (differences.isEmpty() && !RunArguments.compared(then).equals(RunArguments.compared(arguments))) {
            differences.add("its inputs were in another order");
        }
        if (!entry.info().directory().equals(directory)) {
            differences.add("it ran in " + entry.info().directory());
        }
        return differences;
    }
}
