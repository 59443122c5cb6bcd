package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Description of a run, as written when it begins. Immutable. Arguments hold no passwords, because no option takes one.
 *
 * @param command such as {@code load}
 * @param arguments options in the form {@code --name=value}, then {@code --} and the other arguments
 * @param directory the working directory, from which paths in the arguments start
 * @param version of the program
 * @param targets the tables
 * @param inputs files that are read
 * @param values further values of the job, by name
 */
public record RunInfo(
        String command,
        List<String> arguments,
        Path directory,
        Instant started,
        String version,
        List<RunTarget> targets,
        List<Input> inputs,
        Map<String, String> values) {
    /** The value of a run that a later one may follow: when it began to read. Such a run is kept longer. */
    public static final String BEGAN = "began";

    /** Advice for a run that cannot be resumed. */
    public static final MessageText WAY_OUT = words -> "begin a new one by its command, without "
            + words.of(JobOption.RESUME) + " or " + words.of(JobOption.RESUME_IF_ANY);

    /**
     * A file that the run reads.
     *
     * @param path as the user wrote it
     * @param modified time of the last change
     */
    public record Input(String path, long bytes, Instant modified) {}

    public RunInfo {
        arguments = List.copyOf(arguments);
        targets = List.copyOf(targets);
        inputs = List.copyOf(inputs);
        values = Map.copyOf(values);
    }

    /**
     * Refuses to resume the run with other tables.
     *
     * @param now the same tables as they are now, in the same order
     * @throws OverdriveException of kind INPUT that says what has changed
     */
    public void requireSameTargets(List<RunTarget> now) {
        for (int i = 0; i < targets.size(); i++) {
            String change = targets.get(i).change(now.get(i));
            if (change != null) {
                throw new OverdriveException(
                        Kind.INPUT, words -> "the run cannot be resumed: " + change + "; " + WAY_OUT.in(words));
            }
        }
    }
}
