package io.overdrive.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The cells that a copy takes: those that were written after a time, by their write times. Immutable.
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

    /** The cells in words. */
    public String inWords() {
        return "written after " + time() + (origin.isEmpty() ? "" : ", which is " + origin);
    }
}
