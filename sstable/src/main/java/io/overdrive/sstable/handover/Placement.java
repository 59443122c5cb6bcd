package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.SameTable;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Facts that decide where the rows of a table are, and whether they may be imported: which node has which tokens, how
 * the keyspace is replicated, and which table has the name. Immutable.
 *
 * @param tokens of each node that has some, by its id, in their order
 * @param replication options of the keyspace; empty if it does not exist
 * @param table its id, which one that is dropped and created does not keep; null if it does not exist
 * @param drops when columns of the table were last dropped
 * @param obstacle what the table has or does that an import leaves out, as the second half of a sentence; null if there is nothing
 */
public record Placement(
        Map<UUID, LongBuffer> tokens,
        Map<String, String> replication,
        @Nullable UUID table,
        DroppedColumns drops,
        @Nullable String obstacle) {
    private static final String COLUMNS = "SELECT host_id, data_center, rack, tokens FROM ";

    public Placement {
        tokens = Map.copyOf(tokens);
        replication = Map.copyOf(replication);
    }

    /** Builds it from the driver's metadata, perhaps seconds late, for a table that was found to have no obstacle. */
    static Placement of(Metadata metadata, TokenMap ring, TableMetadata table, DroppedColumns drops) {
        Map<UUID, LongBuffer> tokens = new HashMap<>();
        for (Node node : metadata.getNodes().values()) {
            put(tokens, node.getHostId(), ring.getTokens(node).stream().map(ring::format));
        }
        return new Placement(
                tokens,
                metadata.getKeyspace(table.getKeyspace())
                        .map(KeyspaceMetadata::getReplication)
                        .orElse(Map.of()),
                table.getId().orElse(null),
                drops,
                /* obstacle */ null);
    }

    /** Asks one node for its state at this moment. */
    static Placement read(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table) {
        Map<UUID, LongBuffer> tokens = new HashMap<>();
        ResultSet local = session.execute(OwnQuery.of(COLUMNS + "system.local"));
        Node one = local.getExecutionInfo().getCoordinator();
        local.forEach(row -> put(tokens, row));
        session.execute(OwnQuery.of(COLUMNS + "system.peers_v2").setNode(one)).forEach(row -> put(tokens, row));
        Row replication = session.execute(OwnQuery.of(
                                "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?",
                                keyspace.asInternal())
                        .setNode(one))
                .one();
        Map<String, String> options =
                replication == null ? null : replication.getMap("replication", String.class, String.class);
        return new Placement(
                tokens,
                options == null ? Map.of() : options,
                SameTable.id(session, one, keyspace, table),
                DroppedColumns.of(session, one, keyspace.asInternal(), table.asInternal()),
                SstableRefusals.obstacle(session, one, keyspace, table));
    }

    /**
     * Adds a node, unless it has no data centre or rack: such rows remain of removed nodes, which the driver does not
     * know.
     */
    private static void put(Map<UUID, LongBuffer> all, Row row) {
        Set<String> tokens = row.getSet("tokens", String.class);
        if (tokens != null && !row.isNull("data_center") && !row.isNull("rack")) {
            put(all, row.getUuid("host_id"), tokens.stream());
        }
    }

    private static void put(Map<UUID, LongBuffer> all, @Nullable UUID node, Stream<String> tokens) {
        LongBuffer sorted = sorted(tokens);
        if (node != null && sorted.hasRemaining()) {
            all.put(node, sorted);
        }
    }

    /** Numbers of Murmur3Partitioner: other ones are refused before. */
    static LongBuffer sorted(Stream<String> tokens) {
        return LongBuffer.wrap(tokens.mapToLong(Long::parseLong).sorted().toArray())
                .asReadOnlyBuffer();
    }

    /**
     * The change since then, for a message; null if nothing has changed.
     *
     * @param columns that rows have, without quotes: others may be dropped
     */
    @Nullable String changeTo(Placement later, List<String> columns) {
        if (!replication.equals(later.replication)) {
            return later.replication.isEmpty()
                    ? "the keyspace was dropped"
                    : "the replication of the keyspace was changed";
        }
        if (!Objects.equals(table, later.table)) {
            return later.table == null ? "the table was dropped" : "the table was dropped and created";
        }
        String dropped = later.drops.droppedSince(drops, columns);
        if (dropped != null) {
            return "column \"" + dropped + "\" was dropped at "
                    + later.drops.times().get(dropped)
                    + ", and values from before do not count, even if it was added again";
        }
        if (later.obstacle != null) {
            return "the table was changed, and " + later.obstacle;
        }
        Set<UUID> nodes = new TreeSet<>(tokens.keySet());
        nodes.addAll(later.tokens.keySet());
        for (UUID node : nodes) {
            LongBuffer before = tokens.get(node);
            LongBuffer now = later.tokens.get(node);
            if (!Objects.equals(before, now)) {
                return "node " + node
                        + (before == null ? " has joined" : now == null ? " has left" : " has other tokens");
            }
        }
        return null;
    }
}
