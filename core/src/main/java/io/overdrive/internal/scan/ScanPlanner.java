package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.cql.Preparing;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.scan.ScanLayout.Query;
import io.overdrive.internal.scan.ScanLayout.ResultColumns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides by which query rows are read, and whether it can be split by token: checks the options against the schema and asks the
 * server what it accepts. Thread-safe.
 */
public final class ScanPlanner {
    /** The number of rows, among aggregates. */
    public static final String COUNT = "count(*)";

    private static final String AGGREGATES = "it aggregates all rows";
    private static final String LIMITED = "it has a LIMIT over all rows";
    private static final String REFUSAL = "the server refuses the query";
    private static final Pattern TIMES = Pattern.compile("(ttl|writetime)\\((.+)\\)");

    private final CqlSession session;
    private final ScanOptions options;
    private final Preparing preparing;

    public ScanPlanner(CqlSession session, ScanOptions options) {
        this.session = session;
        this.options = options;
        this.preparing = new Preparing(session);
    }

    /** The layout of rows of a table. */
    public ScanLayout forTable(TableSchema table) {
        return forSelect(table, selection(table), /* groupBy */ "", /* isAggregate */ false);
    }

    /**
     * The layout of rows of a table with the write time and the time to live of each cell after the columns; and if
     * they come from a {@link RowSource}, with the row marker's at the end.
     */
    public ScanLayout forTimes(TableSchema table) {
        List<Column> columns = Columns.choose(table, options.columns());
        List<String> selection =
                new ArrayList<>(columns.stream().map(Column::cqlName).toList());
        for (Column column : columns) {
            if (!column.isKey()) {
                selection.add("writetime(" + column.cqlName() + ")");
                selection.add("ttl(" + column.cqlName() + ")");
            }
        }
        ScanLayout cells = forSelect(table, String.join(", ", selection), /* groupBy */ "", /* isAggregate */ false);
        RowSource source = options.source();
        return source == null || source.isOfCluster() ? cells : withMarkers(cells);
    }

    private ScanLayout withMarkers(ScanLayout cells) {
        List<String> names = new ArrayList<>(cells.columns.names());
        Collections.addAll(names, RowSource.MARKER_TIME, RowSource.MARKER_TTL);
        List<DataType> types = new ArrayList<>(cells.columns.types());
        Collections.addAll(types, DataTypes.BIGINT, DataTypes.INT);
        return new ScanLayout(
                cells.prepared,
                cells.keyspace,
                cells.table,
                new ResultColumns(names, types, cells.columns.key()),
                cells.query,
                options.consistency());
    }

    /** The layout of aggregates over the rows of each token range. */
    public ScanLayout forAggregates(TableSchema table, List<String> selection) {
        ScanLayout aggregates =
                forSelect(table, String.join(", ", selection), /* groupBy */ "", /* isAggregate */ true);
        return isCount(selection) ? withRows(aggregates, table) : aggregates;
    }

    /** Whether aggregates are the number of rows and nothing else. */
    public static boolean isCount(List<String> selection) {
        return selection.equals(List.of(COUNT));
    }

    /** The layout of the number of rows of each partition. */
    public ScanLayout forPartitionCounts(TableSchema table) {
        String key = Columns.list(table.partitionKey());
        return withRows(forSelect(table, key + ", " + COUNT, " GROUP BY " + key, /* isAggregate */ false), table);
    }

    /** Adds the query for the rows that are counted, unless a limit follows the conditions, which holds for rows otherwise than for numbers. */
    private ScanLayout withRows(ScanLayout counts, TableSchema table) {
        String where = options.where();
        if (options.source() != null || (where != null && !CqlText.hasOnlyConditions(CqlText.bare(where)))) {
            return counts;
        }
        return new ScanLayout(
                counts.prepared,
                counts.keyspace,
                counts.table,
                counts.columns,
                counts.query,
                options.consistency(),
                forSelect(table, Columns.list(table.partitionKey()), /* groupBy */ "", /* isAggregate */ false));
    }

    /**
     * The layout of a table's rows by key: the whole partition key, and any number of clustering columns from the first
     * on.
     */
    public ScanLayout forKeys(TableSchema table, List<String> keyColumns) {
        checkKey(table, keyColumns);
        String where = conditions("key");
        String cql = "SELECT " + selection(table) + " FROM " + table.cqlName() + " WHERE "
                + Columns.equalMarkers(Columns.choose(table, keyColumns)) + after(where, " AND ");
        PreparedStatement plain = preparing.tryPrepare(cql);
        PreparedStatement prepared =
                plain != null ? plain : preparing.prepare(where == null ? cql : cql + " ALLOW FILTERING", REFUSAL);
        checkMarkers(prepared, keyColumns.size(), where);
        return whole(prepared, /* whyNotSplit */ "", /* isAggregate */ false);
    }

    private static void checkMarkers(PreparedStatement prepared, int own, @Nullable String where) {
        if (prepared.getVariableDefinitions().size() != own) {
            throw refusal("the conditions have markers; write the values into them instead: " + where);
        }
    }

    private static void checkKey(TableSchema table, List<String> keyColumns) {
        List<String> partition = table.partitionKey().stream().map(Column::name).toList();
        List<String> clustering =
                table.clusteringColumns().stream().map(Column::name).toList();
        int more = keyColumns.size() - partition.size();
        Set<String> wanted = new HashSet<>(keyColumns);
        if (more < 0
                || more > clustering.size()
                || wanted.size() < keyColumns.size()
                || !wanted.containsAll(partition)
                || !wanted.containsAll(clustering.subList(0, more))) {
            throw refusal("[" + table.cqlName() + "] rows cannot be looked up by " + keyColumns
                    + ": it takes the whole partition key " + partition
                    + ", and then clustering columns from the first on, of " + clustering);
        }
    }

    private String selection(TableSchema table) {
        List<String> names = options.columns();
        return names == null
                ? Columns.list(table.columns())
                : names.stream().map(name -> selector(table, name)).collect(Collectors.joining(", "));
    }

    /** A column, or one of the functions that {@link ScanOptions#columns} allows. */
    private static String selector(TableSchema table, String name) {
        Matcher times = TIMES.matcher(name);
        return times.matches() && table.column(name).isEmpty()
                ? times.group(1) + "(" + Columns.require(table, times.group(2)).cqlName() + ")"
                : Columns.require(table, name).cqlName();
    }

    private ScanLayout forSelect(TableSchema table, String selection, String groupBy, boolean isAggregate) {
        String where = conditions("token range");
        String cql = "SELECT " + selection + " FROM " + table.cqlName() + after(where, " WHERE ") + groupBy;
        String filtering = cql + " ALLOW FILTERING"; // all rows are read anyway
        boolean isLocal = isLocal(CqlIdentifier.fromInternal(table.keyspace()));
        List<String> candidates = where == null ? List.of(cql) : List.of(cql, filtering);
        PreparedStatement split = isLocal ? null : trySplit(table, candidates);
        if (split == null) {
            PreparedStatement filtered = where == null ? null : preparing.tryPrepare(filtering);
            PreparedStatement prepared = filtered != null ? filtered : preparing.prepare(cql, REFUSAL);
            // the table may have been created since the server refused to split its query
            split = isLocal ? null : trySplit(table, candidates);
            if (split == null) {
                checkMarkers(prepared, 0, where);
                return whole(prepared, whyNotSplit(isLocal), isAggregate);
            }
        }
        return layout(split, /* isSplit */ true, /* whyNotSplit */ "", isAggregate);
    }

    /** The first of the queries that the server accepts with a token range; null if there is none. */
    private @Nullable PreparedStatement trySplit(TableSchema table, List<String> candidates) {
        if (!usesMurmur3()) {
            return null;
        }
        List<String> key = table.partitionKey().stream().map(Column::cqlName).toList();
        for (String candidate : candidates) {
            PreparedStatement split = preparing.tryPrepare(CqlText.withToken(candidate, key));
            if (split != null && takesTokens(split)) {
                return split;
            }
        }
        return null;
    }

    /** The part of a query after the table or the key. */
    private static String after(@Nullable String where, String word) {
        if (where == null) {
            return "";
        }
        return (CqlText.hasNoConditions(where) ? " " : word) + where;
    }

    private @Nullable String conditions(String part) {
        String where = options.where() == null ? null : CqlText.bare(options.where());
        if (where != null && CqlText.hasLimit(where)) {
            throw refusal("the conditions have a LIMIT, and would have it for each " + part
                    + "; read with your own query instead: " + where);
        }
        return where;
    }

    /** The layout of the user's own query. */
    public ScanLayout forQuery(String query) {
        String cql = CqlText.bare(query);
        PreparedStatement whole = preparing.prepare(cql, REFUSAL);
        if (whole.getResultSetDefinitions().size() == 0) {
            throw refusal("the statement reads no rows, it must be a SELECT: " + cql);
        }
        if (whole.getVariableDefinitions().size() > 0) {
            throw refusal("the query has markers; write the values into it instead: " + cql);
        }
        ColumnDefinition first = whole.getResultSetDefinitions().get(0);
        List<String> key = relation(first)
                .map(relation -> relation.getPartitionKey().stream()
                        .map(column -> column.getName().asCql(true))
                        .toList())
                .orElse(List.of());
        boolean isLocal = isLocal(first.getKeyspace());
        boolean canSplit = usesMurmur3() && !isLocal && !key.isEmpty();
        PreparedStatement split = canSplit ? preparing.tryPrepare(CqlText.withToken(cql, key)) : null;
        if (split == null || !takesTokens(split)) {
            String why = CqlText.hasLimit(cql) ? LIMITED : whyNotSplit(isLocal);
            return whole(whole, why, looksLikeCount(whole, cql));
        }
        if (answersWithoutRows(split)) {
            return whole(whole, AGGREGATES, /* isAggregate */ true);
        }
        return CqlText.hasLimit(cql)
                ? whole(whole, LIMITED, /* isAggregate */ false)
                : layout(split, /* isSplit */ true, /* whyNotSplit */ "", /* isAggregate */ false);
    }

    /** No row can be in the range that is requested here: only an aggregate over all rows answers with a row. */
    private boolean answersWithoutRows(PreparedStatement split) {
        try {
            return session.execute(OwnQuery.any(split.bind(0L, 0L))).one() != null;
        } catch (DriverException e) {
            ColumnDefinition first = split.getResultSetDefinitions().get(0);
            throw new OverdriveException(
                    Kind.READ,
                    "[" + first.getKeyspace().asCql(true) + "."
                            + first.getTable().asCql(true) + "] cannot read: " + ServerMessage.of(e),
                    e);
        }
    }

    /**
     * Whether a query is a count, by the name that the server gives to it, if there is no token range to try the query
     * with.
     */
    private boolean looksLikeCount(PreparedStatement query, String cql) {
        ColumnDefinitions columns = query.getResultSetDefinitions();
        CqlIdentifier count = CqlIdentifier.fromInternal("count");
        return columns.size() == 1
                && columns.get(0).getName().equals(count)
                && !CqlText.hasAlias(cql)
                && relation(columns.get(0))
                        .flatMap(table -> table.getColumn(count))
                        .isEmpty();
    }

    /** Whether the markers are the bounds of a range of Murmur3's tokens; other partitioners have tokens of other types. */
    private static boolean takesTokens(PreparedStatement split) {
        ColumnDefinitions markers = split.getVariableDefinitions();
        return markers.size() == 2
                && markers.get(0).getType().equals(DataTypes.BIGINT)
                && markers.get(1).getType().equals(DataTypes.BIGINT);
    }

    private boolean usesMurmur3() {
        return Ring.usesMurmur3(session.getMetadata());
    }

    /** Whether each node has different rows in this keyspace, so that the rows of all ranges must come from one node. */
    private boolean isLocal(CqlIdentifier keyspace) {
        return session.getMetadata()
                .getKeyspace(keyspace)
                .map(k -> k.isVirtual()
                        || String.valueOf(k.getReplication().get("class")).endsWith("LocalStrategy"))
                .orElse(keyspace.asInternal().startsWith("system")); // the driver leaves out Cassandra's own
    }

    private String whyNotSplit(boolean isLocal) {
        if (isLocal) {
            return "it is a table of Cassandra's own, and these may hold other rows on each node";
        }
        return usesMurmur3()
                ? "the server does not take a token range with it"
                : "the cluster does not use the Murmur3 partitioner";
    }

    private ScanLayout whole(PreparedStatement prepared, String whyNotSplit, boolean isAggregate) {
        return layout(prepared, /* isSplit */ false, whyNotSplit, isAggregate);
    }

    private ScanLayout layout(PreparedStatement prepared, boolean isSplit, String whyNotSplit, boolean isAggregate) {
        PreparedCql statement = PreparedCql.of(prepared, session);
        String cql = statement.text();
        boolean isUsers = options.query() != null;
        List<String> names = new ArrayList<>();
        List<DataType> types = new ArrayList<>();
        for (ColumnDefinition column : prepared.getResultSetDefinitions()) {
            names.add(column.getName().asInternal());
            types.add(column.getType());
        }
        ColumnDefinition first = prepared.getResultSetDefinitions().get(0);
        // An alias can give any column the name of a key column.
        boolean hasKey = !isAggregate && !(isUsers && CqlText.hasAlias(cql));
        boolean mayCount = isUsers && CqlText.hasGroupBy(cql);
        if (!isSplit) {
            requireWholeRing(first, whyNotSplit);
        }
        Replication.requireEnough(
                session.getMetadata(), first.getKeyspace(), options.consistency(), ScanSetting.CONSISTENCY);
        return new ScanLayout(
                statement,
                first.getKeyspace(),
                first.getTable(),
                new ResultColumns(names, types, hasKey ? keyColumns(first, names, mayCount) : new int[0]),
                new Query(
                        isSplit,
                        whyNotSplit,
                        isAggregate,
                        CqlText.hasGroupBy(cql),
                        isUsers ? CqlText.maxLaterPageRows(cql) : Integer.MAX_VALUE),
                options.consistency());
    }

    /** A query that cannot be split would give all rows for each part of the ring. */
    private void requireWholeRing(ColumnDefinition first, String whyNotSplit) {
        if (!options.hasWholeRing()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> "[" + first.getKeyspace().asCql(true) + "."
                            + first.getTable().asCql(true) + "] " + words.of(JobOption.TOKEN_RANGES)
                            + " does not go with the query, which cannot be restricted to a range of tokens: "
                            + (whyNotSplit.isEmpty() ? "it reads by key" : whyNotSplit));
        }
    }

    /**
     * Where the columns of the partition key are among those of the query; empty unless all are there.
     *
     * @param mayCount whether the query may have count(*), whose column is called count, too
     */
    private int[] keyColumns(ColumnDefinition first, List<String> names, boolean mayCount) {
        int[] found = relation(first)
                .map(relation -> relation.getPartitionKey().stream()
                        .map(column -> column.getName().asInternal())
                        .mapToInt(column -> mayCount && column.equals("count") ? -1 : names.indexOf(column))
                        .toArray())
                .orElse(new int[0]);
        return Arrays.stream(found).anyMatch(index -> index < 0) ? new int[0] : found;
    }

    /** The table or materialized view of a column. */
    private Optional<RelationMetadata> relation(ColumnDefinition column) {
        return Columns.relation(session.getMetadata(), column.getKeyspace(), column.getTable());
    }

    private static OverdriveException refusal(String message) {
        return new OverdriveException(Kind.SCHEMA, message);
    }
}
