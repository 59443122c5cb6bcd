package io.overdrive.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.simulated.SimulatedNode.Mode;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver finds a cluster of Cassandra. */
class SimulatedClusterTest {
    private static SimulatedCluster start(SimulatedOptions.Builder options) {
        return SimulatedCluster.start(options.build());
    }

    private static CqlSession connect(SimulatedCluster cluster) {
        return CqlSession.builder()
                .addContactPoint(cluster.nodes().get(0).address())
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(10))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(10))
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                        .build())
                .build();
    }

    @Test
    void describesTables() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder());
                CqlSession session = connect(cluster)) {
            session.execute("CREATE TABLE simulated.events (day date, at timestamp, place text static, what set<text>,"
                    + " PRIMARY KEY ((day), at)) WITH CLUSTERING ORDER BY (at DESC)");
            Row row = Objects.requireNonNull(
                    session.execute("DESCRIBE TABLE simulated.events").one());
            assertThat(row.getString("type")).isEqualTo("table");
            assertThat(row.getString("create_statement"))
                    .isEqualTo(
                            "CREATE TABLE \"simulated\".\"events\" (\"day\" date, \"at\" timestamp, \"place\" text static,"
                                    + " \"what\" set<text>, PRIMARY KEY ((\"day\"), \"at\")) WITH CLUSTERING ORDER BY (\"at\" desc)"
                                    + " AND comment = 'no row is kept';");
        }
    }

    @ParameterizedTest
    @CsvSource({"5.0.9, 5", "4.1.10, 5", "4.0.20, 4", "3.11.19, 4"})
    void theDriverFindsNodesTokensAndSchema(String release, int version) {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder()
                        .nodesPerDatacenter(6)
                        .datacenters(2)
                        .racks(3)
                        .tokensPerNode(8)
                        .release(release)
                        .protocolVersion(version));
                CqlSession session = connect(cluster)) {
            assertThat(session.getContext().getProtocolVersion().getCode()).isEqualTo(version);
            assertThat(session.getMetadata().getNodes()).hasSize(12);
            for (SimulatedNode node : cluster.nodes()) {
                Node found =
                        Objects.requireNonNull(session.getMetadata().getNodes().get(node.hostId()));
                assertThat(found.getEndPoint().resolve()).isEqualTo(node.address());
                assertThat(found.getDatacenter()).isEqualTo(node.datacenter());
                assertThat(found.getRack()).isEqualTo(node.rack());
                assertThat(found.getCassandraVersion()).hasToString(release);
            }
            TokenMap tokens = session.getMetadata().getTokenMap().orElseThrow();
            assertThat(tokens.getTokenRanges()).hasSize(12 * 8);
            assertThat(tokens.getReplicas(
                            "simulated", tokens.getTokenRanges().iterator().next()))
                    .hasSize(6);
            TableMetadata table = session.getMetadata()
                    .getKeyspace("simulated")
                    .orElseThrow()
                    .getTable("numbers")
                    .orElseThrow();
            assertThat(table.getPartitionKey().get(0).getType()).isEqualTo(DataTypes.UUID);
            assertThat(table.getColumns()).hasSize(3);
            assertThat(table.getOptions()).isNotEmpty();
            assertThat(session.checkSchemaAgreement()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aScanInPagesReadsEachRowOnce(int version) {
        try (SimulatedCluster cluster =
                        start(SimulatedOptions.builder().rows(2_500).protocolVersion(version));
                CqlSession session = connect(cluster)) {
            PreparedStatement scan = session.prepare("SELECT n, id, label, token(id), writetime(n), ttl(n)"
                    + " FROM simulated.numbers WHERE token(id) > ? AND token(id) <= ?");
            Set<Long> numbers = new HashSet<>();
            for (long[] range : new long[][] {{Long.MIN_VALUE, -5}, {-5, 1L << 61}, {1L << 61, Long.MAX_VALUE}}) {
                for (Row row : session.execute(scan.bind(range[0], range[1]).setPageSize(300))) {
                    long n = row.getLong("n");
                    assertThat(numbers.add(n)).isTrue();
                    assertThat(row.getString("label")).isEqualTo("row " + n);
                    assertThat(row.getLong(3)).isGreaterThan(range[0]).isLessThanOrEqualTo(range[1]);
                    assertThat(row.isNull(5)).isTrue();
                }
            }
            assertThat(numbers).hasSize(2_500);
            assertThat(cluster.counts().rowsRead()).isEqualTo(2_500);
        }
    }

    @Test
    void countsAndLooksRowsUp() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder().rows(1_000_000_000_000L));
                CqlSession session = connect(cluster)) {
            assertThat(session.execute("SELECT count(*) FROM simulated.numbers")
                            .one()
                            .getLong(0))
                    .isEqualTo(1_000_000_000_000L);
            Row first =
                    session.execute("SELECT * FROM simulated.numbers LIMIT 1").one();
            UUID id = first.getUuid("id");
            List<Row> found = session.execute(
                            SimpleStatement.newInstance("SELECT n FROM simulated.numbers WHERE id = ?", id))
                    .all();
            assertThat(found).singleElement().satisfies(row -> assertThat(row.getLong(0))
                    .isZero());
            assertThat(session.execute("SELECT n FROM simulated.numbers WHERE id = " + new UUID(1, 2))
                            .all())
                    .isEmpty();
        }
    }

    @Test
    void acknowledgesAndCountsWhatItDoesNotKeep() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder());
                CqlSession session = connect(cluster)) {
            session.execute(
                    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            session.execute(
                    "CREATE TABLE shop.orders (shop int, day date, id timeuuid, lines map<text, frozen<list<int>>>,"
                            + " \"Total\" decimal, PRIMARY KEY ((shop, day), id)) WITH CLUSTERING ORDER BY (id DESC) AND comment = 'x'");
            PreparedStatement insert =
                    session.prepare("INSERT INTO shop.orders (day, shop, id) VALUES (?, ?, ?) USING TTL ?");
            assertThat(insert.getPartitionKeyIndices()).containsExactly(1, 0);
            BatchStatement batch = BatchStatement.newInstance(BatchType.UNLOGGED);
            for (int i = 0; i < 10; i++) {
                batch = batch.add(insert.bind(null, i, null, 60));
            }
            session.execute(batch);
            session.execute(
                    session.prepare("UPDATE shop.orders SET \"Total\" = ?, lines = lines + ? WHERE shop = ? AND day = ?"
                                    + " AND id = ?")
                            .bind());
            session.execute("DELETE FROM shop.orders WHERE shop = 1");
            SimulatedCounts counts = cluster.counts();
            assertThat(counts.rowsWritten()).isEqualTo(12);
            assertThat(counts.batches()).isEqualTo(1);
            assertThat(session.execute("SELECT count(*) FROM shop.orders").one().getLong(0))
                    .isZero();
            ResultSet applied = session.execute("INSERT INTO shop.orders (shop) VALUES (1) IF NOT EXISTS");
            assertThat(applied.wasApplied()).isTrue();
            session.execute("DROP TABLE shop.orders");
            assertThat(session.getMetadata().getKeyspace("shop").orElseThrow().getTables())
                    .isEmpty();
        }
    }

    @Test
    void saysWhatItDoesNotSimulate() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder());
                CqlSession session = connect(cluster)) {
            assertThatThrownBy(() -> session.execute("SELECT avg(n) FROM simulated.numbers"))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessage("a simulated cluster has no function avg: use a real one, overdrive local start");
            assertThatThrownBy(() -> session.execute("SELECT n FROM simulated.others"))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessage("unconfigured table others");
            assertThatThrownBy(() -> session.execute("ALTER TABLE simulated.numbers ADD x int"))
                    .isInstanceOf(SyntaxError.class)
                    .hasMessageContaining("\"alter\" in: ALTER TABLE");
            assertThatThrownBy(() -> session.execute(
                            SimpleStatement.newInstance("INSERT INTO simulated.numbers (id) VALUES (?)")))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessage("there were 1 markers(?) in CQL but 0 bound variables");
        }
    }

    @Test
    void estimatesAddUpToTheTable() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder()
                        .nodesPerDatacenter(5)
                        .rows(12_345)
                        .rowBytes(70));
                CqlSession session = connect(cluster)) {
            for (String table : List.of("system.size_estimates", "system.table_estimates")) {
                long rows = 0;
                for (Node node : session.getMetadata().getNodes().values()) {
                    for (Row row : session.execute(SimpleStatement.newInstance(
                                    "SELECT partitions_count, mean_partition_size FROM " + table
                                            + " WHERE keyspace_name = ? AND table_name = ?",
                                    "simulated",
                                    "numbers")
                            .setNode(node))) {
                        rows += row.getLong(0);
                        assertThat(row.getLong(1)).isEqualTo(70);
                    }
                }
                assertThat(rows).isEqualTo(12_345);
            }
        }
    }

    @Test
    void nodesOfARackAreSwitchedTogether() {
        try (SimulatedCluster cluster = start(
                SimulatedOptions.builder().nodesPerDatacenter(6).datacenters(2).racks(3))) {
            List<SimulatedNode> rack = cluster.nodes("dc2", "rack3");
            assertThat(rack).hasSize(2);
            rack.forEach(SimulatedNode::refuse);
            try (CqlSession session = CqlSession.builder()
                    .addContactPoint(rack.get(0).address())
                    .addContactPoint(cluster.nodes().get(0).address())
                    .withLocalDatacenter("dc1")
                    .build()) {
                assertThat(session.getMetadata().getNodes()).hasSize(12);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void aNodeThatHangsAnswersAgainWhenItHasRecovered(int version) {
        SimpleStatement query = SimpleStatement.newInstance("SELECT count(*) FROM simulated.numbers");
        try (SimulatedCluster cluster =
                        start(SimulatedOptions.builder().nodesPerDatacenter(1).protocolVersion(version));
                CqlSession session = connect(cluster)) {
            SimulatedNode node = cluster.nodes().get(0);
            for (Consumer<SimulatedNode> hangs :
                    List.<Consumer<SimulatedNode>>of(SimulatedNode::hang, SimulatedNode::hangAfterConnect)) {
                hangs.accept(node);
                assertThatThrownBy(() -> session.execute(query.setTimeout(Duration.ofMillis(50))))
                        .isInstanceOf(DriverTimeoutException.class);
                node.recover();
                assertThat(session.execute(query).one()).isNotNull();
            }
        }
    }

    @Test
    void anOverloadedNodeRefusesOneRequestInSoMany() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder().nodesPerDatacenter(1));
                CqlSession session = connect(cluster)) {
            PreparedStatement count = session.prepare("SELECT count(*) FROM simulated.numbers");
            cluster.nodes().get(0).overload(3);
            session.execute(count.bind());
            session.execute(count.bind());
            assertThatThrownBy(() -> session.execute(count.bind()))
                    .hasMessageContaining("the simulated node is overloaded");
            session.execute(count.bind());
        }
    }

    @Test
    void aReplacedNodeHasAnotherIdAtItsAddress() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder())) {
            SimulatedNode node = cluster.nodes().get(1);
            UUID before = node.hostId();
            node.replace();
            assertThat(node.hostId()).isNotEqualTo(before);
            try (CqlSession session = connect(cluster)) {
                assertThat(session.getMetadata().getNodes().keySet())
                        .contains(node.hostId())
                        .doesNotContain(before);
            }
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder())) {
            int port = cluster.nodes().get(0).address().getPort();
            assertThatThrownBy(() -> start(SimulatedOptions.builder().port(port)))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("a simulated node cannot listen at 127.77.0.1:" + port)
                    .hasMessageContaining("choose another port");
        }
    }

    @Test
    void faultsAreOfDifferentNodesAndNeverOfTheFirstOne() {
        try (SimulatedCluster cluster =
                start(SimulatedOptions.builder().nodesPerDatacenter(12).racks(3))) {
            cluster.begin(Stream.of("hang=1", "hang-after-connect=2", "slow=25%", "restart=rack2")
                    .map(SimulatedFault::parse)
                    .toList());
            assertThat(cluster.nodes()).extracting(SimulatedNode::mode).containsOnlyOnce(Mode.HANGS);
            assertThat(cluster.nodes().stream()
                            .filter(node -> node.mode() == Mode.HANGS_AFTER_CONNECT && node.delayMillis() == 0))
                    .hasSize(2);
            assertThat(cluster.nodes().stream()
                            .filter(node -> node.mode() == Mode.ANSWERS && node.delayMillis() == 200))
                    .hasSize(3);
            assertThat(cluster.nodes().get(0).mode()).isEqualTo(Mode.ANSWERS);
            assertThat(cluster.nodes().get(0).delayMillis()).isZero();
        }
    }

    @Test
    void refusesFaultsThatItCannotHave() {
        try (SimulatedCluster cluster = start(SimulatedOptions.builder())) {
            assertThatThrownBy(() -> cluster.begin(List.of(SimulatedFault.parse("lose=3"))))
                    .hasMessage("lose=3: 2 nodes without a fault follow the first one");
            assertThatThrownBy(() -> cluster.begin(List.of(SimulatedFault.parse("restart=rack9"))))
                    .hasMessage("restart=rack9: there is no such rack, or it has no node without a fault");
            assertThatThrownBy(() -> SimulatedFault.parse("slow=some"))
                    .hasMessage("slow=some, must be a number of nodes, or such as 1%");
        }
    }

    @Test
    void refusesShapesThatItCannotHave() {
        assertThatThrownBy(() -> SimulatedOptions.builder()
                        .nodesPerDatacenter(1001)
                        .datacenters(2)
                        .build())
                .hasMessage("nodes of all data centres: 2002, must be 1 to 2000");
        assertThatThrownBy(() -> SimulatedOptions.builder().racks(4).build()).hasMessage("racks: 4, must be 1 to 3");
    }
}
