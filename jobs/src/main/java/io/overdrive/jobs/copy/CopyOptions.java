package io.overdrive.jobs.copy;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import java.nio.file.Path;

/**
 * Options of a copy other than the options of its scan and writer. Immutable.
 *
 * @param mapping of columns of the source to columns of the target
 * @param keepTimes whether cells keep their write times and times to live
 * @param maxRejects maximum number of rejected rows; more stop the copy
 * @param rejectDirectory directory of the file of rejected keys
 * @param rejectName name of the file of rejected keys, to which {@code .rejected.jsonl} is added
 * @param threads number of threads that take rows from pages and give them to the writer
 * @throws IllegalArgumentException if a value is out of range, or two contradict each other
 */
public record CopyOptions(
        Mapping mapping,
        boolean keepTimes,
        RejectLimit maxRejects,
        Path rejectDirectory,
        String rejectName,
        int threads) {

    public CopyOptions {
        JobSetting.COPY_THREADS.check((long) threads);
        if (keepTimes && (mapping.usesTtl() || mapping.usesWritetime())) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.MAPPING) + " \"" + mapping + "\": ttl() and writetime() set the times of each"
                            + " row, and " + words.of(JobOption.KEEP_TIMES) + " keeps those of the source: choose one");
        }
    }
}
