package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * Learns how rows end. One object can serve all rows, as it gets each row's position, which the program may set ({@link
 * RowBuffer#position}), for example to an offset in a log.
 *
 * <p>Rows end in any order. A separate thread calls, one for a writer and its forks, so calls do not overlap. It must not be made to
 * wait: other rows' acknowledgements wait for it, and so does {@link RowWriter#close}, which must not be called by it. If a callback
 * throws, the writer fails.
 */
@FunctionalInterface
public interface RowCallback {
    /**
     * Called once for each row that was taken.
     *
     * @param position of the row
     * @param failure null if the row is written. Of kind ROW if it was rejected: {@link WriteOptions.Builder#onReject} has it, and the
     *     writer continues. Otherwise the failure that ended the writer: the row may be written or not
     */
    void ended(long position, @Nullable OverdriveException failure);
}
