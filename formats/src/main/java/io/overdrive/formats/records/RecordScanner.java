package io.overdrive.formats.records;

/**
 * Finds where records end in bytes, without parsing their content. Confined to one thread.
 *
 * <p>An <em>item</em> is a record, or something else between records: an empty line, a comment. Bytes are ASCII
 * compatible, see {@link Encodings}.
 */
interface RecordScanner {

    /**
     * The end of the item that starts at {@code from}, with its line end.
     *
     * @param last whether the input ends at {@code to}; if so the rest is an item, complete or not
     * @return -1 if the item is not complete in {@code [from, to)}, or there is none
     */
    int next(byte[] bytes, int from, int to, boolean last);

    /** Whether the item that {@link #next} found is not a record. */
    boolean isBlank();

    /** The greatest item end in {@code [0, to]} that is certain without reading more; 0 if there is none. */
    int cut(byte[] bytes, int to);

    /** How many lines end in {@code [from, to)}. */
    int countLineEnds(byte[] bytes, int from, int to);

    /**
     * How many items the last {@link #cut} found before the end that it returned: an upper bound on the number of
     * records there.
     */
    int count();
}
