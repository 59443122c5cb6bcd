package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.sstable.handover.FakeNode.Import41;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The check of nodes before an import over JMX; {@link HandOverTest} has the import. */
class JmxImportTest {
    /** Cassandra creates a new table on each node by itself, and a node that has missed that asks the others once a minute. */
    @Test
    void waitsForEachNodeToHaveTheTable() throws Exception {
        try (FakeNode fake = new FakeNode(Import41.class, Map.of(), directories -> List.of());
                NodeBeans beans = NodeBeans.open(fake.address(), new JmxAccess(List.of(fake.address()), null, null));
                JmxImport jmx = new JmxImport(
                        CqlIdentifier.fromInternal("ks"),
                        CqlIdentifier.fromInternal("t"),
                        ImportersTest.replicas(List.of(ImportersTest.node("10.0.0.1", 9042))),
                        Map.of(0, beans))) {
            fake.drop();
            assertThatThrownBy(() -> jmx.requireTable(Duration.ZERO))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage(
                            "node 10.0.0.1:9042 has no table ks.t, and has not got it from the other nodes within 0 s;"
                                    + " see nodetool describecluster");

            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(() -> jmx.requireTable(Duration.ofMinutes(1)))
                        .isInstanceOf(OverdriveException.class)
                        .hasMessage("interrupted while waiting for node 10.0.0.1:9042 to have the table");
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }

            CompletableFuture<Void> creation = CompletableFuture.runAsync(
                    fake::create, CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
            jmx.requireTable(Duration.ofMinutes(1));
            creation.get(1, TimeUnit.MINUTES);
        }
    }
}
