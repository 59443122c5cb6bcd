package io.overdrive.bench.experiments.kit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Groups rows into batches as the connector for Spark 3 does in each task (GroupingBatchBuilder of spark-cassandra-connector): a batch is
 * emitted when the next row would make it too large; if there are too many batches, the largest is emitted. Confined to one thread.
 */
public final class GroupingBuffer<R> {
    private final Consumer<List<R>> out;
    private final int rowBytes;
    private final int maxBytes;
    private final int maxGroups;
    private final Map<Object, Group<R>> groups = new HashMap<>();
    private final TreeSet<Group<R>> bySize = new TreeSet<>(
            Comparator.<Group<R>>comparingInt(group -> group.rows.size()).thenComparingLong(group -> group.id));
    private long nextId;

    private static final class Group<R> {
        private final Object key;
        private final long id;
        private final List<R> rows = new ArrayList<>();

        private Group(Object key, long id) {
            this.key = key;
            this.id = id;
        }
    }

    /**
     * @param out receives batches
     * @param rowBytes bytes of a row, the same for all
     * @param maxBytes of a batch; a single row may be larger
     * @param maxGroups maximum number of open batches
     */
    public GroupingBuffer(Consumer<List<R>> out, int rowBytes, int maxBytes, int maxGroups) {
        this.out = out;
        this.rowBytes = rowBytes;
        this.maxBytes = maxBytes;
        this.maxGroups = maxGroups;
    }

    /** @param key rows with equal keys may share a batch */
    public void add(Object key, R row) {
        Group<R> group = groups.get(key);
        if (group != null && (group.rows.size() + 1) * rowBytes > maxBytes) {
            send(group);
            group = null;
        }
        if (group == null) {
            if (groups.size() == maxGroups) {
                send(bySize.last());
            }
            group = new Group<>(key, nextId++);
            groups.put(key, group);
        } else {
            bySize.remove(group);
        }
        group.rows.add(row);
        bySize.add(group);
    }

    /** Emits the remaining batches, the largest first. */
    public void flush() {
        while (!bySize.isEmpty()) {
            send(bySize.last());
        }
    }

    private void send(Group<R> group) {
        bySize.remove(group);
        groups.remove(group.key);
        out.accept(group.rows);
    }
}
