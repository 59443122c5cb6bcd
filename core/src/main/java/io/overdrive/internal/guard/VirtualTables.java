package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Asks nodes about themselves over CQL, by the virtual tables of {@code system_views}: internode messages and thread pools from Cassandra
 * 4.0 on, hints and disks from 4.1 on. A table that a node does not have, or that the user may not read, is not asked for again, and its
 * figure is unknown. Thread-safe; does not wait.
 */
final class VirtualTables {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final String OUTBOUND = "SELECT expired_count, overload_count FROM system_views.internode_outbound";
    private static final String INBOUND = "SELECT expired_count FROM system_views.internode_inbound";
    private static final String HINTS = "SELECT files FROM system_views.pending_hints";
    private static final String COMPACTIONS =
            "SELECT pending_tasks FROM system_views.thread_pools WHERE name = 'CompactionExecutor'";
    private static final String DISK = "SELECT disk_usage FROM system_views.gossip_info WHERE address = '%s'";
    private static final long UNKNOWN = -1;

    private final CqlSession session;
    private final Map<Node, Set<String>> missing = new ConcurrentHashMap<>();

    VirtualTables(CqlSession session) {
        this.session = session;
    }

    /** Gives the figures of the node to a taker, unless it does not answer. */
    void figures(Node node, Consumer<NodeFigures> taker) {
        CompletableFuture<Long> outbound =
                sum(node, OUTBOUND, row -> number(row, "expired_count") + number(row, "overload_count"));
        CompletableFuture<Long> inbound = sum(node, INBOUND, row -> number(row, "expired_count"));
        CompletableFuture<Long> hints = sum(node, HINTS, row -> number(row, "files"));
        CompletableFuture<Long> compactions = sum(node, COMPACTIONS, row -> number(row, "pending_tasks"));
        CompletableFuture<String> disk = node.getBroadcastAddress()
                .map(address -> DISK.formatted(address.getAddress().getHostAddress()))
                .map(query -> ask(node, query)
                        .thenApply(rows -> {
                            Row row = rows.one();
                            String usage = row == null ? null : row.getString("disk_usage");
                            return usage == null ? "" : usage;
                        })
                        .exceptionally(e -> {
                            note(node, query, e);
                            return "";
                        }))
                .orElseGet(() -> CompletableFuture.completedFuture(""));
        var unused = CompletableFuture.allOf(outbound, inbound, hints, compactions, disk)
                .thenRun(() -> taker.accept(new NodeFigures(
                        dropped(outbound.join(), inbound.join()),
                        hints.join(),
                        compactions.join(),
                        disk.join().isEmpty() ? null : disk.join())));
    }

    private static long number(Row row, String column) {
        return row.getObject(column) instanceof Number number ? number.longValue() : 0;
    }

    private static long dropped(long outbound, long inbound) {
        return outbound < 0 || inbound < 0 ? UNKNOWN : outbound + inbound;
    }

    private CompletableFuture<Long> sum(Node node, String query, ToLongFunction<Row> value) {
        return ask(node, query)
                .thenApply(rows -> {
                    long sum = 0;
                    for (Row row : rows.currentPage()) {
                        sum += value.applyAsLong(row);
                    }
                    return sum;
                })
                .exceptionally(e -> {
                    note(node, query, e);
                    return UNKNOWN;
                });
    }

    private CompletableFuture<AsyncResultSet> ask(Node node, String query) {
        if (missing.getOrDefault(node, Set.of()).contains(query)) {
            return CompletableFuture.failedFuture(new CompletionException("not there", null));
        }
        try {
            return session.executeAsync(
                            SimpleStatement.newInstance(query).setNode(node).setTimeout(TIMEOUT))
                    .toCompletableFuture();
        } catch (DriverException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void note(Node node, String query, Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof InvalidQueryException || cause instanceof UnauthorizedException) {
            missing.computeIfAbsent(node, n -> ConcurrentHashMap.newKeySet()).add(query);
        }
    }
}
