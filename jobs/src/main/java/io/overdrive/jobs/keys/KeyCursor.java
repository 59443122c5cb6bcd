package io.overdrive.jobs.keys;

import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.sort.Entry;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryMerge;
import io.overdrive.jobs.sort.KeyOrder;
import io.overdrive.jobs.sort.SortedEntries;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The keys of a token range in order, each once. Confined to one thread at a time. */
final class KeyCursor implements KeyOrder.Cells {
    private final @Nullable EntryMerge entries;
    private final Entry key;
    private final Bytes copy = new Bytes(64);
    private long given;
    private long repeated;

    KeyCursor(EntryLayout layout, SortedEntries entries, Range range) {
        this.entries = entries.open(range.start(), range.end()).orElse(null);
        this.key = new Entry(layout);
    }

    /** Advances to the next key; false if there is none. */
    boolean next() {
        EntryMerge from = entries;
        while (from != null && !from.isEmpty()) {
            Entry first = from.first();
            boolean isNew = given == 0 || first.compareKeys(key) != 0;
            if (isNew) {
                copy.clear();
                copy.put(first.array(), first.start(), first.size());
                key.set(copy.array(), 0);
                given++;
            } else {
                repeated++;
            }
            from.remove();
            if (isNew) {
                return true;
            }
        }
        return false;
    }

    /** Keys until now. */
    long given() {
        return given;
    }

    /** Records until now whose key another one has. */
    long repeated() {
        return repeated;
    }

    long token() {
        return key.token();
    }

    /** Where the columns of the key start, each of which has its length in front. */
    int start() {
        return key.keyStart();
    }

    int end() {
        return key.keyEnd();
    }

    /** A copy of the columns of the key, each with its length in front. */
    byte[] bytes() {
        return Arrays.copyOfRange(key.array(), start(), end());
    }

    @Override
    public byte[] array() {
        return key.array();
    }

    @Override
    public int offset(int column) {
        return key.offset(column);
    }

    @Override
    public int length(int column) {
        return key.length(column);
    }
}
