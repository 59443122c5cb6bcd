package io.overdrive.sstable.sort;

import java.io.IOException;

/** Records in sequence. Confined to one thread. The array of a record is not changed after the next ones are read. */
public interface Records {
    /** Advances to the next record; false if there is none. */
    boolean next() throws IOException;

    /** The array that holds the record. */
    byte[] array();

    /** Where it begins there. */
    int at();
}
