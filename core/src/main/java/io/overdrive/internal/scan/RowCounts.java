package io.overdrive.internal.scan;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/**
 * Makes numbers of rows from pages of these rows: one for each partition, or one for all. A partition may begin on one page and end on a
 * later one. For one thread at a time.
 */
final class RowCounts {
    private static final byte[] NOTHING = {};

    private final int keyColumns;
    private byte[] key = NOTHING;
    private long rows;
    private Bytes numbers = new Bytes(64);
    private int count;

    /** @param keyColumns number of columns by which rows are counted, which are all that a row has; 0 for one number of all rows */
    RowCounts(int keyColumns) {
        this.keyColumns = keyColumns;
    }

    /** Counts the rows of a page, in the order of the server. */
    void add(Page page) {
        if (keyColumns == 0) {
            rows += page.rows();
            return;
        }
        int at = page.start();
        for (int row = 0; row < page.rows(); row++) {
            int end = at;
            for (int c = 0; c < keyColumns; c++) {
                end += 4 + Math.max(0, Bytes.getInt(page.body(), end));
            }
            if (rows > 0 && !Arrays.equals(key, 0, key.length, page.body(), at, end)) {
                end();
            }
            if (rows == 0) {
                key = Arrays.copyOfRange(page.body(), at, end);
            }
            rows++;
            at = end;
        }
    }

    /** Ends the count of the last entry: no further rows of it follow. */
    void end() {
        if (rows > 0 || keyColumns == 0) {
            numbers.put(key);
            numbers.putInt(8);
            numbers.putLong(rows);
            count++;
            rows = 0;
        }
    }

    /** Rows whose number is not complete yet. */
    long pending() {
        return rows;
    }

    /** Takes the numbers that are complete, as a page of the server would have them. */
    Page take(long rangeStart, long rangeEnd, boolean endsRange) {
        Page page = new Page(numbers.toByteArray(), 0, count, rangeStart, rangeEnd, endsRange);
        numbers = new Bytes(64);
        count = 0;
        return page;
    }
}
