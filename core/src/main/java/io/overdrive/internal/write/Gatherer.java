package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.ring.Ring;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gathers single rows until they fill a request that the server does not warn of. The rows of a request have the same replicas; or, in a
 * cluster with more replica sets than nodes, one replica in common, which coordinates the request: at 1,000 nodes of 256 tokens there are
 * 250,000 sets, and rows would wait for others that do not come. Each row has its own write time, so the last row of a key wins,
 * even within a request. Thread-safe; on the hot path (write step 3).
 */
final class Gatherer {
    /** Heap of a row in addition to its body. */
    private static final int ROW_BYTES = 200;

    private final Gathering gathering;
    private final WriteLayout layout;
    private final Sender sender;
    private final long maxHeldBytes;

    /** Rows by id of the replica set. */
    @GuardedBy("this") private @Nullable Rows[] sets = new Rows[0];

    @GuardedBy("this") private final Map<Node, Rows> ofCoordinators = new HashMap<>();

    @GuardedBy("this") private long heldBytes;

    @GuardedBy("this") private boolean closed;

    private volatile boolean holdsRows;

    /** Rows that wait for others. */
    private static final class Rows {
        final List<WriteRequest> singles = new ArrayList<>();
        /** Size as the server counts it. */
        int bytes;

        void add(WriteRequest single, int counted) {
            singles.add(single);
            bytes += counted;
        }
    }

    /** @param maxHeldBytes if rows that wait take more memory, those to come do not wait */
    Gatherer(Gathering gathering, WriteLayout layout, Sender sender, long maxHeldBytes) {
        this.gathering = gathering;
        this.layout = layout;
        this.sender = sender;
        this.maxHeldBytes = maxHeldBytes;
    }

    /** The number of kinds of rows: two of one kind may share a request. */
    static int kinds(Ring ring) {
        return Math.min(ring.replicaSets(), ring.allLocalNodes().nodes().size());
    }

    boolean isOn() {
        return gathering.isOn();
    }

    /** Whether rows wait for others. */
    boolean holdsRows() {
        return holdsRows;
    }

    /** Memory that these rows take. */
    synchronized long heldBytes() {
        return heldBytes;
    }

    /**
     * Takes a row, unless it is large or too many rows wait.
     *
     * @return the rows of the request to send now, which is full or has this row only; empty if the row waits
     */
    List<WriteRequest> add(WriteRequest single) {
        int counted = layout.countedBytes(single.body);
        int maxBytes = gathering.maxBytes();
        if (counted > maxBytes / 2) {
            return List.of(single);
        }
        Ring ring = sender.ring();
        boolean bySet = kinds(ring) == ring.replicaSets();
        Node coordinator = bySet ? null : sender.coordinator(single);
        single.coordinator = coordinator;
        synchronized (this) {
            if (closed || heldBytes > maxHeldBytes) {
                return List.of(single);
            }
            Rows rows = coordinator == null
                    ? rows(ring.replicas(single.token).id())
                    : ofCoordinators.computeIfAbsent(coordinator, node -> new Rows());
            if (rows.bytes + counted > maxBytes) {
                List<WriteRequest> full = take(rows);
                add(rows, single, counted);
                return full;
            }
            add(rows, single, counted);
            return rows.singles.size() < gathering.maxRows() ? List.of() : take(rows);
        }
    }

    @GuardedBy("this") private Rows rows(int set) {
        if (set >= sets.length) {
            sets = Arrays.copyOf(sets, Math.max(set + 1, 2 * sets.length));
        }
        Rows rows = sets[set];
        if (rows == null) {
            rows = new Rows();
            sets[set] = rows;
        }
        return rows;
    }

    @GuardedBy("this") private void add(Rows rows, WriteRequest single, int counted) {
        rows.add(single, counted);
        heldBytes += single.body.length + ROW_BYTES;
        holdsRows = true;
    }

    @GuardedBy("this") private List<WriteRequest> take(Rows rows) {
        List<WriteRequest> taken = List.copyOf(rows.singles);
        for (WriteRequest single : taken) {
            heldBytes -= single.body.length + ROW_BYTES;
        }
        rows.singles.clear();
        rows.bytes = 0;
        holdsRows = heldBytes > 0;
        return taken;
    }

    /** All rows that wait, by request, full or not. */
    synchronized List<List<WriteRequest>> takeAll() {
        List<List<WriteRequest>> all = new ArrayList<>();
        List<@Nullable Rows> kinds = new ArrayList<>(Arrays.asList(sets));
        kinds.addAll(ofCoordinators.values());
        for (Rows rows : kinds) {
            if (rows != null && !rows.singles.isEmpty()) {
                all.add(take(rows));
            }
        }
        return all;
    }

    /** Closes the gatherer: later rows do not wait. */
    synchronized void close() {
        closed = true;
    }
}
