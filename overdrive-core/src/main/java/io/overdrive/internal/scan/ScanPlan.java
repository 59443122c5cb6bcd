package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One prepared query, and the layout of its requests. Its markers are the bounds of a token range, where the server accepts
 * these; or those of a key; or it has none. Immutable.
 */
public final class ScanPlan {
    private static final String SUMS_UP = "it sums up all rows";
    private static final String LIMITED = "it has a LIMIT over all rows";
    private static final int VALUES_FLAG = 0x01;
    private static final int SKIP_METADATA_FLAG = 0x02;
    private static final int PAGE_SIZE_FLAG = 0x04;
    private static final int PAGING_STATE_FLAG = 0x08;
    private static final int MAX_LITERAL_LENGTH = 100;

    private static final Pattern TIMES = Pattern.compile("(ttl|writetime)\\((.+)\\)");

    private final String cql;
    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final String tableName;
    private final boolean isSplit;
    private final String whyNotSplit;
    private final List<String> names;
    private final List<DataType> types;
    private final int[] keyColumns;
    private final List<String> markerNames;
    private final List<DataType> markerTypes;
    private final int[] partitionMarkers;
    private final boolean isAggregate;
    private final boolean groups;
    private final int maxLaterPageRows;
    private final byte[] preparedId;
    private final byte @Nullable [] resultMetadataId;
    private final int consistency;
    private final int protocolVersion;
    private final CodecRegistry codecs;
    private final ProtocolVersion driverProtocolVersion;

    private ScanPlan(
            Wire wire,
            ScanOptions options,
            PreparedStatement prepared,
            boolean isAggregate,
            boolean isSplit,
            String whyNotSplit) {
        this.cql = prepared.getQuery();
        this.isSplit = isSplit;
        this.whyNotSplit = whyNotSplit;
        this.protocolVersion = wire.protocolVersion();
        this.codecs = wire.session().getContext().getCodecRegistry();
        this.driverProtocolVersion = wire.session().getContext().getProtocolVersion();
        this.preparedId = array(prepared.getId());
        ByteBuffer metadataId = prepared.getResultMetadataId();
        this.resultMetadataId =
                protocolVersion >= ProtocolConstants.Version.V5 && metadataId != null ? array(metadataId) : null;
        ColumnDefinitions columns = prepared.getResultSetDefinitions();
        ColumnDefinition first = columns.get(0);
        this.keyspace = first.getKeyspace();
        this.table = first.getTable();
        this.tableName =
                first.getKeyspace().asCql(true) + "." + first.getTable().asCql(true);
        this.names = new ArrayList<>();
        this.types = new ArrayList<>();
        for (ColumnDefinition column : columns) {
            names.add(column.getName().asInternal());
            types.add(column.getType());
        }
        this.markerNames = new ArrayList<>();
        this.markerTypes = new ArrayList<>();
        for (ColumnDefinition marker : prepared.getVariableDefinitions()) {
            markerNames.add(marker.getName().asInternal());
            markerTypes.add(marker.getType());
        }
        this.partitionMarkers = prepared.getPartitionKeyIndices().stream()
                .mapToInt(Integer::intValue)
                .toArray();
        Metadata metadata = wire.session().getMetadata();
        this.isAggregate = isAggregate;
        // A name that the user gave tells nothing of what is behind it.
        boolean renamed = options.query() != null && CqlText.hasAlias(cql);
        this.keyColumns = renamed || isAggregate ? new int[0] : keyColumns(metadata, first, names);
        this.groups = CqlText.hasGroupBy(cql);
        this.maxLaterPageRows = options.query() == null ? Integer.MAX_VALUE : CqlText.maxLaterPageRows(cql);
        this.consistency = options.consistency().getProtocolCode();
        Replication.requireEnough(metadata, keyspace, options.consistency());
    }

    /** A layout without a server, for tests: one blob column, which is the partition key, split by token. */
    ScanPlan() {
        cql = "SELECT k FROM ks.t WHERE token(k) > ? AND token(k) <= ?";
        keyspace = CqlIdentifier.fromInternal("ks");
        table = CqlIdentifier.fromInternal("t");
        tableName = "ks.t";
        isSplit = true;
        whyNotSplit = "";
        names = List.of("k");
        types = List.of(DataTypes.BLOB);
        keyColumns = new int[] {0};
        markerNames = List.of("start", "end");
        markerTypes = List.of(DataTypes.BIGINT, DataTypes.BIGINT);
        partitionMarkers = new int[0];
        isAggregate = false;
        groups = false;
        maxLaterPageRows = Integer.MAX_VALUE;
        preparedId = new byte[16];
        resultMetadataId = new byte[16];
        consistency = ProtocolConstants.ConsistencyLevel.LOCAL_ONE;
        protocolVersion = ProtocolConstants.Version.V5;
        codecs = CodecRegistry.DEFAULT;
        driverProtocolVersion = ProtocolVersion.V5;
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Where the columns of the partition key are among those of the query; empty unless all are there. */
    private static int[] keyColumns(Metadata metadata, ColumnDefinition first, List<String> names) {
        int[] found = relation(metadata, first)
                .map(relation -> relation.getPartitionKey().stream()
                        .mapToInt(column -> names.indexOf(column.getName().asInternal()))
                        .toArray())
                .orElse(new int[0]);
        return Arrays.stream(found).anyMatch(index -> index < 0) ? new int[0] : found;
    }

    private static Optional<RelationMetadata> relation(Metadata metadata, ColumnDefinition column) {
        Optional<KeyspaceMetadata> keyspace = metadata.getKeyspace(column.getKeyspace());
        Optional<RelationMetadata> table =
                keyspace.flatMap(k -> k.getTable(column.getTable())).map(t -> t);
        return table.isPresent()
                ? table
                : keyspace.flatMap(k -> k.getView(column.getTable())).map(v -> v);
    }

    /** A plan for rows of a table. */
    public static ScanPlan forTable(Wire wire, ScanOptions options, TableSchema table, boolean usesMurmur3) {
        return forSelect(wire, options, selection(options, table), "", /* sumsUp */ false, table, usesMurmur3);
    }

    private static String selection(ScanOptions options, TableSchema table) {
        List<String> names = options.columns();
        return names == null
                ? table.columns().stream().map(TableSchema.Column::cqlName).collect(Collectors.joining(", "))
                : names.stream().map(name -> selector(table, name)).collect(Collectors.joining(", "));
    }

    /** A plan for rows of a table, with the write time and the time to live of each cell after the columns. */
    public static ScanPlan forTimes(Wire wire, ScanOptions options, TableSchema table, boolean usesMurmur3) {
        List<TableSchema.Column> columns = chosen(options, table);
        List<String> selection = new ArrayList<>(
                columns.stream().map(TableSchema.Column::cqlName).toList());
        for (TableSchema.Column column : columns) {
            if (!column.isKey()) {
                selection.add("writetime(" + column.cqlName() + ")");
                selection.add("ttl(" + column.cqlName() + ")");
            }
        }
        return forSelect(wire, options, String.join(", ", selection), "", /* sumsUp */ false, table, usesMurmur3);
    }

    /** A column, or what {@link ScanOptions#columns} says of it. */
    private static String selector(TableSchema table, String name) {
        Matcher times = TIMES.matcher(name);
        return times.matches() && table.column(name).isEmpty()
                ? times.group(1) + "(" + column(table, times.group(2)).cqlName() + ")"
                : column(table, name).cqlName();
    }

    private static List<TableSchema.Column> chosen(ScanOptions options, TableSchema table) {
        List<String> names = options.columns();
        return names == null
                ? table.columns()
                : names.stream().map(name -> column(table, name)).toList();
    }

    /** A plan for sums over the rows of each token range. */
    public static ScanPlan forSums(
            Wire wire, ScanOptions options, List<String> selection, TableSchema table, boolean usesMurmur3) {
        return forSelect(wire, options, String.join(", ", selection), "", /* sumsUp */ true, table, usesMurmur3);
    }

    /** A plan for the number of rows of each partition. */
    public static ScanPlan forPartitionCounts(Wire wire, ScanOptions options, TableSchema table, boolean usesMurmur3) {
        String key =
                table.partitionKey().stream().map(TableSchema.Column::cqlName).collect(Collectors.joining(", "));
        return forSelect(wire, options, key + ", count(*)", " GROUP BY " + key, /* sumsUp */ false, table, usesMurmur3);
    }

    /** A plan for rows of a table by key: the whole partition key, and as much of the clustering columns as is wanted. */
    public static ScanPlan forKeys(Wire wire, ScanOptions options, TableSchema table, List<String> keyColumns) {
        List<String> partition =
                table.partitionKey().stream().map(TableSchema.Column::name).toList();
        List<String> clustering =
                table.clusteringColumns().stream().map(TableSchema.Column::name).toList();
        int more = keyColumns.size() - partition.size();
        Set<String> wanted = new HashSet<>(keyColumns);
        if (more < 0
                || more > clustering.size()
                || wanted.size() < keyColumns.size()
                || !wanted.containsAll(partition)
                || !wanted.containsAll(clustering.subList(0, more))) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] rows cannot be looked up by " + keyColumns
                            + ": it takes the whole partition key " + partition
                            + ", and then clustering columns from the first on, of " + clustering);
        }
        String where = conditions(options, "key");
        String cql = "SELECT " + selection(options, table) + " FROM " + table.cqlName() + " WHERE "
                + keyColumns.stream()
                        .map(name -> column(table, name).cqlName() + " = ?")
                        .collect(Collectors.joining(" AND "))
                + (where == null ? "" : " AND " + where);
        PreparedStatement plain = tryPrepare(wire, cql);
        PreparedStatement prepared =
                plain != null ? plain : prepare(wire, where == null ? cql : cql + " ALLOW FILTERING");
        if (prepared.getVariableDefinitions().size() != keyColumns.size()) {
            throw new OverdriveException(
                    Kind.SCHEMA, "the conditions have markers; write the values into them instead: " + where);
        }
        return new ScanPlan(wire, options, prepared, /* sumsUp */ false, /* isSplit */ false, "");
    }

    private static TableSchema.Column column(TableSchema table, String name) {
        return table.column(name)
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] has no column \"" + name + "\"; its columns are "
                                + table.columns().stream()
                                        .map(TableSchema.Column::name)
                                        .collect(Collectors.joining(", "))));
    }

    private static ScanPlan forSelect(
            Wire wire,
            ScanOptions options,
            String selection,
            String groupBy,
            boolean isAggregate,
            TableSchema table,
            boolean usesMurmur3) {
        String where = conditions(options, "token range");
        String cql =
                "SELECT " + selection + " FROM " + table.cqlName() + (where == null ? "" : " WHERE " + where) + groupBy;
        String filtering = cql + " ALLOW FILTERING"; // all is read anyway
        boolean isLocal = isLocal(wire, CqlIdentifier.fromInternal(table.keyspace()));
        if (usesMurmur3 && !isLocal) {
            List<String> key = table.partitionKey().stream()
                    .map(TableSchema.Column::cqlName)
                    .toList();
            for (String candidate : where == null ? List.of(cql) : List.of(cql, filtering)) {
                PreparedStatement split = tryPrepare(wire, CqlText.withToken(candidate, key));
                if (split != null && takesTokens(split)) {
                    return new ScanPlan(wire, options, split, isAggregate, /* isSplit */ true, "");
                }
            }
        }
        PreparedStatement whole = where == null ? null : tryPrepare(wire, filtering);
        PreparedStatement prepared = whole != null ? whole : prepare(wire, cql);
        return new ScanPlan(wire, options, prepared, isAggregate, /* isSplit */ false, whyNot(isLocal, usesMurmur3));
    }

    /** Whether the markers are the bounds of a range of Murmur3's tokens; other partitioners have tokens of other types. */
    private static boolean takesTokens(PreparedStatement split) {
        ColumnDefinitions markers = split.getVariableDefinitions();
        return markers.size() == 2
                && markers.get(0).getType().equals(DataTypes.BIGINT)
                && markers.get(1).getType().equals(DataTypes.BIGINT);
    }

    /** Whether each node has rows of its own in this keyspace: those of all ranges must then come from one node. */
    private static boolean isLocal(Wire wire, CqlIdentifier keyspace) {
        return wire.session()
                .getMetadata()
                .getKeyspace(keyspace)
                .map(k -> k.isVirtual()
                        || String.valueOf(k.getReplication().get("class")).endsWith("LocalStrategy"))
                .orElse(keyspace.asInternal().startsWith("system")); // the driver leaves out Cassandra's own
    }

    private static @Nullable String conditions(ScanOptions options, String part) {
        String where = options.where() == null ? null : CqlText.bare(options.where());
        if (where != null && CqlText.hasLimit(where)) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "the conditions have a LIMIT, and would have it for each " + part + "; read by a query of your own"
                            + " instead: " + where);
        }
        return where;
    }

    private static String whyNot(boolean isLocal, boolean usesMurmur3) {
        if (isLocal) {
            return "it is a table of Cassandra's own, and these may hold other rows on each node";
        }
        return usesMurmur3
                ? "the server does not take a token range with it"
                : "the cluster does not use the Murmur3 partitioner";
    }

    /** A plan for a query of the user's own. */
    public static ScanPlan forQuery(Wire wire, ScanOptions options, String query, boolean usesMurmur3) {
        String cql = CqlText.bare(query);
        PreparedStatement whole = prepare(wire, cql);
        if (whole.getResultSetDefinitions().size() == 0) {
            throw new OverdriveException(Kind.SCHEMA, "the statement reads no rows, it must be a SELECT: " + cql);
        }
        if (whole.getVariableDefinitions().size() > 0) {
            throw new OverdriveException(
                    Kind.SCHEMA, "the query has markers; write the values into it instead: " + cql);
        }
        List<String> key = relation(
                        wire.session().getMetadata(),
                        whole.getResultSetDefinitions().get(0))
                .map(relation -> relation.getPartitionKey().stream()
                        .map(column -> column.getName().asCql(true))
                        .toList())
                .orElse(List.of());
        boolean isLocal = isLocal(wire, whole.getResultSetDefinitions().get(0).getKeyspace());
        boolean canSplit = usesMurmur3 && !isLocal && !key.isEmpty();
        PreparedStatement split = canSplit ? tryPrepare(wire, CqlText.withToken(cql, key)) : null;
        if (split == null || !takesTokens(split)) {
            String why = CqlText.hasLimit(cql) ? LIMITED : whyNot(isLocal, usesMurmur3);
            return new ScanPlan(wire, options, whole, looksLikeCount(wire, whole, cql), /* isSplit */ false, why);
        }
        // No row can be in this range: what answers with one sums up all rows.
        if (wire.session().execute(split.bind(0L, 0L)).one() != null) {
            return new ScanPlan(wire, options, whole, /* sumsUp */ true, /* isSplit */ false, SUMS_UP);
        }
        if (CqlText.hasLimit(cql)) {
            return new ScanPlan(wire, options, whole, /* sumsUp */ false, /* isSplit */ false, LIMITED);
        }
        return new ScanPlan(wire, options, split, /* sumsUp */ false, /* isSplit */ true, "");
    }

    /** Where there is no token range to try it with, the name that the server gives to a count is all there is. */
    private static boolean looksLikeCount(Wire wire, PreparedStatement query, String cql) {
        ColumnDefinitions columns = query.getResultSetDefinitions();
        CqlIdentifier count = CqlIdentifier.fromInternal("count");
        return columns.size() == 1
                && columns.get(0).getName().equals(count)
                && !CqlText.hasAlias(cql)
                && relation(wire.session().getMetadata(), columns.get(0))
                        .flatMap(table -> table.getColumn(count))
                        .isEmpty();
    }

    private static PreparedStatement prepare(Wire wire, String cql) {
        try {
            return wire.session().prepare(cql);
        } catch (QueryValidationException e) {
            throw new OverdriveException(
                    Kind.SCHEMA, "the server refuses the query: " + e.getMessage() + ": " + cql, e);
        }
    }

    private static @Nullable PreparedStatement tryPrepare(Wire wire, String cql) {
        try {
            return wire.session().prepare(cql);
        } catch (QueryValidationException e) {
            return null; // the answer to the question was no
        }
    }

    /** Whether the server means this query by an id: it does not where the keyspace was made again, say. */
    boolean isPreparedAs(byte[] id) {
        return Arrays.equals(preparedId, id);
    }

    public String cql() {
        return cql;
    }

    public CqlIdentifier keyspace() {
        return keyspace;
    }

    public CqlIdentifier table() {
        return table;
    }

    public String tableName() {
        return tableName;
    }

    /** Whether requests are restricted to a token range. */
    public boolean isSplit() {
        return isSplit;
    }

    /** Why the query runs as one; empty where it is split. */
    public String whyNotSplit() {
        return whyNotSplit;
    }

    /** Names of the columns as the server gives them. */
    public List<String> names() {
        return names;
    }

    public List<DataType> types() {
        return types;
    }

    /** Where the columns of the partition key are; empty unless all of them are read. */
    public int[] keyColumns() {
        return keyColumns;
    }

    /** Names of the markers, as the columns that they are compared with have them. */
    public List<String> markerNames() {
        return markerNames;
    }

    public List<DataType> markerTypes() {
        return markerTypes;
    }

    /** Which markers make the partition key, in its order; empty unless all are there. */
    public int[] partitionMarkers() {
        return partitionMarkers;
    }

    /** A key as conditions of CQL, for messages. */
    String conditions(byte[] key) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (int i = 0; i < markerTypes.size(); i++) {
            int length = Bytes.getInt(key, at);
            text.append(i == 0 ? "" : " AND ")
                    .append(CqlIdentifier.fromInternal(markerNames.get(i)).asCql(true))
                    .append(" = ")
                    .append(literal(markerTypes.get(i), key, at + 4, length));
            at += 4 + length;
        }
        return text.toString();
    }

    private String literal(DataType type, byte[] key, int from, int length) {
        String text;
        try {
            TypeCodec<Object> codec = codecs.codecFor(type);
            text = codec.format(codec.decode(ByteBuffer.wrap(key, from, length).slice(), driverProtocolVersion));
        } catch (RuntimeException e) {
            // no value of the type, which may well be what the server says
            text = "0x" + HexFormat.of().formatHex(key, from, from + length);
        }
        return text.length() <= MAX_LITERAL_LENGTH ? text : text.substring(0, MAX_LITERAL_LENGTH) + "...";
    }

    /** Token of a row, of whose columns these are the bounds; all columns of the partition key must be among them. */
    public long token(byte[] body, int[] starts, int[] lengths, RoutingKey key) {
        key.start(keyColumns.length);
        for (int c : keyColumns) {
            key.add(body, starts[c], lengths[c]);
        }
        return key.token();
    }

    /** Token of the page's last row; null where there is none, or not all columns of the partition key are read. */
    @Nullable Long lastToken(Page page) {
        if (keyColumns.length == 0 || page.rows() == 0) {
            return null;
        }
        int columns = names.size();
        int[] starts = new int[columns];
        int[] lengths = new int[columns];
        int at = page.start();
        for (int row = 0; row < page.rows(); row++) {
            for (int c = 0; c < columns; c++) {
                lengths[c] = Bytes.getInt(page.body(), at);
                starts[c] = at + 4;
                at = starts[c] + Math.max(0, lengths[c]);
            }
        }
        return token(page.body(), starts, lengths, new RoutingKey());
    }

    /** Whether each answer is one row that sums up many: the page size is then the server's own, while it counts. */
    boolean isAggregate() {
        return isAggregate;
    }

    /** Whether each row of an answer may stand for many: the page size is then the server's own, while it groups. */
    boolean hasGroupBy() {
        return groups;
    }

    public CodecRegistry codecs() {
        return codecs;
    }

    public ProtocolVersion driverProtocolVersion() {
        return driverProtocolVersion;
    }

    /**
     * The body of an EXECUTE for one page.
     *
     * @param key values of all markers, each with its length in front; null where the markers are the bounds of the range
     */
    byte[] execute(Range range, byte @Nullable [] key, int pageRows, byte @Nullable [] pagingState) {
        Bytes body = new Bytes(128 + (key == null ? 0 : key.length) + (pagingState == null ? 0 : pagingState.length));
        putShortBytes(body, preparedId);
        if (resultMetadataId != null) {
            putShortBytes(body, resultMetadataId);
        }
        body.putShort(consistency);
        int flags = SKIP_METADATA_FLAG
                | PAGE_SIZE_FLAG
                | (markerTypes.isEmpty() ? 0 : VALUES_FLAG)
                | (pagingState == null ? 0 : PAGING_STATE_FLAG);
        if (protocolVersion >= ProtocolConstants.Version.V5) {
            body.putInt(flags);
        } else {
            body.putByte(flags);
        }
        if (!markerTypes.isEmpty()) {
            body.putShort(markerTypes.size());
        }
        if (key != null) {
            body.put(key);
        } else if (isSplit) {
            body.putInt(8);
            body.putLong(range.start());
            body.putInt(8);
            body.putLong(range.end());
        }
        body.putInt(pagingState == null ? pageRows : Math.min(pageRows, maxLaterPageRows));
        if (pagingState != null) {
            body.putInt(pagingState.length);
            body.put(pagingState);
        }
        return body.toByteArray();
    }

    /**
     * The body of an EXECUTE for the first page of a key.
     *
     * @param key values of all markers, each with its length in front
     */
    public byte[] execute(byte[] key, int pageRows) {
        return execute(Split.WHOLE_RING, key, pageRows, null);
    }

    private static void putShortBytes(Bytes body, byte[] bytes) {
        body.putShort(bytes.length);
        body.put(bytes);
    }
}
