package io.overdrive.jobs.load;

import io.overdrive.Repetition;

/**
 * The run by whose journal a load can be resumed. Immutable.
 *
 * @param id by which the user names it
 * @param isResumed whether it was begun before this process
 * @param startsOver whether all rows are written once more, with later write times, as lists need it
 * @param writtenBefore rows that were written before this process
 * @param rejectedBefore records that were rejected before
 * @param repetition what happens to rows whose acknowledgement was not recorded, and which are written a second time
 */
public record LoadRun(
        String id,
        boolean isResumed,
        boolean startsOver,
        long writtenBefore,
        long rejectedBefore,
        Repetition repetition) {}
