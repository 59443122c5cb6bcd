package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.request.Query;
import io.overdrive.TestCluster;
import io.overdrive.internal.wire.Wire;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guard's queries to a real node. */
@Tag("server")
class VirtualTablesIT {
    private static final CqlSession SESSION = TestCluster.overdrive().session();

    @Test
    void aNodeOfThisVersionHasAllFiguresButThatOfDisksWhichNeedsAGuardrail() throws Exception {
        Node node = SESSION.getMetadata().getNodes().values().iterator().next();
        CompletableFuture<NodeFigures> taken = new CompletableFuture<>();
        new VirtualTables(SESSION).figures(node, taken::complete);
        NodeFigures figures = taken.get(60, TimeUnit.SECONDS);
        assertThat(figures.dropped()).isZero();
        boolean hasHints = !System.getProperty("overdrive.local.cassandra", "").startsWith("4.0");
        assertThat(figures.hintFiles()).isEqualTo(hasHints ? 0 : -1);
        assertThat(figures.pendingCompactions()).isNotNegative();
        assertThat(figures.disk()).isNull();
    }

    @Test
    void keysAreSampledFromAllOverATable() {
        String keyspace = TestCluster.keyspace("guard_probes");
        SESSION.execute("CREATE TABLE " + keyspace + ".t (a int, b text, c int, PRIMARY KEY ((a, b), c))");
        ProbeReads none = sample(keyspace, "t");
        assertThat(none.table()).isEqualTo("system.local");
        for (int i = 0; i < 1000; i++) {
            SESSION.execute("INSERT INTO " + keyspace + ".t (a, b, c) VALUES (" + i + ", 'x', 1)");
        }
        ProbeReads reads = sample(keyspace, "t");
        assertThat(reads.table()).isEqualTo(keyspace + ".t");
        assertThat(reads.messages()).hasSizeBetween(100, 128).allSatisfy(read -> assertThat(read)
                .isInstanceOfSatisfying(Query.class, query -> assertThat(query.query)
                        .isEqualTo("SELECT a, b FROM " + keyspace + ".t WHERE a = ? AND b = ? LIMIT 1")));
    }

    private static ProbeReads sample(String keyspace, String table) {
        CqlIdentifier name = CqlIdentifier.fromInternal(keyspace);
        return ProbeReads.sample(
                SESSION,
                SESSION.refreshSchema(),
                Wire.of(SESSION).ring(name).now(),
                name,
                CqlIdentifier.fromInternal(table));
    }
}
