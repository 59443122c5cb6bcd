package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.protocol.internal.ProtocolConstants.BatchType;
import com.datastax.oss.protocol.internal.ProtocolConstants.QueryFlag;
import io.overdrive.Grouping;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.wire.ExecuteFrame;
import io.overdrive.internal.write.WriteRules.Timestamp;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Lays out the requests of one prepared statement. Whatever depends on the statement only is computed here, before the first
 * row. Immutable; on the hot path.
 */
public final class WriteLayout {
    /** Write time, TTL and time of deletion: what the server counts for a cell besides its value. */
    private static final int COUNTED_CELL = 20;
    /** Likewise for an element of a collection, which also has a path, such as its place in a list. */
    private static final int COUNTED_ELEMENT = 40;
    /** The row's own write time and deletion. */
    private static final int COUNTED_ROW = 48;

    public final PreparedCql prepared;
    public final RowMarkers row;
    public final WriteRules rules;
    /** Keyspace and table, quoted if necessary, for messages. */
    public final String tableName;

    public final CqlIdentifier keyspace;
    public final CqlIdentifier table;

    public final HiddenValues hidden;

    public final Grouping grouping;
    /** The markers of the partition key. */
    public final int[] keyMarkers;
    /**
     * How many markers at the start are the partition key, in its order: the same bytes in every row of a group, so that they are
     * kept once.
     */
    public final int prefixMarkers;
    /** Markers whose values come with the row; the last one is not among them if it is {@link #pinsTimestamp}. */
    public final int givenMarkers;
    /** Whether the last marker is the write time, and gets its value when the request is built. */
    public final boolean pinsTimestamp;
    /** Whether requests carry the write time. */
    final boolean requestTimestamp;
    /**
     * Microseconds from the write time of one row to that of the next. More than 1 if rows hold lists that are not
     * frozen: the server gives a list's elements new keys each time, so a retry with the same write time would double
     * the list. A retry has a later one, which is still before the next row's.
     */
    final long writeTimeStep;

    /** Bytes before the values of each row in a batch. */
    public final byte[] rowHeader;

    /** Bytes that the server counts for a row in addition to its values, except for elements of collections. */
    private final int countedCells;
    /** Markers whose values may become a cell for each element. */
    private final BitSet collections = new BitSet();

    private final byte[] executeHeader;
    private final byte[] batchTrailer;

    /** @param minWriteTimeStep the step of other rows with the same sequence of write times, or 1 */
    WriteLayout(
            PreparedCql prepared,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            RowMarkers row,
            WriteRules rules,
            HiddenValues hidden,
            long minWriteTimeStep,
            ConsistencyLevel consistency) {
        this.prepared = prepared;
        this.keyspace = keyspace;
        this.table = table;
        this.tableName = keyspace.asCql(/* pretty */ true) + "." + table.asCql(/* pretty */ true);
        this.row = row;
        this.prefixMarkers = row.prefix();
        this.rules = rules;
        this.hidden = hidden;
        grouping = rules.grouping();
        keyMarkers = prepared.partitionMarkers();
        pinsTimestamp = rules.timestamp() == Timestamp.LAST_MARKER;
        givenMarkers = prepared.markers() - (pinsTimestamp ? 1 : 0);
        requestTimestamp = rules.timestamp() == Timestamp.REQUEST;
        writeTimeStep = Math.max(
                minWriteTimeStep, rules.retry().needsNewTime() ? rules.retry().maxAttempts() + 1L : 1);
        int flags = requestTimestamp ? QueryFlag.DEFAULT_TIMESTAMP : 0;
        countedCells = COUNTED_ROW + COUNTED_CELL * countCells(prepared.markerTypes());
        rowHeader = ExecuteFrame.rowHeader(prepared);
        executeHeader = ExecuteFrame.header(prepared, consistency, flags);
        batchTrailer = ExecuteFrame.parameters(prepared, consistency, flags);
    }

    /** Cells of a row besides the elements of collections, which are found here. */
    private int countCells(List<DataType> types) {
        int cells = types.size();
        for (int slot = 0; slot < types.size(); slot++) {
            if (types.get(slot) instanceof UserDefinedType fields) {
                cells += fields.getFieldTypes().size();
            } else if (types.get(slot) instanceof ListType
                    || types.get(slot) instanceof SetType
                    || types.get(slot) instanceof MapType) {
                collections.set(slot);
            }
        }
        return cells;
    }

    /** Whether the table has been dropped, as far as the driver knows. */
    boolean isTableGone(Metadata metadata) {
        return metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table)).isEmpty();
    }

    /** The names of the caller's columns in the schema, without quotes, in the caller's order. */
    public List<String> columnNames() {
        return Arrays.stream(row.columns())
                .mapToObj(prepared.markerNames()::get)
                .toList();
    }

    /** The types of the caller's columns, in its order. */
    public List<DataType> columnTypes() {
        return Arrays.stream(row.columns())
                .mapToObj(prepared.markerTypes()::get)
                .toList();
    }

    /** The write time of the row at this position, in microseconds since 1970. */
    public long writeTime(long baseTimestamp, long position) {
        return baseTimestamp + position * writeTimeStep;
    }

    /** The highest position whose write times are within this time of that of position 0; any if rows get none here. */
    public long maxPosition(long micros) {
        return rules.setsWriteTime() ? micros / writeTimeStep - 1 : Long.MAX_VALUE;
    }

    /** The latest write time that the row at this position may get, in its last retry. */
    public long lastWriteTime(long baseTimestamp, long position) {
        return writeTime(baseTimestamp, position) + writeTimeStep - 1;
    }

    /** Bytes of a batch besides its rows. */
    int batchOverhead() {
        return 3 + batchTrailer.length + (requestTimestamp ? Long.BYTES : 0);
    }

    /**
     * A lower bound of the bytes that the server counts towards its thresholds for batches, for the row in this
     * EXECUTE.
     */
    int countedBytes(byte[] executeBody) {
        int bytes = executeBody.length - executeHeader.length + countedCells;
        int at = executeHeader.length;
        for (int slot = 0; slot < collections.length(); slot++) {
            int length = Math.max(0, Bytes.getInt(executeBody, at));
            at += 4;
            if (collections.get(slot) && length >= 4) {
                int elements = Bytes.getInt(executeBody, at);
                bytes +=
                        Math.min(Math.max(0, elements), length / 4) * COUNTED_ELEMENT; // each has its length in 4 bytes
            }
            at += length;
        }
        return bytes;
    }

    /** Bytes of an EXECUTE besides its values. */
    public int executeOverhead() {
        return executeHeader.length + (requestTimestamp ? Long.BYTES : 0);
    }

    /** Writes the start of a batch and returns where its rows go. */
    int beginBatch(byte[] body, int rows) {
        body[0] = (byte) (rules.isCounter() ? BatchType.COUNTER : BatchType.UNLOGGED);
        Bytes.setShort(body, 1, rows);
        return 3;
    }

    /** Writes the end of a batch. */
    void endBatch(byte[] body, int at, long timestamp) {
        System.arraycopy(batchTrailer, 0, body, at, batchTrailer.length);
        putTimestamp(body, at + batchTrailer.length, timestamp);
    }

    /** Writes the start of an EXECUTE and returns where its values go. */
    public int beginExecute(byte[] body) {
        System.arraycopy(executeHeader, 0, body, 0, executeHeader.length);
        return executeHeader.length;
    }

    /** Writes the end of an EXECUTE. */
    public void endExecute(byte[] body, int at, long timestamp) {
        putTimestamp(body, at, timestamp);
    }

    private void putTimestamp(byte[] body, int at, long timestamp) {
        if (requestTimestamp) {
            Bytes.setLong(body, at, timestamp);
        }
    }
}
