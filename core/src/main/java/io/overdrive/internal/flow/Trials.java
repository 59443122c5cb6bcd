package io.overdrive.internal.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The slots of time in which a job tries other sizes of its requests or pages and, if it is a scan, other numbers of splits that are
 * read at once. One of the two is tried at a time: first the size, then the other whenever one rests. Confined to one thread at a
 * time.
 */
final class Trials {
    private final @Nullable SizeSearch bytes;
    private final @Nullable SizeSearch splits;
    /** The one whose turn it is. */
    private SizeSearch turn;

    private SizeSearch.Decision slot;
    private boolean isMeasuring;
    private boolean isSteady;
    private boolean hasSplits = true;
    private long sinceNanos;
    private long bytesBefore;

    /**
     * @param bytes null if the size of requests is fixed
     * @param splits null if their number is fixed, or there are none; at least one of the two is given
     */
    Trials(@Nullable SizeSearch bytes, @Nullable SizeSearch splits, long now) {
        this.bytes = bytes;
        this.splits = splits;
        this.turn = Objects.requireNonNull(bytes != null ? bytes : splits);
        this.slot = turn.first();
        this.sinceNanos = now;
    }

    /** The size of requests or pages in use; 0 if it is fixed. */
    int requestBytes() {
        return inUse(bytes);
    }

    /** Splits to read at once, for each node; 0 if their number is fixed. */
    int splits() {
        return inUse(splits);
    }

    private int inUse(@Nullable SizeSearch search) {
        return search == null ? 0 : search == turn ? slot.size() : search.best();
    }

    OptionalInt foundBytes() {
        return bytes == null ? OptionalInt.empty() : bytes.found();
    }

    OptionalInt foundSplits() {
        return splits == null ? OptionalInt.empty() : splits.found();
    }

    /** Sizes that an earlier run has found, in words for the user. */
    List<String> fromEarlierRun() {
        List<String> texts = new ArrayList<>();
        if (bytes != null && bytes.isFromEarlierRun()) {
            texts.add(ofRequests(bytes.first()));
        }
        if (splits != null && splits.isFromEarlierRun()) {
            texts.add(ofSplits(splits.first()));
        }
        return texts;
    }

    private static String ofRequests(SizeSearch.Decision decision) {
        return "requests of " + decision.size() + " bytes: " + decision.reason();
    }

    private static String ofSplits(SizeSearch.Decision decision) {
        return decision.size() + " splits at once for each node: " + decision.reason();
    }

    /** Whether earlier requests have made room for the slot, so that its measurement begins. */
    boolean hasSettled(long now) {
        return !isMeasuring && now - sinceNanos >= slot.settleNanos();
    }

    void measure(long now, long answeredBytes) {
        isMeasuring = true;
        isSteady = true;
        sinceNanos = now;
        bytesBefore = answeredBytes;
    }

    /** The slot does not count: something else decided how fast the job was. */
    void disturb() {
        isSteady = false;
    }

    /** There are no more splits to begin, so another number of them cannot be tried any more. */
    void endSplits() {
        hasSplits = false;
    }

    boolean isOver(long now) {
        return isMeasuring && now - sinceNanos >= slot.nanos();
    }

    /** Ends a slot, and begins the next. Returns its changes, in words for the user; null if there are none. */
    @Nullable String next(long now, long answeredBytes, boolean hadDemand) {
        SizeSearch before = turn;
        int sizeBefore = slot.size();
        slot = turn.next(new SizeSearch.Slot(now - sinceNanos, answeredBytes - bytesBefore, isSteady && hadDemand));
        isMeasuring = false;
        sinceNanos = now;
        String change = slot.size() == sizeBefore ? null : turn == bytes ? ofRequests(slot) : ofSplits(slot);
        if (before.beginsRest() || (turn != bytes && !hasSplits)) {
            passTurn();
        }
        return change;
    }

    private void passTurn() {
        SizeSearch other = turn == bytes ? splits : bytes;
        if (other != null && (other == bytes || hasSplits)) {
            turn = other;
            slot = other.resume();
        }
    }
}
