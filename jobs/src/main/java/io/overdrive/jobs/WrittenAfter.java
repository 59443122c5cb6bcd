package io.overdrive.jobs;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.names.JobOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cells that a copy or an unload takes: those that were written after a time, by their write times. Immutable.
 *
 * @param micros the time, in microseconds since 1970
 * @param origin what the time is, such as the start of a run; empty if the user has given it
 */
public record WrittenAfter(long micros, String origin) {
    /** The time of all cells: none is that old. */
    public static final long ANY_TIME = Long.MIN_VALUE;

    public Instant time() {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * Whether a row is taken, by what is known of its cells, without those of static columns. That a row which consists of its key was written
     * before is not known unless the times of row markers are read.
     *
     * @param hasNewer whether a cell was written after the time
     * @param hasOlder whether a cell was not, or there is no row
     * @param knowsMarker whether the time of the row marker is read
     * @param hasNewerMarker whether that is after the time
     */
    public static boolean takesRow(boolean hasNewer, boolean hasOlder, boolean knowsMarker, boolean hasNewerMarker) {
        return hasNewer || hasNewerMarker || !hasOlder && !knowsMarker;
    }

    /**
     * Refuses conditions that a row may meet only since the time: its older cells are taken neither now nor before.
     *
     * @param table that is read
     * @param where the conditions; null for none
     * @throws OverdriveException of kind INPUT if they are not only about the key
     */
    public static void check(TableSchema table, @Nullable String where) {
        if (where == null) {
            return;
        }
        String conditions = CqlText.bare(where);
        String reason = table.columns().stream()
                .filter(column -> !column.isKey() && CqlText.hasName(conditions, column.name()))
                .map(column -> "has a condition for \"" + column.name() + "\", which is no column of the key")
                .findFirst()
                .orElse(CqlText.hasAnyLimit(conditions) ? "has a limit" : "");
        if (!reason.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> words.of(JobOption.WHERE) + " " + reason
                            + ": a row that is chosen only since a change would"
                            + " lack its older values. With " + words.of(JobOption.WRITTEN_AFTER)
                            + ", choose rows by their key, or take all");
        }
    }

    /** The cells in words. */
    public String inWords() {
        return "written after " + time() + (origin.isEmpty() ? "" : ", which is " + origin);
    }
}
