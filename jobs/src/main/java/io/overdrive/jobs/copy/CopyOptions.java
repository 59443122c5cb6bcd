package io.overdrive.jobs.copy;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.expression.Assignments;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options of a copy other than the options of its scan and writer. Immutable.
 *
 * @param mapping of columns of the source to columns of the target
 * @param keepTimes whether cells keep their write times and times to live
 * @param maxRejects maximum number of rejected rows; more stop the copy
 * @param rejectDirectory directory of the file of rejected keys
 * @param rejectName name of the file of rejected keys, to which {@code .rejected.jsonl} is added
 * @param threads number of threads that take rows from pages and give them to the writer
 * @param assignments columns of the target that are computed from the columns of the source that are read; they get no column by the mapping.
 *     Names and types are checked when the copy is opened; a row whose value cannot be computed is rejected
 * @param after copies cells that were written after a time only, which needs kept times; null for all
 * @throws IllegalArgumentException if a value is out of range, or two contradict each other
 */
public record CopyOptions(
        Mapping mapping,
        boolean keepTimes,
        RejectLimit maxRejects,
        Path rejectDirectory,
        String rejectName,
        int threads,
        Assignments assignments,
        @Nullable WrittenAfter after) {

    public CopyOptions {
        String shown = mapping.toString();
        mapping = mapping.besides(assignments);
        JobSetting.COPY_THREADS.check((long) threads);
        if (keepTimes) {
            KeptTimes.check(mapping, shown, assignments);
        } else if (after != null) {
            throw new IllegalOptionException(words -> words.of(JobOption.WRITTEN_AFTER) + " needs "
                    + words.of(JobOption.KEEP_TIMES) + ": with the time of this copy, a value would hide one that was"
                    + " written since it was read");
        }
    }

    /** Options without computed columns. */
    public CopyOptions(
            Mapping mapping,
            boolean keepTimes,
            RejectLimit maxRejects,
            Path rejectDirectory,
            String rejectName,
            int threads) {
        this(mapping, keepTimes, maxRejects, rejectDirectory, rejectName, threads, Assignments.NONE, /* after */ null);
    }

    /** The time after which cells are copied, in microseconds since 1970. */
    long afterMicros() {
        return after == null ? WrittenAfter.ANY_TIME : after.micros();
    }

    /** The same, of the cells that were written after a time; of all if it is null. */
    public CopyOptions writtenAfter(@Nullable WrittenAfter time) {
        return new CopyOptions(mapping, keepTimes, maxRejects, rejectDirectory, rejectName, threads, assignments, time);
    }
}
