package io.overdrive.files.sstables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import io.overdrive.OverdriveException;
import io.overdrive.files.sstables.FakeNode.Import41;
import io.overdrive.sstable.TokenOwners;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ImportersTest {
    /** One that has nothing but an address. */
    private static Node node(String host, int port) {
        DefaultEndPoint address = new DefaultEndPoint(new InetSocketAddress(host, port));
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, args) -> method.getName().equals("getEndPoint") ? address : null);
    }

    private static Importers imports(@Nullable JmxAccess jmx, Supplier<Collection<Node>> nodesBehind) {
        return new Importers(
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new SstableOptions(jmx, /* ssh */ null, /* sidecar */ null, Path.of("out")),
                new Replicas(List.of(), TokenOwners.one(), new Placement(Map.of(), Map.of(), null, null)),
                nodesBehind,
                Map.of());
    }

    /** A node that does not have a new table yet refuses to import its rows. */
    @Test
    void waitsForSchemaAgreementIfNodesImport() {
        JmxAccess jmx = new JmxAccess(List.of(), null, null);
        AtomicInteger waits = new AtomicInteger();
        Importers agreeing = imports(jmx, () -> {
            waits.incrementAndGet();
            return List.of();
        });
        agreeing.open();
        assertThat(waits).hasValue(1);
        assertThat(agreeing.warnings()).isEmpty();

        Importers unsure = imports(jmx, () -> List.of(node("10.0.0.1", 9042)));
        unsure.open();
        assertThat(unsure.warnings())
                .containsExactly(
                        "it is not known whether node 10.0.0.1:9042 has the newest schema: if it does not have the"
                                + " table yet, it cannot import");

        Importers later = imports(
                /* jmx */ null, () -> {
                    throw new AssertionError("scripts import later");
                });
        later.open();
        assertThat(later.warnings()).isEmpty();
    }

    /** Cassandra creates a new table on each node by itself, and a node that has missed that asks the others once a minute. */
    @Test
    void waitsForEachNodeToHaveTheTable() throws Exception {
        try (FakeNode fake = new FakeNode(Import41.class, Map.of(), directories -> List.of())) {
            JmxAccess jmx = new JmxAccess(List.of(fake.address()), null, null);
            try (Importers importers = new Importers(
                    CqlIdentifier.fromInternal("ks"),
                    CqlIdentifier.fromInternal("late"),
                    new SstableOptions(jmx, /* ssh */ null, /* sidecar */ null, /* directory */ null),
                    new Replicas(
                            List.of(node("10.0.0.1", 9042)),
                            TokenOwners.one(),
                            new Placement(Map.of(), Map.of(), null, null)),
                    List::of,
                    Map.of(0, NodeBeans.open(fake.address(), jmx)))) {
                assertThatThrownBy(() -> importers.requireTable(Duration.ZERO))
                        .isInstanceOf(OverdriveException.class)
                        .hasMessage(
                                "node 10.0.0.1:9042 has no table ks.late, and has not got it from the other nodes within"
                                        + " 0 s; see nodetool describecluster");

                CompletableFuture<Void> creation = CompletableFuture.runAsync(
                        () -> fake.create("late"), CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
                importers.requireTable(Duration.ofMinutes(1));
                creation.get(1, TimeUnit.MINUTES);
            }
        }
    }

    /** By its address, Sidecar could not say for which of them an upload is, and a host has one nodetool. */
    @Test
    void refusesNodesWithOneAddressThatAreReachedByIt() {
        SidecarTarget sidecar = new SidecarTarget("http://{host}:1", null, List.of());
        Importers importers = new Importers(
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new SstableOptions(/* jmx */ null, /* ssh */ null, sidecar, /* directory */ null),
                new Replicas(
                        List.of(node("10.0.0.1", 9042), node("10.0.0.1", 9043)),
                        TokenOwners.one(),
                        new Placement(Map.of(), Map.of(), null, null)),
                List::of,
                Map.of());
        assertThatThrownBy(importers::open)
                .isInstanceOf(OverdriveException.class)
                .hasMessage("nodes 10.0.0.1:9042 and 10.0.0.1:9043 have one address, by which --sidecar does not"
                        + " distinguish them: have a directory written for each node by --sstable-directory");
    }
}
