package io.overdrive.internal.scan;

/**
 * Encoded rows as received: for each row and column the length as an int, negative for null, and the bytes. Immutable.
 *
 * @param body holds the rows, from {@code start} to its end
 * @param start offset of the first row
 * @param rows number of rows; may be 0 although more pages follow
 * @param rangeStart start of the requested token range
 * @param rangeEnd end of the requested token range
 * @param endsRange whether this is the last page of the range
 * @param arrivedMillis when it arrived, in milliseconds since 1970
 */
public record Page(
        byte[] body, int start, int rows, long rangeStart, long rangeEnd, boolean endsRange, long arrivedMillis) {
    /** A page that arrives now. */
    public Page(byte[] body, int start, int rows, long rangeStart, long rangeEnd, boolean endsRange) {
        this(body, start, rows, rangeStart, rangeEnd, endsRange, System.currentTimeMillis());
    }

    int bytes() {
        return body.length - start;
    }
}
