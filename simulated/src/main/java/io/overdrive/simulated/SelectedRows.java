package io.overdrive.simulated;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The rows that the conditions of a SELECT leave, numbered from 0. Immutable. */
interface SelectedRows {
    long size();

    @Nullable ByteBuffer cell(long row, Column column);

    long token(long row);
}
