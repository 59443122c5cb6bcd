package io.overdrive.jobs.load;

import java.util.Arrays;

/**
 * Collects positions that come in any order, by a bit for each, for a {@link PositionSet}: a position costs the setting of a bit, and
 * a set takes a page at once. Confined to one thread.
 */
final class PositionBits {
    private static final int WORDS = PositionSet.PAGE / Long.SIZE;
    /** 16 MiB, for 134 million positions in sequence. */
    private static final int MAX_PAGES = 2048;

    private static final long[] NONE = {};

    private long[][] pages = {};
    private int pagesUsed;
    /** Positions of further pages, which cost more time each. */
    private PositionSet rest = new PositionSet();

    void add(long position) {
        int number = Math.toIntExact(position / PositionSet.PAGE);
        long[] page = number < pages.length ? pages[number] : NONE;
        if (page.length == 0) {
            if (pagesUsed == MAX_PAGES) {
                rest.add(position);
                return;
            }
            page = startPage(number);
        }
        page[(int) (position >>> 6) & (WORDS - 1)] |= 1L << position;
    }

    private long[] startPage(int number) {
        if (number >= pages.length) {
            int before = pages.length;
            pages = Arrays.copyOf(pages, Math.max(number + 1, 2 * before));
            Arrays.fill(pages, before, pages.length, NONE);
        }
        long[] page = new long[WORDS];
        pages[number] = page;
        pagesUsed++;
        return page;
    }

    /** Size in memory. */
    long bytes() {
        return (long) pagesUsed * PositionSet.PAGE / Byte.SIZE + (long) pages.length * Long.BYTES + rest.bytes();
    }

    /** Takes all positions. */
    PositionSet take() {
        PositionSet taken = new PositionSet();
        pagesUsed = 0;
        for (int number = 0; number < pages.length; number++) {
            long[] page = pages[number];
            if (page.length > 0) {
                pages[number] = NONE;
                taken.addPage((long) number * PositionSet.PAGE, page);
            }
        }
        taken.addAll(rest);
        rest = new PositionSet();
        return taken;
    }
}
