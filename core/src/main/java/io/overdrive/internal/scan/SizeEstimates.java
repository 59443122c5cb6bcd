package io.overdrive.internal.scan;

import static io.overdrive.internal.scan.Splitter.width;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.internal.ring.Ring;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimated bytes of a table in a token range, from the nodes of the local data centre. They estimate every five minutes, from
 * what is on disk: a table that was just loaded has no estimates. Immutable.
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

    /** One node's estimate of the bytes in a token range. */
    record Estimate(long start, long end, double bytes) {}

    private final List<Estimate> estimates;

    SizeEstimates(List<Estimate> estimates) {
        this.estimates = estimates;
    }

    static SizeEstimates of(CqlSession session, Ring ring, CqlIdentifier keyspace, CqlIdentifier table) {
        List<Node> nodes = ring.allLocalNodes().nodes();
        List<Estimate> found = new ArrayList<>();
        List<Row> rows = query(session, nodes, TABLE_ESTIMATES, keyspace, table);
        if (rows.isEmpty()) {
            rows = query(session, nodes, SIZE_ESTIMATES, keyspace, table);
        }
        for (Row row : rows) {
            add(
                    found,
                    Long.parseLong(String.valueOf(row.getString(0))),
                    Long.parseLong(String.valueOf(row.getString(1))),
                    (double) row.getLong(2) * row.getLong(3));
        }
        if (found.stream().allMatch(each -> each.bytes == 0)) {
            found.clear();
            double mebibytes = query(session, nodes, DISK_USAGE, keyspace, table).stream()
                    .mapToLong(row -> row.getLong(0))
                    .sum();
            double replicas = ring.arcs().stream()
                    .mapToInt(arc -> arc.replicas().nodes().size())
                    .average()
                    .orElse(1);
            found.add(new Estimate(Long.MIN_VALUE, Long.MAX_VALUE, mebibytes * (1 << 20) / Math.max(1, replicas)));
        }
        found.sort(Comparator.comparingLong(Estimate::start));
        return new SizeEstimates(found);
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

    /** The rows of all nodes, except nodes that lack the table or do not answer. */
    private static List<Row> query(
            CqlSession session, List<Node> nodes, String cql, CqlIdentifier keyspace, CqlIdentifier table) {
        SimpleStatement statement = SimpleStatement.newInstance(cql, keyspace.asInternal(), table.asInternal());
        List<CompletionStage<AsyncResultSet>> answers = nodes.stream()
                .map(node -> session.executeAsync(statement.setNode(node)))
                .toList();
        List<Row> rows = new ArrayList<>();
        for (CompletionStage<AsyncResultSet> answer : answers) {
            try {
                AsyncResultSet page = answer.toCompletableFuture().join();
                page.currentPage().forEach(rows::add);
                while (page.hasMorePages()) {
                    page = page.fetchNextPage().toCompletableFuture().join();
                    page.currentPage().forEach(rows::add);
                }
            } catch (CompletionException | DriverException e) {
                LOG.debug("no size estimate of {}.{} from a node: {}", keyspace, table, e.getMessage());
            }
        }
        return rows;
    }

    /** Estimated bytes in the range. */
    double bytes(long start, long end) {
        double bytes = 0;
        for (Estimate each : estimates) {
            if (each.start >= end) {
                break;
            }
            long from = Math.max(start, each.start);
            long to = Math.min(end, each.end);
            if (from < to) {
                bytes += each.bytes * width(from, to) / width(each.start, each.end);
            }
        }
        return bytes;
    }
}
