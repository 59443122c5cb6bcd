package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A load sends each operation once, whether or not it succeeds. */
class OperationSenderScriptedTest {
    private static final TableSchema TABLE =
            new TableSchema("ks", "t", List.of(new Column("k", DataTypes.BIGINT, Role.PARTITION_KEY)));
    private static final int IN_FLIGHT = 8;

    private final ScriptedTransport cluster = new ScriptedTransport(2);
    private final StressRecorder recorder = new StressRecorder(Set.of(OperationKind.WRITE));
    private final OperationSender sender = new OperationSender(
            cluster, CqlIdentifier.fromInternal("ks"), Map.of(OperationKind.WRITE, new Insert()), IN_FLIGHT, recorder);
    private long operations;

    private static final class Insert extends OperationStatement {
        Insert() {
            super(
                    "INSERT INTO ks.t (k) VALUES (?)",
                    new RowMaker(TABLE, StressOptions.on("ks", "t").build()),
                    List.of("k"),
                    new int[] {0});
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            return values.toByteArray();
        }
    }

    private void send() {
        assertThat(sender.tryPermit()).isTrue();
        sender.send(OperationKind.WRITE, operations, operations, cluster.nanoTime());
        operations++;
    }

    private void assertEnded(long succeeded, Map<String, Long> errors) throws InterruptedException {
        assertThat(recorder.errors()).isEqualTo(errors);
        long failed = errors.values().stream().mapToLong(Long::longValue).sum();
        assertThat(recorder.answered()).isEqualTo(succeeded + failed).isEqualTo(operations);
        assertThat(sender.awaitAnswers(0)).as("all permits are back").isTrue();
    }

    @Test
    void countsAFailureAndDoesNotRetry() throws Exception {
        send();
        cluster.next().refuse(ErrorCode.OVERLOADED, "overloaded");
        send();
        cluster.next().breakConnection();
        cluster.pass(Duration.ofHours(1));
        assertThat(cluster.sent).isEmpty();
        assertEnded(0, Map.of("overloaded", 1L, "Lost connection to remote peer", 1L));
    }

    @Test
    void countsALateAnswerOnce() throws Exception {
        send();
        Sent sent = cluster.next();
        cluster.pass(Duration.ofMinutes(10));
        assertThat(recorder.answered()).isZero();
        sent.answer(Void.INSTANCE);
        sent.answer(Void.INSTANCE);
        sent.breakConnection();
        assertEnded(1, Map.of());
    }

    @Test
    void sendsToTheNodeWithTheFewestInFlightAndNotToOneThatIsDown() throws Exception {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < IN_FLIGHT; i++) {
            send();
        }
        assertThat(sender.tryPermit()).isFalse();
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            nodes.add(sent.node());
            sent.answer(Void.INSTANCE);
        }
        assertThat(nodes).containsOnly(cluster.node(0), cluster.node(1));
        assertThat(nodes.stream().filter(cluster.node(0)::equals)).hasSize(IN_FLIGHT / 2);

        cluster.setState(0, NodeState.DOWN);
        send();
        assertThat(cluster.sent.element().node()).isEqualTo(cluster.node(1));
        cluster.next().answer(Void.INSTANCE);
        cluster.setState(1, NodeState.DOWN);
        send();
        assertEnded(IN_FLIGHT + 1, Map.of("no node of the local data centre is up", 1L));
    }

    @Test
    void preparesAForgottenStatementOnceAndResendsAllAffectedRequests() throws Exception {
        cluster.setState(1, NodeState.DOWN);
        for (int i = 0; i < IN_FLIGHT; i++) {
            send();
        }
        for (int i = 0; i < IN_FLIGHT; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        }
        assertThat(cluster.sent).hasSize(1);
        assertThat(cluster.sent.element().opcode()).isEqualTo(Opcode.PREPARE);
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(cluster.sent).hasSize(IN_FLIGHT);
        for (int i = 0; i < IN_FLIGHT - 1; i++) {
            cluster.next().answer(Void.INSTANCE);
        }
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown again");
        assertThat(cluster.sent).as("prepared once for each operation at most").isEmpty();
        assertEnded(IN_FLIGHT - 1, Map.of("unknown again", 1L));
    }

    @Test
    void countsOperationsWhoseStatementCannotBePrepared() throws Exception {
        send();
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().refuse(ErrorCode.INVALID, "table t does not exist");
        send();
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().breakConnection();
        assertEnded(0, Map.of("table t does not exist", 1L, "Lost connection to remote peer", 1L));
    }
}
