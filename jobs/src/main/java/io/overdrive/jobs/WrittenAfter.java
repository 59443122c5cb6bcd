package io.overdrive.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

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

    /** The cells in words. */
    public String inWords() {
        return "written after " + time() + (origin.isEmpty() ? "" : ", which is " + origin);
    }
}
