package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.protocol.internal.ProtocolConstants.QueryFlag;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.cql.RawTypes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.wire.ExecuteFrame;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lays out the requests of one prepared query, and finds tokens in its pages. The query's markers are the bounds of a token
 * range, or a key; or it has none. Immutable.
 */
public final class ScanLayout {
    /**
     * The columns of the rows. Immutable.
     *
     * @param names as the server returns them
     * @param key where the columns of the partition key are; empty unless all of them are read
     */
    public record ResultColumns(List<String> names, List<DataType> types, int[] key) {
        public ResultColumns {
            names = List.copyOf(names);
            types = List.copyOf(types);
        }
    }

    /**
     * Properties of the query. Immutable.
     *
     * @param isSplit whether requests are restricted to a token range
     * @param whyNotSplit why the query runs as one; empty if it is split, or reads by key
     * @param isAggregate whether each answer is one row made of many; the server then chooses the size of the pages it reads
     * @param hasGroupBy whether each row of an answer may be made of many; the server then chooses the size of the pages
     *     it reads, too
     * @param maxLaterPageRows the maximum number of rows to request in pages after the first
     */
    public record Query(
            boolean isSplit, String whyNotSplit, boolean isAggregate, boolean hasGroupBy, int maxLaterPageRows) {}

    public final PreparedCql prepared;
    public final CqlIdentifier keyspace;
    public final CqlIdentifier table;
    public final ResultColumns columns;
    public final Query query;
    /**
     * Reads the partition keys of the rows that this query counts, a row for each, so that they can be counted here if the server cannot in
     * time; null if it does not count, or they cannot be read so.
     */
    final @Nullable ScanLayout countedRows;

    private final byte[] firstHeader;
    private final byte[] laterHeader;

    ScanLayout(
            PreparedCql prepared,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            ResultColumns columns,
            Query query,
            ConsistencyLevel consistency) {
        this(prepared, keyspace, table, columns, query, consistency, /* countedRows */ null);
    }

    ScanLayout(
            PreparedCql prepared,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            ResultColumns columns,
            Query query,
            ConsistencyLevel consistency,
            @Nullable ScanLayout countedRows) {
        this.prepared = prepared;
        this.keyspace = keyspace;
        this.table = table;
        this.columns = columns;
        this.query = query;
        this.countedRows = countedRows;
        int flags = QueryFlag.SKIP_METADATA | QueryFlag.PAGE_SIZE;
        this.firstHeader = ExecuteFrame.header(prepared, consistency, flags);
        this.laterHeader = ExecuteFrame.header(prepared, consistency, flags | QueryFlag.PAGING_STATE);
    }

    /** Keyspace and table, quoted if necessary, for messages. */
    public String tableName() {
        return keyspace.asCql(true) + "." + table.asCql(true);
    }

    /** Whether the schema has the table. */
    boolean isKnown(Metadata metadata) {
        return metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table)).isPresent();
    }

    /** The columns of the partition key as in CQL, separated by commas; empty if the schema does not have the table. */
    String partitionKey(Metadata metadata) {
        return Columns.relation(metadata, keyspace, table)
                .map(relation -> relation.getPartitionKey().stream()
                        .map(column -> column.getName().asCql(true))
                        .collect(Collectors.joining(", ")))
                .orElse("");
    }

    /** The failure of a reader whose answer cannot be: a server or a proxy has a bug, or somebody else answers. */
    public OverdriveException malformed(String what) {
        return new OverdriveException(
                Kind.READ, "[" + tableName() + "] cannot read: the server's answer is malformed: " + what);
    }

    /**
     * The body of an EXECUTE for one page.
     *
     * @param key values of all markers, each with its length in front; null if the markers are the bounds of the range, or there
     *     are none
     */
    byte[] execute(Range range, byte @Nullable [] key, int pageRows, byte @Nullable [] pagingState) {
        byte[] header = pagingState == null ? firstHeader : laterHeader;
        Bytes body = new Bytes(
                header.length + 32 + (key == null ? 0 : key.length) + (pagingState == null ? 0 : pagingState.length));
        body.put(header);
        if (key != null) {
            body.put(key);
        } else if (query.isSplit) {
            body.putInt(8);
            body.putLong(range.start());
            body.putInt(8);
            body.putLong(range.end());
        }
        if (pagingState == null) {
            body.putInt(pageRows);
        } else {
            body.putInt(Math.min(pageRows, query.maxLaterPageRows));
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

    /** Whether preparing the query again gave the same one, with the same columns. */
    boolean isStill(Prepared answer) {
        List<ColumnSpec> specs = answer.resultMetadata.columnSpecs;
        return prepared.hasId(answer.preparedQueryId)
                && prepared.hasTypes(answer)
                && specs.stream().map(spec -> spec.name).toList().equals(columns.names)
                && RawTypes.match(columns.types, specs);
    }

    /** The token of a row, given the bounds of its columns, which must include the partition key. */
    public long token(byte[] body, int[] starts, int[] lengths, RoutingKey key) {
        key.start(columns.key.length);
        for (int c : columns.key) {
            key.add(body, starts[c], Math.max(0, lengths[c])); // null in the row of an aggregate over no rows
        }
        return key.token();
    }

    /** The token of the page's last row; null if it has none, or not all columns of the partition key are read. */
    @Nullable Long lastToken(Page page) {
        if (columns.key.length == 0 || page.rows() == 0) {
            return null;
        }
        int count = columns.names.size();
        int[] starts = new int[count];
        int[] lengths = new int[count];
        int at = page.start();
        for (int row = 0; row < page.rows(); row++) {
            for (int c = 0; c < count; c++) {
                lengths[c] = Bytes.getInt(page.body(), at);
                starts[c] = at + 4;
                at = starts[c] + Math.max(0, lengths[c]);
            }
        }
        return token(page.body(), starts, lengths, new RoutingKey());
    }
}
