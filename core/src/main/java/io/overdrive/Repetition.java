package io.overdrive;

/** The effect of writing rows a second time with the same write times, as after a run that was killed. */
public enum Repetition {
    /** Nothing changes. */
    HARMLESS,
    /** Lists that are not frozen get each element twice, unless the second write times are later. */
    NEEDS_LATER_TIMES,
    /** The table may change: counters, appends, conditions. */
    CHANGES_ROWS
}
