package io.overdrive.internal.cql;

import static io.overdrive.internal.cql.ScriptedSession.fake;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which nodes are known to have a change, with one node that answers and one that hangs. */
class SchemaChangeTest {
    private static final UUID VERSION = UUID.randomUUID();
    private static final UUID HANGING_HOST = UUID.randomUUID();

    private final Node answering = node(UUID.randomUUID());
    private final Node hanging = node(HANGING_HOST);
    private final List<Row> peers = new ArrayList<>();
    private Runnable onPeers = () -> {};
    private int asked;
    /** The release of the hanging node. */
    private String release = "5.0.9";
    /** The version of the hanging node, when it answers again. */
    private @Nullable UUID resumedWith;

    private final CqlSession session = fake(
            CqlSession.class,
            Map.of(
                    "getMetadata", args -> metadata(),
                    "execute", args -> peers((SimpleStatement) args[0]),
                    "executeAsync", args -> version((SimpleStatement) args[0])));

    private Node node(UUID host) {
        return fake(
                Node.class,
                Map.of(
                        "getHostId",
                        args -> host,
                        "getCassandraVersion",
                        args -> Version.parse(host.equals(HANGING_HOST) ? release : "5.0.9"),
                        "getState",
                        args -> NodeState.UP,
                        "getOpenConnections",
                        args -> 1,
                        "getEndPoint",
                        args -> new DefaultEndPoint(new InetSocketAddress("127.0.0.1", host.hashCode() & 0xffff)),
                        "hashCode",
                        args -> host.hashCode(),
                        "equals",
                        args -> host.equals(((Node) args[0]).getHostId())));
    }

    private Metadata metadata() {
        return fake(
                Metadata.class,
                Map.of(
                        "getNodes",
                        args -> Map.of(
                                Objects.requireNonNull(answering.getHostId()), answering, HANGING_HOST, hanging)));
    }

    private ResultSet peers(SimpleStatement statement) {
        if (statement.getNode() == hanging && resumedWith == null) {
            throw new DriverTimeoutException("no answer");
        }
        onPeers.run();
        return fake(ResultSet.class, Map.of("iterator", args -> peers.iterator()));
    }

    private CompletionStage<AsyncResultSet> version(SimpleStatement statement) {
        UUID version = statement.getNode() == hanging ? resumedWith : VERSION;
        return version == null
                ? CompletableFuture.failedFuture(new DriverTimeoutException("no answer"))
                : CompletableFuture.completedFuture(fake(AsyncResultSet.class, Map.of("one", args -> row(version))));
    }

    private static Row row(UUID... values) {
        return fake(Row.class, Map.of("getUuid", args -> values[(int) args[0]]));
    }

    @Test
    void aConnectedNodeThatDoesNotAnswerIsBehind() {
        peers.add(row(HANGING_HOST, UUID.randomUUID()));
        assertThat(SchemaChange.behind(session, SchemaChange.versions(session))).containsExactly(hanging);
    }

    @Test
    void aNodeThatAnotherHasSeenWithTheChangeIsNotBehind() {
        peers.add(row(HANGING_HOST, VERSION));
        assertThat(SchemaChange.behind(session, SchemaChange.versions(session))).isEmpty();
    }

    @Test
    void waitsUntilEachNodeHasBeenSeenWithTheSameVersion() {
        peers.add(row(HANGING_HOST, UUID.randomUUID()));
        onPeers = () -> {
            if (++asked == 3) {
                peers.set(0, row(HANGING_HOST, VERSION));
            }
        };
        assertThat(SchemaChange.awaitAgreement(session)).isEmpty();
        assertThat(asked).isEqualTo(3);
    }

    @Test
    void saysWhichVersionsTheNodesHaveIfTheyDoNotAgree() {
        resumedWith = HANGING_HOST;
        assertThatThrownBy(() -> SchemaChange.awaitAgreement(session, "", Duration.ZERO))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SCHEMA))
                .hasMessageStartingWith("no schema agreement after 0 s: the nodes have versions {")
                .hasMessageContaining(VERSION.toString())
                .hasMessageContaining(HANGING_HOST.toString())
                .hasMessageEndingWith("}; see nodetool describecluster");
    }

    @Test
    void saysThatNodesOfSeveralReleasesDoNotAgree() {
        resumedWith = HANGING_HOST;
        release = "4.1.10";
        assertThatThrownBy(() -> SchemaChange.awaitAgreement(session, "", Duration.ZERO))
                .hasMessageEndingWith(
                        "}. They are of releases 4.1 and 5.0, which do not agree before the upgrade of the"
                                + " cluster is finished: finish it, or load over CQL into tables that exist");
    }

    @Test
    void endsWhenTheThreadIsInterrupted() {
        peers.add(row(HANGING_HOST, UUID.randomUUID()));
        onPeers = () -> Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> SchemaChange.awaitAgreement(session))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INTERRUPTED));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
