package io.overdrive.files.load;

import java.util.Arrays;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Puts positions that come in any order into ascending order, by a bit for each: a {@link Roaring64Bitmap} takes a position in
 * ascending order several times as fast. Confined to one thread.
 */
final class PositionBits {
    private static final int PAGE_BITS = 16;
    private static final int WORDS = 1 << (PAGE_BITS - 6);
    /** From this length on, a range is added faster as a whole. */
    private static final int MIN_RANGE = 8;

    private static final long[] NONE = {};

    private long[][] pages = {};

    void add(long position) {
        int number = (int) (position >>> PAGE_BITS);
        if (number >= pages.length) {
            int before = pages.length;
            pages = Arrays.copyOf(pages, Math.max(number + 1, 2 * before));
            Arrays.fill(pages, before, pages.length, NONE);
        }
        long[] page = pages[number];
        if (page.length == 0) {
            page = new long[WORDS];
            pages[number] = page;
        }
        page[(int) (position >>> 6) & (WORDS - 1)] |= 1L << position;
    }

    /** Moves all positions into a bitmap. */
    void moveTo(Roaring64Bitmap bitmap) {
        for (int number = 0; number < pages.length; number++) {
            long[] page = pages[number];
            if (page.length > 0) {
                pages[number] = NONE;
                move(page, (long) number << PAGE_BITS, bitmap);
            }
        }
    }

    private static void move(long[] page, long first, Roaring64Bitmap bitmap) {
        int from = next(page, 0, /* set */ true);
        while (from < 1 << PAGE_BITS) {
            int to = next(page, from, /* set */ false);
            if (to - from >= MIN_RANGE) {
                bitmap.addRange(first + from, first + to);
            } else {
                for (int i = from; i < to; i++) {
                    bitmap.addLong(first + i);
                }
            }
            from = next(page, to, /* set */ true);
        }
    }

    /** The first bit from here on that is set, or not set; the number of bits if there is none. */
    private static int next(long[] page, int from, boolean set) {
        int word = from >>> 6;
        if (word == WORDS) {
            return from;
        }
        long bits = (set ? page[word] : ~page[word]) & -1L << from;
        while (bits == 0) {
            if (++word == WORDS) {
                return 1 << PAGE_BITS;
            }
            bits = set ? page[word] : ~page[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(bits);
    }
}
