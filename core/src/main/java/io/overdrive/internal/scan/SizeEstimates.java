package io.overdrive.internal.scan;

import static io.overdrive.internal.scan.Splitter.width;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.ring.Ring;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimated bytes of a table in a token range, from the nodes of the local data centre. They estimate every five minutes, from
 * what is on disk: a table that was just loaded has no estimates. Nodes that do not answer count as the others do. Immutable.
 */
final class SizeEstimates {
    private static final Logger LOG = LoggerFactory.getLogger(SizeEstimates.class);

    /** Query that Cassandra 4.0 and later answers; it excludes the ranges of other data centres. */
    private static final String TABLE_ESTIMATES = "SELECT range_start, range_end, mean_partition_size, partitions_count"
            + " FROM system.table_estimates WHERE keyspace_name = ? AND table_name = ? AND range_type = 'local_primary'";

    private static final String SIZE_ESTIMATES = "SELECT range_start, range_end, mean_partition_size, partitions_count"
            + " FROM system.size_estimates WHERE keyspace_name = ? AND table_name = ?";

    private static final String DISK_USAGE =
            "SELECT mebibytes FROM system_views.disk_usage WHERE keyspace_name = ? AND table_name = ?";

    /** A hung node stays among them until its time is up. */
    private static final int MAX_NODES_AT_ONCE = 32;

    /** One node's estimate of the bytes in a token range. */
    record Estimate(long start, long end, double bytes) {
        double density() {
            return bytes / width(start, end);
        }
    }

    /** Starts and ends of the estimates, in order. */
    private final long[] tokens;
    /** The bytes up to each of the tokens. */
    private final double[] bytesBefore;

    SizeEstimates(List<Estimate> estimates) {
        tokens = withoutRepeats(LongStream.concat(
                        estimates.stream().mapToLong(Estimate::start),
                        estimates.stream().mapToLong(Estimate::end))
                .sorted()
                .toArray());
        bytesBefore = new double[tokens.length];
        List<Estimate> toBegin = sorted(estimates, Estimate::start);
        List<Estimate> toEnd = sorted(toBegin, Estimate::end); // which are nearly in this order
        int begun = 0;
        int ended = 0;
        Density density = new Density();
        for (int i = 1; i < tokens.length; i++) {
            for (; begun < toBegin.size() && toBegin.get(begun).start < tokens[i]; begun++) {
                density.add(toBegin.get(begun).density());
            }
            for (; ended < toEnd.size() && toEnd.get(ended).end < tokens[i]; ended++) {
                density.add(-toEnd.get(ended).density());
            }
            bytesBefore[i] = bytesBefore[i - 1] + density.now() * width(tokens[i - 1], tokens[i]);
        }
    }

    /** Removes repeats. A stream's {@code distinct} would box half a million of them. */
    private static long[] withoutRepeats(long[] sorted) {
        int kept = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                sorted[kept++] = sorted[i];
            }
        }
        return Arrays.copyOf(sorted, kept);
    }

    private static List<Estimate> sorted(List<Estimate> estimates, ToLongFunction<Estimate> token) {
        return estimates.stream().sorted(Comparator.comparingLong(token)).toList();
    }

    /** Bytes for each token, by Neumaier's sum: beside a range of one token, those of the others would be lost by rounding. */
    private static final class Density {
        private double sum;
        private double lost;

        void add(double more) {
            double rounded = sum + more;
            lost += Math.abs(sum) >= Math.abs(more) ? sum - rounded + more : more - rounded + sum;
            sum = rounded;
        }

        double now() {
            return Math.max(0, sum + lost);
        }
    }

    /** @param earlierBytes that were read of the table before; they count if no node has an estimate */
    static SizeEstimates of(
            CqlSession session, Ring ring, CqlIdentifier keyspace, CqlIdentifier table, int earlierBytes) {
        List<Node> nodes = new ArrayList<>(ring.allLocalNodes().nodes());
        List<Estimate> found = new ArrayList<>();
        Consumer<Row> add = row -> add(
                found,
                Long.parseLong(String.valueOf(row.getString(0))),
                Long.parseLong(String.valueOf(row.getString(1))),
                (double) row.getLong(2) * row.getLong(3));
        List<Node> refused = query(session, nodes, TABLE_ESTIMATES, keyspace, table, add);
        query(session, refused, SIZE_ESTIMATES, keyspace, table, add);
        if (found.stream().allMatch(each -> each.bytes == 0)) {
            found.clear();
            long[] mebibytes = {0};
            query(session, nodes, DISK_USAGE, keyspace, table, row -> mebibytes[0] += row.getLong(0));
            double replicas = ring.arcs().stream()
                    .mapToInt(arc -> arc.replicas().nodes().size())
                    .average()
                    .orElse(1);
            double bytes = (double) mebibytes[0] * (1 << 20) / Math.max(1, replicas);
            found.add(new Estimate(Long.MIN_VALUE, Long.MAX_VALUE, bytes == 0 ? earlierBytes : bytes));
        }
        fillGaps(found);
        return new SizeEstimates(found);
    }

    /**
     * Adds an estimate for each range that has none, such as those of a node that did not answer: as many bytes for each token as the other
     * ranges have on average.
     */
    static void fillGaps(List<Estimate> found) {
        List<Estimate> gaps = new ArrayList<>();
        double bytes = 0;
        double widths = 0;
        long end = Long.MIN_VALUE;
        for (Estimate each : sorted(found, Estimate::start)) {
            if (each.start > end) {
                gaps.add(new Estimate(end, each.start, /* bytes */ 0));
            }
            bytes += each.bytes;
            widths += each.end > end ? width(Math.max(each.start, end), each.end) : 0;
            end = Math.max(end, each.end);
        }
        if (end < Long.MAX_VALUE) {
            gaps.add(new Estimate(end, Long.MAX_VALUE, /* bytes */ 0));
        }
        for (Estimate gap : gaps) {
            if (bytes > 0) {
                found.add(new Estimate(gap.start, gap.end, bytes / widths * width(gap.start, gap.end)));
            }
        }
    }

    static void add(List<Estimate> found, long start, long end, double bytes) {
        if (start < end) {
            found.add(new Estimate(start, end, bytes));
            return;
        }
        // wraps around, or is the whole ring
        double above = start < Long.MAX_VALUE ? width(start, Long.MAX_VALUE) : 0;
        double below = end > Long.MIN_VALUE ? width(Long.MIN_VALUE, end) : 0;
        if (above > 0) {
            found.add(new Estimate(start, Long.MAX_VALUE, bytes * above / (above + below)));
        }
        if (below > 0) {
            found.add(new Estimate(Long.MIN_VALUE, end, bytes * below / (above + below)));
        }
    }

    /**
     * Takes the rows of all nodes, except nodes that lack the table or do not answer. A few nodes are asked at a time, as rows take ten
     * times the memory of estimates, and a node has one for each of its tokens.
     *
     * @param nodes of which nodes are removed that do not answer in time, so that one that hangs is waited for once
     * @return the nodes that refuse the query, as they lack the table, or the user has no right to read it
     */
    private static List<Node> query(
            CqlSession session,
            List<Node> nodes,
            String cql,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            Consumer<Row> rows) {
        List<Node> refused = new ArrayList<>();
        Queue<Node> next = new ArrayDeque<>(nodes);
        Queue<Map.Entry<Node, CompletionStage<AsyncResultSet>>> asked = new ArrayDeque<>();
        while (!next.isEmpty() || !asked.isEmpty()) {
            while (!next.isEmpty() && asked.size() < MAX_NODES_AT_ONCE) {
                Node node = next.remove();
                asked.add(Map.entry(
                        node, session.executeAsync(OwnQuery.to(node, cql, keyspace.asInternal(), table.asInternal()))));
            }
            Map.Entry<Node, CompletionStage<AsyncResultSet>> oldest = asked.remove();
            try {
                AsyncResultSet page = oldest.getValue().toCompletableFuture().join();
                page.currentPage().forEach(rows);
                while (page.hasMorePages()) {
                    page = page.fetchNextPage().toCompletableFuture().join();
                    page.currentPage().forEach(rows);
                }
            } catch (CompletionException | DriverException e) {
                LOG.debug("no size estimate of {}.{} from {}: {}", keyspace, table, oldest.getKey(), e.getMessage());
                if (e.getCause() instanceof DriverTimeoutException) {
                    nodes.remove(oldest.getKey());
                } else {
                    refused.add(oldest.getKey());
                }
            }
        }
        return refused;
    }

    /** Estimated bytes in the range. O(log n) for n estimates: there is a call for each range of a vnode. */
    double bytes(long start, long end) {
        return start < end ? Math.max(0, bytesUpTo(end) - bytesUpTo(start)) : 0;
    }

    private double bytesUpTo(long token) {
        int place = Arrays.binarySearch(tokens, token);
        if (place >= 0) {
            return bytesBefore[place];
        }
        int next = -place - 1;
        if (next == 0) {
            return 0;
        }
        double before = bytesBefore[next - 1];
        return next == tokens.length
                ? before
                : before
                        + (bytesBefore[next] - before)
                                * width(tokens[next - 1], token)
                                / width(tokens[next - 1], tokens[next]);
    }
}
