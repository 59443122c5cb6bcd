package io.overdrive.internal.cql;

import static io.overdrive.internal.cql.ScriptedSession.fake;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
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
    private final CqlSession session = fake(
            CqlSession.class,
            Map.of("getMetadata", args -> metadata(), "execute", args -> answer((SimpleStatement) args[0])));

    private static Node node(UUID host) {
        return fake(
                Node.class,
                Map.of(
                        "getHostId",
                        args -> host,
                        "getState",
                        args -> NodeState.UP,
                        "getOpenConnections",
                        args -> 1,
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

    private ResultSet answer(SimpleStatement statement) {
        if (statement.getNode() == hanging) {
            throw new DriverTimeoutException("no answer");
        }
        if (statement.getQuery().contains("peers")) {
            onPeers.run();
            return fake(ResultSet.class, Map.of("iterator", args -> peers.iterator()));
        }
        return fake(ResultSet.class, Map.of("one", args -> row(VERSION)));
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
}
