package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import io.overdrive.OverdriveException;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.sstable.handover.FakeNode.Import41;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.sort.TokenOwners;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ImportersTest {
    /** One that is up, and has nothing but an address. */
    static Node node(String host, int port) {
        return node(host, port, NodeState.UP);
    }

    private static Node node(String host, int port, NodeState state) {
        DefaultEndPoint address = new DefaultEndPoint(new InetSocketAddress(host, port));
        return (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getEndPoint" -> address;
                    case "getState" -> state;
                    case "equals" -> proxy == args[0];
                    default -> null;
                });
    }

    /** Importers of table ks.t. */
    private static Importers importers(
            SstableOptions options,
            List<Node> replicas,
            Supplier<Collection<Node>> nodesBehind,
            Map<Integer, NodeBeans> beans) {
        return new Importers(
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                options,
                replicas(replicas),
                nodesBehind,
                beans);
    }

    /** Replicas whose first node has all tokens. */
    static Replicas replicas(List<Node> nodes) {
        return new Replicas(
                nodes, TokenOwners.one(), new Placement(Map.of(), Map.of(), null, new DroppedColumns(Map.of()), null));
    }

    private static SstableOptions byJmx(Address... addresses) {
        return new SstableOptions(
                new JmxAccess(List.of(addresses), null, null), /* ssh */
                null, /* sidecar */
                null, /* directory */
                null);
    }

    /** A node that does not have a new table yet refuses to import its rows. */
    @Test
    void waitsForSchemaAgreementIfNodesImport() {
        AtomicInteger waits = new AtomicInteger();
        Importers agreeing = importers(
                byJmx(),
                List.of(),
                () -> {
                    waits.incrementAndGet();
                    return List.of();
                },
                Map.of());
        agreeing.open();
        assertThat(waits).hasValue(1);
        assertThat(agreeing.warnings()).isEmpty();

        SstableOptions scripts = new SstableOptions(/* jmx */ null, /* ssh */ null, /* sidecar */ null, Path.of("out"));
        Importers later = importers(
                scripts,
                List.of(),
                () -> {
                    throw new AssertionError("scripts import later");
                },
                Map.of());
        later.open();
        assertThat(later.warnings()).isEmpty();
    }

    @Test
    void warnsOnceOfAllReplicasThatAreDown() {
        SstableOptions scripts = new SstableOptions(/* jmx */ null, /* ssh */ null, /* sidecar */ null, Path.of("out"));
        Node up = node("10.0.0.1", 9042);
        Node down = node("10.0.0.2", 9042, NodeState.DOWN);
        Node alsoDown = node("10.0.0.3", 9042, NodeState.FORCED_DOWN);

        Importers none = importers(scripts, List.of(up), List::of, Map.of());
        none.warnOfNodesDown();
        assertThat(none.warnings()).isEmpty();

        Importers one = importers(scripts, List.of(up, down), List::of, Map.of());
        one.warnOfNodesDown();
        assertThat(one.warnings())
                .containsExactly(
                        "node 10.0.0.2:9042 is down: its SSTables are written, and have to be imported when it is"
                                + " up again");

        Importers several = importers(scripts, List.of(up, down, alsoDown), List::of, Map.of());
        several.warnOfNodesDown();
        assertThat(several.warnings())
                .containsExactly(
                        "nodes 10.0.0.2:9042, 10.0.0.3:9042 are down: their SSTables are written, and have to be"
                                + " imported when they are up again");
    }

    /** The one that is down is warned of already. */
    @Test
    void warnsOnceOfAllReplicasThatMayNotHaveTheTable() {
        Node up = node("10.0.0.1", 9042);
        Node alsoUp = node("10.0.0.2", 9042);
        Node down = node("10.0.0.3", 9042, NodeState.DOWN);
        List<Node> nodes = List.of(up, alsoUp, down);
        Importers importers = importers(byJmx(), nodes, () -> nodes, Map.of());
        importers.awaitAgreement();
        assertThat(importers.warnings())
                .containsExactly("it is not known whether nodes 10.0.0.1:9042, 10.0.0.2:9042 have the newest schema: if"
                        + " they do not have the table yet, they cannot import");
    }

    @Test
    void warnsOfReplicasThatMayNotHaveTheTable() throws Exception {
        Node replica = node("10.0.0.1", 9042);
        try (FakeNode fake = new FakeNode(Import41.class, Map.of(), directories -> List.of());
                NodeBeans beans = NodeBeans.open(fake.address(), new JmxAccess(List.of(fake.address()), null, null));
                Importers importers = importers(
                        byJmx(), List.of(replica), () -> List.of(replica, node("10.0.0.2", 9042)), Map.of(0, beans))) {
            importers.open();
            assertThat(importers.warnings())
                    .containsExactly("it is not known whether node 10.0.0.1:9042 has the newest schema: if it does not"
                            + " have the table yet, it cannot import");
        }
    }

    /** Sidecar could not tell by the address for which of them an upload is, and a host has one nodetool. */
    @Test
    void refusesNodesWithOneAddressThatAreReachedByIt() {
        SidecarTarget sidecar = new SidecarTarget("http://{host}:1", null, List.of());
        Importers importers = importers(
                new SstableOptions(/* jmx */ null, /* ssh */ null, sidecar, /* directory */ null),
                List.of(node("10.0.0.1", 9042), node("10.0.0.1", 9043)),
                List::of,
                Map.of());
        assertThatThrownBy(importers::open)
                .isInstanceOf(OverdriveException.class)
                .hasMessage("nodes 10.0.0.1:9042 and 10.0.0.1:9043 have one address, by which sidecar does not"
                        + " distinguish them: have a directory written for each node with directory");
    }
}
