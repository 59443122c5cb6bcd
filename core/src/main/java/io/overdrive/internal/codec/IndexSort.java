package io.overdrive.internal.codec;

/** A merge sort of indexes: stable, and a single pass if they are in order already. Confined to one thread; on the hot path. */
public final class IndexSort {
    /** Compares what two indexes stand for. */
    public interface Order {
        int compare(int a, int b);
    }

    private int[] sorted = new int[64];
    private int[] spare = new int[64];

    /** The numbers from 0 to {@code count}, in order; valid until the next call. */
    public int[] sort(int count, Order order) {
        if (sorted.length < count) {
            sorted = new int[Math.max(count, 2 * sorted.length)];
            spare = new int[sorted.length];
        }
        boolean inOrder = true;
        for (int i = 0; i < count; i++) {
            sorted[i] = i;
            inOrder = inOrder && (i == 0 || order.compare(i - 1, i) <= 0);
        }
        if (!inOrder) {
            for (int width = 1; width < count; width = width > count / 2 ? count : 2 * width) {
                for (int from = 0; from < count; from += Math.min(count - from, 2 * width)) {
                    int middle = from + Math.min(count - from, width);
                    merge(from, middle, middle + Math.min(count - middle, width), order);
                }
                int[] other = sorted;
                sorted = spare;
                spare = other;
            }
        }
        return sorted;
    }

    private void merge(int from, int middle, int to, Order order) {
        int left = from;
        int right = middle;
        for (int i = from; i < to; i++) {
            boolean takesLeft = left < middle && (right == to || order.compare(sorted[left], sorted[right]) <= 0);
            spare[i] = takesLeft ? sorted[left++] : sorted[right++];
        }
    }
}
