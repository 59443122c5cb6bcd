package io.overdrive.sstable.sort;

/**
 * All tokens between two. Immutable.
 *
 * @param first the least
 * @param last the largest; less than the first if there are none
 */
record TokenSpan(long first, long last) {
    static final TokenSpan NONE = new TokenSpan(Long.MAX_VALUE, Long.MIN_VALUE);

    /** The tokens of some pieces, up to but without one. */
    static TokenSpan ofPieces(int from, int to) {
        return from == to ? NONE : new TokenSpan(firstOf(from), firstOf(to) - 1);
    }

    /** The first piece has the lowest tokens; the number of pieces wraps around to it. */
    private static long firstOf(int piece) {
        return ((long) piece << Long.SIZE - RecordSorter.PIECE_BITS) ^ Long.MIN_VALUE;
    }

    boolean isEmpty() {
        return first > last;
    }

    /** The number of tokens. */
    double tokens() {
        long more = last - first;
        return isEmpty() ? 0 : 1 + (more >= 0 ? more : more + 0x1p64);
    }

    /** The least span that has both. */
    TokenSpan and(TokenSpan other) {
        return new TokenSpan(Math.min(first, other.first), Math.max(last, other.last));
    }

    /** The tokens that both have. */
    TokenSpan within(TokenSpan other) {
        return new TokenSpan(Math.max(first, other.first), Math.min(last, other.last));
    }
}
