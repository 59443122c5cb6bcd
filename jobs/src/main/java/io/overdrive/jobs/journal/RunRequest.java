package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wish of a caller that its job keeps a journal, or resumes a run. Immutable.
 *
 * @param command such as {@code load}
 * @param arguments as {@link RunInfo#arguments}
 * @param directory the working directory
 * @param version of the program
 * @param resumes the id of the run to resume; null to begin one
 * @param onlyIfInputIsSame whether a new run begins if the input of the run to resume is another one now
 * @param values that a run that begins keeps, besides those of its job
 */
public record RunRequest(
        RunStore store,
        String command,
        List<String> arguments,
        Path directory,
        String version,
        @Nullable String resumes,
        boolean onlyIfInputIsSame,
        Map<String, String> values) {
    public RunRequest {
        arguments = List.copyOf(arguments);
        values = Map.copyOf(values);
    }

    public RunRequest(
            RunStore store,
            String command,
            List<String> arguments,
            Path directory,
            String version,
            @Nullable String resumes) {
        this(store, command, arguments, directory, version, resumes, /* onlyIfInputIsSame */ false, Map.of());
    }

    /** The same, but if the input of the run to resume is another one now, a new run begins. */
    public RunRequest ifInputIsSame() {
        return new RunRequest(
                store, command, arguments, directory, version, resumes, /* onlyIfInputIsSame */ true, values);
    }

    /** The same, but a run that begins keeps these values. */
    public RunRequest keeping(Map<String, String> kept) {
        return new RunRequest(store, command, arguments, directory, version, resumes, onlyIfInputIsSame, kept);
    }

    /** Whether a run is to be resumed. */
    public boolean isResume() {
        return resumes != null;
    }

    /**
     * The run to resume, with its lock; its journal says what is finished. The job still has to compare targets and inputs.
     *
     * @throws OverdriveException of kind INPUT if there is no such run, it is of another command, it is running, or it is done
     */
    public RunDirectory resume() {
        if (resumes == null) {
            throw new IllegalStateException("it begins a run");
        }
        RunDirectory run = store.reopen(resumes);
        if (!run.info().command().equals(command)) {
            run.close();
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + resumes + " is a run of overdrive " + run.info().command()
                            + ", and cannot be resumed by overdrive " + command
                            + "; to resume it: overdrive resume "
                            + resumes);
        }
        return run;
    }

    /**
     * Begins a run, and holds its lock.
     *
     * @throws OverdriveException of kind DISK if its directory cannot be written; of kind INPUT if it is to resume any run of its command,
     *     and another process has just begun one
     */
    public RunDirectory begin(List<RunTarget> targets, List<RunInfo.Input> inputs, Map<String, String> ofJob) {
        Map<String, String> all = new HashMap<>(values);
        all.putAll(ofJob);
        RunDirectory begun =
                store.create(new RunInfo(command, arguments, directory, Instant.now(), version, targets, inputs, all));
        // Both are there before either looks, so that at least one sees the other.
        String other = onlyIfInputIsSame ? otherRunning(begun) : null;
        if (other != null) {
            store.discard(begun); // else it would be the newest run, and be resumed instead of the other one
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + other + " of this command is still running: stop it, or wait until it has ended");
        }
        return begun;
    }

    private @Nullable String otherRunning(RunDirectory begun) {
        return store.running()
                .filter(each -> !each.id().equals(begun.id())
                        && !each.id().equals(resumes)
                        && each.info().command().equals(command)
                        && each.info().arguments().equals(arguments)
                        && each.info().directory().equals(directory))
                .map(RunStore.Entry::id)
                .findFirst()
                .orElse(null);
    }
}
