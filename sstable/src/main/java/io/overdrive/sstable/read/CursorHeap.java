package io.overdrive.sstable.read;

/** Cursors by the partitions that they are at, the first one on top. Confined to one thread; on the hot path. */
final class CursorHeap {
    private final SstableCursor[] heap;
    private int size;

    CursorHeap(int cursors) {
        heap = new SstableCursor[cursors];
    }

    void clear() {
        size = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    SstableCursor first() {
        return heap[0];
    }

    /** @param cursor at a partition */
    void push(SstableCursor cursor) {
        int at = size++;
        while (at > 0 && cursor.comparePartition(heap[(at - 1) >> 1]) < 0) {
            heap[at] = heap[(at - 1) >> 1];
            at = (at - 1) >> 1;
        }
        heap[at] = cursor;
    }

    /** Removes the first one. */
    SstableCursor pop() {
        SstableCursor first = heap[0];
        SstableCursor last = heap[--size];
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && heap[child + 1].comparePartition(heap[child]) < 0) {
                child++;
            }
            if (last.comparePartition(heap[child]) <= 0) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        return first;
    }
}
