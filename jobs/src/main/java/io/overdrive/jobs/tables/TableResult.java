package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WriteSummary;
import org.jspecify.annotations.Nullable;

/**
 * How the work on one of several tables has ended. Immutable.
 *
 * @param <S> the type of the summary of one table
 * @param table its name
 * @param outcome DONE if an earlier process of the run has done it
 * @param summary null if it could not begin, or was done before
 * @param failure why it failed; null unless it did
 * @param before how a table that was done before ended; null for others
 */
public record TableResult<S extends Summary>(
        CqlIdentifier table,
        Outcome outcome,
        @Nullable S summary,
        @Nullable RuntimeException failure,
        @Nullable Kept before) {
    /**
     * The end of a table that is done, as the journal keeps it.
     *
     * @param rows that were done
     * @param code the exit code of the command if it were the only table
     * @param text about its rows
     * @param json its summary for programs, an object of JSON; empty if an earlier version has done the table
     */
    public record Kept(long rows, int code, String text, String json) {
        public Kept(long rows, int code, String text) {
            this(rows, code, text, /* json */ "");
        }
    }

    /** A table whose work has ended; it has failed if it does not account for all of its rows. */
    static <S extends Summary> TableResult<S> of(CqlIdentifier table, S summary) {
        if (summary instanceof WriteSummary rows && !rows.accountsForRows() && rows.failure() == null) {
            RuntimeException failure = new IllegalStateException(WriteSummary.NOT_ACCOUNTED);
            return new TableResult<>(table, Outcome.FAILED, summary, failure, /* before */ null);
        }
        return new TableResult<>(table, summary.outcome(), summary, summary.failure(), /* before */ null);
    }

    /** A table whose work could not begin. */
    static <S extends Summary> TableResult<S> failed(CqlIdentifier table, RuntimeException failure) {
        return new TableResult<>(table, Outcome.FAILED, /* summary */ null, failure, /* before */ null);
    }

    /** A table that an earlier process of the run has done. */
    static <S extends Summary> TableResult<S> before(CqlIdentifier table, Kept kept) {
        return new TableResult<>(table, Outcome.DONE, /* summary */ null, /* failure */ null, kept);
    }
}
