package io.overdrive.internal.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one split, or of one key, one after the other: at most one is on its way, and at most one waits to be taken. Thread-safe;
 * one consumer at a time.
 *
 * <p>Where the server cannot answer in time, pages get smaller first; then what is left of the token range is cut in two,
 * which helps where much lies between the rows that are asked for, as tombstones do. Where the range is half read, the
 * columns of the partition key must be among those that are read, to tell where it can be cut. A key's rows get smaller
 * pages only.
 */
public final class PageReader {
    /** Pages are not made smaller than this, ranges are cut instead. */
    private static final int FEW_ROWS = 16;

    private final Fetcher fetcher;
    private final int pageBytes;
    private final byte @Nullable [] key;
    private final Runnable onChange;

    @GuardedBy("this") private final Deque<Range> ranges;

    @GuardedBy("this") private byte @Nullable [] pagingState;

    @GuardedBy("this") private int attempts;

    /** Times in a row that the cluster did not take the request, and since when. */
    @GuardedBy("this") private int waits;

    @GuardedBy("this") private long waitingSinceNanos;

    @GuardedBy("this") private String waitsFor = "";

    @GuardedBy("this") private int prepares;

    /** What failures allow, doubled by each page that comes. */
    @GuardedBy("this") private int allowedRows = Integer.MAX_VALUE;

    @GuardedBy("this") private int askedRows;

    @GuardedBy("this") private double lastRowBytes;

    @GuardedBy("this") private long startNanos;

    /** The last page that had rows, once it was taken; null before the first of the range. */
    @GuardedBy("this") private @Nullable Page before;

    /** The paging state that stands for the last row of {@link #before}, or of {@link #ready} if that has rows. */
    @GuardedBy("this") private byte @Nullable [] stateOfLastRow;

    @GuardedBy("this") private boolean inFlight;

    @GuardedBy("this") private @Nullable Page ready;

    @GuardedBy("this") private @Nullable OverdriveException failure;

    /**
     * @param pageBytes that a page should have
     * @param onChange called, by any thread, when a page or a failure has come; must be quick
     */
    PageReader(Fetcher fetcher, Split split, int pageBytes, Runnable onChange) {
        this.fetcher = fetcher;
        this.pageBytes = pageBytes;
        this.key = null;
        this.onChange = onChange;
        this.ranges = new ArrayDeque<>(fetcher.plan().isSplit() ? split.ranges() : List.of(Split.WHOLE_RING));
    }

    /**
     * @param key values of all markers, each with its length in front
     * @param token of its partition
     */
    PageReader(Fetcher fetcher, byte[] key, long token, int pageBytes) {
        this.fetcher = fetcher;
        this.pageBytes = pageBytes;
        this.key = key;
        this.onChange = () -> {};
        this.ranges = new ArrayDeque<>(List.of(new Range(token - 1, token)));
    }

    /** Asks for the next page, unless one is there or on its way, or there is none. */
    public void request() {
        synchronized (this) {
            if (inFlight || ready != null || failure != null || ranges.isEmpty()) {
                return;
            }
            inFlight = true;
            attempts = 0;
            waits = 0;
            prepares = 0;
            startNanos = fetcher.nanoTime();
        }
        fetcher.fetch(this);
    }

    /**
     * Takes the page that has come, and asks for the next; null where none has come.
     *
     * @throws OverdriveException of kind READ where none will come
     */
    public @Nullable Page poll() {
        Page page;
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            page = ready;
            ready = null;
            before = page != null && page.rows() > 0 ? page : before;
        }
        if (page != null) {
            fetcher.pace(page);
            request();
        }
        return page;
    }

    /** Like {@link #poll}, but waits for the page; null where there are no more. */
    public @Nullable Page take() {
        request();
        synchronized (this) {
            while (inFlight) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new OverdriveException(Kind.INTERRUPTED, "interrupted while waiting for a page");
                }
            }
        }
        return poll();
    }

    /** Whether all pages were taken. */
    public synchronized boolean isFinished() {
        return ranges.isEmpty() && ready == null && failure == null && !inFlight;
    }

    /** Whether {@link #poll} would give a page, or throw. */
    public synchronized boolean hasNews() {
        return ready != null || failure != null;
    }

    synchronized long token() {
        return ranges.element().end();
    }

    /** What is read now, for messages. */
    synchronized String what() {
        return key == null
                ? "token range " + ranges.element()
                : "rows with " + fetcher.plan().conditions(key);
    }

    synchronized long startNanos() {
        return startNanos;
    }

    synchronized int countAttempt() {
        waits = 0;
        return ++attempts;
    }

    /** Counts that the cluster has not taken the request. */
    synchronized int countWait(long now, String reason) {
        if (waits == 0) {
            waitingSinceNanos = now;
        }
        waitsFor = reason;
        return ++waits;
    }

    synchronized int countPrepare() {
        return ++prepares;
    }

    /** For how long the cluster has not taken the request. */
    synchronized long waitingNanos(long now) {
        return waits == 0 ? 0 : now - waitingSinceNanos;
    }

    synchronized String waitsFor() {
        return waitsFor;
    }

    /** The request for the next page. */
    synchronized byte[] nextRequest() {
        Range range = ranges.element();
        askedRows = Math.min(allowedRows, fetcher.pageRows(pageBytes, lastRowBytes));
        return fetcher.plan().execute(range, key, askedRows, pagingState);
    }

    /** Asks for less the next time, because the server could not answer; false if there is nothing less. */
    synchronized boolean shrink() {
        if (askedRows > FEW_ROWS) {
            allowedRows = Math.max(FEW_ROWS, askedRows / 4);
            return true;
        }
        Range range = ranges.element();
        Long from = stateOfLastRow == null ? Long.valueOf(range.start()) : position();
        if (from == null || !fetcher.plan().isSplit()) {
            return false;
        }
        long middle = (from >> 1) + (range.end() >> 1) + (from & range.end() & 1);
        if (middle > from && middle < range.end()) {
            // The server goes on from the row that the state names, up to the end that the request names. Where pages
            // without rows came since, their states name rows that may be behind that end, and nothing is lost without.
            pagingState = stateOfLastRow;
            ranges.remove();
            ranges.push(new Range(middle, range.end()));
            ranges.push(new Range(range.start(), middle));
            return true;
        }
        return false;
    }

    /** Token of the last row that came; null if it is not known. */
    @GuardedBy("this") private @Nullable Long position() {
        Page last = before;
        return last == null ? null : fetcher.plan().lastToken(last);
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
