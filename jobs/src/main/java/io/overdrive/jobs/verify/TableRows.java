package io.overdrive.jobs.verify;

import io.overdrive.jobs.sort.KeyOrder;

/** The rows of the table in a token range, in the server's order. Confined to one thread. */
interface TableRows extends KeyOrder.Cells {
    /** Advances to the next row; false if there is none. */
    boolean next();

    /** Token of the row's partition. */
    long token();
}
