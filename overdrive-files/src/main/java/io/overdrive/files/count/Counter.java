package io.overdrive.files.count;

import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.files.count.CountSummary.Group;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.files.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows of a table, and of its parts. The servers count; no rows are transferred. {@link #rows} is for any
 * thread; the rest is confined to one.
 */
public final class Counter {
    /** Page size when counting partitions; each result stands for a partition with maybe many rows. */
    private static final int PAGE_ROWS = 1000;

    /** Which parts are also counted separately. */
    public enum By {
        /** Each token range. */
        RANGE,
        /** The rows that each node holds a replica of. */
        NODE,
        /** The largest partitions. */
        PARTITION
    }

    private final @Nullable By by;
    private final int top;
    private final LongAdder rows = new LongAdder();

    /**
     * @param by null for the whole table only
     * @param top number of largest partitions to report, 1 or more
     */
    public Counter(@Nullable By by, int top) {
        this.by = by;
        this.top = top;
    }

    /** The options that {@link #open} needs for a table, for the caller to extend. */
    public ScanOptions.Builder options(String keyspace, String table) {
        ScanOptions.Builder options = ScanOptions.from(keyspace, table);
        return by == By.PARTITION ? options.pageRows(PAGE_ROWS) : options;
    }

    /** Prepares the count; the caller closes it after {@link #run}. */
    public Scan open(Overdrive overdrive, ScanOptions options) {
        return by == By.PARTITION ? overdrive.countPartitions(options) : overdrive.count(options);
    }

    /**
     * Counts. Called once.
     *
     * @param threads number of threads that process partitions, if these are counted
     */
    public CountSummary run(Scan counts, int threads) {
        List<Group> groups = by == By.PARTITION ? countPartitions(counts, threads) : countSplits(counts);
        return new CountSummary(rows.sum(), groups, counts.totals());
    }

    /** Rows counted so far. */
    public long rows() {
        return rows.sum();
    }

    private List<Group> countSplits(Scan counts) {
        Map<Split.Range, Long> ranges = new TreeMap<>(Comparator.comparingLong(Split.Range::start));
        Map<String, Long> nodes = new TreeMap<>();
        counts.forEachSplit(1, split -> page -> {
            while (page.next()) {
                long found = page.getLong(0);
                rows.add(found);
                ranges.merge(page.range(), found, Long::sum);
                split.replicas().forEach(node -> nodes.merge(node, found, Long::sum));
            }
        });
        List<Group> groups = new ArrayList<>();
        if (by == By.RANGE) {
            ranges.forEach((range, found) -> groups.add(new Group(range.toString(), found)));
        } else if (by == By.NODE) {
            nodes.forEach((node, found) -> groups.add(new Group(node, found)));
        }
        return groups;
    }

    private List<Group> countPartitions(Scan counts, int threads) {
        PriorityQueue<Group> largest = new PriorityQueue<>(Comparator.comparingLong(Group::rows));
        int last = counts.columns().size() - 1;
        List<ValueText> writers = counts.types().subList(0, last).stream()
                .map(type -> ValueText.of(type, ValueFormat.DEFAULT))
                .toList();
        counts.forEachSplit(threads, split -> page -> {
            synchronized (largest) {
                while (page.next()) {
                    long found = page.getLong(last);
                    rows.add(found);
                    if (largest.size() < top || found > largest.element().rows()) {
                        largest.add(new Group(key(page, writers), found));
                        if (largest.size() > top) {
                            largest.remove();
                        }
                    }
                }
            }
        });
        List<Group> groups = new ArrayList<>(largest);
        groups.sort(Comparator.comparingLong(Group::rows).reversed().thenComparing(Group::name));
        return groups;
    }

    private static String key(RowCursor page, List<ValueText> writers) {
        Bytes text = new Bytes(64);
        for (int i = 0; i < writers.size(); i++) {
            if (i > 0) {
                text.put(new byte[] {',', ' '});
            }
            writers.get(i).write(page.array(), page.offset(i), page.length(i), text);
        }
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }
}
