package io.overdrive.jobs.verify;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;

/** The rows that a scan reads. Confined to one thread. */
final class ScannedRows implements TableRows {
    private final RowCursor rows;
    private final String query;
    private long token = Long.MIN_VALUE;

    /** @param query that reads the rows, for messages */
    ScannedRows(RowCursor rows, String query) {
        this.rows = rows;
        this.query = query;
    }

    @Override
    public boolean next() {
        if (!rows.next()) {
            return false;
        }
        long last = token;
        token = rows.token();
        if (token < last) {
            throw new OverdriveException(
                    Kind.READ,
                    "rows do not come in token order, and therefore cannot be compared; the query is " + query);
        }
        return true;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public byte[] array() {
        return rows.array();
    }

    @Override
    public int offset(int column) {
        return rows.offset(column);
    }

    @Override
    public int length(int column) {
        return rows.length(column);
    }
}
