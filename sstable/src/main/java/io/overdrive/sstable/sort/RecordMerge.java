package io.overdrive.sstable.sort;

import java.io.IOException;
import java.util.List;
import java.util.PriorityQueue;

/** The records of several sorted sequences in order. Confined to one thread. */
final class RecordMerge implements Records {
    private final PriorityQueue<Records> all;
    private byte[] array = {};
    private int at;

    RecordMerge(RecordOrder order, List<Records> sorted) throws IOException {
        all = new PriorityQueue<>(
                Math.max(1, sorted.size()), (a, b) -> order.compare(a.array(), a.at(), b.array(), b.at()));
        for (Records each : sorted) {
            if (each.next()) {
                all.add(each);
            }
        }
    }

    @Override
    public boolean next() throws IOException {
        Records first = all.poll();
        if (first == null) {
            return false;
        }
        array = first.array();
        at = first.at();
        if (first.next()) {
            all.add(first);
        }
        return true;
    }

    @Override
    public byte[] array() {
        return array;
    }

    @Override
    public int at() {
        return at;
    }
}
