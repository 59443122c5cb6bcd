package io.overdrive.internal.scan;

/**
 * Rows as they came: for each row and column an int with the length, negative for null, and that many bytes. Immutable.
 *
 * @param body holds the rows, from {@code start} to its end
 * @param rows may be 0 although more pages follow
 * @param rangeStart the token range that was asked for
 * @param rangeEnd the token range that was asked for
 * @param endsRange whether the range has no more rows after these
 */
public record Page(byte[] body, int start, int rows, long rangeStart, long rangeEnd, boolean endsRange) {
    int bytes() {
        return body.length - start;
    }
}
