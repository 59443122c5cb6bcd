package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.ring.Replication;
import io.overdrive.sstable.sort.TokenOwners;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The nodes that have replicas of a table, in all data centres, and of which tokens. A snapshot. Immutable.
 *
 * @param nodes in the order of the owners
 * @param placement from which this was derived
 */
public record Replicas(List<Node> nodes, TokenOwners owners, Placement placement) {
    private static final String PARTITIONER = "Murmur3Partitioner";
    private static final Comparator<Node> BY_ADDRESS = Comparator.comparing(node -> String.valueOf(node.getEndPoint()));

    /** @throws OverdriveException of kind SCHEMA if the cluster has another partitioner, or the keyspace has no replicas */
    static Replicas of(CqlSession session, TableMetadata table) {
        Metadata metadata = session.getMetadata();
        CqlIdentifier keyspace = table.getKeyspace();
        TokenMap tokens = tokens(metadata);
        TreeMap<Long, Set<Node>> byEnd = new TreeMap<>();
        Set<Node> found = new HashSet<>();
        for (TokenRange range : tokens.getTokenRanges()) {
            Set<Node> replicas = tokens.getReplicas(keyspace, range);
            if (replicas.isEmpty()) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "keyspace " + keyspace.asCql(true) + " has no replica for some tokens: give it replicas first");
            }
            byEnd.put(Long.parseLong(tokens.format(range.getEnd())), replicas);
            found.addAll(replicas);
        }
        List<Node> nodes = found.stream().sorted(BY_ADDRESS).toList();
        Map<Node, Integer> numbers = new HashMap<>();
        nodes.forEach(node -> numbers.put(node, numbers.size()));
        return new Replicas(
                nodes,
                new TokenOwners(
                        List.copyOf(byEnd.keySet()),
                        byEnd.values().stream()
                                .map(replicas ->
                                        replicas.stream().mapToInt(numbers::get).toArray())
                                .toList()),
                Placement.of(
                        metadata,
                        tokens,
                        table,
                        DroppedColumns.of(
                                session, keyspace.asInternal(), table.getName().asInternal())));
    }

    /**
     * The nodes that will have replicas of a keyspace, by its replication: each node of its data centres that has tokens, as it gets
     * the first replica of their ranges there.
     *
     * @throws OverdriveException of kind SCHEMA if the cluster has another partitioner
     */
    static List<Node> nodes(Metadata metadata, Map<String, String> replication) {
        TokenMap tokens = tokens(metadata);
        Set<String> datacenters = Replication.byDatacenter(replication).keySet();
        return metadata.getNodes().values().stream()
                .filter(node -> !tokens.getTokens(node).isEmpty())
                .filter(node -> datacenters.isEmpty() || datacenters.contains(node.getDatacenter()))
                .sorted(BY_ADDRESS)
                .toList();
    }

    /** The name of a node, for users. */
    String name(int owner) {
        return NodeName.of(nodes.get(owner));
    }

    private static TokenMap tokens(Metadata metadata) {
        TokenMap tokens = metadata.getTokenMap()
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        words -> "the cluster does not say which node has which tokens: leave out "
                                + words.of(JobOption.SSTABLES)));
        if (!tokens.getPartitionerName().endsWith(PARTITIONER)) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> "the cluster has " + tokens.getPartitionerName() + "; SSTables can be written only for "
                            + PARTITIONER + ": leave out " + words.of(JobOption.SSTABLES));
        }
        return tokens;
    }
}
