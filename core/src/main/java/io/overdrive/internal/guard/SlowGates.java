package io.overdrive.internal.guard;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Signs of trouble that latency does not show, or shows late. A gate closes when more nodes show its sign than the one of each twenty
 * that does not count, and opens when they have not shown it for a while:
 *
 * <ul>
 *   <li>dropped messages, or files of hints, have become more: open after a minute without that;
 *   <li>pending compactions keep rising: the lowest number of each of three minutes is higher than that of the one before,
 *       and at least 20; open when that of a minute is not;
 *   <li>a disk is nearly full, according to the limits that the cluster has for it: open when it no longer is.
 * </ul>
 *
 * <p>Pure: figures and their times go in. Confined to one thread.
 */
final class SlowGates {
    private static final long OPEN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final int RISES = 3;
    private static final int MIN_COMPACTIONS = 20;

    private enum Gate {
        DROPPED,
        HINTS,
        COMPACTIONS,
        DISK
    }

    private record Closed(String reason, long untilNanos) {}

    /** Figures and closed gates of a node. */
    private static final class Known {
        NodeFigures last;
        final Map<Gate, Closed> closed = new EnumMap<>(Gate.class);
        long minuteStartNanos;
        long lowest = Long.MAX_VALUE;
        long lowestBefore = Long.MAX_VALUE;
        int rises;

        Known(NodeFigures first, long now) {
            last = first;
            minuteStartNanos = now;
        }
    }

    private final Map<String, Known> nodes = new HashMap<>();

    /** How many nodes with trouble do not count: one of each twenty, as bulk work on a large cluster is hardly ever the cause of it. */
    static int notCounted(int nodes) {
        return nodes / 20;
    }

    /** Takes the figures of a node. */
    void update(String node, NodeFigures now, long nanos) {
        Known known = nodes.computeIfAbsent(node, name -> new Known(now, nanos));
        if (known.last.dropped() >= 0 && now.dropped() > known.last.dropped()) {
            known.closed.put(Gate.DROPPED, new Closed(node + " drops messages of other nodes", nanos + OPEN_NANOS));
        }
        if (known.last.hintFiles() >= 0 && now.hintFiles() > known.last.hintFiles()) {
            known.closed.put(Gate.HINTS, new Closed("the hints that " + node + " holds grow", nanos + OPEN_NANOS));
        }
        compactions(known, node, now.pendingCompactions(), nanos);
        String disk = now.disk();
        if (disk != null && (disk.startsWith("STUFFED") || disk.startsWith("FULL"))) {
            known.closed.put(
                    Gate.DISK,
                    new Closed(
                            "the disk of " + node + " is " + (disk.startsWith("FULL") ? "full" : "nearly full"),
                            Long.MAX_VALUE));
        } else {
            known.closed.remove(Gate.DISK);
        }
        known.last = now;
    }

    private static void compactions(Known known, String node, long pending, long nanos) {
        if (pending < 0) {
            return;
        }
        known.lowest = Math.min(known.lowest, pending);
        if (nanos - known.minuteStartNanos < MINUTE) {
            return;
        }
        boolean rises = known.lowestBefore != Long.MAX_VALUE && known.lowest > known.lowestBefore;
        known.rises = rises ? known.rises + 1 : 0;
        if (known.rises >= RISES && known.lowest >= MIN_COMPACTIONS) {
            known.closed.put(
                    Gate.COMPACTIONS,
                    new Closed("the pending compactions of " + node + " keep rising", Long.MAX_VALUE));
        } else if (!rises) {
            known.closed.remove(Gate.COMPACTIONS);
        }
        known.lowestBefore = known.lowest;
        known.lowest = Long.MAX_VALUE;
        known.minuteStartNanos = nanos;
    }

    /** Forgets a node that is down or gone. */
    void forgetAllBut(Iterable<String> names) {
        List<String> kept = new ArrayList<>();
        names.forEach(kept::add);
        nodes.keySet().retainAll(kept);
    }

    /** Why gates are closed, at most one reason a gate. */
    List<String> closed(long nanos) {
        Map<Gate, List<String>> reasons = new EnumMap<>(Gate.class);
        for (Known known : nodes.values()) {
            known.closed.values().removeIf(closed -> closed.untilNanos <= nanos);
            known.closed.forEach((gate, closed) ->
                    reasons.computeIfAbsent(gate, g -> new ArrayList<>()).add(closed.reason));
        }
        return reasons.values().stream()
                .filter(ofGate -> ofGate.size() > notCounted(nodes.size()))
                .map(Collections::min)
                .toList();
    }

    /** The reasons as text; null if all gates are open. */
    static @Nullable String text(List<String> closed) {
        return closed.isEmpty() ? null : String.join(", ", closed);
    }
}
