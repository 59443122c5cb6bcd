package io.overdrive.jobs.load;

import io.overdrive.internal.names.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * Why a record is rejected. Immutable.
 *
 * @param column the column with the bad value; null if the reason is not a single column
 * @param value the bad value as text; null if there is none
 */
record Problem(@Nullable String column, @Nullable String value, MessageText reason) {
    /** Creates a problem of the record as a whole. */
    Problem(MessageText reason) {
        this(null, null, reason);
    }

    /** The same with more at the end of its reason. */
    Problem and(MessageText more) {
        return new Problem(column, value, words -> reason.in(words) + more.in(words));
    }
}
