package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Grouping;
import io.overdrive.GuardLimit;
import io.overdrive.InFlightControl;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.Plan;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The plan that is shown before a run, letter by letter. */
class PlanPrinterTest {
    private static final WriteOptions WRITES =
            WriteOptions.into("shop", "orders").build();
    private static final ScanOptions READS = ScanOptions.from("shop", "orders").build();

    private static Reach reach(
            List<String> nodes, DefaultConsistencyLevel level, Map<String, Integer> replicas, boolean hasConditions) {
        Map<String, Integer> datacenters = new TreeMap<>(replicas);
        datacenters.put("dc1", nodes.size());
        return new Reach(
                "shop.orders",
                "prod",
                "dc1",
                nodes,
                List.of(),
                /* failoverDatacenter */ null,
                datacenters,
                new TreeMap<>(replicas),
                /* replicasAnywhere */ 0,
                level,
                hasConditions);
    }

    private static Reach twoDatacenters(DefaultConsistencyLevel level) {
        return reach(List.of("a:1", "b:1", "c:1"), level, Map.of("dc1", 3, "dc2", 2), /* hasConditions */ false);
    }

    private static PlanPrinter printer(Plan.Part... parts) {
        return new PlanPrinter(new Plan(parts), /* guard */ null);
    }

    private static List<String> lines(PlanPrinter plan) {
        StringWriter out = new StringWriter();
        plan.text(new PrintWriter(out));
        return out.toString().lines().toList();
    }

    private static String write(Reach reach) {
        return lines(printer(new Plan.Repairs("writes", reach))).get(1);
    }

    @Test
    void ofALoadIntoASingleNode() {
        Reach reach = reach(
                List.of("127.0.0.1:9042"),
                DefaultConsistencyLevel.LOCAL_QUORUM,
                Map.of("dc1", 1),
                /* hasConditions */ false);
        assertThat(lines(printer(new Plan.Writes("writes", reach, Grouping.PARTITION, true, WRITES))))
                .containsExactly(
                        "  cluster   prod, data centre dc1, node 127.0.0.1:9042",
                        "  writes    shop.orders at LOCAL_QUORUM (1 of 1 replica); rows of a partition in batches of up to"
                                + " 64KB (trials may change it) or 1,000 rows",
                        "  limits    in flight by round trips, at most 4,096 requests and 16MB a node");
    }

    @Test
    void ofAnUnloadWithLimits() {
        ScanOptions options = ScanOptions.from("shop", "orders")
                .inFlightControl(InFlightControl.FIXED)
                .rowsPerSecond(20_000)
                .bytesPerSecond(5 << 20)
                .build();
        PlanPrinter plan = new PlanPrinter(
                new Plan(new Plan.Reads(
                        "reads", twoDatacenters(DefaultConsistencyLevel.LOCAL_ONE), options, /* splits */ 1234, 12)),
                GuardLimit.relative(1.2));
        assertThat(lines(plan))
                .containsExactly(
                        "  cluster   prod, data centre dc1, 3 nodes: a:1, b:1, c:1",
                        "  reads     shop.orders at LOCAL_ONE (1 of 3 replicas in dc1); 1,234 splits, 12 at once, pages of"
                                + " 512KB",
                        "  limits    in flight without control; at most 20,000 rows/s and 5MB/s; guard 1.2x");
    }

    @Test
    void namesOtherDataCentresThatGetRowsOrAreWaitedFor() {
        assertThat(write(twoDatacenters(DefaultConsistencyLevel.LOCAL_QUORUM)))
                .isEqualTo("  writes    shop.orders at LOCAL_QUORUM (2 of 3 replicas in dc1); replicated to dc2, too");
        assertThat(write(twoDatacenters(DefaultConsistencyLevel.QUORUM)))
                .isEqualTo(
                        "  writes    shop.orders at QUORUM (3 of 5 replicas in dc1 and dc2); waits for nodes of dc2, too");
        assertThat(write(twoDatacenters(DefaultConsistencyLevel.EACH_QUORUM)))
                .isEqualTo("  writes    shop.orders at EACH_QUORUM (2 of 3 replicas in dc1 and 2 of 2 replicas in dc2);"
                        + " waits for nodes of dc2, too");
        assertThat(write(reach(
                        List.of("a:1"),
                        DefaultConsistencyLevel.LOCAL_QUORUM,
                        Map.of("dc1", 1, "dc2", 1),
                        /* hasConditions */ true)))
                .endsWith("; waits for nodes of dc2, too, which decide on conditions");
        assertThat(write(reach(
                        List.of("a:1"), DefaultConsistencyLevel.ONE, Map.of("dc2", 2), /* hasConditions */ false)))
                .isEqualTo(
                        "  writes    shop.orders at ONE (1 of 2 replicas in dc2); waits for nodes of dc2, too; dc1 has"
                                + " no replicas, and passes requests on");
        assertThat(lines(printer(new Plan.Reads(
                                "reads", twoDatacenters(DefaultConsistencyLevel.LOCAL_ONE), READS, /* splits */ 0, 0)))
                        .get(1))
                .as("a read that stays")
                .isEqualTo("  reads     shop.orders at LOCAL_ONE (1 of 3 replicas in dc1)");
    }

    @Test
    void namesFewNodesAndCountsMany() {
        Reach many = new Reach(
                "shop.orders",
                "prod",
                "dc1",
                List.of("a:1", "b:1", "c:1", "d:1", "e:1"),
                List.of("b:1"),
                "dc2",
                Map.of("dc1", 5, "dc2", 3),
                Map.of(),
                /* replicasAnywhere */ 3,
                DefaultConsistencyLevel.QUORUM,
                /* hasConditions */ false);
        assertThat(lines(printer(new Plan.Repairs("writes", many))))
                .containsExactly(
                        "  cluster   prod, data centre dc1, 5 nodes; b:1 is down; fails over to dc2",
                        "  writes    shop.orders at QUORUM (2 of 3 replicas in dc1 and dc2); waits for nodes of dc2, too");
    }

    @Test
    void ofACopyToAnotherCluster() {
        Reach from = twoDatacenters(DefaultConsistencyLevel.LOCAL_ONE);
        Reach to = reach(List.of("z:1"), DefaultConsistencyLevel.LOCAL_QUORUM, Map.of("dc1", 1), false);
        PlanPrinter plan = printer(
                new Plan.Reads("reads", from, READS, 96, 12),
                new Plan.Writes("writes", to, Grouping.NONE, true, WRITES));
        assertThat(lines(plan))
                .containsExactly(
                        "  cluster   prod, data centre dc1, 3 nodes: a:1, b:1, c:1",
                        "  reads     shop.orders at LOCAL_ONE (1 of 3 replicas in dc1); 96 splits, 12 at once, pages of"
                                + " 512KB (trials may change it)",
                        "  cluster   prod, data centre dc1, node z:1",
                        "  writes    shop.orders at LOCAL_QUORUM (1 of 1 replica); each row by itself, or with others"
                                + " while that is faster",
                        "  limits    in flight by round trips, at most 4,096 requests and 16MB a node");
    }

    @Test
    void bySstablesHasNoConsistency() throws IOException {
        PlanPrinter plan =
                printer(new Plan.WritesSstables("writes", twoDatacenters(DefaultConsistencyLevel.ALL), 5, 1));
        assertThat(lines(plan))
                .containsExactly(
                        "  cluster   prod, data centre dc1, 3 nodes: a:1, b:1, c:1",
                        "  writes    shop.orders; SSTables for 5 nodes, to which guardrails are not applied");
        StringWriter out = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            plan.members(json);
            json.writeEndObject();
        }
        assertThat(out.toString())
                .doesNotContain("consistency")
                .contains("\"sstables\":true")
                .contains("\"passes\":1");
    }

    @Test
    void bySstablesInPassesSaysThem() {
        assertThat(lines(printer(new Plan.WritesSstables("writes", twoDatacenters(DefaultConsistencyLevel.ALL), 5, 16)))
                        .get(1))
                .isEqualTo("  writes    shop.orders; SSTables for 5 nodes, to which guardrails are not applied; written"
                        + " and imported in 16 passes");
    }

    @Test
    void ofRowsFromAnotherSourceNamesItsParts() throws IOException {
        PlanPrinter plan = printer(new Plan.ReadsSource(
                "reads",
                twoDatacenters(DefaultConsistencyLevel.LOCAL_ONE),
                ScanOptions.from("shop", "orders").rowsPerSecond(1000).build(),
                new RowSource.Content("Archive", 3, 5_000_000, RowSource.Way.FILES),
                32));
        assertThat(lines(plan))
                .containsExactly(
                        "  cluster   prod, data centre dc1, 3 nodes: a:1, b:1, c:1",
                        "  reads     shop.orders from 3 Archives of 5.00 MB in 32 splits; at most 1,000 rows/s");
        StringWriter out = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            plan.members(json);
            json.writeEndObject();
        }
        assertThat(out.toString())
                .doesNotContain("consistency")
                .contains("\"archives\":3,\"bytes\":5000000,\"splits\":32");
    }

    @Test
    void ofAComparisonHasItsLimitsOnce() {
        Reach reach = reach(List.of("a:1"), DefaultConsistencyLevel.LOCAL_ONE, Map.of("dc1", 1), false);
        PlanPrinter plan = printer(
                new Plan.Reads("left", reach, READS, 8, 4),
                new Plan.Reads("right", reach, READS, 8, 4),
                new Plan.Repairs("repairs", reach));
        assertThat(lines(plan))
                .containsExactly(
                        "  cluster   prod, data centre dc1, node a:1",
                        "  left      shop.orders at LOCAL_ONE (1 of 1 replica); 8 splits, 4 at once, pages of 512KB (trials may change it)",
                        "  right     shop.orders at LOCAL_ONE (1 of 1 replica); 8 splits, 4 at once, pages of 512KB (trials may change it)",
                        "  repairs   shop.orders at LOCAL_ONE (1 of 1 replica)",
                        "  limits    in flight by round trips");
    }

    /** One replica is 9 GB if each of 3 nodes with 3 replicas has 9 GB; 2 nodes with one replica have half of it each. */
    @Test
    void ofTablesSaysWhatATargetWithOtherReplicasStores() {
        Reach from = reach(List.of("a:1", "b:1", "c:1"), DefaultConsistencyLevel.LOCAL_QUORUM, Map.of("dc1", 3), false);
        Reach into = reach(List.of("d:1", "e:1"), DefaultConsistencyLevel.LOCAL_QUORUM, Map.of("dc1", 1), false);
        Reach unknown = reach(List.of("d:1", "e:1"), DefaultConsistencyLevel.LOCAL_QUORUM, Map.of(), false);
        Plan.ReadsTables reads = new Plan.ReadsTables("reads", "shop", from, 4, 9_000_000_000L, Plan.Extent.UNKNOWN);
        Plan.WritesTables writes = new Plan.WritesTables("writes", "shop", into, 4, WRITES);
        assertThat(lines(printer(reads, writes.storedAs(reads))))
                .anyMatch(line -> line.endsWith("; 4 tables, about 9.00 GB on a node"))
                .anyMatch(line -> line.endsWith("; 4 tables, about 4.50 GB on a node if stored as in the source"));
        assertThat(lines(printer(writes))).anyMatch(line -> line.endsWith("; 4 tables"));
        assertThat(new Plan.WritesTables("writes", "shop", unknown, 4, WRITES)
                        .storedAs(reads)
                        .bytes())
                .isZero();
    }

    @Test
    void isAnObjectInJson() throws IOException {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            new PlanPrinter(
                            new Plan(new Plan.Writes(
                                    "writes",
                                    twoDatacenters(DefaultConsistencyLevel.QUORUM),
                                    Grouping.PARTITION,
                                    false,
                                    WRITES)),
                            GuardLimit.parse("p99=20ms"))
                    .members(json);
            json.writeEndObject();
        }
        assertThat(out.toString())
                .isEqualTo(
                        "{\"plan\":{\"guard\":\"p99=20ms\",\"writes\":{\"table\":\"shop.orders\",\"cluster\":\"prod\",\"datacenter\":\"dc1\","
                                + "\"nodes\":[\"a:1\",\"b:1\",\"c:1\"],\"nodesDown\":[],\"consistency\":\"QUORUM\","
                                + "\"replicas\":{\"dc1\":3,\"dc2\":2},\"otherDatacenters\":[\"dc2\"],"
                                + "\"waitsForOtherDatacenters\":true,\"grouping\":\"partition\",\"gathersSingles\":false,\"batchBytes\":65536,"
                                + "\"batchRows\":1000,\"inFlightControl\":\"round_trips\",\"inFlightRequests\":4096,"
                                + "\"inFlightBytes\":16777216}}}");
    }
}
