package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.request.query.QueryOptions;
import io.overdrive.OverdriveException;
import io.overdrive.ScanSetting;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.ring.Ring;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Small reads like those of a cluster's users: rows of the job's table by partition key, if it has any before the job begins, else
 * of a small system table. Immutable.
 *
 * @param messages the reads, each for another key
 * @param table the table that they read
 */
public record ProbeReads(List<Message> messages, String table) {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeReads.class);
    /** Places of the ring where keys are sampled, and keys taken at each. */
    private static final int PLACES = 32;

    private static final int KEYS_OF_A_PLACE = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Read by each node in its own memory: shows how busy the coordinator is, but neither replicas nor disks. */
    static final ProbeReads SYSTEM = new ProbeReads(
            List.of(query(
                    "SELECT key FROM system.local WHERE key = 'local'", List.of(), DefaultConsistencyLevel.LOCAL_ONE)),
            "system.local");

    public ProbeReads {
        messages = List.copyOf(messages);
    }

    /**
     * Samples keys all around the ring, and reads their partitions at the consistency level of foreground users: LOCAL_QUORUM, or
     * LOCAL_ONE if a partition has a single replica. A table without rows, or that cannot be read, gives {@link #SYSTEM}.
     *
     * @param metadata with the table's schema
     * @param session that sends the queries
     */
    static ProbeReads sample(
            CqlSession session, Metadata metadata, Ring ring, CqlIdentifier keyspace, CqlIdentifier table) {
        Optional<List<CqlIdentifier>> key = metadata.getKeyspace(keyspace)
                .flatMap(k -> {
                    Optional<RelationMetadata> found = k.getTable(table).map(t -> t);
                    return found.isPresent() ? found : k.getView(table).map(v -> v);
                })
                .map(t -> t.getPartitionKey().stream()
                        .map(ColumnMetadata::getName)
                        .toList());
        if (key.isEmpty()) {
            return SYSTEM; // the driver has no metadata of system tables
        }
        String name = keyspace.asCql(true) + "." + table.asCql(true);
        String columns = key.get().stream().map(column -> column.asCql(true)).collect(Collectors.joining(", "));
        try {
            Replication.requireEnough(metadata, keyspace, ConsistencyLevel.LOCAL_ONE, ScanSetting.CONSISTENCY);
            Set<List<ByteBuffer>> keys =
                    keys(session, ring, name, columns, key.get().size());
            if (keys.isEmpty()) {
                return SYSTEM;
            }
            boolean isReplicated = ring.replicas(0).nodes().size() > 1;
            ConsistencyLevel level = isReplicated ? ConsistencyLevel.LOCAL_QUORUM : ConsistencyLevel.LOCAL_ONE;
            String cql = "SELECT " + columns + " FROM " + name + " WHERE "
                    + key.get().stream()
                            .map(column -> column.asCql(true) + " = ?")
                            .collect(Collectors.joining(" AND "))
                    + " LIMIT 1";
            List<Message> reads = new ArrayList<>();
            keys.forEach(values -> reads.add(query(cql, values, level)));
            Collections.shuffle(reads); // so that the keys of a place are not read in sequence
            return new ProbeReads(reads, name);
        } catch (DriverException | OverdriveException e) {
            LOG.info("probes read {} as no keys of {} could be sampled: {}", SYSTEM.table, name, e.getMessage());
            return SYSTEM;
        }
    }

    private static Set<List<ByteBuffer>> keys(
            CqlSession session, Ring ring, String table, String columns, int keyColumns) {
        Set<List<ByteBuffer>> keys = new LinkedHashSet<>();
        int places = ring.usesMurmur3() ? PLACES : 1;
        int limit = PLACES * KEYS_OF_A_PLACE / places;
        for (int place = 0; place < places; place++) {
            String from = ring.usesMurmur3()
                    ? " WHERE token(" + columns + ") >= " + (Long.MIN_VALUE + place * (Long.MAX_VALUE / places) * 2)
                    : "";
            SimpleStatement query = SimpleStatement.newInstance(
                            "SELECT DISTINCT " + columns + " FROM " + table + from + " LIMIT " + limit)
                    .setConsistencyLevel(ConsistencyLevel.LOCAL_ONE)
                    .setTimeout(TIMEOUT);
            for (Row row : session.execute(query)) {
                List<ByteBuffer> values = new ArrayList<>();
                for (int i = 0; i < keyColumns; i++) {
                    values.add(row.getBytesUnsafe(i));
                }
                keys.add(values);
            }
            if (place == 0 && keys.isEmpty()) {
                break; // the first place asks the whole ring
            }
        }
        return keys;
    }

    private static Message query(String cql, List<ByteBuffer> key, ConsistencyLevel level) {
        return new Query(
                cql,
                new QueryOptions(
                        level.getProtocolCode(),
                        key,
                        Map.of(),
                        /* skipMetadata */ true,
                        /* pageSize */ 1,
                        /* pagingState */ null,
                        ProtocolConstants.ConsistencyLevel.LOCAL_SERIAL,
                        QueryOptions.NO_DEFAULT_TIMESTAMP,
                        /* keyspace */ null,
                        QueryOptions.NO_NOW_IN_SECONDS));
    }
}
