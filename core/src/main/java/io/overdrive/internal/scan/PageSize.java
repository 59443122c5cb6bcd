package io.overdrive.internal.scan;

/**
 * How many rows to request, so that a page has the wanted bytes: the protocol counts pages in rows, and rows may be of any
 * size. Learns from each page of the scan. Thread-safe.
 *
 * <p>It starts small: the first page of each split is requested before any row size is known, and rows may have
 * megabytes. A page has at most four times the rows of the largest before: a table whose first rows are short does not answer
 * with a page of gigabytes once they become long.
 */
final class PageSize {
    static final int FIRST_ROWS = 4;
    /** A server that groups rows reads them in pages of as many rows as the requested number of groups: few would take long. */
    static final int FIRST_GROUPS = 100;

    private static final int GROWTH = 4;
    /** Weight of the newest page in the moving average. */
    private static final double NEWEST = 0.3;

    private final int maxRows;
    private final int firstRows;
    private int largest;
    private double rowBytes;

    PageSize(int maxRows, int firstRows) {
        this.maxRows = maxRows;
        this.firstRows = firstRows;
    }

    /**
     * @param bytes that the page should have
     * @param lastRowBytes mean of the rows of the page before in the same split, or 0
     */
    synchronized int rows(int bytes, double lastRowBytes) {
        double expected = Math.max(rowBytes, lastRowBytes);
        double wanted = expected == 0 ? firstRows : bytes / expected;
        double allowed = Math.max(firstRows, (double) GROWTH * largest);
        return (int) Math.max(1, Math.min(Math.min(wanted, allowed), maxRows));
    }

    synchronized void observe(int rows, int pageBytes) {
        if (rows == 0) {
            return;
        }
        double mean = (double) pageBytes / rows;
        rowBytes = rowBytes == 0 ? mean : NEWEST * mean + (1 - NEWEST) * rowBytes;
        largest = Math.max(largest, rows);
    }
}
