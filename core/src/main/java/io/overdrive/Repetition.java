package io.overdrive;

/** What happens if rows are written a second time from the same write times, as after a run that was killed. */
public enum Repetition {
    /** Nothing changes. */
    HARMLESS,
    /** Lists that are not frozen get each element twice, unless the second write times are later. */
    NEEDS_LATER_TIMES,
    /** The table may change: counters, appends, conditions. */
    CHANGES_ROWS
}
