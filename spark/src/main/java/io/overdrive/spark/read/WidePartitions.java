package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large partitions, each of which several tasks read: by ranges of the first clustering column without {@code =}. Whatever the
 * rows are, each is in exactly one range, as every value is; where the ranges end is found by measuring. Plans (on the
 * driver); sends requests. Confined to the planning thread.
 */
final class WidePartitions {
    private static final Logger LOG = LoggerFactory.getLogger(WidePartitions.class);

    /** Maximum number of partitions that are measured. */
    static final int MAX_KEYS = 64;
    /** Maximum ranges of one partition. */
    private static final int MAX_RANGES = 1000;
    /** Read for the size of a row. */
    private static final int WHOLE_ROWS = 10;

    private static final int OVERHEAD_BYTES = 4;
    private static final long BYTES_PER_MB = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final String MAX_PARTITION_SIZE =
            "SELECT mebibytes FROM system_views.max_partition_size WHERE keyspace_name = ? AND table_name = ?";

    private final CqlSession session;
    private final Settings settings;
    private final TableSchema table;
    private final PushDown pushDown;
    private final Column column;
    /** The order by which the values of the column ascend. */
    private final String ascending;

    private final String descending;
    private final boolean isDescendingTable;
    private final long maxPartitionBytes;

    private WidePartitions(
            CqlSession session,
            Settings settings,
            TableSchema table,
            PushDown pushDown,
            Column column,
            List<ClusteringOrder> orders,
            long maxPartitionBytes) {
        this.session = session;
        this.settings = settings;
        this.table = table;
        this.pushDown = pushDown;
        this.column = column;
        this.maxPartitionBytes = maxPartitionBytes;
        int index = table.clusteringColumns().indexOf(column);
        isDescendingTable = orders.get(index) == ClusteringOrder.DESC;
        boolean isFirstDescending = orders.get(0) == ClusteringOrder.DESC;
        String first = " ORDER BY " + table.clusteringColumns().get(0).cqlName();
        ascending = first + (isFirstDescending == isDescendingTable ? " ASC" : " DESC");
        descending = first + (isFirstDescending == isDescendingTable ? " DESC" : " ASC");
    }

    /**
     * Null if no partition of the table is large, as far as nodes know what is on their disks, or if its rows are not read in
     * order or by ranges.
     *
     * @param selection of columns
     */
    static @Nullable WidePartitions of(
            Overdrive overdrive, Settings settings, TableSchema table, PushDown pushDown, List<String> selection) {
        // Each range has a query, and so a rate limit.
        if (!settings.isOn(Setting.SPLIT_PARTITIONS)
                || settings.find(Setting.READ_ROWS_PER_SECOND) != null
                || settings.find(Setting.READ_MB_PER_SECOND) != null
                || !pushDown.others().isEmpty()
                || selection.stream().noneMatch(name -> isOfRows(table, name))) {
            return null;
        }
        Column column = firstFree(table, pushDown);
        RelationMetadata relation = Columns.relation(
                        overdrive.session().getMetadata(),
                        CqlIdentifier.fromInternal(table.keyspace()),
                        CqlIdentifier.fromInternal(table.table()))
                .orElse(null);
        // In compact storage, a clustering column may have no value.
        if (column == null
                || relation == null
                || (relation instanceof TableMetadata known && known.isCompactStorage())) {
            return null;
        }
        long maxBytes = maxPartitionBytes(overdrive.session(), table);
        return maxBytes < 2 * splitBytes(settings)
                ? null
                : new WidePartitions(
                        overdrive.session(),
                        settings,
                        table,
                        pushDown,
                        column,
                        List.copyOf(relation.getClusteringColumns().values()),
                        maxBytes);
    }

    /**
     * Whether a column is one of rows. Unless a query reads such a column, the server takes no conditions on clustering
     * columns.
     */
    private static boolean isOfRows(TableSchema table, String name) {
        return table.column(name)
                .filter(column -> column.role() == Role.CLUSTERING || column.role() == Role.REGULAR)
                .isPresent();
    }

    /** The first clustering column without {@code =}; null if there is none, or if an earlier one has a list. */
    private static @Nullable Column firstFree(TableSchema table, PushDown pushDown) {
        for (Column column : table.clusteringColumns()) {
            List<PushDown.Condition> conditions = conditions(pushDown, column);
            if (conditions.stream().anyMatch(PushDown.Condition::isIn)) {
                return null;
            }
            if (conditions.stream().noneMatch(PushDown.Condition::isList)) {
                return column;
            }
        }
        return null;
    }

    private static List<PushDown.Condition> conditions(PushDown pushDown, Column column) {
        return pushDown.clustering().stream()
                .filter(condition -> condition.column().equals(column))
                .toList();
    }

    private static long splitBytes(Settings settings) {
        return settings.number(Setting.SPLIT_MB) * BYTES_PER_MB;
    }

    /** The size of the largest partition on any node that is up; 0 if none knows. */
    private static long maxPartitionBytes(CqlSession session, TableSchema table) {
        SimpleStatement statement = SimpleStatement.newInstance(MAX_PARTITION_SIZE, table.keyspace(), table.table())
                .setTimeout(TIMEOUT);
        List<CompletionStage<AsyncResultSet>> answers = new ArrayList<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getDistance() == NodeDistance.LOCAL && node.getState() == NodeState.UP) {
                answers.add(session.executeAsync(statement.setNode(node)));
            }
        }
        long max = 0;
        for (CompletionStage<AsyncResultSet> answer : answers) {
            try {
                Row row = answer.toCompletableFuture().join().one();
                max = row == null ? max : Math.max(max, row.getLong(0));
            } catch (CompletionException e) {
                LOG.debug("[{}] a node does not say how large partitions are", table.cqlName(), e);
            }
        }
        return max * BYTES_PER_MB;
    }

    /** The keys of all partitions; null if they are more than {@link #MAX_KEYS}. */
    @Nullable List<byte[][]> allKeys() {
        try {
            List<byte[][]> keys = new ArrayList<>();
            for (Row row : session.execute(limited(SimpleStatement.newInstance("SELECT DISTINCT "
                    + Columns.list(table.partitionKey()) + " FROM " + table.cqlName() + " LIMIT " + (MAX_KEYS + 1))))) {
                byte[][] key = new byte[table.partitionKey().size()][];
                for (int i = 0; i < key.length; i++) {
                    key[i] = bytes(Objects.requireNonNull(row.getBytesUnsafe(i)));
                }
                keys.add(key);
            }
            return keys.size() > MAX_KEYS ? null : keys;
        } catch (DriverException e) {
            LOG.debug("[{}] cannot list partitions", table.cqlName(), e);
            return null;
        }
    }

    /** The tokens of these keys. */
    static NavigableSet<Long> tokens(List<byte[][]> keys) {
        RoutingKey routingKey = new RoutingKey();
        NavigableSet<Long> tokens = new TreeSet<>();
        for (byte[][] key : keys) {
            routingKey.start(key.length);
            for (byte[] value : key) {
                routingKey.add(value, 0, value.length);
            }
            tokens.add(routingKey.token());
        }
        return tokens;
    }

    private SimpleStatement limited(SimpleStatement statement) {
        return statement
                .setConsistencyLevel(settings.consistency(Setting.READ_CONSISTENCY))
                .setPageSize(MAX_KEYS + 1)
                .setTimeout(TIMEOUT);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /**
     * The conditions of each task that reads this partition, in the order of its rows; empty if one task is enough, or if the
     * partition cannot be measured.
     */
    List<String> ranges(byte[][] key) {
        try {
            return ranges(bounds(key));
        } catch (DriverException | CompletionException e) {
            LOG.warn(
                    "[{}] a large partition is read by one task, as it could not be measured: {}",
                    table.cqlName(),
                    e.getMessage());
            return List.of();
        }
    }

    private List<String> ranges(List<String> bounds) {
        if (bounds.isEmpty()) {
            return List.of();
        }
        List<String> same = pushDown.clustering().stream()
                .filter(condition -> !condition.column().equals(column))
                .map(PushDown.Condition::cql)
                .toList();
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i <= bounds.size(); i++) {
            Stream<String> from = i == 0 ? given(/* lower */ true) : Stream.of(compared(">=", bounds.get(i - 1)));
            Stream<String> to = i == bounds.size() ? given(/* lower */ false) : Stream.of(compared("<", bounds.get(i)));
            String range =
                    Stream.of(same.stream(), from, to).flatMap(each -> each).collect(Collectors.joining(" AND "));
            ranges.add(isDescendingTable ? 0 : i, range);
        }
        return ranges;
    }

    private String compared(String operator, String literal) {
        return column.cqlName() + " " + operator + " " + literal;
    }

    /** The bounds that the query has for the column. */
    private Stream<String> given(boolean lower) {
        return conditions(pushDown, column).stream()
                .flatMap(condition -> condition.bounds().stream())
                .filter(bound -> bound.isLower() == lower)
                .map(PushDown.Bound::cql);
    }

    /** Values of the column in CQL, ascending, by which the partition is cut. */
    private List<String> bounds(byte[][] key) {
        List<String> all = table.columns().stream().map(Column::cqlName).toList();
        List<Row> first = rows(request(key, List.of(), ascending, all, WHOLE_ROWS));
        List<Row> last = rows(request(key, List.of(), descending, List.of(), 1));
        byte[] min = first.stream()
                .map(WidePartitions::value)
                .filter(value -> value.length > 0)
                .findFirst()
                .orElse(null);
        byte[] max = last.isEmpty() ? null : value(last.get(0));
        if (min == null || max == null || max.length == 0) {
            return List.of(); // only the row of static columns, or empty values, which come first
        }
        Positions positions = Positions.between(column.type(), min, max);
        if (positions == null) {
            return List.of();
        }
        PartitionSample sample = PartitionSample.of(
                positions.of(min),
                positions.of(max),
                place -> positions.of(positions.value(place)),
                places -> rows(key, positions, places));
        double rowBytes =
                first.stream().mapToLong(WidePartitions::bytes).average().orElse(0);
        double bytes = sample.isUnclear() ? maxPartitionBytes : Math.min(maxPartitionBytes, sample.rows() * rowBytes);
        int parts = (int) Math.min(MAX_RANGES, bytes / splitBytes(settings));
        LOG.debug("[{}] a partition of about {} rows is read by {} tasks", table.cqlName(), sample.rows(), parts);
        return parts < 2 ? List.of() : ascending(positions, min, sample.cuts(parts));
    }

    /** Bounds that the server sorts in ascending order: positions may not have exactly its order. */
    private List<String> ascending(Positions positions, byte[] min, List<BigInteger> cuts) {
        var order = io.overdrive.internal.codec.ClusteringOrder.of(column.type());
        List<String> bounds = new ArrayList<>();
        byte[] previous = min;
        for (BigInteger cut : cuts) {
            byte[] value = positions.value(cut);
            if (order.compare(previous, 0, previous.length, value, 0, value.length) < 0) {
                bounds.add(positions.literal(value));
                previous = value;
            }
        }
        return bounds;
    }

    /** An empty array for an empty value, or for none. */
    private static byte[] value(Row row) {
        ByteBuffer value = row.getBytesUnsafe(0);
        return value == null ? new byte[0] : bytes(value);
    }

    private static long bytes(Row row) {
        long bytes = 0;
        for (int i = 1; i < row.getColumnDefinitions().size(); i++) {
            ByteBuffer value = row.getBytesUnsafe(i);
            bytes += OVERHEAD_BYTES + (value == null ? 0 : value.remaining());
        }
        return bytes;
    }

    private List<List<BigInteger>> rows(byte[][] key, Positions positions, List<BigInteger> places) {
        List<CompletionStage<AsyncResultSet>> answers = places.stream()
                .map(place -> request(key, List.of(positions.value(place)), ascending, List.of(), PartitionSample.ROWS))
                .toList();
        List<List<BigInteger>> rows = new ArrayList<>();
        for (CompletionStage<AsyncResultSet> answer : answers) {
            rows.add(rows(answer).stream()
                    .map(WidePartitions::value)
                    .map(positions::of)
                    .toList());
        }
        return rows;
    }

    private static List<Row> rows(CompletionStage<AsyncResultSet> answer) {
        List<Row> rows = new ArrayList<>();
        answer.toCompletableFuture().join().currentPage().forEach(rows::add);
        return rows;
    }

    /**
     * Requests rows, each with the column and more after it.
     *
     * @param from the minimum of the column, or none for the query's
     */
    private CompletionStage<AsyncResultSet> request(
            byte[][] key, List<byte[]> from, String order, List<String> more, int limit) {
        List<String> conditions = new ArrayList<>(List.of(Columns.equalMarkers(table.partitionKey())));
        for (PushDown.Condition condition : pushDown.clustering()) {
            if (!condition.column().equals(column)) {
                conditions.add(condition.cql());
            }
        }
        (from.isEmpty() ? given(/* lower */ true) : Stream.of(column.cqlName() + " >= ?")).forEach(conditions::add);
        given(/* lower */ false).forEach(conditions::add);
        String cql = "SELECT "
                + String.join(
                        ", ",
                        Stream.concat(Stream.of(column.cqlName()), more.stream())
                                .toList()) + " FROM " + table.cqlName() + " WHERE " + String.join(" AND ", conditions)
                + order + " LIMIT " + limit;
        BoundStatementBuilder statement = session.prepare(cql)
                .boundStatementBuilder()
                .setConsistencyLevel(settings.consistency(Setting.READ_CONSISTENCY))
                .setPageSize(limit)
                .setTimeout(TIMEOUT)
                .setIdempotence(true);
        int marker = 0;
        for (byte[] value : key) {
            statement = statement.setBytesUnsafe(marker++, ByteBuffer.wrap(value));
        }
        for (byte[] value : from) {
            statement = statement.setBytesUnsafe(marker++, ByteBuffer.wrap(value));
        }
        return session.executeAsync(statement.build());
    }
}
