package io.overdrive.jobs.load;

import io.overdrive.Repetition;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.MessageText;
import java.util.Locale;

/**
 * The run by whose journal a load can be resumed. Immutable.
 *
 * @param id by which the user names it
 * @param isResumed whether it was begun before this process
 * @param startsOver whether all rows are written again, with later write times, as lists need it
 * @param writtenBefore rows that were written before this process
 * @param rejectedBefore records that were rejected before
 * @param repetition the effect on rows whose acknowledgement was not recorded, and which are written a second time
 */
public record LoadRun(
        String id,
        boolean isResumed,
        boolean startsOver,
        long writtenBefore,
        long rejectedBefore,
        Repetition repetition) {
    /** The work of earlier processes, in words. */
    MessageText before() {
        if (startsOver) {
            return words ->
                    "the table has lists that are not frozen, so all rows are written again, with later write times";
        }
        String before = String.format(
                Locale.ROOT,
                "%,d %s written before, and %,d %s rejected",
                writtenBefore,
                writtenBefore == 1 ? "row was" : "rows were",
                rejectedBefore,
                rejectedBefore == 1 ? "record" : "records");
        return repetition == Repetition.CHANGES_ROWS
                ? words -> before + "; if it was killed, rows that it wrote in its last seconds may be applied twice ("
                        + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + ")"
                : MessageText.plain(before);
    }
}
