package io.overdrive.jobs;

import io.overdrive.OverdriveException;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Work on tables that is prepared when it is opened, runs once, and can be watched and stopped meanwhile. {@link #progress}, {@link #times} and
 * {@link #stop} may be called by any thread, the other methods by the one that has opened it.
 *
 * @param <S> the type of its summary
 */
public interface Job<S extends Summary> extends AutoCloseable {
    /** Does the work, and returns how it ended. Failures are in the result, not thrown. */
    S run();

    /** The work that is done up to now. */
    S progress();

    /** Ends the work early. Does not wait. Returns false if it is too late for that, and the work continues to its end. */
    boolean stop();

    /** Where its threads have spent their time. */
    JobTimes times();

    /** The work that it is about to do. */
    Plan plan();

    /** The effect of {@link #stop}, for the user: "stops comparing". */
    String effectOfStop();

    /** Warnings for the user before the work begins, a sentence each. */
    default List<String> warnings() {
        return List.of();
    }

    /** The id by which the user resumes the run; null if it has no journal. */
    default @Nullable String runId() {
        return null;
    }

    /** The work of earlier processes of the run, such as "120 rows were done before"; empty if this one begins it. */
    default MessageText resumed() {
        return MessageText.EMPTY;
    }

    /**
     * The usual text of {@link #resumed}.
     *
     * @param rows that earlier processes have done
     */
    static MessageText rowsDoneBefore(long rows) {
        return MessageText.plain(rows == 0 ? "" : String.format(Locale.ROOT, "%,d rows were done before", rows));
    }

    /** Releases its resources; the work must have ended. */
    @Override
    void close() throws OverdriveException;
}
