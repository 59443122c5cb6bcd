package io.overdrive;

import java.time.Duration;

/**
 * The write times of a writer's rows, except for rows that carry their own. Immutable.
 *
 * @param first write time of position 0, in microseconds since 1970
 * @param ahead how far the last write time is ahead of this machine's clock, or zero; until that time, other writes to the last
 *     rows are acknowledged and have no effect
 * @param repeatable whether writing the same rows again, from the same first write time, changes nothing; if not, a
 *     second run must have later write times
 */
public record WriteTimes(long first, Duration ahead, boolean repeatable) {}
