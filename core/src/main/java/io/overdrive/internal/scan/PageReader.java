package io.overdrive.internal.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.request.Patience;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one split, or of one key, in sequence: at most one is in flight, and at most one is ready to be taken.
 * Thread-safe; one consumer at a time.
 *
 * <p>If the server cannot answer in time, or its answer breaks the connection, pages shrink first; then the rest of the token range is
 * also cut in two, which helps if much lies between the rows that are read, such as tombstones. To cut a range of which a part was read, the columns of
 * the partition key must be read, too, because they say where it can be cut. For a key, only pages shrink.
 *
 * <p>A server that counts rows reads all rows of a number within the time of one request, which no smaller request shortens if they are of
 * one partition. If the time is not enough, the rows themselves are read from there on, page by page, and counted here.
 */
public final class PageReader implements Pages {
    /** Number of rows a page from which on ranges are cut, too. */
    private static final int MIN_ROWS = 16;

    private final Fetcher fetcher;
    private final int maxPageBytes;
    private final byte @Nullable [] key;
    private final Runnable onChange;
    /** Distinguishes splits, or partitions. */
    private final long place;

    @GuardedBy("this") private final Deque<Range> ranges;

    @GuardedBy("this") private ScanLayout layout;

    /** Counts the rows that are read in place of their numbers; null while the server counts. */
    @GuardedBy("this") private @Nullable RowCounts counts;

    /** Whether the rows of all ranges but the first are to be counted here. */
    @GuardedBy("this") private boolean countsNext;

    @GuardedBy("this") private byte @Nullable [] pagingState;

    @GuardedBy("this") private int attempts;

    /** Time since the first refusal. */
    @GuardedBy("this") private final Patience patience = new Patience();

    @GuardedBy("this") private int prepares;

    /** Lowered by failures, doubled by each page. */
    @GuardedBy("this") private int allowedRows = Integer.MAX_VALUE;

    @GuardedBy("this") private int requestedRows;

    @GuardedBy("this") private double lastRowBytes;

    @GuardedBy("this") private long startNanos;

    /** The last page with rows that was taken; null before the first of the range. */
    @GuardedBy("this") private @Nullable Page before;

    /** The paging state that stands for the last row of {@link #before}, or of {@link #ready} if that has rows. */
    @GuardedBy("this") private byte @Nullable [] stateOfLastRow;

    @GuardedBy("this") private boolean inFlight;

    /** How large the page in flight should be. */
    @GuardedBy("this") private int pageBytes;

    @GuardedBy("this") private @Nullable Page ready;

    @GuardedBy("this") private @Nullable OverdriveException failure;

    /**
     * A reader of a split of the scan, or of any other ranges.
     *
     * @param maxPageBytes how large a page should be at most
     * @param onChange called, by any thread, when a page is ready or reading has failed; must be quick
     */
    public PageReader(Fetcher fetcher, Split split, int maxPageBytes, Runnable onChange) {
        this.fetcher = fetcher;
        this.maxPageBytes = maxPageBytes;
        this.key = null;
        this.onChange = onChange;
        this.layout = fetcher.layout;
        this.ranges = new ArrayDeque<>(fetcher.layout.query.isSplit() ? split.ranges() : List.of(Split.WHOLE_RING));
        this.place = ranges.element().end();
    }

    /**
     * A reader of the rows of a key.
     *
     * @param key values of all markers, each with its length in front
     * @param token of its partition
     */
    public PageReader(Fetcher fetcher, byte[] key, long token, int maxPageBytes) {
        this.fetcher = fetcher;
        this.maxPageBytes = maxPageBytes;
        this.key = key;
        this.onChange = () -> {};
        this.layout = fetcher.layout;
        this.ranges = new ArrayDeque<>(List.of(new Range(token - 1, token)));
        this.place = token;
    }

    /** Bytes to count for a page in flight: its target size. The rows of a key are few. */
    synchronized int cost() {
        return key == null ? pageBytes : 0;
    }

    /** Requests the next page, unless one is ready or in flight, or there are no more. */
    public void request() {
        synchronized (this) {
            if (inFlight || ready != null || failure != null || ranges.isEmpty()) {
                return;
            }
            inFlight = true;
            pageBytes = fetcher.pageBytes(maxPageBytes);
            attempts = 0;
            patience.reset();
            prepares = 0;
            startNanos = fetcher.nanoTime();
        }
        fetcher.fetch(this);
    }

    /**
     * Takes the page that is ready, and requests the next; null if none is ready.
     *
     * @throws OverdriveException of kind READ if reading has failed
     */
    public @Nullable Page poll() {
        Page page = pollOnly();
        if (page != null) {
            request();
        }
        return page;
    }

    /** As {@link #poll}, but does not request the next page. */
    public @Nullable Page pollOnly() {
        Page page;
        Page given;
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            page = ready;
            ready = null;
            if (page == null) {
                return null;
            }
            before = page.rows() > 0 ? page : before;
            given = counts == null ? page : counted(counts, page);
            if (page.endsRange() && countsNext) {
                countRows();
            }
        }
        fetcher.pace(page);
        return given;
    }

    @GuardedBy("this") private Page counted(RowCounts to, Page page) {
        long pending = to.pending();
        try {
            to.add(page);
        } catch (IndexOutOfBoundsException e) {
            throw layout.malformed("its rows: " + e.getMessage());
        }
        if (page.endsRange() || fetcher.layout.query.isAggregate()) {
            to.end();
        }
        fetcher.countsHere(to.pending() - pending);
        return to.take(page.rangeStart(), page.rangeEnd(), page.endsRange());
    }

    @Override
    public @Nullable Page take() {
        request();
        synchronized (this) {
            if (inFlight) {
                fetcher.beginWait();
                try {
                    awaitPage();
                } finally {
                    fetcher.endWait();
                }
            }
        }
        return poll();
    }

    @GuardedBy("this") private void awaitPage() {
        while (inFlight) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while waiting for a page");
            }
        }
    }

    /** Whether all pages were taken. */
    public synchronized boolean isFinished() {
        return ranges.isEmpty() && ready == null && failure == null && !inFlight;
    }

    /** Whether {@link #poll} would return a page or throw. */
    public synchronized boolean hasNews() {
        return ready != null || failure != null;
    }

    long place() {
        return place;
    }

    synchronized long token() {
        return ranges.element().end();
    }

    boolean isByKey() {
        return key != null;
    }

    /** The token range that is being read. */
    synchronized Range range() {
        return ranges.element();
    }

    /** The range or key that is being read, for messages. */
    synchronized String what() {
        return key == null ? "token range " + ranges.element() : "rows with " + fetcher.layout.prepared.conditions(key);
    }

    synchronized long startNanos() {
        return startNanos;
    }

    synchronized int countAttempt() {
        patience.reset();
        return ++attempts;
    }

    /** As {@link Patience#refused}. */
    synchronized long refused(String reason, long now, long maxNanos) {
        return patience.refused(reason, now, maxNanos, ThreadLocalRandom.current());
    }

    synchronized MessageText usedUp(long maxNanos) {
        return patience.usedUp(maxNanos);
    }

    synchronized int countPrepare() {
        return ++prepares;
    }

    /** Time that the cluster has refused the request. */
    synchronized long waitingNanos(long now) {
        return patience.waitedNanos(now);
    }

    synchronized String waitsFor() {
        return patience.reason();
    }

    /** The request for the next page. */
    synchronized byte[] nextRequest() {
        Range range = ranges.element();
        requestedRows = Math.min(allowedRows, fetcher.pageRows(layout, pageBytes, lastRowBytes));
        return layout.execute(range, key, requestedRows, pagingState);
    }

    /** Whether the request in flight begins at this paging state. */
    synchronized boolean hasSent(byte[] state) {
        return Arrays.equals(state, pagingState);
    }

    /** The query of the next page. */
    synchronized ScanLayout layout() {
        return layout;
    }

    /**
     * Reads the rows instead of their number from now on, because the server does not count them in time; false if they are read already, or
     * the query does not count.
     */
    synchronized boolean countHere() {
        if (layout.countedRows == null || countsNext) {
            return false;
        }
        if (stateOfLastRow == null) {
            countRows();
            return true;
        }
        // The numbers of the last token may be on several pages, so that the server completes these.
        Page last = before;
        Range range = ranges.element();
        Long token = last == null ? null : layout.lastToken(last);
        if (token == null || token == range.end()) {
            return false;
        }
        countsNext = true;
        cut(range, token);
        return true;
    }

    @GuardedBy("this") private void countRows() {
        ScanLayout rows = Objects.requireNonNull(layout.countedRows);
        counts = new RowCounts(
                layout.query.isAggregate() ? 0 : rows.columns.names().size());
        layout = rows;
        pagingState = null;
        allowedRows = Integer.MAX_VALUE;
        lastRowBytes = 0;
        countsNext = false;
    }

    /** Makes the next request smaller, because the server could not answer; false if it cannot be. */
    synchronized boolean shrink() {
        // Of fewer groups the server reads as many rows, in smaller pages.
        if (layout.query.hasGroupBy() && cutRange()) {
            return true;
        }
        if (requestedRows > MIN_ROWS) {
            allowedRows = Math.max(MIN_ROWS, requestedRows / 4);
            return true;
        }
        allowedRows = Math.max(1, requestedRows / 4);
        boolean isSmaller = cutRange();
        return isSmaller || allowedRows < requestedRows;
    }

    @GuardedBy("this") private boolean cutRange() {
        Range range = ranges.element();
        Page last = before;
        Long from = stateOfLastRow == null ? Long.valueOf(range.start()) : last == null ? null : layout.lastToken(last);
        if (from == null || !layout.query.isSplit()) {
            return false;
        }
        long middle = (from >> 1) + (range.end() >> 1) + (from & range.end() & 1);
        if (middle > from && middle < range.end()) {
            cut(range, middle);
            return true;
        }
        return false;
    }

    /**
     * The server continues after the row in the paging state, up to the end of the requested range. The state of a later page without rows
     * may name a row behind that end, so the state of the last row is used.
     */
    @GuardedBy("this") private void cut(Range range, long middle) {
        pagingState = stateOfLastRow;
        ranges.remove();
        ranges.push(new Range(middle, range.end()));
        ranges.push(new Range(range.start(), middle));
    }

    void arrived(byte[] body, int start, int rows, byte @Nullable [] state) {
        synchronized (this) {
            Range range = ranges.element();
            ready = new Page(body, start, rows, range.start(), range.end(), state == null);
            pagingState = state;
            if (state == null) {
                ranges.remove();
            }
            if (rows > 0 || state == null) {
                before = null;
                stateOfLastRow = state;
            }
            if (rows > 0) {
                lastRowBytes = (double) (body.length - start) / rows;
            }
            allowedRows = allowedRows > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : 2 * allowedRows;
            inFlight = false;
            notifyAll();
        }
        onChange.run();
    }

    void failed(OverdriveException e) {
        synchronized (this) {
            failure = e;
            inFlight = false;
            notifyAll();
        }
        onChange.run();
    }
}
