package io.overdrive.internal.write;

import org.jspecify.annotations.Nullable;

/**
 * A batch that the server refused without saying that it was too large. It was if each of its rows is written in smaller parts; if not,
 * a row was the cause. Confined to the thread that handles its parts at the moment, which are sent in sequence.
 */
final class RefusedBatch {
    /** The refused batch that this one is a part of. */
    private final @Nullable RefusedBatch whole;

    private int rowsLeft;
    private int maxRows;
    private int maxBytes;

    RefusedBatch(WriteRequest refused) {
        whole = refused.partOf;
        rowsLeft = refused.rows();
    }

    /** A part was acknowledged. Returns the smallest batch around it that was too large, as all its rows are written now. */
    @Nullable RefusedBatch acknowledged(WriteRequest part) {
        RefusedBatch tooLarge = null;
        for (RefusedBatch each = this; each != null; each = each.whole) {
            each.rowsLeft -= part.rows();
            each.maxRows = Math.max(each.maxRows, part.rows());
            each.maxBytes = Math.max(each.maxBytes, part.body.length);
            if (each.rowsLeft == 0 && tooLarge == null) {
                tooLarge = each;
            }
        }
        return tooLarge;
    }

    /** Rows in the largest part that was acknowledged. */
    int maxRows() {
        return maxRows;
    }

    /** Bytes in the largest part that was acknowledged. */
    int maxBytes() {
        return maxBytes;
    }
}
