package io.overdrive.jobs.sort;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The entries of several readers in order. Confined to one thread. */
public final class EntryMerge {
    private final PriorityQueue<EntryReader> readers =
            new PriorityQueue<>(Comparator.comparing(EntryReader::entry, Entry::compareTo));

    EntryMerge(List<EntryReader> all) {
        for (EntryReader reader : all) {
            if (reader.next()) {
                readers.add(reader);
            }
        }
    }

    public boolean isEmpty() {
        return readers.isEmpty();
    }

    /** The first entry of those left, valid until {@link #remove}. There must be one. */
    public Entry first() {
        return readers.element().entry();
    }

    public void remove() {
        EntryReader reader = readers.remove();
        if (reader.next()) {
            readers.add(reader);
        }
    }
}
