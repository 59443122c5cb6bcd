package io.overdrive.jobs.load;

import io.overdrive.RejectedRow;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows that are completely acknowledged if a row may be written in several parts. Thread-safe. Only rows with several parts are
 * remembered until then; if too many are pending, the journal gets no further positions, so that a resumed run writes these rows again.
 */
final class PartCounts {
    /** Maximum number of pending rows with several parts, before the journal gets no more: about 300 MB. */
    static final int MAX_PENDING = 4_000_000;

    private static final int REFUSED = -1;

    private final Map<Long, Integer> pending = new ConcurrentHashMap<>();
    private final LongAdder rows = new LongAdder();
    private final @Nullable Consumer<long[]> journal;
    private final int maxPending;
    private volatile boolean isFull;

    /** @param journal receives the positions of rows that are complete; null if there is none */
    PartCounts(@Nullable Consumer<long[]> journal, int maxPending) {
        this.journal = journal;
        this.maxPending = maxPending;
    }

    /** Called before the parts of a row are sent. A row without parts is complete. */
    void begin(long position, int parts) {
        if (parts == 0) {
            complete(new long[] {position}, 1);
        } else if (parts > 1) {
            pending.put(position, parts);
            isFull |= pending.size() > maxPending;
        }
    }

    /** Called for parts that the cluster has acknowledged. */
    void written(long[] positions) {
        long[] complete = new long[positions.length];
        int count = 0;
        for (long position : positions) {
            if (pending.isEmpty() || isLast(position)) {
                complete[count++] = position;
            }
        }
        complete(complete, count);
    }

    private boolean isLast(long position) {
        return pending.computeIfPresent(position, (key, parts) -> without(parts)) == null;
    }

    /** The parts that are left without one of them; null if none is. */
    private static @Nullable Integer without(int parts) {
        if (parts == REFUSED) {
            return REFUSED;
        }
        return parts == 1 ? null : Integer.valueOf(parts - 1);
    }

    private void complete(long[] positions, int count) {
        rows.add(count);
        if (journal != null && !isFull && count > 0) {
            journal.accept(count == positions.length ? positions : Arrays.copyOf(positions, count));
        }
    }

    /** Called for a part that the cluster rejected; whether it is the first of its row. */
    boolean refused(RejectedRow row) {
        Integer before = pending.get(row.position());
        while (before != null && before != REFUSED && !pending.replace(row.position(), before, REFUSED)) {
            before = pending.get(row.position());
        }
        return before == null || before != REFUSED;
    }

    /** The number of rows that are complete. */
    long rows() {
        return rows.sum();
    }
}
