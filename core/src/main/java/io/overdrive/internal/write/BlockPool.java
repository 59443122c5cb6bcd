package io.overdrive.internal.write;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/**
 * Memory for the rows that wait in a {@link Shard}: blocks of a few sizes, cut from pages that are never freed, so that millions
 * of rows cause no garbage collection. Guarded by its shard's lock; on the hot path.
 *
 * <p>A block is {@code [int address of the next block, or NONE][payload]}; an address is the page number and the offset in units
 * of 64 bytes. All blocks of a page have the same size. A page is as large as all earlier ones together, from 16 to 256 KiB, so
 * that a job of few rows takes little memory. Once the pages reach the budget, free blocks of other sizes are used, so that a
 * change in the sizes of rows does not strand memory.
 */
final class BlockPool {
    static final int NONE = -1;

    /** Bytes of a block before its payload. */
    static final int HEADER = 4;

    private static final int MIN_PAGE = 16 << 10;
    private static final int MAX_PAGE = 256 << 10;
    private static final int UNIT_SHIFT = 6;
    private static final int PAGE_SHIFT = 12;
    private static final int OFFSET_MASK = (1 << PAGE_SHIFT) - 1;

    /** Number of block sizes, which are 64 << class. */
    static final int CLASSES = 5;

    private final long budget;
    private final int[] free = new int[CLASSES];
    private final int[] fresh = new int[CLASSES];
    private byte[][] pages = new byte[16][];
    private byte[] classes = new byte[16];
    private int pageCount;
    private long allPages;
    private long used;

    BlockPool(long budget) {
        this.budget = budget;
        Arrays.fill(free, NONE);
        Arrays.fill(fresh, NONE);
    }

    /** The smallest class whose blocks hold this payload, or the largest class. */
    static int classFor(int payload) {
        int units = (payload + HEADER + 63) >> UNIT_SHIFT;
        return Math.min(CLASSES - 1, 32 - Integer.numberOfLeadingZeros(units - 1));
    }

    /** Bytes of all blocks in use. */
    long used() {
        return used;
    }

    /** Allocates a block, of this class if possible, with its link set to NONE. */
    int allocate(int wanted) {
        int address = take(wanted);
        if (address == NONE && allPages < budget) {
            address = newPage(wanted);
        }
        for (int c = CLASSES - 1; address == NONE && c >= 0; c--) {
            address = take(c);
        }
        if (address == NONE) {
            address = newPage(wanted);
        }
        used += size(address);
        setNext(address, NONE);
        return address;
    }

    private int take(int c) {
        int address = free[c];
        if (address != NONE) {
            free[c] = next(address);
            return address;
        }
        address = fresh[c];
        if (address != NONE) {
            fresh[c] = end(address) == page(address).length ? NONE : address + (1 << c);
        }
        return address;
    }

    private int newPage(int c) {
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, 2 * pageCount);
            classes = Arrays.copyOf(classes, 2 * pageCount);
        }
        int bytes = (int) Math.max(MIN_PAGE, Math.min(Long.highestOneBit(allPages), MAX_PAGE));
        allPages += bytes;
        pages[pageCount] = new byte[bytes];
        classes[pageCount] = (byte) c;
        int address = pageCount++ << PAGE_SHIFT;
        fresh[c] = address + (1 << c);
        return address;
    }

    /** Frees a chain of blocks. */
    void free(int address) {
        while (address != NONE) {
            int following = next(address);
            int c = classes[address >>> PAGE_SHIFT];
            used -= 64L << c;
            setNext(address, free[c]);
            free[c] = address;
            address = following;
        }
    }

    byte[] page(int address) {
        return pages[address >>> PAGE_SHIFT];
    }

    /** Offset of the payload in {@link #page}. */
    int payload(int address) {
        return ((address & OFFSET_MASK) << UNIT_SHIFT) + HEADER;
    }

    /** Offset of the block's end in {@link #page}. */
    int end(int address) {
        return ((address & OFFSET_MASK) << UNIT_SHIFT) + size(address);
    }

    int next(int address) {
        return Bytes.getInt(page(address), (address & OFFSET_MASK) << UNIT_SHIFT);
    }

    void setNext(int address, int following) {
        Bytes.setInt(page(address), (address & OFFSET_MASK) << UNIT_SHIFT, following);
    }

    int sizeClass(int address) {
        return classes[address >>> PAGE_SHIFT];
    }

    private int size(int address) {
        return 64 << classes[address >>> PAGE_SHIFT];
    }
}
