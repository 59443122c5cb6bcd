package io.overdrive.jobs.copy;

import io.overdrive.RowBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the rows of one of the writers of a copy in its place. A row whose cells have different times comes as several rows of the same key
 * and position, and {@link #problem} is called for each of them before the first is taken. For one thread at a time.
 */
public interface RowTaker {
    /**
     * Why a row cannot be taken; null if it can.
     *
     * @param row with its position, key, write time and TTL; its values may not be set yet
     */
    @Nullable String problem(RowBuffer row);

    /** Takes a row without a problem, copying its bytes. */
    void take(RowBuffer row);
}
