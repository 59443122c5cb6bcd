package io.overdrive.simulated;

import io.overdrive.simulated.Column.Kind;
import io.overdrive.simulated.Schema.Keyspace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Cassandra's own tables, as far as the driver and Overdrive read them: the nodes, the schema, the estimates and some settings. Thread-safe.
 */
final class SystemTables {
    private static final String PARTITIONER = "org.apache.cassandra.dht.Murmur3Partitioner";
    private static final String CLUSTER_NAME = "simulated";

    private static final Map<String, String> CACHING = Map.of("keys", "ALL", "rows_per_partition", "NONE");
    private static final Map<String, String> COMPACTION =
            Map.of("class", "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy");
    private static final Map<String, String> COMPRESSION =
            Map.of("class", "org.apache.cassandra.io.compress.LZ4Compressor", "chunk_length_in_kb", "16");

    private static final String NODE =
            "data_center text, host_id uuid, rack text, release_version text, schema_version uuid, tokens set<text>";

    private static final Pattern NEW_IN_4 =
            Pattern.compile("system\\.(peers_v2|table_estimates)|system_(views|virtual_schema)\\..*");

    private final SimulatedOptions options;
    private final Map<String, Table> all = new HashMap<>();
    private final Schema schema = new Schema(all);
    private final Ring ring;

    SystemTables(SimulatedOptions options, List<SimulatedNode> nodes) {
        this.options = options;
        ring = new Ring(nodes);
        addNodes(nodes);
        addSchema();
        addEstimates();
        if (SimulatedOptions.isOf4(options.release())) {
            addVirtual();
        }
    }

    Schema schema() {
        return schema;
    }

    /**
     * Adds a table.
     *
     * @param columns names and types
     * @param rows those that a node has
     */
    private void add(String name, String columns, Function<SimulatedNode, List<List<@Nullable ByteBuffer>>> rows) {
        String[] parts = name.split("\\.");
        Map<String, Column> byName = new LinkedHashMap<>();
        for (String column : columns.split(", ")) {
            String[] words = column.split(" ");
            Kind kind = byName.isEmpty() ? Kind.PARTITION_KEY : Kind.REGULAR;
            byName.put(
                    words[0],
                    new Column(
                            words[0],
                            words[1],
                            CqlTypes.of(words[1]),
                            kind,
                            byName.isEmpty() ? 0 : -1,
                            /* isDescending */ false));
        }
        UUID id = UUID.nameUUIDFromBytes(Cells.text(name).array());
        all.put(
                name,
                new Table(parts[0], parts[1], id, byName, node -> rows.apply(having(name, node)), new TokenRows(0)));
    }

    /** The node, if its release has the table. */
    private static SimulatedNode having(String table, SimulatedNode node) {
        if (!SimulatedOptions.isOf4(node.release()) && NEW_IN_4.matcher(table).matches()) {
            throw Refusal.invalid("unconfigured table " + table);
        }
        return node;
    }

    private void addEmpty(String name, String columns) {
        add(name, columns, node -> List.of());
    }

    private static List<@Nullable ByteBuffer> row(@Nullable ByteBuffer... cells) {
        return Arrays.asList(cells);
    }

    private void addNodes(List<SimulatedNode> nodes) {
        boolean hasPorts = SimulatedOptions.isOf4(options.release());
        add(
                "system.local",
                "key text, bootstrapped text, broadcast_address inet, cluster_name text, cql_version text,"
                        + " listen_address inet, native_protocol_version text, partitioner text, rpc_address inet, "
                        + (hasPorts ? "rpc_port int, " : "") + NODE,
                node -> List.of(concat(concat(local(node), hasPorts ? row(port(node)) : row()), described(node))));
        addPeers(nodes, "system.peers", "peer inet, rpc_address inet, " + NODE, node -> row(node.ip(), node.ip()));
        if (SimulatedOptions.isOf4(options.release())) {
            addPeers(
                    nodes,
                    "system.peers_v2",
                    "peer inet, peer_port int, native_address inet, native_port int, " + NODE,
                    node -> row(node.ip(), Cells.int32(7000), node.ip(), port(node)));
        }
    }

    private List<@Nullable ByteBuffer> local(SimulatedNode node) {
        return row(
                Cells.text("local"),
                Cells.text("COMPLETED"),
                node.ip(),
                Cells.text(CLUSTER_NAME),
                Cells.text("3.4.7"),
                node.ip(),
                Cells.text(String.valueOf(node.protocolVersion())),
                Cells.text(PARTITIONER),
                node.ip());
    }

    private static ByteBuffer port(SimulatedNode node) {
        return Cells.int32(node.address().getPort());
    }

    private void addPeers(
            List<SimulatedNode> nodes,
            String name,
            String columns,
            Function<SimulatedNode, List<@Nullable ByteBuffer>> addresses) {
        add(name, columns, asked -> nodes.stream()
                .filter(node -> node != asked)
                .map(node -> concat(addresses.apply(node), described(node)))
                .toList());
    }

    private static List<@Nullable ByteBuffer> concat(List<@Nullable ByteBuffer> a, List<@Nullable ByteBuffer> b) {
        List<@Nullable ByteBuffer> both = new ArrayList<>(a);
        both.addAll(b);
        return both;
    }

    /** The columns {@link #NODE}. */
    private List<@Nullable ByteBuffer> described(SimulatedNode node) {
        return row(
                Cells.text(node.datacenter()),
                Cells.uuid(node.hostId()),
                Cells.text(node.rack()),
                Cells.text(node.release()),
                Cells.uuid(schema.version(node.release())),
                node.tokensCell());
    }

    private void addSchema() {
        addOfKeyspaces(
                "system_schema.keyspaces",
                "keyspace_name text, durable_writes boolean, replication map<text,text>",
                keyspace ->
                        List.of(row(Cells.text(keyspace.name()), Cells.bool(true), Cells.map(keyspace.replication()))));
        addOfTables(
                "system_schema.tables",
                "keyspace_name text, table_name text, caching map<text,text>, comment text, compaction map<text,text>,"
                        + " compression map<text,text>, default_time_to_live int, flags set<text>, gc_grace_seconds int,"
                        + " id uuid",
                table -> List.of(row(
                        Cells.text(table.keyspace()),
                        Cells.text(table.name()),
                        Cells.map(CACHING),
                        Cells.text("no row is kept"),
                        Cells.map(COMPACTION),
                        Cells.map(COMPRESSION),
                        Cells.int32(0),
                        Cells.texts(List.of("compound")),
                        Cells.int32(864_000),
                        Cells.uuid(table.id()))));
        addOfTables(
                "system_schema.columns",
                "keyspace_name text, table_name text, column_name text, clustering_order text, kind text, position int,"
                        + " type text",
                table -> table.columns().values().stream()
                        .map(column -> row(
                                Cells.text(table.keyspace()),
                                Cells.text(table.name()),
                                Cells.text(column.name()),
                                Cells.text(column.order()),
                                Cells.text(column.kind().inCql()),
                                Cells.int32(column.position()),
                                Cells.text(column.type())))
                        .toList());
        String ofTable = "keyspace_name text, table_name text, ";
        addEmpty("system_schema.dropped_columns", ofTable + "column_name text, dropped_time timestamp, type text");
        addEmpty("system_schema.indexes", ofTable + "index_name text, kind text, options map<text,text>");
        addEmpty("system_schema.triggers", ofTable + "trigger_name text, options map<text,text>");
        addEmpty(
                "system_schema.views",
                "keyspace_name text, view_name text, base_table_name text, id uuid, include_all_columns boolean,"
                        + " where_clause text");
        addEmpty(
                "system_schema.types",
                "keyspace_name text, type_name text, field_names frozen<list<text>>, field_types frozen<list<text>>");
        addEmpty(
                "system_schema.functions", "keyspace_name text, function_name text, argument_types frozen<list<text>>");
        addEmpty(
                "system_schema.aggregates",
                "keyspace_name text, aggregate_name text, argument_types frozen<list<text>>");
    }

    private void addOfKeyspaces(
            String name, String columns, Function<Keyspace, List<List<@Nullable ByteBuffer>>> rows) {
        add(name, columns, node -> schema.keyspaces().stream()
                .flatMap(keyspace -> rows.apply(keyspace).stream())
                .toList());
    }

    private void addOfTables(String name, String columns, Function<Table, List<List<@Nullable ByteBuffer>>> rows) {
        addOfKeyspaces(name, columns, keyspace -> keyspace.tables().values().stream()
                .flatMap(table -> rows.apply(table).stream())
                .toList());
    }

    private void addEstimates() {
        addOfRanges("system.size_estimates", "", row());
        if (SimulatedOptions.isOf4(options.release())) {
            addOfRanges("system.table_estimates", "range_type text, ", row(Cells.text("local_primary")));
        }
    }

    private void addOfRanges(String name, String type, List<@Nullable ByteBuffer> ofType) {
        BiFunction<SimulatedNode, Table, List<List<@Nullable ByteBuffer>>> estimates =
                (node, table) -> ring.primaryRanges(node).stream()
                        .map(range -> concat(
                                concat(row(Cells.text(table.keyspace()), Cells.text(table.name())), ofType),
                                row(
                                        Cells.text(String.valueOf(range.start())),
                                        Cells.text(String.valueOf(range.end())),
                                        Cells.bigint(options.rowBytes()),
                                        Cells.bigint(range.rows(table.rows())))))
                        .toList();
        add(
                name,
                "keyspace_name text, table_name text, " + type
                        + "range_start text, range_end text, mean_partition_size bigint, partitions_count bigint",
                node -> schema.keyspaces().stream()
                        .flatMap(keyspace -> keyspace.tables().values().stream())
                        .filter(table -> table.rows().size() > 0)
                        .flatMap(table -> estimates.apply(node, table).stream())
                        .toList());
    }

    /** A share of each row is on each node of a data centre. */
    private double bytesOfRowOnNode() {
        int nodes = options.nodesPerDatacenter();
        return (double) options.rowBytes() * Math.min(options.replicas(), nodes) / nodes;
    }

    private void addVirtual() {
        add(
                "system_views.settings",
                "name text, value text",
                node -> List.of(
                        row(Cells.text("batch_size_warn_threshold"), Cells.text("5KiB")),
                        row(Cells.text("batch_size_fail_threshold"), Cells.text("50KiB")),
                        row(Cells.text("unlogged_batch_across_partitions_warn_threshold"), Cells.text("10")),
                        row(Cells.text("max_mutation_size"), Cells.text("16MiB"))));
        addOfTables(
                "system_views.disk_usage",
                "keyspace_name text, table_name text, mebibytes bigint",
                table -> List.of(row(Cells.text(table.keyspace()), Cells.text(table.name()), Cells.bigint((long)
                        (table.rows().size() * bytesOfRowOnNode() / (1 << 20))))));
        addEmpty("system_virtual_schema.keyspaces", "keyspace_name text");
        addEmpty("system_virtual_schema.tables", "keyspace_name text, table_name text, comment text");
        addEmpty(
                "system_virtual_schema.columns",
                "keyspace_name text, table_name text, column_name text, clustering_order text, kind text, position int,"
                        + " type text");
    }
}
