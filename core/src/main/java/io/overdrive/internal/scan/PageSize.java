package io.overdrive.internal.scan;

/**
 * How many rows to request, so that a page has the wanted bytes: the protocol counts pages in rows, and rows may be of any
 * size. Learns from each page of the scan. Thread-safe.
 *
 * <p>It starts small: the first page of each split is requested before any row size is known, and rows may have
 * megabytes. A page has at most four times the rows of the largest before: a table whose first rows are short does not answer
 * with a page of gigabytes once they become long.
 *
 * <p>If an earlier scan over the same connection has read the same rows, it starts with a fourth of the rows that made a page then, by its
 * page with the longest rows, and with at most 1,024: rows that have become four times as long since still make a page of the wanted bytes, and
 * others a page that is smaller than some that a scan requests after its first rows were short. From the first answer on, only rows of this
 * scan count.
 */
final class PageSize {
    static final int FIRST_ROWS = 4;
    /** A server that groups rows reads them in pages of as many rows as the requested number of groups: few would take long. */
    static final int FIRST_GROUPS = 100;

    /** Upper bound of the rows to start with when their size in an earlier scan is known. */
    static final int MAX_FIRST_ROWS = 1024;

    private static final int GROWTH = 4;
    /** How much longer rows may be than in an earlier scan. */
    private static final int DOUBT = 4;
    /** Weight of the newest page in the moving average. */
    private static final double NEWEST = 0.3;

    private final int maxRows;
    private final int firstRows;
    private final int earlierRowBytes;
    private int largest;
    private double rowBytes;
    private double largestRowBytes;

    /** @param earlierRowBytes the {@link #largestRowBytes} of an earlier scan; 0 if there was none */
    PageSize(int maxRows, int firstRows, int earlierRowBytes) {
        this.maxRows = maxRows;
        this.firstRows = firstRows;
        this.earlierRowBytes = earlierRowBytes;
    }

    /**
     * @param bytes that the page should have
     * @param lastRowBytes mean of the rows of the page before in the same split, or 0
     */
    synchronized int rows(int bytes, double lastRowBytes) {
        double expected = Math.max(rowBytes, lastRowBytes);
        int first = firstRows(bytes);
        double wanted = expected == 0 ? first : bytes / expected;
        double allowed = Math.max(first, (double) GROWTH * largest);
        return (int) Math.max(1, Math.min(Math.min(wanted, allowed), maxRows));
    }

    private int firstRows(int bytes) {
        return earlierRowBytes == 0
                ? firstRows
                : Math.max(firstRows, Math.min(MAX_FIRST_ROWS, bytes / DOUBT / earlierRowBytes));
    }

    synchronized void observe(int rows, int pageBytes) {
        if (rows == 0) {
            return;
        }
        double mean = (double) pageBytes / rows;
        rowBytes = rowBytes == 0 ? mean : NEWEST * mean + (1 - NEWEST) * rowBytes;
        largest = Math.max(largest, rows);
        largestRowBytes = Math.max(largestRowBytes, mean);
    }

    /** The mean size of the rows of the page with the longest ones, rounded up; 0 if no row was read. */
    synchronized int largestRowBytes() {
        return (int) Math.ceil(largestRowBytes);
    }
}
