package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.protocol.internal.Message;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.scan.ScanLayout.Query;
import io.overdrive.internal.scan.ScanLayout.ResultColumns;
import io.overdrive.internal.wire.ScriptedTransport;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Layouts without a server. Stateless. */
public final class ScanLayouts {
    private ScanLayouts() {}

    /**
     * A layout of table ks.t with one column, which is the partition key and a blob; split by token, in version 5 of
     * the protocol.
     */
    public static ScanLayout split() {
        return split(ProtocolVersion.V5, Integer.MAX_VALUE);
    }

    static ScanLayout split(ProtocolVersion version, int maxLaterPageRows) {
        return layout(
                splitStatement("SELECT k FROM ks.t WHERE token(k) > ? AND token(k) <= ?", (byte) 0, version),
                /* isSplit */ true,
                maxLaterPageRows);
    }

    /** The id of the query that reads the rows of {@link #counts}; that of the query that counts them is another one. */
    static final byte ROWS_ID = 1;

    /** Counts the rows of the same table, in each partition or, without a key, in each token range. */
    static ScanLayout counts(boolean byPartition) {
        List<String> columns = byPartition ? List.of("k", "count") : List.of("count");
        return new ScanLayout(
                splitStatement("SELECT … count(*) FROM ks.t …", (byte) 0, ProtocolVersion.V5),
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new ResultColumns(
                        columns,
                        byPartition ? List.of(DataTypes.BLOB, DataTypes.BIGINT) : List.of(DataTypes.BIGINT),
                        byPartition ? new int[] {0} : new int[0]),
                new Query(
                        /* isSplit */ true,
                        "",
                        /* isAggregate */ !byPartition,
                        /* hasGroupBy */ byPartition,
                        Integer.MAX_VALUE),
                DefaultConsistencyLevel.LOCAL_ONE,
                layout(
                        splitStatement("SELECT k FROM ks.t …", ROWS_ID, ProtocolVersion.V5),
                        /* isSplit */ true,
                        Integer.MAX_VALUE));
    }

    private static PreparedCql splitStatement(String cql, byte id, ProtocolVersion version) {
        byte[] wholeId = new byte[16];
        wholeId[0] = id;
        return new PreparedCql(
                cql,
                wholeId,
                new byte[version == ProtocolVersion.V5 ? 16 : 0],
                List.of("start", "end"),
                List.of(DataTypes.BIGINT, DataTypes.BIGINT),
                /* hasCollectionKey */ false,
                new int[0],
                CodecRegistry.DEFAULT,
                version);
    }

    /** A layout of the same table, by key, in version 5 of the protocol. */
    public static ScanLayout byKey() {
        return key(List.of("k"), List.of(DataTypes.BLOB));
    }

    /** A layout of a query by key, with these key columns. */
    public static ScanLayout key(List<String> names, List<DataType> types) {
        return layout(byKey(names, types, /* hasCollectionKey */ false), /* isSplit */ false, Integer.MAX_VALUE);
    }

    /** The same, of a table that has sets or maps in its key. */
    public static ScanLayout collectionKey(List<String> names, List<DataType> types) {
        return layout(byKey(names, types, /* hasCollectionKey */ true), /* isSplit */ false, Integer.MAX_VALUE);
    }

    /**
     * A layout of a query by key that reads these columns, all of them blobs, of which the first is the partition key.
     */
    public static ScanLayout key(List<String> names, List<DataType> types, List<String> columns) {
        return layout(
                byKey(names, types, /* hasCollectionKey */ false), columns, /* isSplit */ false, Integer.MAX_VALUE);
    }

    private static PreparedCql byKey(List<String> names, List<DataType> types, boolean hasCollectionKey) {
        return new PreparedCql(
                "SELECT k FROM ks.t WHERE …",
                new byte[16],
                new byte[16],
                names,
                types,
                hasCollectionKey,
                IntStream.range(0, names.size()).toArray(),
                CodecRegistry.DEFAULT,
                ProtocolVersion.V5);
    }

    /** The answer to preparing one that is split again; its columns are blobs. */
    static Message prepared(List<String> columns) {
        return ScriptedTransport.prepared(new byte[16], List.of(DataTypes.BIGINT, DataTypes.BIGINT), columns);
    }

    static ScanLayout layout(PreparedCql prepared, boolean isSplit, int maxLaterPageRows) {
        return layout(prepared, List.of("k"), isSplit, maxLaterPageRows);
    }

    private static ScanLayout layout(
            PreparedCql prepared, List<String> columns, boolean isSplit, int maxLaterPageRows) {
        return new ScanLayout(
                prepared,
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new ResultColumns(columns, Collections.nCopies(columns.size(), DataTypes.BLOB), new int[] {0}),
                new Query(isSplit, "", /* isAggregate */ false, /* hasGroupBy */ false, maxLaterPageRows),
                DefaultConsistencyLevel.LOCAL_ONE);
    }
}
