package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.Grouping;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.write.WriteRules.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Layouts without a server, of table ks.t with blobs only. Stateless. */
public final class WriteLayouts {
    private WriteLayouts() {}

    /** The partition key, then other columns, the write time last; in version 5 of the protocol. */
    public static WriteLayout of(int markers, int prefixMarkers) {
        return of(markers, prefixMarkers, Grouping.PARTITION, /* idempotent */ true, /* needsNewTime */ false);
    }

    public static WriteLayout of(
            int markers, int prefixMarkers, Grouping grouping, boolean idempotent, boolean needsNewTime) {
        RetryRule retry = new RetryRule(
                idempotent,
                needsNewTime,
                /* conditional */ false,
                /* severalPartitions */ grouping == Grouping.REPLICA_SET,
                /* severalPartitionsARow */ false,
                /* maxAttempts */ 10);
        return of(ProtocolVersion.V5, markers, prefixMarkers, rules(grouping, Timestamp.LAST_MARKER, retry));
    }

    /** As {@link #of(int, int)}, and single rows may share requests. */
    public static WriteLayout gathering(int markers, Grouping grouping) {
        RetryRule retry = new RetryRule(
                /* idempotent */ true,
                /* needsNewTime */ false,
                /* conditional */ false,
                /* severalPartitions */ true,
                /* severalPartitionsARow */ false,
                /* maxAttempts */ 10);
        WriteRules rules = new WriteRules(
                grouping,
                /* gathersSingles */ true,
                Timestamp.LAST_MARKER,
                retry,
                /* ifNotExists */ false,
                /* replacesRows */ true,
                /* isRepeatable */ true,
                /* isCounter */ false);
        return of(ProtocolVersion.V5, markers, /* prefixMarkers */ 1, rules);
    }

    /** The tokens of the rows of a BATCH or an EXECUTE; the first value of each is the key. */
    public static List<Long> tokens(WriteLayout layout, byte[] body, int rows) {
        List<Long> tokens = new ArrayList<>();
        int at = rows == 1 ? layout.executeOverhead() : 3;
        for (int row = 0; row < rows; row++) {
            at += rows == 1 ? 0 : layout.rowHeader.length;
            tokens.add(Murmur3.token(body, at + 4, at + 4 + Bytes.getInt(body, at)));
            for (int marker = 0; marker < layout.prepared.markers(); marker++) {
                at += 4 + Math.max(0, Bytes.getInt(body, at));
            }
        }
        return tokens;
    }

    static WriteRules rules(Grouping grouping, Timestamp timestamp, RetryRule retry) {
        return new WriteRules(
                grouping,
                /* gathersSingles */ false,
                timestamp,
                retry,
                /* ifNotExists */ false,
                /* replacesRows */ true,
                /* isRepeatable */ true,
                /* isCounter */ false);
    }

    /** Columns of these types, the first of which is the key, without a marker for the write time. */
    static WriteLayout of(DataType... types) {
        RetryRule retry = new RetryRule(
                /* idempotent */ true,
                /* needsNewTime */ false,
                /* conditional */ false,
                /* severalPartitions */ false,
                /* severalPartitionsARow */ false,
                /* maxAttempts */ 10);
        return of(ProtocolVersion.V5, List.of(types), 1, rules(Grouping.PARTITION, Timestamp.NONE, retry));
    }

    static WriteLayout of(ProtocolVersion version, int markers, int prefixMarkers, WriteRules rules) {
        return of(version, Collections.nCopies(markers, DataTypes.BLOB), prefixMarkers, rules);
    }

    private static WriteLayout of(ProtocolVersion version, List<DataType> types, int prefixMarkers, WriteRules rules) {
        int markers = types.size();
        int[] key = IntStream.range(0, prefixMarkers).toArray();
        int columns = markers - (rules.timestamp() == Timestamp.LAST_MARKER ? 1 : 0);
        return new WriteLayout(
                new PreparedCql(
                        "",
                        new byte[16],
                        new byte[version == ProtocolVersion.V5 ? 16 : 0],
                        Collections.nCopies(markers, "c"),
                        types,
                        /* hasCollectionKey */ false,
                        key,
                        CodecRegistry.DEFAULT,
                        version),
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new RowMarkers(
                        IntStream.range(0, columns).toArray(), key, prefixMarkers, /* ttl */ -1, /* timestamp */ -1),
                rules,
                HiddenValues.none(),
                /* minWriteTimeStep */ 1,
                DefaultConsistencyLevel.LOCAL_QUORUM);
    }
}
