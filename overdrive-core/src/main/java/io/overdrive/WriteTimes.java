package io.overdrive;

import java.time.Duration;

/**
 * The write times of a writer's rows, other than rows that have their own. Immutable.
 *
 * @param first that of position 0, in microseconds since 1970
 * @param ahead how far the last one is ahead of this machine's clock, or zero; until then, other writes to the last rows are
 *     acknowledged and have no effect
 * @param repeatable whether the same rows, written again from the same first write time, change nothing; if not, a second
 *     run must have later write times
 */
public record WriteTimes(long first, Duration ahead, boolean repeatable) {}
